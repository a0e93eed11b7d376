import { detailed, sentence } from '@tollgate/contract/sentences.ts'
import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { t } from '../../language/t.ts'
import { refusal } from '../../testing/api-stub.ts'
import { connectedLink, failingLink } from '../../testing/connections.ts'
import { someEndpoint as endpoint } from '../../testing/objects.ts'
import { plainText, readHebrew } from '../../testing/hebrew.ts'
import { admin, renderApp } from '../../testing/render.tsx'
import { InterconnectionPage } from './InterconnectionPage.tsx'

const at = '2026-11-19T14:00:00.000Z'
const failing = { ...failingLink, messagesPerSecond: 9, sent24h: 0 }
const unused: typeof endpoint = {
  ...endpoint,
  id: '4',
  name: 'New',
  totalRequests: 0,
  successRate: 0,
  lastUsed: null,
}
const answers = {
  'GET /api/smpp-connections': [connectedLink, failing],
  'GET /api/endpoints': [endpoint, unused],
  'GET /api/interconnection/activity': [
    {
      id: 'c1',
      at,
      kind: 'connection',
      objectId: '8',
      name: 'iprn-east',
      title: 'Connection failed',
      detail: 'Error Code 14: Invalid Password (one)',
      tone: 'bad',
      by: '',
    },
  ],
}
const show = (query = '', over: object = {}, user = admin) =>
  renderApp(<InterconnectionPage />, {
    url: `/interconnection-api${query}`,
    answers: { ...answers, ...over },
    user,
  })
const statOf = (label: string) =>
  screen.getAllByText(label).find((each) => each.tagName === 'DT')?.parentElement?.textContent

test('the cards count connected links and active endpoints, sum what was measured and leave out what was never used', async () => {
  show()
  expect(await screen.findByText('Error Code 14: Invalid Password')).toBeTruthy()
  expect(statOf('Active SMPP')).toContain('1of 2')
  expect(statOf('API Endpoints')).toContain('2')
  expect(statOf('Avg Throughput')).toContain('0.42msg/s')
  expect(statOf('Success Rate')).toContain('90.0%')
  expect(screen.getByText('Authentication Failed')).toBeTruthy()
})

test('a row leads to the page of its connection and has no acts of its own; Monitoring restarts one', async () => {
  const user = userEvent.setup()
  const shown = show('', { 'POST /api/smpp-connections/7/restart': connectedLink })
  const name = await screen.findByRole('link', { name: 'iprn-west' })
  expect(name.getAttribute('href')).toBe('/connections/7')
  expect(within(name.closest('tr')!).queryByRole('button')).toBeNull()
  await user.click(screen.getByRole('tab', { name: 'Monitoring' }))
  await user.click(await screen.findByRole('button', { name: 'Restart iprn-west' }))
  await waitFor(() =>
    expect(shown.requests.map(({ path }) => path)).toContain('/api/smpp-connections/7/restart'),
  )
})

test('an endpoint is added with the defaults; its secret is shown once; nobody chosen never means everybody', async () => {
  const user = userEvent.setup()
  const shown = show('?tab=endpoints', {
    'GET /api/users': [{ ...admin, id: 5, username: 'client1', role: 'user' }],
    'POST /api/endpoints': { ...endpoint, id: '9', name: 'Shop', userId: 5, apiKey: 'whsec_only-once' },
  })
  await user.click(await screen.findByRole('button', { name: 'Add Endpoint' }))
  const dialog = within(await screen.findByRole('dialog'))
  await user.click(dialog.getByRole('button', { name: 'Add Endpoint' }))
  expect(await dialog.findByText('Name is required')).toBeTruthy()
  expect(dialog.getByText('Endpoint URL is required')).toBeTruthy()
  await user.type(dialog.getByLabelText('Name'), 'Shop')
  await user.type(dialog.getByLabelText('Endpoint URL'), 'https://shop.example.com/h')
  await user.click(dialog.getByLabelText("One client's records"))
  await user.click(dialog.getByRole('button', { name: 'Add Endpoint' }))
  expect(await dialog.findByText('Choose a client')).toBeTruthy()
  expect(shown.requests.some(({ method }) => method === 'POST')).toBe(false)
  await user.click(await dialog.findByLabelText(/client1/))
  await user.click(dialog.getByRole('button', { name: 'Add Endpoint' }))
  expect(await screen.findByText('whsec_only-once')).toBeTruthy()
  expect(screen.getByText('Shown this once')).toBeTruthy()
  const sent = shown.requests.find(({ method }) => method === 'POST')
  expect(sent?.body).toMatchObject({ method: 'POST', rateLimit: 1000, status: 'active', userId: 5 })
})

test('a row leads to the page of its endpoint, and has no acts of its own', async () => {
  show('?tab=endpoints')
  const name = await screen.findByRole('link', { name: 'CRM' })
  expect(name.getAttribute('href')).toBe('/endpoints/3')
  expect(within(name.closest('tr')!).queryByRole('button')).toBeNull()
})

test('an address that an endpoint may not have is shown at its field', async () => {
  const user = userEvent.setup()
  show('?tab=endpoints', {
    'POST /api/endpoints': () =>
      refusal(400, { code: 'invalid', message: 'Bad.', fields: { endpoint: 'Not this one' } }),
  })
  await user.click(await screen.findByRole('button', { name: 'Add Endpoint' }))
  const dialog = within(await screen.findByRole('dialog'))
  await user.type(dialog.getByLabelText('Name'), 'Shop')
  await user.type(dialog.getByLabelText('Endpoint URL'), 'https://shop.example.com/h')
  await user.click(dialog.getByRole('button', { name: 'Add Endpoint' }))
  expect(await dialog.findByText('Not this one')).toBeTruthy()
})

test('Monitoring counts what was sent, tests an endpoint, and shows the activity', async () => {
  const user = userEvent.setup()
  show('?tab=monitoring', {
    'POST /api/endpoints/3/test': { success: false, error: 'The address answered 503.', durationMs: 4 },
  })
  expect((await screen.findAllByText('1,234 sent, 5 received')).length).toBeGreaterThan(0)
  expect(screen.getByRole('link', { name: 'iprn-west' }).getAttribute('href')).toBe('/connections/7')
  expect(screen.getByRole('button', { name: 'Disconnect iprn-west' })).toBeTruthy()
  expect(screen.getByRole('button', { name: 'Connect iprn-east' })).toBeTruthy()
  expect(screen.queryByRole('button', { name: 'Disconnect iprn-east' })).toBeNull()
  expect(await screen.findByText('Connection failed')).toBeTruthy()
  expect(screen.getByRole('link', { name: 'CRM' }).getAttribute('href')).toBe('/endpoints/3')
  await user.click(screen.getByRole('button', { name: 'Test CRM' }))
  expect(await screen.findByText('The address answered 503.')).toBeTruthy()
})

test('figures that cannot be fetched are dashes, not for ever on their way', async () => {
  const away = () => refusal(503, { code: 'unavailable', message: 'The database is away.' })
  show('', { 'GET /api/smpp-connections': away, 'GET /api/endpoints': away })
  await screen.findByText('Failed to fetch SMPP connections')
  for (const label of ['Active SMPP', 'API Endpoints', 'Avg Throughput', 'Success Rate'])
    await waitFor(() => expect(statOf(label)).toBe(`${label}–not known`))
})

test('the activity log is turned to its oldest entry and exported by kind', async () => {
  const user = userEvent.setup()
  const { requests, address } = show('?tab=monitoring&activity=connection')
  const turn = await screen.findByRole('button', { name: 'Newest first' })
  await user.click(turn)
  expect(await screen.findByRole('button', { name: 'Oldest first' })).toBeTruthy()
  expect(address()).toContain('order=asc')
  await waitFor(() =>
    expect(requests.findLast(({ path }) => path.endsWith('/activity'))?.query.toString()).toBe(
      'limit=25&order=asc&kind=connection',
    ),
  )
  expect(screen.getByRole('link', { name: 'Export CSV' }).getAttribute('href')).toBe(
    '/api/interconnection/activity/export?kind=connection',
  )
})

test('Global Config is changed by an admin and read by support', async () => {
  const user = userEvent.setup()
  const config = {
    enquireLinkSeconds: 30,
    answerSeconds: 30,
    sendWindow: 10,
    retryPauseSeconds: 60,
    isDelivering: true,
  }
  const calls = {
    'GET /api/interconnection/config': config,
    'PUT /api/interconnection/config': config,
  }
  const shown = show('?tab=monitoring', calls)
  await user.click(await screen.findByRole('button', { name: 'Global Config' }))
  const field = await screen.findByLabelText('Send window')
  await user.clear(field)
  await user.type(field, '0')
  await user.click(screen.getByRole('button', { name: 'Save' }))
  expect(await screen.findByText('From 1 to 100')).toBeTruthy()
  await user.type(field, '{Backspace}20')
  await user.click(screen.getByRole('switch', { name: 'Deliver to endpoints' }))
  await user.click(screen.getByRole('button', { name: 'Save' }))
  await waitFor(() =>
    expect(shown.requests.find(({ method }) => method === 'PUT')?.body).toMatchObject({
      sendWindow: 20,
      isDelivering: false,
    }),
  )
  shown.unmount()
  show('?tab=monitoring', calls, { ...admin, role: 'support' })
  await user.click(await screen.findByRole('button', { name: 'Global Config' }))
  expect(await screen.findByText('Only an admin can change these')).toBeTruthy()
  expect(screen.queryByRole('button', { name: 'Save' })).toBeNull()
})

test('the health check is said in the language of the reader', async () => {
  await readHebrew()
  const name = 'Database'
  const words = sentence('Answered in {count} ms.', { count: 1_234 })
  show('?tab=monitoring', {
    'GET /api/interconnection/health': {
      checkedAt: at,
      state: 'warn',
      checks: [
        { kind: 'gateway', name, state: 'warn', ...detailed(words) },
        { kind: 'endpoint', name, state: 'idle', ...detailed('Not used yet.') },
      ],
    },
  })
  await userEvent.click(await screen.findByRole('button', { name: t('Health Check') }))
  const shown = within(await screen.findByRole('dialog', { name: t('Health Check') }))
  const rows = await shown.findAllByRole('listitem')
  expect(rows.map(plainText)).toEqual([
    expect.stringMatching(/^מסד הנתוניםענה תוך 1,234 ms\./),
    expect.stringMatching(/^Databaseעדיין לא בשימוש\./),
  ])
})
