import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { DeadLetter, Worker } from '@tollgate/contract/providers/providers.ts'
import { expect, test } from 'vitest'
import { refusal } from '../testing/api-stub.ts'
import { someProvider as provider } from '../testing/objects.ts'
import { admin, renderApp } from '../testing/render.tsx'
import { ProviderPage } from '../objects/ProviderPage.tsx'
import { objectPaths } from '../paths.ts'
import { HttpProvidersPage } from './HttpProvidersPage.tsx'
import { formatPollInterval, formatUptime } from './labels.ts'

const worker: Worker = {
  providerId: '7',
  name: 'Acme CDR',
  status: 'error',
  messagesSynced: 12_345,
  errors: 4,
  uptime: 3_780,
  lastSync: null,
  nextPoll: null,
  lastError: 'The provider answered 500 instead of 200.',
  newestRecord: null,
  gapSince: '2026-11-19T14:00:00.000Z',
  deadLetters: 2,
  failingSince: '2026-11-19T13:00:00.000Z',
  statusSince: '2026-11-19T13:00:00.000Z',
  duplicates: 0,
  node: 'one:1',
}
const letter: DeadLetter = {
  id: '5',
  reason: 'unknown_number',
  explanation: 'Its number is none of ours.',
  externalId: 'cdr-5',
  number: '+447700900999',
  timestamp: '2026-11-19T14:00:00Z',
  tries: 1,
  createdAt: '2026-11-19T14:00:00.000Z',
  lastTriedAt: '2026-11-19T14:00:00.000Z',
}
const overall = {
  totalProviders: 3,
  activeProviders: 2,
  totalMessagesSynced: 54_321,
  totalErrors: 9,
  totalDeadLetters: 2,
}
const answers = {
  'GET /api/providers': [provider],
  'GET /api/workers/stats': { workers: [worker], overall },
}

const open = (more: object = {}, url = '/http-providers') =>
  renderApp(<HttpProvidersPage />, { user: admin, url, answers: { ...answers, ...more } })
const openPage = (more: object = {}) =>
  renderApp(<ProviderPage />, {
    user: admin,
    url: '/providers/7',
    path: objectPaths.provider,
    answers: { ...answers, ...more },
  })

test('a card shows a provider, its problem and its waiting rows, and leads to the page that cures them', async () => {
  open()
  expect(await screen.findByText('API_KEY')).toBeTruthy()
  for (const words of ['Acme CDR', 'Enabled', '5 minutes', 'Yes'])
    expect(screen.getByText(words)).toBeTruthy()
  expect(await screen.findByText('The provider answered 500 instead of 200.')).toBeTruthy()
  expect(screen.getByText(/^Since 19\/11\/2026 13:00:00, .+ ago\./)).toBeTruthy()
  expect(screen.getByText('Nothing new for longer than its limit')).toBeTruthy()
  expect(screen.getByText('2 rows could not become records')).toBeTruthy()
  expect(screen.getByRole('link', { name: 'Acme CDR' }).getAttribute('href')).toBe('/providers/7')
  const card = within(screen.getByRole('tabpanel'))
  expect(card.getAllByRole('button').map((button) => button.getAttribute('aria-label'))).toEqual([
    'Start Acme CDR',
    'Stop Acme CDR',
    'Test Acme CDR',
  ])
})

test('the first button on its page cures what is wrong; once deleted, one is back in the list', async () => {
  const user = userEvent.setup()
  const { address } = openPage({ 'DELETE /api/providers/7': {} })
  await screen.findByText('The provider answered 500 instead of 200.')
  const [first] = within(screen.getByRole('tabpanel')).getAllByRole('button')
  await user.click(first!)
  const dialog = await screen.findByRole('dialog', { name: 'Edit Acme CDR' })
  expect(first!.textContent).toBe('Edit address and key')
  await user.click(within(dialog).getByRole('button', { name: 'Cancel' }))
  await user.click(screen.getByRole('button', { name: 'Delete' }))
  await user.click(within(screen.getByRole('alertdialog')).getByRole('button', { name: 'Delete' }))
  await waitFor(() => expect(address()).toBe('/http-providers'))
})

test('start and stop order it, and say so in the specification’s words', async () => {
  const user = userEvent.setup()
  let enabled = false
  const { requests } = open({
    'GET /api/providers': () => Response.json([{ ...provider, enabled }]),
    'POST /api/providers/7/start': () => {
      enabled = true
      return Response.json(provider)
    },
    'POST /api/providers/7/stop': refusal(404, { code: 'not_found', message: 'There is no such provider.' }),
  })
  await user.click(await screen.findByRole('button', { name: 'Start Acme CDR' }))
  expect(await screen.findByText('Provider Started')).toBeTruthy()
  const isInert = (name: string) =>
    screen.getByRole('button', { name }).getAttribute('aria-disabled') === 'true'
  await waitFor(() => expect([isInert('Start Acme CDR'), isInert('Stop Acme CDR')]).toEqual([true, false]))
  await user.click(screen.getByRole('button', { name: 'Stop Acme CDR' }))
  expect(await screen.findByText('Failed to stop provider')).toBeTruthy()
  expect(requests.filter(({ method }) => method === 'POST').map(({ path }) => path)).toEqual([
    '/api/providers/7/start',
    '/api/providers/7/stop',
  ])
})

test.each([
  [{ success: true, rowCount: 3, durationMs: 12 }, 'Test Successful'],
  [{ success: false, error: 'The answer is not valid JSON.', durationMs: 12 }, 'Test Failed'],
])('a test says what came of it: %j', async (outcome, title) => {
  const user = userEvent.setup()
  open({ 'POST /api/providers/7/test': outcome })
  await user.click(await screen.findByRole('button', { name: 'Test Acme CDR' }))
  expect((await screen.findAllByText(title))[0]).toBeTruthy()
  if (!outcome.success) expect((await screen.findAllByText('The answer is not valid JSON.'))[0]).toBeTruthy()
})

test('a test that cannot be made is a Test Error', async () => {
  const user = userEvent.setup()
  open({ 'POST /api/providers/7/test': refusal(500, { code: 'internal', message: 'x' }) })
  await user.click(await screen.findByRole('button', { name: 'Test Acme CDR' }))
  expect(await screen.findByText('Test Error')).toBeTruthy()
  expect(screen.getByText('Failed to test provider')).toBeTruthy()
})

test('the custom provider is configured by its own call, with a password only for basic', async () => {
  const user = userEvent.setup()
  const { requests } = open({
    'GET /api/providers': [],
    'POST /api/providers/custom/configure': { ...provider, id: 'custom' },
  })
  expect(await screen.findByText('No HTTP providers configured yet')).toBeTruthy()
  await user.click(screen.getByRole('button', { name: 'Configure Provider' }))
  const dialog = within(await screen.findByRole('dialog'))
  expect(dialog.queryByLabelText('Username')).toBeNull()
  await user.selectOptions(dialog.getByLabelText('Authentication Type'), 'basic')
  expect(dialog.queryByLabelText('API Key')).toBeNull()
  await user.click(dialog.getByRole('button', { name: 'Save Configuration' }))
  expect(await dialog.findByText('API URL is required')).toBeTruthy()
  await user.type(dialog.getByLabelText('API URL'), 'https://api.example.com/r')
  await user.type(dialog.getByLabelText('Username'), 'bob')
  await user.type(dialog.getByLabelText('Password'), 'pw')
  await user.click(dialog.getByRole('button', { name: 'Save Configuration' }))
  expect(await screen.findByText('Provider Configured')).toBeTruthy()
  expect(requests.find(({ method }) => method === 'POST')?.body).toMatchObject({
    apiUrl: 'https://api.example.com/r',
    authType: 'basic',
    username: 'bob',
    password: 'pw',
    pollInterval: 300_000,
    enabled: false,
  })
})

test('the mapping is folded until a preview shows that it does not fit', async () => {
  const user = userEvent.setup()
  open({
    'GET /api/providers': [],
    'POST /api/providers/preview': {
      success: false,
      error: 'The answer has no list at “records”.',
      durationMs: 5,
      withoutIdCount: 0,
      hasNextPage: false,
      paths: [{ path: 'data.items', kind: 'list' }],
      rows: [],
    },
  })
  await user.click(await screen.findByRole('button', { name: 'Configure Provider' }))
  const dialog = within(await screen.findByRole('dialog'))
  const fold = dialog.getByText('Field mapping', { selector: 'summary' }).closest('details')!
  expect(fold.open).toBe(false)
  await user.click(dialog.getByRole('button', { name: 'Preview' }))
  expect(await dialog.findByText(/Lists in the answer: data.items/)).toBeTruthy()
  expect(fold.open).toBe(true)
})

test('what the server says of a field stands at the field', async () => {
  const user = userEvent.setup()
  open({
    'GET /api/providers': [{ ...provider, id: 'custom' }],
    'POST /api/providers': refusal(400, {
      code: 'invalid',
      message: 'API key is required for this kind of authentication.',
      fields: { apiKey: 'API key is required' },
    }),
  })
  const configure = await screen.findByRole('button', { name: 'Configure Provider' })
  await waitFor(() => expect(configure.getAttribute('aria-disabled')).toBeNull())
  await user.click(configure)
  const dialog = within(await screen.findByRole('dialog'))
  await user.type(dialog.getByLabelText('Name'), 'x')
  await user.type(dialog.getByLabelText('API URL'), 'https://api.example.com/r')
  await user.click(dialog.getByRole('button', { name: 'Save Configuration' }))
  expect(await dialog.findByText('API key is required')).toBeTruthy()
  expect(screen.getByText('Configuration Error')).toBeTruthy()
})

test('a preview shows rows and faults, and offers the paths of the answer', async () => {
  const user = userEvent.setup()
  const { requests } = openPage({
    'POST /api/providers/preview': {
      success: true,
      rowCount: 2,
      durationMs: 20,
      withoutIdCount: 1,
      hasNextPage: true,
      rows: [
        {
          id: 'a1',
          timestamp: '2026-11-19T14:00:00.000Z',
          number: '447700900123',
          sender: 'ACME',
          textLength: 10,
          status: 'Delivered',
          fault: '',
        },
        {
          id: 'a2',
          timestamp: '',
          number: '',
          sender: '',
          textLength: 0,
          status: '',
          fault: 'It has no number.',
        },
      ],
      paths: [
        { path: 'records', kind: 'list' },
        { path: 'records[].msisdn', kind: 'text' },
      ],
    },
  })
  await user.click(await screen.findByRole('button', { name: 'Edit' }))
  const dialog = within(await screen.findByRole('dialog'))
  await user.click(dialog.getByRole('button', { name: 'Preview' }))
  expect(await dialog.findByText('447700900123')).toBeTruthy()
  expect(dialog.getByText('It has no number.')).toBeTruthy()
  expect(dialog.getByText('1 of these rows has no id')).toBeTruthy()
  expect(document.querySelector('datalist option[value="msisdn"]')).not.toBeNull()
  expect(requests.find(({ path }) => path === '/api/providers/preview')?.body).toMatchObject({
    id: '7',
    apiKey: '',
  })
})

test('a provider at another host wants its key again, as soon as the host is entered', async () => {
  const user = userEvent.setup()
  const fault = 'Enter the API key again: the host of the API URL has changed'
  const { requests } = openPage({
    'PUT /api/providers/7': refusal(400, {
      code: 'invalid',
      message: `${fault}.`,
      fields: { apiKey: fault },
    }),
  })
  await user.click(await screen.findByRole('button', { name: 'Edit' }))
  const dialog = within(await screen.findByRole('dialog'))
  const [address, key] = [dialog.getByLabelText('API URL'), dialog.getByLabelText('API Key')]
  expect(dialog.getByText('Leave it empty to keep the current one')).toBeTruthy()
  await user.type(address, '/more')
  expect(key.getAttribute('aria-required')).toBe('false')
  await user.clear(address)
  await user.type(address, 'https://evil.example.com/records')
  expect(key.getAttribute('aria-required')).toBe('true')
  expect(dialog.getByText(fault)).toBeTruthy()
  await user.click(dialog.getByRole('button', { name: 'Save Configuration' }))
  await waitFor(() => expect(requests.some(({ method }) => method === 'PUT')).toBe(true))
  await waitFor(() => expect(key.getAttribute('aria-invalid')).toBe('true'))
  await user.clear(address)
  await user.type(address, 'HTTPS://api.example.com:443/records')
  expect(key.getAttribute('aria-required')).toBe('false')
})

test('dead letters are shown, tried again and dismissed', async () => {
  const user = userEvent.setup()
  const { requests } = openPage({
    'GET /api/providers/7/dead-letters': [letter],
    'GET /api/providers/7/dead-letters/5': { ...letter, row: '{"id":"cdr-5","text":"hi"}' },
    'POST /api/providers/7/dead-letters/replay': { stored: 0, failed: 1 },
    'DELETE /api/providers/7/dead-letters/5': {},
  })
  await user.click(await screen.findByRole('button', { name: 'Show Dead Letters' }))
  const dialog = within(await screen.findByRole('dialog'))
  expect(await dialog.findByText('Its number is none of ours.')).toBeTruthy()
  expect(requests.some(({ path }) => path.endsWith('/dead-letters/5'))).toBe(false)
  await user.click(dialog.getByRole('button', { name: 'Show cdr-5' }))
  expect(await dialog.findByText(/"text": "hi"/)).toBeTruthy()
  await user.click(dialog.getByRole('button', { name: 'Replay All' }))
  expect(await screen.findByText('Now records: 0. Still waiting: 1.')).toBeTruthy()
  await user.selectOptions(dialog.getByLabelText('Reason'), 'Unknown number')
  await user.selectOptions(dialog.getByLabelText('Order'), 'Oldest first')
  await waitFor(() =>
    expect(requests.findLast(({ path }) => path.endsWith('/dead-letters'))?.query.toString()).toBe(
      'reason=unknown_number&order=asc',
    ),
  )
  expect(dialog.getByRole('link', { name: 'Export CSV' }).getAttribute('href')).toBe(
    '/api/providers/7/dead-letters/export?reason=unknown_number',
  )
  await user.click(await dialog.findByRole('button', { name: 'Replay These' }))
  await waitFor(() =>
    expect(requests.findLast(({ method }) => method === 'POST')?.body).toEqual({ reason: 'unknown_number' }),
  )
  await user.click(await dialog.findByRole('button', { name: 'Dismiss cdr-5' }))
  await user.click(await screen.findByRole('button', { name: 'Dismiss' }))
  await waitFor(() => expect(requests.some(({ method }) => method === 'DELETE')).toBe(true))
})

test('the workers’ table and the statistics show the server’s figures', async () => {
  const user = userEvent.setup()
  open({}, '/http-providers?tab=workers')
  const table = await screen.findByRole('table')
  expect(await within(table).findByText('12,345')).toBeTruthy()
  for (const words of ['1h 3m', 'Never', 'N/A', 'Error']) expect(within(table).getByText(words)).toBeTruthy()
  await user.click(screen.getByRole('tab', { name: 'Statistics' }))
  expect(await screen.findByText('54,321')).toBeTruthy()
  expect(screen.getByText('Total Providers')).toBeTruthy()
})

test('a list that cannot be fetched says so', async () => {
  open({ 'GET /api/providers': refusal(503, { code: 'unavailable', message: 'The database is away.' }) })
  expect(await screen.findByText('Failed to fetch providers')).toBeTruthy()
})

test('intervals and uptimes have the format of the specification', () => {
  expect([300_000, 60_000, 1_000, 90_000].map(formatPollInterval)).toEqual([
    '5 minutes',
    '1 minute',
    '1 second',
    '1.5 minutes (90 s)',
  ])
  expect(formatUptime({ uptime: 90_061 })).toBe('25h 1m')
})
