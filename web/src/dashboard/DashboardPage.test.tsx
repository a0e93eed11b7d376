import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { Setup } from '@tollgate/contract/alerts/alerts.ts'
import type { SmppStatus } from '@tollgate/contract/gateway/gateway.ts'
import type { SignedInUser } from '@tollgate/contract/users/users.ts'
import { beforeEach, expect, test, vi } from 'vitest'
import { refusal, type ApiStubs } from '../testing/api-stub.ts'
import { stubFeed } from '../testing/feed.ts'
import { recordAt } from '../testing/records.ts'
import { admin, renderApp } from '../testing/render.tsx'
import { DashboardPage } from './DashboardPage.tsx'

const counts = { processed: 3, delivered: 1, pending: 1, failed: 1 }
const status: SmppStatus = {
  server: { running: true, port: 2775, connections: 6, startedAt: '2026-11-19T00:00:00Z' },
  cdr: {
    records: 50,
    numbers: 1240,
    assigned: 1017,
    acceptP50Ms: null,
    acceptP99Ms: null,
    messagesPerSecond: 0,
  },
  outbound: { failing: false, connections: [] },
}
const failing: SmppStatus = {
  ...status,
  outbound: {
    failing: true,
    connections: [
      {
        id: '1',
        name: 'iprn-east',
        status: 'error',
        errorCode: 14,
        errorText: 'Invalid Password',
        attempts: 41,
        lastAttempt: null,
      },
    ],
  },
}

const figures = { count: 30, delivered: 27, bill: '45', amountUsd: '1.5' }
const analytics = (rows: readonly { group: string; second: string | null }[]) => ({
  total: rows.length === 0 ? { count: 0, delivered: 0, bill: '0', amountUsd: '0' } : figures,
  rows: rows.map((row) => ({ ...row, ...figures })),
  left: 0,
})

const setup: Setup = {
  adminCount: 2,
  hasChainNode: true,
  hasMail: true,
  smppHost: 'sms.example',
  isSmppPublic: true,
  hasSmppTls: true,
  backupCommand: 'npm run backup',
  ruleCount: 1,
  newcomerDays: 30,
}

let feed: ReturnType<typeof stubFeed>
beforeEach(() => {
  feed = stubFeed()
})

function open(url = '/', answers: ApiStubs = {}, user: SignedInUser = admin) {
  return renderApp(<DashboardPage />, {
    url,
    user,
    answers: {
      'GET /api/smpp/status': status,
      'GET /api/setup': setup,
      'GET /api/stats': {
        totalRecords: 1_284_206,
        completed: 1,
        pending: 1,
        issues: 1,
        uniqueNumbers: 812,
        activeProviders: 3,
        tests: 0,
        today: counts,
      },
      'GET /api/stats/activity': {
        hours: Array.from({ length: 24 }, (_, hour) => ({ hour, delivered: 0, pending: 0, failed: 0 })),
        previous: Array.from({ length: 24 }, () => 0),
        today: counts,
        lastWeek: 2,
      },
      'GET /api/stats/week': {
        periodStart: '2026-11-16T00:00:00Z',
        periodEnd: '2026-11-23T00:00:00Z',
        count: 3,
        amountUsd: '0.15',
        cycleId: 4,
        earned: { count: 3, amountUsd: '0.15' },
        bill: { count: 3, amountUsd: '0.15' },
        payouts: { count: 0, amountUsd: '0' },
        held: { count: 0, amountUsd: '0' },
        late: null,
        pace: null,
        days: [{ day: '2026-11-16', count: 3, hours: Array.from({ length: 24 }, () => 0) }],
      },
      'GET /api/records': [recordAt(2, { name: 'Quiz line', status: 'reported' }), recordAt(1)],
      'GET /api/records/report': [],
      'GET /api/analytics': analytics([]),
      'GET /api/records/filters': {
        ranges: ['0900'],
        clients: ['client1'],
        gateways: [],
        countries: ['France'],
        withoutReceiver: [],
      },
      ...answers,
    },
  })
}

test('the header and the four stats say how the gateway is', async () => {
  open()
  expect(await screen.findByText('Gateway Online')).toBeDefined()
  const strip = screen.getByRole('region', { name: 'Gateway' })
  for (const label of ['Gateway Status', 'Active Connections', 'SMS Records', 'IPRN Numbers'])
    expect(within(strip).getByText(label)).toBeDefined()
  expect(within(strip).getByText('Online')).toBeDefined()
  expect(within(strip).getByText('6')).toBeDefined()
  expect(await within(strip).findByText('1,284,206')).toBeDefined()
  expect(within(strip).getByText('1,240')).toBeDefined()
})

test('a server that has gone silent is not said to be online, although its last word was that it is', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  const feed = stubFeed()
  open()
  await screen.findByText('Gateway Online')
  feed.open()
  await waitFor(() => {
    vi.setSystemTime(Date.now() + 60_000)
    expect(screen.queryByText('Gateway Online')).toBeNull()
  })
  expect(screen.getByText(/^no answer, last /)).toBeDefined()
  expect(screen.queryByText(/^live, /)).toBeNull()
  vi.useRealTimers()
})

test("a client's card counts the numbers it holds, not the gateway's", async () => {
  const held = { 'GET /api/numbers/summary': { count: 7, active: 5, premium: 7 } }
  open('/', held, { ...admin, role: 'user' })
  const strip = await screen.findByRole('region', { name: 'Gateway' })
  expect(await within(strip).findByText('yours, 5 active')).toBeDefined()
  expect(within(strip).getByText('7')).toBeDefined()
  expect(within(strip).queryByText('1,240')).toBeNull()
})

test('a stopped server reads Gateway Offline, Inactive and Stopped', async () => {
  open('/', { 'GET /api/smpp/status': { ...status, server: { ...status.server, running: false } } })
  expect(await screen.findByText('Gateway Offline')).toBeDefined()
  expect(await screen.findByText('Inactive')).toBeDefined()
  expect(screen.getByText('Stopped')).toBeDefined()
})

test('a console that does not answer is not taken for a gateway that is offline', async () => {
  open('/', { 'GET /api/smpp/status': refusal(503, { code: 'busy', message: 'Later.' }) })
  expect(await screen.findByText('Failed to fetch SMPP status')).toBeDefined()
  expect(screen.queryByText('Gateway Offline')).toBeNull()
  const strip = screen.getByRole('region', { name: 'Gateway' })
  expect(within(strip).queryByText('0')).toBeNull()
  expect(within(strip).getAllByText('–')).toHaveLength(2)
})

test('what was last read of the gateway is not shown as its state when it cannot be read again', async () => {
  const isDown = { value: false }
  const one = { ...failing.outbound.connections[0]!, status: 'connected' as const }
  const connected = { ...status, outbound: { failing: false, connections: [one] } }
  const busy = () => refusal(500, { code: 'internal', message: 'Something failed.' })
  const { refresh } = open('/', { 'GET /api/smpp/status': () => (isDown.value ? busy() : connected) })
  expect(await screen.findByText('Connected')).toBeDefined()
  isDown.value = true
  await refresh()
  expect(await screen.findAllByText(/^Not refreshed since .*: Something failed\.$/)).not.toEqual([])
  for (const good of ['Gateway Online', 'Online', 'Active', 'Running', 'Connected'])
    await waitFor(() => expect(screen.queryByText(good)).toBeNull())
  await userEvent.click(screen.getByRole('tab', { name: /Connections/ }))
  expect(await screen.findByText('Failed to fetch SMPP status')).toBeDefined()
  expect(screen.queryByText('SMPP server listening on port 2775')).toBeNull()
})

test('the latest records come live, and each leads to its details', async () => {
  open()
  expect(await screen.findByText('+44 909 879 0002')).toBeDefined()
  feed.send('record', recordAt(3))
  const link = await screen.findByRole('link', { name: /\+44 909 879 0003/ })
  expect(link.getAttribute('href')).toBe(`/sms-records?open=${recordAt(3).id}`)
})

test('the red alert stands with its error code while the outbound gateway is failing', async () => {
  open('/?tab=connections', { 'GET /api/smpp/status': failing })
  const alert = await screen.findByRole('alert')
  expect(alert.textContent).toContain('iprn-east: Error Code 14: Invalid Password. 41 attempts')
  expect(screen.getByRole('tab', { name: /Connections/ }).textContent).toContain('1')
})

test('a failing link that was read last is no alarm when the status cannot be read again', async () => {
  const isDown = { value: false }
  const busy = () => refusal(500, { code: 'internal', message: 'Something failed.' })
  const { refresh } = open('/?tab=connections', {
    'GET /api/smpp/status': () => (isDown.value ? busy() : failing),
  })
  expect((await screen.findByRole('alert')).textContent).toContain('iprn-east')
  isDown.value = true
  await refresh()
  expect(await screen.findByText('Failed to fetch SMPP status')).toBeDefined()
  expect(screen.queryByText(/iprn-east/)).toBeNull()
  expect(screen.getByRole('tab', { name: /Connections/ }).textContent).not.toContain('1')
})

test("a client's count of numbers that cannot be read again says since when it is old", async () => {
  const isDown = { value: false }
  const busy = () => refusal(500, { code: 'internal', message: 'Something failed.' })
  const held = { count: 7, active: 5, premium: 7 }
  const { refresh } = open(
    '/',
    { 'GET /api/numbers/summary': () => (isDown.value ? busy() : held) },
    { ...admin, role: 'user' },
  )
  expect(await screen.findByText('yours, 5 active')).toBeDefined()
  isDown.value = true
  await refresh()
  expect(await screen.findByText(/^Not refreshed since .*: Something failed\.$/)).toBeDefined()
})

test("a client is told nothing of the operator's failing link", async () => {
  const client: SignedInUser = { ...admin, role: 'user' }
  const { unmount } = open('/?tab=connections', { 'GET /api/smpp/status': failing }, client)
  expect(await screen.findByText('SMPP server listening on port 2775')).toBeDefined()
  expect(screen.queryByRole('alert')).toBeNull()
  expect(screen.getByRole('tab', { name: /^Connections/ }).textContent).toBe('Connections')
  unmount()
  open('/', { 'GET /api/smpp/status': failing }, client)
  expect(await screen.findByText('CDR collection')).toBeDefined()
  expect(screen.queryByText('Outbound gateway')).toBeNull()
})

test('staff count the links out beside the binds', async () => {
  const link = { ...failing.outbound.connections[0]!, status: 'connected' as const }
  open('/', { 'GET /api/smpp/status': { ...status, outbound: { failing: false, connections: [link] } } })
  const strip = await screen.findByRole('region', { name: 'Gateway' })
  expect(await within(strip).findByText('6 in, 1 out')).toBeDefined()
  expect(within(strip).getByText('7')).toBeDefined()
})

test('a supplier lands on its traffic; a link to a tab still leads there, and steps say when to send again', async () => {
  const supplier: SignedInUser = { ...admin, role: 'user', smppAccess: true, isSupplier: true }
  const { address, unmount } = open('/', {}, supplier)
  await waitFor(() => expect(address()).toBe('/smpp-traffic'))
  unmount()
  open(
    '/?tab=connections',
    { 'GET /api/users/1/bind-details': { systemId: 'north', host: 'gate', port: 2775, testNumber: '' } },
    supplier,
  )
  expect(await screen.findByText(/^Never send again after 0x0B/)).toBeDefined()
  expect(screen.getByText(/^Send again after 0x14/)).toBeDefined()
})

test("one's own credentials are shown on demand, and never asked for without SMPP access", async () => {
  const { unmount } = open(
    '/?tab=connections',
    {
      'GET /api/users/1/bind-details': { systemId: 'client1', host: 'gate', port: 2775, testNumber: '' },
      'GET /api/users/1/smpp-credentials': {
        systemId: 'client1',
        password: 'Xk29sd8a',
        host: 'gate',
        port: 2775,
      },
    },
    { ...admin, role: 'user', smppAccess: true },
  )
  expect(await screen.findByText('client1')).toBeDefined()
  expect(screen.queryByText('Xk29sd8a')).toBeNull()
  await userEvent.click(screen.getByRole('button', { name: 'Show password' }))
  expect(await screen.findByText('Xk29sd8a')).toBeDefined()
  unmount()
  const { requests } = open('/?tab=connections', {}, { ...admin, role: 'user' })
  expect(await screen.findByText(/SMPP access is off for your account/)).toBeDefined()
  expect(screen.queryByText('How to bind')).toBeNull()
  expect(requests.some((call) => /credentials|bind-details/.test(call.path))).toBe(false)
})

test('Analytics has its three figures', async () => {
  open('/?tab=analytics')
  for (const [label, figure] of [
    ['Total Messages', '1,284,206'],
    ['Unique Numbers', '812'],
    ['Active Providers', '3'],
  ] as const) {
    const cell = (await screen.findByText(label)).closest('dl')
    await waitFor(() => expect(cell?.textContent).toContain(figure))
  }
})

test('Analytics asks for the period, the groups and the filters of the address; each row leads to its messages', async () => {
  const { requests } = open(
    '/?tab=analytics&period=own&from=2026-11-02&to=2026-11-15&by=country&andBy=week',
    {
      'GET /api/analytics': analytics([{ group: 'France', second: '2026-11-09' }]),
    },
  )
  const row = await screen.findByRole('row', {
    name: /France, Week from 09\/11\/2026 Week from 09\/11\/2026 30 100.00 % 90.00 % ₪45.00 1.50 USD/,
  })
  expect(within(row).getByRole('link').getAttribute('href')).toBe(
    '/sms-records?dateFrom=2026-11-09&dateTo=2026-11-15&zone=UTC&country=France&test=false',
  )
  await userEvent.selectOptions(screen.getByLabelText('Range'), '0900')
  const period = { dateFrom: '2026-11-02', dateTo: '2026-11-15', range: '0900' }
  await waitFor(() => {
    const queries = requests
      .filter(({ path }) => path === '/api/analytics')
      .map(({ query }) => Object.fromEntries(query))
    expect(queries).toContainEqual({ ...period, by: 'country', andBy: 'week' })
    expect(queries).toContainEqual({ ...period, by: 'day' })
    expect(queries).toContainEqual({ ...period, dateFrom: '2026-10-19', dateTo: '2026-11-01', by: 'day' })
  })
  expect((await screen.findByRole('link', { name: 'Export CSV' })).getAttribute('href')).toBe(
    '/api/analytics/export?dateFrom=2026-11-02&dateTo=2026-11-15&range=0900&by=country&andBy=week',
  )
})

test('Analytics offers only what is answered, and asks nothing else for an address that names more', async () => {
  const { requests } = open('/?tab=analytics&period=90&by=number&andBy=status&state=failed&step=hour', {
    'GET /api/analytics': analytics([{ group: '447700900318', second: null }]),
  })
  expect(await screen.findByRole('link', { name: /SMS records of \+44.*318$/ })).toBeDefined()
  const optionsOf = (label: string) =>
    within(screen.getByLabelText(label))
      .getAllByRole('option')
      .map(({ textContent }) => textContent)
  expect(optionsOf('Status')).toEqual(['All Statuses'])
  expect(optionsOf('And by')).toEqual([
    'No second group',
    'Range',
    'Country',
    'Client',
    'Supplier',
    'Day',
    'Week',
    'Month',
  ])
  expect(optionsOf('Group by')).not.toContain('Hour')
  expect(optionsOf('Step')).not.toContain('Hour')
  const queries = requests.filter(({ path }) => path === '/api/analytics').map(({ query }) => query)
  expect(queries.some((query) => query.get('by') === 'number')).toBe(true)
  expect(queries.every((query) => !query.has('andBy') && !query.has('status'))).toBe(true)
  await userEvent.selectOptions(screen.getByLabelText('Group by'), 'Status')
  await waitFor(() => expect(optionsOf('And by')).not.toContain('Number'))
})

test('Analytics without a message says so', async () => {
  open('/?tab=analytics')
  expect(await screen.findByText('No SMS records found')).toBeDefined()
})

test('Analytics says why it failed', async () => {
  open('/?tab=analytics', {
    'GET /api/analytics': () => refusal(422, { code: 'unprocessable', message: 'Choose fewer days.' }),
  })
  expect((await screen.findAllByText(/Choose fewer days/)).length).toBeGreaterThan(0)
})

test("a bar of Today's Activity leads to its hour", async () => {
  open('/')
  await userEvent.click(await screen.findByRole('button', { name: 'Show as table' }))
  const today = new Date().toISOString().slice(0, 10)
  const link = screen.getByRole('link', { name: /SMS records of 08:00 – 09:00$/ })
  expect(link.getAttribute('href')).toBe(`/sms-records?hour=${today}T08&test=false`)
})

test('Records sends only search and status, and exports what it shows', async () => {
  const { requests } = open('/?tab=records')
  expect(await screen.findByText('Quiz line')).toBeDefined()
  expect(screen.getByText('SMS Record')).toBeDefined()
  await userEvent.selectOptions(screen.getByLabelText('Status'), 'Delivered')
  await userEvent.type(screen.getByLabelText('Search'), 'client2')
  await waitFor(() =>
    expect(screen.getByRole('link', { name: 'Export CDR' }).getAttribute('href')).toBe(
      '/api/records/export?search=client2&status=delivered',
    ),
  )
  await waitFor(() => {
    const last = requests.findLast((call) => call.path === '/api/records')
    expect(Object.fromEntries(last?.query ?? [])).toMatchObject({ search: 'client2', status: 'delivered' })
  })
})

test('without records the list says what will come', async () => {
  open('/?tab=records', { 'GET /api/records': [] })
  expect(await screen.findByText('No SMS records found')).toBeDefined()
  expect(screen.getByText('Premium SMS traffic will appear here once providers connect')).toBeDefined()
})
