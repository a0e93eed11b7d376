import { execFile } from 'node:child_process'
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { postgresBelow } from '../test/environment/processes.ts'
import { freePort } from '../test/environment/free-port.ts'
import { builtPrograms, startProgram, temporaryFolder } from '../test/environment/program.ts'
import type { BillingPeriod } from '@tollgate/contract/billing/bills.ts'
import type { OwnTraffic } from '@tollgate/contract/smpp-traffic/smpp-traffic.ts'
import { signIn, type Api } from './programs/demo/api.ts'

const programs = builtPrograms()
const dataDir = await temporaryFolder()
const smppPort = String(await freePort())
const start = () => startProgram('demo', { DATA_DIR: dataDir, SMPP_PORT: smppPort })

const passwordOf = (printed: string, username: string) =>
  new RegExp(`^ {2}${username} +(\\S+)`, 'm').exec(printed)?.[1] ?? ''

const links = [
  { name: 'demo-smsc', status: 'connected' },
  { name: 'demo-backup', status: 'error', lastErrorCode: 14 },
]
const proof = { wallets: [{ fault: '' }], proof: { isEqual: true, unread: '0.00' } }

/** What staff find of the past weeks. */
async function expectPastWeeks(admin: Api): Promise<void> {
  const bills = await admin.call<BillingPeriod[]>('GET', '/api/billing/all-periods?limit=500')
  const closed = bills.filter(({ status }) => status !== 'pending')
  expect(closed).toHaveLength(16)
  expect(new Set(closed.map(({ periodStart }) => periodStart)).size).toBe(4)
  const count = (of: (bill: BillingPeriod) => boolean) => closed.filter(of).length
  expect(count(({ paymentVerification }) => paymentVerification === 'verified')).toBeGreaterThanOrEqual(7)
  expect(
    count(
      ({ status, dueAmount, receivedAmount }) =>
        status !== 'paid' && dueAmount !== '0.00' && receivedAmount !== '0.00',
    ),
  ).toBe(1)
  expect(count(({ withheld }) => withheld !== null)).toBe(1)
  expect(count(({ creditedAmount }) => creditedAmount !== '0.00')).toBe(1)
  expect(count(({ pendingAmendment }) => pendingAmendment?.kind === 'credit_note')).toBe(1)
  const statuses = async (path: string) =>
    new Set((await admin.call<{ status: string }[]>('GET', path)).map(({ status }) => status))
  expect(await statuses('/api/holds')).toEqual(new Set(['open', 'released', 'confirmed']))
  expect(await statuses('/api/payment-runs')).toEqual(new Set(['draft', 'closed']))
  expect(await statuses('/api/number-requests/all')).toEqual(
    new Set(['pending', 'approved', 'assigned', 'rejected']),
  )
  const refusals = await admin.call<unknown[]>('GET', '/api/smpp/refusals')
  expect(refusals.length).toBeGreaterThan(0)
  await expect
    .poll(() => admin.call('GET', '/api/smpp/status'), { timeout: 60_000 })
    .toMatchObject({ ledger: { balanced: true, parkedCount: 0 } })
  expect(await admin.call('GET', '/api/treasury/reader')).toMatchObject(proof)
}

/** The past of suppliers is spread over its hours, and what is usual now is no alert. */
async function expectUsualTraffic(admin: Api): Promise<void> {
  const users = await admin.call<{ id: number; username: string }[]>('GET', '/api/users')
  for (const username of ['supplier1', 'supplier2']) {
    const id = users.find((user) => user.username === username)?.id
    const { accepted, refused } = await admin.call<OwnTraffic>('GET', `/api/users/${id}/traffic?hours=168`)
    // The last hour has just begun.
    expect(Math.min(...accepted.slice(0, -1))).toBeGreaterThan(20)
    expect(Math.max(...accepted)).toBeLessThan(2_000)
    expect(refused[0]?.hours.filter((count) => count > 0).length).toBeGreaterThan(50)
  }
  const kindsOf = async () =>
    (await admin.call<{ alerts: { kind: string }[] }>('GET', '/api/alerts')).alerts.map(({ kind }) => kind)
  await expect
    .poll(kindsOf)
    .toEqual(expect.arrayContaining(['connection', 'refused_number', 'number_request', 'approval']))
  expect((await kindsOf()).filter((kind) => ['silence', 'burst'].includes(kind))).toEqual([])
}

interface Bind {
  readonly systemId: string
  readonly received: number
}

test('the demo makes a business with history, its suppliers send, and all of it stops and starts again', async () => {
  const demo = await start()
  await demo.ready
  const printed = demo.stdout()
  const admin = await signIn(demo.url, 'admin', passwordOf(printed, 'admin'))
  for (const username of [
    'support',
    'client1',
    'client2',
    'client3',
    'client4',
    'supplier1',
    'supplier2',
    'test',
  ]) {
    await signIn(demo.url, username, passwordOf(printed, username))
  }
  const ranges = await admin.call<{ rangeNumber: string }[]>('GET', '/api/ranges?limit=500')
  expect(ranges.map(({ rangeNumber }) => rangeNumber)).toEqual(
    expect.arrayContaining(['0800', '0900', '0901', '0902']),
  )
  const { countries } = await admin.call<{ countries: unknown[] }>('GET', '/api/premium-numbers/summary')
  expect(countries).toHaveLength(8)
  const { count } = await admin.call<{ count: number }>('GET', '/api/records/summary')
  expect(count).toBeGreaterThan(20_000)
  await expect
    .poll(
      async () =>
        (await admin.call<Bind[]>('GET', '/api/smpp/binds')).reduce((sum, { received }) => sum + received, 0),
      { interval: 500 },
    )
    .toBeGreaterThan(0)

  await expectPastWeeks(admin)
  await expectUsualTraffic(admin)

  const tester = await signIn(demo.url, 'test', passwordOf(printed, 'test'))
  const [seen] = await tester.call<{ phoneNumber: string }[]>('GET', '/api/records?limit=1')
  expect(seen?.phoneNumber).toContain('•')

  // What the demo calls outside is alive: its connection, its provider, and the address of a client.
  const shows = (path: string) => expect.poll(() => admin.call('GET', path), { interval: 500 })
  await shows('/api/smpp-connections').toMatchObject(links)
  await shows('/api/workers/stats').toMatchObject({
    workers: [{ name: 'Demo Provider', status: 'running', lastSync: expect.any(String) }],
  })
  await shows('/api/endpoints').toMatchObject([{ status: 'active', lastUsed: expect.any(String) }])

  // A message by hand, with a supplier's credentials.
  const users = await admin.call<{ id: number; username: string }[]>('GET', '/api/users')
  const supplier = users.find(({ username }) => username === 'supplier1')
  const { systemId, password } = await admin.call<{ systemId: string; password: string }>(
    'GET',
    `/api/users/${supplier?.id}/smpp-credentials`,
  )
  const sent = await send(['--system-id', systemId, '--password', password])
  expect(sent).toMatchObject({ code: 0 })
  expect(sent.stdout).toMatch(
    /Bound to Tollgate\.\nsubmit_sm: accepted \(0x00\), message id [0-9A-Z]{26}\.\nUnbound\./,
  )
  const refused = await send(['--system-id', systemId, '--password', 'wrong'])
  expect(refused).toMatchObject({ code: 1, stderr: 'Bind refused: Invalid password (0x0E).\n' })
  const helpless = await send([])
  expect(helpless).toMatchObject({ code: 2 })
  expect(helpless.stderr).toContain('Missing: --system-id, --password.')

  // As a terminal does: to the whole group, and so to the suppliers too.
  process.kill(-demo.pid, 'SIGINT')
  expect(await demo.exited).toEqual({ code: 0, signal: null })
  expect(await postgresBelow(dataDir)).toEqual([])

  const again = await start()
  await again.ready
  expect(passwordOf(again.stdout(), 'admin')).toBe(passwordOf(printed, 'admin'))
  // The same links, on new ports.
  const adminAgain = await signIn(again.url, 'admin', passwordOf(printed, 'admin'))
  await expect
    .poll(() => adminAgain.call('GET', '/api/smpp-connections'), { interval: 500 })
    .toMatchObject(links)
  // The simulated chain is the same, too.
  await expect.poll(() => adminAgain.call('GET', '/api/treasury/reader')).toMatchObject(proof)
  again.kill('SIGTERM')
  expect(await again.exited).toEqual({ code: 0, signal: null })

  // Without its file the same database is somebody's business, and is left alone.
  await rename(join(dataDir, 'demo.json'), join(dataDir, 'elsewhere.json'))
  const refusedStart = await start()
  expect(await refusedStart.exited).toEqual({ code: 1, signal: null })
  expect(refusedStart.stderr()).toMatch(/^The demo needs an empty database.*\n$/)
})

async function send(args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const message = ['--from', '447700900318', '--to', '449098790142', '--text', 'VOTE 3', '--port', smppPort]
  const env = { PATH: process.env['PATH'] }
  try {
    const { stdout, stderr } = await promisify(execFile)(
      process.execPath,
      [join(programs, 'send.js'), ...message, ...args],
      { env },
    )
    return { code: 0, stdout, stderr }
  } catch (error) {
    return error as { code: number; stdout: string; stderr: string }
  }
}
