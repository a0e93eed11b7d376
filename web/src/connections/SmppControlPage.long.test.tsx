import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { Connection } from '@tollgate/contract/connections/connections.ts'
import { detailed, sentence } from '@tollgate/contract/sentences.ts'
import { expect, test } from 'vitest'
import { t } from '../language/t.ts'
import { refusal, type ApiStubs } from '../testing/api-stub.ts'
import { connectedLink, failingLink } from '../testing/connections.ts'
import { plainText, readHebrew } from '../testing/hebrew.ts'
import { admin, renderApp } from '../testing/render.tsx'
import { ConnectionOverview } from './ConnectionOverview.tsx'
import { SmppControlPage } from './SmppControlPage.tsx'

const failing: Connection = {
  ...failingLink,
  id: '7',
  host: 'smsc.example.com',
  useTls: false,
  lastHeartbeat: null,
  connectedAt: null,
  downSince: '2026-11-19T13:00:00.000Z',
  attempts: 38,
  lastAttempt: '2026-11-19T14:32:05.000Z',
  messagesPerSecond: 0,
  sent24h: 0,
  received24h: 0,
  version: 3,
}
const status = {
  server: { running: true, port: 2775, connections: 1, startedAt: '2026-11-19T14:00:00.000Z' },
  cdr: {
    records: 1234,
    numbers: 40,
    assigned: 30,
    acceptP50Ms: 4.1,
    acceptP99Ms: 9.9,
    messagesPerSecond: 0.42,
  },
  outbound: {
    failing: true,
    connections: [
      {
        id: '7',
        name: 'iprn-east',
        status: 'error',
        errorCode: 14,
        errorText: 'Invalid Password',
        attempts: 38,
        lastAttempt: null,
      },
    ],
  },
}
const answers = {
  'GET /api/smpp/status': status,
  'GET /api/smpp-connections': [failing],
  'GET /api/smpp/binds': [],
  'GET /api/users': [{ ...admin, smppAccess: true }],
  'GET /api/users/1/bind-details': { systemId: 'admin', host: 'sms.example.com', port: 2775, testNumber: '' },
}

test('Server Info shows what to bind with, fetches the password on demand, and shows the state of the server', async () => {
  const user = userEvent.setup()
  const { requests } = renderApp(<SmppControlPage />, {
    url: '/smpp-control',
    answers: {
      ...answers,
      'GET /api/users/1/smpp-credentials': {
        systemId: 'admin',
        password: 'abcd1234',
        host: 'sms.example.com',
        port: 2775,
      },
    },
  })
  expect(await screen.findByText('sms.example.com')).toBeTruthy()
  expect(requests.find(({ path }) => path === '/api/users')?.query.get('smppAccess')).toBe('with')
  expect(requests.some(({ path }) => path.includes('smpp-credentials'))).toBe(false)
  await user.click(screen.getByRole('button', { name: 'Show password' }))
  expect(await screen.findByText('abcd1234')).toBeTruthy()
  await user.click(screen.getByRole('button', { name: 'Hide password' }))
  expect(screen.queryByText('abcd1234')).toBeNull()
  await user.click(screen.getByRole('button', { name: 'Copy Password' }))
  expect(await screen.findByText('Password copied successfully')).toBeTruthy()
  expect(await navigator.clipboard.readText()).toBe('abcd1234')
  await user.click(screen.getByRole('button', { name: 'Copy all four' }))
  expect(await screen.findByText('Connection details copied successfully')).toBeTruthy()
  expect(await navigator.clipboard.readText()).toBe(
    'Server Host: sms.example.com\nPort: 2775\nSystem ID: admin\nPassword: abcd1234',
  )
  expect(screen.getByText('Online')).toBeTruthy()
  expect(screen.getByText('1,234')).toBeTruthy()
})

test('a password that cannot be fetched stays hidden, and says why', async () => {
  const user = userEvent.setup()
  renderApp(<SmppControlPage />, {
    url: '/smpp-control',
    answers: {
      ...answers,
      'GET /api/users/1/smpp-credentials': () =>
        refusal(404, { code: 'not_found', message: 'This account has no SMPP access. Grant it first.' }),
    },
  })
  await user.click(await screen.findByRole('button', { name: 'Copy Password' }))
  expect(await screen.findByText('This account has no SMPP access. Grant it first.')).toBeTruthy()
  expect(screen.queryByText('Password copied successfully')).toBeNull()
  expect(screen.getByText('••••••••')).toBeTruthy()
})

/** Shows a link that fails; a test of it is refused after these steps. */
const openFailing = (steps: readonly object[], more: ApiStubs = {}) =>
  renderApp(<ConnectionOverview connection={failing} />, {
    url: '/connections/7',
    answers: {
      ...answers,
      'POST /api/smpp-connections/7/test': {
        success: false,
        error: 'Error Code 14: Invalid Password',
        errorCode: 14,
        durationMs: 80,
        steps,
      },
      ...more,
    },
  })

/** Shows a tab whose calls are answered once, and then with an error. */
async function afterFailedRefresh(tab: string, shows: string, more: ApiStubs) {
  let isDown = false
  const fails = () => refusal(500, { code: 'internal', message: 'Something failed.' })
  const { refresh } = renderApp(<SmppControlPage />, {
    url: `/smpp-control?tab=${tab}`,
    answers: Object.fromEntries(
      Object.entries({ ...answers, ...more }).map(([call, answer]) => [
        call,
        () => (isDown ? fails() : answer),
      ]),
    ),
  })
  await screen.findByText(shows)
  isDown = true
  await refresh()
}
const working = { ...status, outbound: { failing: false, connections: [] } }

test.each([
  { tab: 'server', shows: 'Online', good: ['Gateway Online', 'Online'] },
  {
    tab: 'monitoring',
    shows: 'Active',
    good: ['Gateway Online', 'Active', 'No outbound connection is failing'],
  },
])('$tab: a status that cannot be read again is not known', async ({ tab, shows, good }) => {
  await afterFailedRefresh(tab, shows, { 'GET /api/smpp/status': working })
  await expect.poll(() => screen.queryAllByText('Not known').length).toBeGreaterThan(1)
  expect(await screen.findAllByText(/^Not refreshed since .*: Something failed\.$/)).not.toEqual([])
  await waitFor(() => expect(good.flatMap((words) => screen.queryAllByText(words))).toEqual([]))
})

test('links that failed when the status was read last are not counted when it cannot be read again', async () => {
  await afterFailedRefresh('monitoring', 'An outbound connection is failing', {})
  await expect.poll(() => screen.queryByText('An outbound connection is failing')).toBeNull()
  expect(screen.getByRole('tab', { name: /Connections/ }).textContent).toBe('Connections')
})

test('links and binds that cannot be read again keep their rows, and say that they are old', async () => {
  const bind = {
    id: '4',
    userId: 3,
    systemId: 'supplier1',
    username: 'supplier1',
    bindType: 'transceiver',
    interfaceVersion: '3.4',
    remoteAddress: '192.0.2.7',
    isTls: false,
    boundAt: '2026-11-19T14:00:00.000Z',
    lastActivityAt: '2026-11-19T14:30:00.000Z',
    windowUsed: 0,
    windowMax: 10,
    received: 5,
    messagesPerSecond: 0.1,
    node: 'one',
  }
  await afterFailedRefresh('connections', 'supplier1', {
    'GET /api/smpp-connections': [connectedLink],
    'GET /api/smpp/binds': [bind],
  })
  const links = screen.getByRole('region', { name: 'Outbound connections' })
  expect(await within(links).findByText('Failed to fetch SMPP connections')).toBeTruthy()
  expect(screen.getByText('supplier1')).toBeTruthy()
  expect(await screen.findByText('Failed to fetch binds')).toBeTruthy()
  // Their status icons are grey.
  for (const word of screen.getAllByText('Connected')) expect(word.closest('[data-stale]')).not.toBeNull()
})

test('Connections says why a link fails and since when, and leads to its page', async () => {
  renderApp(<SmppControlPage />, { url: '/smpp-control?tab=connections', answers })
  expect(await screen.findByText('Error Code 14: Invalid Password')).toBeTruthy()
  expect(screen.getByText('Authentication Failed')).toBeTruthy()
  expect(screen.getByText(/^since /)).toBeTruthy()
  expect(screen.getAllByRole('link', { name: 'iprn-east' })[0]?.getAttribute('href')).toBe('/connections/7')
  expect(screen.getByText('No IPRN providers connected yet')).toBeTruthy()
})

test.each([
  [14, 'Edit password', 'Password'],
  [15, 'Edit system ID', 'System ID'],
  [null, 'Edit address', 'Host'],
])('what cures the fault %s is a button, and begins in its field', async (lastErrorCode, cure, field) => {
  const user = userEvent.setup()
  renderApp(<ConnectionOverview connection={{ ...failing, lastErrorCode }} />, { url: '/', answers })
  const [first] = await screen.findAllByRole('button')
  expect(first?.textContent).toBe(cure)
  await user.click(screen.getByRole('button', { name: cure }))
  const dialog = within(await screen.findByRole('dialog'))
  await waitFor(() => expect(document.activeElement).toBe(dialog.getByLabelText(field)))
})

test('a fault that no setting of ours cures has no such button', async () => {
  renderApp(<ConnectionOverview connection={{ ...failing, lastErrorCode: 8 }} />, { url: '/', answers })
  const [first] = await screen.findAllByRole('button')
  expect(first?.textContent).toContain('Test Connection')
})

test('nothing can be sent over a link that fails, and a failed test says so', async () => {
  const user = userEvent.setup()
  const shown = openFailing(
    [
      { step: 'TCP', detail: 'Port 2775 open', isOk: true, durationMs: 1.2 },
      { step: 'SMPP bind', detail: 'Error Code 14: Invalid Password', isOk: false, durationMs: 78 },
    ],
    { 'POST /api/smpp-connections/7/restart': failing },
  )
  await user.click(await screen.findByRole('button', { name: 'Send Test SMS' }))
  expect(
    await screen.findByText(
      'Cannot send SMS - No active SMPP connections available. Authentication must be resolved first.',
    ),
  ).toBeTruthy()
  await user.click(screen.getByRole('button', { name: 'Test Connection' }))
  const alert = (await screen.findByText('Port 2775 open')).closest('[role=alert]')
  expect(alert?.textContent).toContain('Error Code 14: Invalid Password')
  await user.click(screen.getByRole('button', { name: 'Restart' }))
  await waitFor(() =>
    expect(shown.requests.map(({ path }) => path)).toContain('/api/smpp-connections/7/restart'),
  )
})

test('the steps of a test are said in the language of the reader', async () => {
  await readHebrew()
  openFailing([
    {
      step: 'Address',
      ...detailed(sentence('{host} is {address}', { host: 'smsc.example.com', address: '192.0.2.7' })),
      isOk: true,
      durationMs: 1.2,
    },
    {
      step: 'SMPP bind',
      ...detailed(sentence('Error Code {code}: {text}', { code: '14', text: { text: 'Invalid Password' } })),
      isOk: false,
      durationMs: 78,
    },
  ])
  await userEvent.click(await screen.findByRole('button', { name: t('Test Connection') }))
  const alert = (await screen.findByText('כתובת')).closest('[role=alert]')
  expect(plainText(alert as Element)).toMatch(
    /קוד שגיאה 14: סיסמה שגויה.*smsc\.example\.com הוא 192\.0\.2\.7/,
  )
})

test('slow binds are asked for once, and the recorder does not wait for them', async () => {
  const { requests } = renderApp(<SmppControlPage />, {
    url: '/smpp-control?tab=connections',
    answers: {
      ...answers,
      'GET /api/smpp-connections': [failing, { ...failing, id: '8', name: 'iprn-west' }],
      'GET /api/smpp/binds': () => new Promise(() => undefined),
    },
  })
  await screen.findByText('iprn-west')
  const askedFor = (path: string) => requests.filter((request) => request.path === path)
  await waitFor(() => expect(askedFor('/api/smpp/flights/connection-7')).toHaveLength(1))
  expect(askedFor('/api/smpp/binds')).toHaveLength(1)
})

test('a link is added with the defaults of the specification; a taken name stands at its field', async () => {
  const user = userEvent.setup()
  const shown = renderApp(<SmppControlPage />, {
    url: '/smpp-control?tab=connections',
    answers: {
      ...answers,
      'POST /api/smpp-connections': () =>
        refusal(409, { code: 'taken', message: 'Taken.', fields: { name: 'This name is taken' } }),
    },
  })
  await user.click(await screen.findByRole('button', { name: 'Add Connection' }))
  const dialog = within(await screen.findByRole('dialog'))
  await user.click(dialog.getByRole('button', { name: 'Add Connection' }))
  expect(await dialog.findByText('Name is required')).toBeTruthy()
  await user.type(dialog.getByLabelText('Name'), 'west')
  await user.type(dialog.getByLabelText('Host'), 'smsc.example.org')
  await user.click(dialog.getByRole('button', { name: 'Add Connection' }))
  expect(await dialog.findByText('This name is taken')).toBeTruthy()
  const sent = shown.requests.find(({ method }) => method === 'POST')
  expect(sent?.body).toMatchObject({ name: 'west', port: 2775, throughput: 100, interfaceVersion: '3.4' })
})

test('Monitoring checks again and shows the result', async () => {
  const user = userEvent.setup()
  renderApp(<SmppControlPage />, { url: '/smpp-control?tab=monitoring', answers })
  expect(await screen.findByText('Port 2775 open')).toBeTruthy()
  await user.click(screen.getByRole('button', { name: 'Check Gateway Status' }))
  expect(await screen.findByText('1 bound, links out: 0 of 1')).toBeTruthy()
})

test('a link that is pointed elsewhere wants its password again, and says why', async () => {
  const user = userEvent.setup()
  const { requests } = renderApp(<ConnectionOverview connection={failing} />, {
    url: '/',
    answers: { ...answers, 'PUT /api/smpp-connections/7': failing },
  })
  await user.click(await screen.findByRole('button', { name: 'Edit' }))
  const dialog = within(await screen.findByRole('dialog'))
  const password = dialog.getByLabelText('Password')
  const isWanted = () => password.getAttribute('aria-required') === 'true'
  expect(isWanted()).toBe(false)
  const change = async (label: string, text: string) => {
    await user.clear(dialog.getByLabelText(label))
    await user.type(dialog.getByLabelText(label), text)
  }
  for (const [label, other, own, changed] of [
    ['Host', 'evil.example.com', 'SMSC.example.com.', 'host'],
    ['Port', '2776', '2775', 'port'],
    ['System ID', 'another', 'tollgate01', 'system ID'],
  ] as const) {
    await change(label, other)
    expect(dialog.getByText(`Enter the password again: the ${changed} has changed`)).toBeTruthy()
    expect(isWanted()).toBe(true)
    await change(label, own)
    expect(isWanted()).toBe(false)
  }
  await user.click(dialog.getByLabelText('Connect over TLS'))
  expect(dialog.getByText('Enter the password again: the TLS setting has changed')).toBeTruthy()
  await user.type(password, 'newpass1')
  await user.click(dialog.getByRole('button', { name: 'Save' }))
  await waitFor(() =>
    expect(requests.find(({ method }) => method === 'PUT')?.body).toMatchObject({
      useTls: true,
      password: 'newpass1',
    }),
  )
})
