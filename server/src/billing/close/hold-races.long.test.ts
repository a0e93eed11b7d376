// Holds that are decided while their cycle closes: between its border and its bills, and against racing closers. Each
// message must end in exactly one place, which the statements show message by message.
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { PeriodLine } from '@tollgate/contract/billing/bills.ts'
import type { DecidedLine, RecordLine } from '@tollgate/contract/statements/statement-format.ts'
import { openTestBilling } from '../../../test/money/billing.ts'
import { seededRandom } from '../../programs/demo/seeded-random.ts'
import { findOpenCycle } from '../../ledger/index.ts'
import { row, rows } from '../../platform/db.ts'
import { composeMoney, type Money } from '../../compose-money.ts'
import { readStatement } from '../../statements/read-statement.ts'
import { verifyFile } from '../../statements/verify-file.ts'

const amountMicro = 50_000
// Which closers are cut off, and who waits how long, is the same in each run.
const random = seededRandom(20_260_304)
type Environment = Awaited<ReturnType<typeof openTestBilling>>
type Verb = 'release' | 'confirm'

/**
 * A closer that is interrupted whenever `isCutOff` says so, after the cycle has ended and before the bills are
 * committed.
 */
function interruptedCloser({ deps }: Environment, isCutOff: () => boolean): Money {
  return composeMoney({
    ...deps,
    // The settings are known to the process already.
    settings: { ...deps.settings, define: ({ key, fallback }) => ({ key, get: async () => fallback }) },
    audit: {
      async record(tx, entry) {
        if (isCutOff()) throw new Error('power cut before the bills')
        await deps.audit.record(tx, entry)
      },
    },
  })
}

const hold = ({ held }: Environment, client: number, number: number) => held({ client, number, amountMicro })

async function decide({ call }: Environment, by: number, id: string, verb: Verb): Promise<void> {
  const { status } = await call(by, 'PUT', `/api/holds/${id}/${verb}`, { body: { reason: 'looked at it' } })
  expect(status).toBe(200)
}

async function endCycle({ db, clock }: Environment): Promise<number> {
  const open = await findOpenCycle(db)
  if (open === undefined) throw new Error('No cycle is open')
  clock.set(open.endsAt)
  return open.id
}

/** Where each message stands, by the statements of all closed periods: such as ['held 3', 'release 4']. */
async function places({ db, billing }: Environment): Promise<Map<string, string[]>> {
  await billing.signStatements()
  const found = new Map<string, string[]>()
  const made = await rows<{ cycle_id: number; user_id: number }>(
    db,
    sql`select cycle_id, user_id from statements order by cycle_id`,
  )
  for (const { cycle_id: cycleId, user_id: userId } of made) {
    let text = ''
    for await (const chunk of (await readStatement(db, cycleId, userId)).stream) text += String(chunk)
    const lines = text.trim().split('\n')
    const checked = await verifyFile(
      (async function* () {
        yield* lines
      })(),
    )
    expect(checked.faults).toEqual([])
    for (const line of lines.map((each) => JSON.parse(each) as RecordLine | DecidedLine)) {
      if (line.type !== 'record' && line.type !== 'release' && line.type !== 'refusal') continue
      const place = `${line.type === 'record' ? line.counts : line.type} ${cycleId}`
      found.set(line.id, [...(found.get(line.id) ?? []), place])
    }
  }
  return found
}

/** The whole money of all records, by where the ledger and the tables of bills and payouts say it is. */
async function checkSums({ db, billing }: Environment): Promise<void> {
  const found = await row<Record<string, string>>(
    db,
    sql`select (select sum(amount_micro)::text from records) as earned,
          ((select coalesce(sum(total_micro), 0) from billing_periods) + (select coalesce(sum(amount_micro), 0) from payouts)
            + (select coalesce(sum(amount_micro), 0) from holds where status in ('open', 'confirmed')))::text as placed,
          (select coalesce(sum(amount_micro), 0)::text from holds where status = 'open') as open_holds,
          (select coalesce(sum(amount_micro), 0)::text from ledger_entries where account = 'held') as held,
          (select coalesce(sum(amount_micro), 0)::text from ledger_entries where account = 'payable') as payable,
          (select sum(amount_micro)::text from ledger_entries) as ledger_sum`,
  )
  expect(found).toMatchObject({ ledger_sum: '0', payable: '0', held: found?.['open_holds'] })
  expect(found?.['placed']).toBe(found?.['earned'])
  await billing.watchLedger()
  expect(await billing.ledgerState()).toMatchObject({ balanced: true })
}

test.each<[Verb, string, number]>([
  ['release', 'the bill', 1],
  ['release', 'a payout', 3],
  ['confirm', 'the bill', 1],
  ['confirm', 'a payout', 3],
])('a %s between border and bills, of a number in %s, counts once', async (verb, _, number) => {
  const environment = await openTestBilling({ cycleSeconds: 60 })
  const { call, traffic, billing } = environment
  await traffic({ client: 1, number, count: 2, amountMicro })
  const held = await hold(environment, 1, number)
  const untouched = await hold(environment, 1, number)
  const cycleId = await endCycle(environment)
  const before = (await call(1, 'GET', '/api/billing/periods')).body[0]

  await expect(interruptedCloser(environment, () => true).closeDueCycles()).rejects.toThrow('power cut')
  expect(await row(environment.db, sql`select count(*)::int as count from cycle_bills`)).toEqual({ count: 0 })
  await decide(environment, 4, held.id, verb)

  // Shown as it will be billed, and the release where it counts.
  const isRelease = verb === 'release'
  const waiting = (await call(5, 'GET', '/api/billing/all-periods?search=u1')).body
  const shown = waiting.map((period: Record<string, unknown>) => [
    period['id'],
    period['totalSmsCount'],
    period['totalCost'],
  ])
  const billTotal = number === 1 ? '0.10' : '0.00'
  expect(before.totalCost).toBe(billTotal)
  expect(shown).toEqual([
    ...(isRelease ? [[`${cycleId + 1}-1`, 0, '0.05']] : []),
    ...(number === 1 ? [[`${cycleId}-1`, 2, billTotal]] : []),
  ])
  // A line for what counts, and one that names what was held at the border, whatever has become of it since.
  const lines: PeriodLine[] = (await call(1, 'GET', `/api/billing/periods/${cycleId}-1/lines`)).body
  const shownLines = lines.map(({ kind, smsCount, amount }) => [kind, smsCount, amount])
  expect(shownLines).toEqual([...(number === 1 ? [['traffic', 2, '0.10']] : []), ['review', 0, '0.00']])
  expect(lines.at(-1)?.messages.map(({ id }) => id)).toEqual([held.messageId, untouched.messageId])

  await Promise.all([billing.closeDueCycles(), billing.closeDueCycles()])
  await endCycle(environment)
  await billing.closeDueCycles()
  const found = await places(environment)
  expect(found.size).toBe(4)
  expect(found.get(held.messageId)).toEqual([
    `held ${cycleId}`,
    `${isRelease ? 'release' : 'refusal'} ${cycleId + 1}`,
  ])
  expect(found.get(untouched.messageId)).toEqual([`held ${cycleId}`])
  const counted = number === 1 ? 'bill' : 'payout'
  expect([...found.values()].filter((all) => all[0] === `${counted} ${cycleId}`)).toHaveLength(2)
  await checkSums(environment)
})

/**
 * A third is decided before the closers begin and a third after them, so that both sides of the border are sure to be met;
 * the rest races against them.
 */
async function raceRound(closers: Money[], decisions: (() => Promise<void>)[], round: number): Promise<void> {
  const third = (side: number) => decisions.filter((_, index) => (index + round) % 3 === side)
  for (const decideNow of third(0)) await decideNow()
  const ends = await Promise.allSettled([
    ...closers.map(async (closer) => {
      await sleep(random() * 15)
      await closer.closeDueCycles()
    }),
    ...third(1).map(async (decideNow) => {
      await sleep(random() * 25)
      await decideNow()
    }),
  ])
  expect(ends.slice(closers.length).filter(({ status }) => status === 'rejected')).toEqual([])
  for (const decideNow of third(2)) await decideNow()
}

const rounds = 40
const clients = [1, 2, 3]

test(`${rounds} closes by racing closers that are cut off, against releases and refusals: each message ends in one place`, async () => {
  const environment = await openTestBilling({ cycleSeconds: 60 })
  const { db, billing, traffic } = environment
  let cuts = 0
  const closers = [0, 1, 2, 3].map(() =>
    interruptedCloser(environment, () => {
      const isCutOff = random() < 0.4
      cuts += isCutOff ? 1 : 0
      return isCutOff
    }),
  )
  const undecided: Awaited<ReturnType<typeof hold>>[] = []
  const decided = new Map<string, Verb>()
  for (let round = 0; round < rounds; round += 1) {
    for (const client of clients) {
      const number = 1 + ((round + client) % 4)
      await traffic({ client, number, count: 2, amountMicro })
      undecided.push(await hold(environment, client, number))
      if (round % 5 === 0) undecided.push(await hold(environment, client, number))
    }
    await endCycle(environment)
    // Some of this round and some that wait longer.
    const chosen = undecided.splice(0, undecided.length - (round % 4))
    await raceRound(
      closers,
      chosen.map(({ id, messageId }, index) => async () => {
        const verb = index % 3 === 0 ? 'confirm' : 'release'
        await decide(environment, 4 + (index % 3), id, verb)
        decided.set(messageId, verb)
      }),
      round,
    )
  }
  await billing.closeDueCycles()
  await endCycle(environment)
  await billing.closeDueCycles()
  expect(cuts).toBeGreaterThan(rounds / 10)

  const ways = await rows<{ kind: string; count: number }>(
    db,
    sql`select kind, count(*)::int as count from ledger_entries where account = 'held' and amount_micro < 0
          group by kind`,
  )
  // In its own cycle, and after it: the race was run on both sides of the border.
  const countOf = new Map(ways.map(({ kind, count }) => [kind, count]))
  for (const kind of ['hold', 'release', 'refusal']) expect(countOf.get(kind) ?? 0).toBeGreaterThan(5)

  const found = await places(environment)
  const count = await row<{ count: number }>(db, sql`select count(*)::int as count from records`)
  expect(found.size).toBe(count?.count)
  for (const [messageId, all] of found) {
    const kinds = all.map((place) => place.split(' ')[0])
    const verb = decided.get(messageId)
    if (verb === undefined) expect(kinds).toHaveLength(1)
    else if (verb === 'confirm') expect(kinds).toEqual(['held', 'refusal'])
    // Released in its own cycle it is a record like any other.
    else expect([['bill'], ['payout'], ['held', 'release']]).toContainEqual(kinds)
  }
  for (const { messageId } of undecided) expect(found.get(messageId)?.[0]).toMatch(/^held /)
  await checkSums(environment)
})
