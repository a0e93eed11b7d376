// When a close may not go on by itself: clocks that differ, and too many cycles that are due at once.
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openTestBilling } from '../../../test/money/billing.ts'
import { openTronNode } from '../../../test/stand-ins/tron-node.ts'
import { findOpenCycle } from '../../ledger/index.ts'
import { row } from '../../platform/db.ts'
import { CloseGate } from './close-gate.ts'
import { closeDueCycles } from './close-cycle.ts'

const dayMs = 86_400_000
type Environment = Awaited<ReturnType<typeof openTestBilling>>

/** A closer whose machine's clock is `aheadMs` behind the database's. */
function closerBehind({ deps, clock }: Environment, aheadMs: number) {
  const slow = {
    ...deps,
    settings: {
      closeBehindMax: { key: '', get: async () => 1 },
    },
    readClocks: async () => ({ node: new Date(clock.now().getTime() - aheadMs), database: clock.now() }),
  } as unknown as Parameters<typeof closeDueCycles>[0]
  const gate = new CloseGate(slow)
  return () => closeDueCycles(slow, gate)
}

const closedCount = async ({ db }: Environment) =>
  (
    await row<{ count: number }>(
      db,
      sql`select count(*)::int as count from cycles where closed_at is not null`,
    )
  )?.count
const waitOf = async ({ call }: Environment) => (await call(4, 'GET', '/api/billing/summary')).body.closeWait
const allow = ({ call }: Environment, by: number, cycleCount: number) =>
  call(by, 'POST', '/api/billing/close/allow', { body: { cycleCount, reason: 'the clock is right' } })

test('a node whose clock is 30 days behind the database closes nothing, and no word changes that', async () => {
  const environment = await openTestBilling()
  await environment.traffic({ client: 1, number: 1, count: 3, amountMicro: 50_000 })
  const begun = environment.clock.now()
  environment.clock.advance(30 * dayMs)
  await closerBehind(environment, 30 * dayMs)()
  expect(await closedCount(environment)).toBe(0)
  const wait = await waitOf(environment)
  expect(wait).toMatchObject({ cause: 'clock', canGoOn: false })
  expect(wait.explanation).toContain("The database's clock differs. It is 720 hours ahead of this gateway's.")
  expect((await allow(environment, 6, wait.cycleCount)).status).toBe(409)
  // The clocks are set right: the cycle closes when it ends, and nothing waits any more.
  environment.clock.set(begun)
  await environment.closeCycle()
  expect(await closedCount(environment)).toBe(1)
  expect(await waitOf(environment)).toBeNull()
})

test('clocks that differ by less than a minute agree', async () => {
  const environment = await openTestBilling()
  await environment.traffic({ client: 1, number: 1, count: 3, amountMicro: 50_000 })
  environment.clock.set((await findOpenCycle(environment.db))!.endsAt)
  await closerBehind(environment, 60_000)()
  expect(await closedCount(environment)).toBe(1)
})

test('when both clocks are 30 days ahead, four weeks wait for the word of an admin, who saw how many they are', async () => {
  const environment = await openTestBilling()
  await environment.traffic({ client: 1, number: 1, count: 3, amountMicro: 50_000 })
  const { clock, billing, call, db } = environment
  clock.advance(30 * dayMs)
  await billing.closeDueCycles()
  expect(await closedCount(environment)).toBe(0)
  expect(await waitOf(environment)).toMatchObject({ cause: 'behind', cycleCount: 4, canGoOn: true })
  expect((await allow(environment, 4, 4)).status).toBe(403)
  expect((await allow(environment, 6, 3)).status).toBe(409)
  expect(
    (await call(6, 'POST', '/api/billing/close/allow', { body: { cycleCount: 4, reason: ' ' } })).status,
  ).toBe(400)
  expect((await allow(environment, 6, 4)).status).toBe(204)
  await billing.closeDueCycles()
  expect(await closedCount(environment)).toBe(4)
  expect(await waitOf(environment)).toBeNull()
  expect((await allow(environment, 6, 4)).status).toBe(409)
  const word = await row<{ after: { reason: string; cycleCount: number } }>(
    db,
    sql`select after from audit_entries where action = 'cycle.allow_close'`,
  )
  expect(word?.after).toMatchObject({ reason: 'the clock is right', cycleCount: 4 })
  // The approval covers the cycles that were due then, and no later one.
  clock.advance(15 * dayMs)
  await billing.closeDueCycles()
  expect(await closedCount(environment)).toBe(4)
})

test('a cycle that is due while the gateway stands still closes by itself', async () => {
  const environment = await openTestBilling()
  await environment.traffic({ client: 1, number: 1, count: 3, amountMicro: 50_000 })
  environment.clock.advance(10 * dayMs)
  await environment.billing.closeDueCycles()
  expect(await closedCount(environment)).toBe(1)
})

test('the short cycles of a drill close by themselves after hours, and wait after a day', async () => {
  const environment = await openTestBilling({ cycleSeconds: 3_600 })
  await environment.traffic({ client: 1, number: 1, count: 3, amountMicro: 50_000 })
  environment.clock.advance(5 * 3_600_000)
  await environment.billing.closeDueCycles()
  expect(await closedCount(environment)).toBe(5)
  environment.clock.advance(30 * dayMs)
  await environment.billing.closeDueCycles()
  expect(await closedCount(environment)).toBe(5)
  expect(await waitOf(environment)).toMatchObject({ cause: 'behind', cycleCount: 720 })
})

test.each([
  ['says a time 2 minutes off', 120_000, 0],
  ['agrees', 30_000, 1],
  ['lags by 20 days', -20 * dayMs, 0],
])('the newest block of the chain counts: it %s', async (_, blockAheadMs, closed) => {
  const node = await openTronNode()
  const tron = { apiUrl: node.url, apiKey: undefined, usdtContract: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t' }
  const environment = await openTestBilling({ tron })
  await environment.traffic({ client: 1, number: 1, count: 3, amountMicro: 50_000 })
  environment.clock.set((await findOpenCycle(environment.db))!.endsAt)
  node.setNewestBlock(new Date(environment.clock.now().getTime() + blockAheadMs))
  await environment.billing.closeDueCycles()
  expect(await closedCount(environment)).toBe(closed)
  if (closed === 1) return
  expect(await waitOf(environment)).toMatchObject({ cause: 'chain', cycleCount: 1, canGoOn: true })
  expect((await allow(environment, 6, 1)).status).toBe(204)
  await environment.billing.closeDueCycles()
  expect(await closedCount(environment)).toBe(1)
})

test.each(['error', 'plain text', 'limit', 'reset'] as const)(
  'a node that gives no clear answer (%s) keeps no close waiting',
  async (fault) => {
    const node = await openTronNode()
    const tron = { apiUrl: node.url, apiKey: undefined, usdtContract: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t' }
    const environment = await openTestBilling({ tron })
    await environment.traffic({ client: 1, number: 1, count: 3, amountMicro: 50_000 })
    node.fail(fault)
    await environment.closeCycle()
    expect(await closedCount(environment)).toBe(1)
  },
)
