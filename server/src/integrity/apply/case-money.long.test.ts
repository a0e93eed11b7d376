// Random histories of cases, closes, reserves, payments and decisions at the same time, with connections that are killed: at
// each moment what was earned is payable, held, reserved, billed, paid or refused, once. More: CASE_ROUNDS=200 CASE_SEED=7 npx vitest run … case-money.long.test.ts.
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { seededChoices } from '../../../drills/random.ts'
import { openTestBilling } from '../../../test/money/billing.ts'
import { row, rows } from '../../platform/db.ts'
import { newCase } from '../testing/new-case.ts'

const rounds = Number(process.env['CASE_ROUNDS'] ?? 25)
const seed = Number(process.env['CASE_SEED'] ?? 23)
const random = seededChoices(seed)
const clients = [1, 2]
const environment = await openTestBilling()
const { aPayee, billing, call, clock, db, integrity, ledger, traffic } = environment

/** Ends some connections, whatever they do. */
const killSome = () =>
  sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle' and random() < 0.4`.execute(
    db,
  )

async function decideSome(): Promise<void> {
  const open = (await call(4, 'GET', '/api/integrity/cases?state=open')).body as { id: string }[]
  for (const { id } of open)
    if (random.chance(0.5)) {
      const body = { action: random.pick(['release', 'confirm']), reason: 'as found' }
      await call(random.pick([4, 5]), 'PUT', `/api/integrity/cases/${id}/decide`, { body })
    }
}

async function paySome(): Promise<void> {
  const due = await rows<{ reference: string; payout: string | null }>(
    db,
    sql`select reference, payout_id::text as payout from debts where not is_settled and not is_stopped and due_micro > 0`,
  )
  for (const { reference, payout } of due)
    if (random.chance(0.4))
      await (payout === null
        ? call(5, 'PUT', `/api/billing/periods/${reference}/pay`, {
            body: {
              transactionHash: random
                .between(1, 2 ** 40)
                .toString(16)
                .padStart(64, '0'),
            },
          })
        : call(5, 'PUT', `/api/payouts/${payout}/process`, { body: {} }))
}

async function closeNow(): Promise<void> {
  const open = await ledger.ensureOpenCycle()
  clock.set(open.endsAt)
  await billing.closeDueCycles()
  await billing.releaseReserves()
}

/** Part of each bill of this client is kept for three weeks. */
const keepReserve = (client: number) =>
  call(6, 'PUT', `/api/users/${client}/terms`, {
    body: {
      numbersMax: null,
      smsPerDayMax: null,
      valuePerCycleMax: null,
      payableAfterDays: 0,
      reservePercent: 10,
      reserveDays: 21,
    },
  })

/** Where a client's money is. */
const places = () =>
  rows(
    db,
    sql`select u.id, coalesce(r.earned, 0)::text as earned, (coalesce(l.sum, 0) + coalesce(h.refused, 0))::text as found,
          coalesce(l.held, 0)::text as held, coalesce(h.held, 0)::text as "heldRecords", coalesce(s.held, 0)::text as "heldSums",
          coalesce(l.billed, 0)::text as billed, coalesce(d.due, 0)::text as due
        from users u
        left join (select client_id, sum(amount_micro) as earned from records group by 1) r on r.client_id = u.id
        left join (select user_id, sum(amount_micro) as sum, sum(amount_micro) filter (where account = 'held') as held,
            sum(amount_micro) filter (where account = 'billed') as billed
          from ledger_entries group by 1) l on l.user_id = u.id
        left join (select user_id, sum(amount_micro) filter (where outcome = 'confirmed') as refused,
            sum(amount_micro) filter (where outcome is null) as held from hold_records group by 1) h on h.user_id = u.id
        left join (select user_id, sum(open_micro) as held from hold_sums group by 1) s on s.user_id = u.id
        left join (select user_id, sum(due_micro) as due from debts group by 1) d on d.user_id = u.id
        where u.id = any(${clients}::int[]) order by u.id`,
  )

/** As of one moment: a query sees what is committed. */
async function expectPlaces(which: string): Promise<void> {
  for (const client of await places()) {
    const { earned, found, held, heldRecords, heldSums, billed, due } = client as Record<string, string>
    expect({ found, heldRecords, heldSums, due }, which).toEqual({
      found: earned,
      heldRecords: held,
      heldSums: held,
      due: billed,
    })
  }
}

const isAssertion = (error: unknown) => error instanceof Error && error.name === 'AssertionError'

/** A connection may end a moment after it was killed, under whatever it does then; only a look is done again. */
const afterKills = (look: () => Promise<void>) =>
  look().catch((error: unknown) => {
    if (isAssertion(error)) throw error
    return look()
  })

/** Looks again and again while something works; gives how often. */
async function watchPlaces(work: Promise<unknown>, which: string): Promise<number> {
  let isOver = false
  void work.finally(() => (isOver = true))
  for (let count = 0; ; count += 1) {
    // A kill may hit the look itself.
    await expectPlaces(which).catch((error: unknown) => {
      if (isAssertion(error)) throw error
    })
    if (isOver) return count
  }
}

async function expectAllThere(which: string): Promise<void> {
  await expectPlaces(which)
  expect(
    await row(
      db,
      sql`select count(*)::int as wrong from (
            select cycle_id, user_id, number_id, rate_id, settlement, told_from, record_count, amount_micro, open_count, open_micro
            from hold_sums where record_count <> 0 or open_count <> 0 or amount_micro <> 0
          ) s full join (
            select cycle_id, user_id, number_id, coalesce(rate_id, 0) as rate_id, settlement, told_from,
              count(*) filter (where is_own) as record_count, coalesce(sum(amount_micro) filter (where is_own), 0) as amount_micro,
              count(*) filter (where outcome is null) as open_count,
              coalesce(sum(amount_micro) filter (where outcome is null), 0) as open_micro
            from (select *, not is_billed and (outcome is distinct from 'released' or decided_cycle_id <> cycle_id) as is_own
              from hold_records) p group by 1, 2, 3, 4, 5, 6
          ) c using (cycle_id, user_id, number_id, rate_id, settlement, told_from)
          where (coalesce(s.record_count, 0), coalesce(s.amount_micro, 0), coalesce(s.open_count, 0), coalesce(s.open_micro, 0))
            <> (coalesce(c.record_count, 0), coalesce(c.amount_micro, 0), coalesce(c.open_count, 0), coalesce(c.open_micro, 0))`,
    ),
    which,
  ).toEqual({ wrong: 0 })
  expect(
    await row(
      db,
      sql`select count(*)::int as wrong from decided_sums s full join (
            select decided_cycle_id, user_id, outcome, cycle_id, number_id, coalesce(rate_id, 0) as rate_id, told_from,
              count(*) as record_count, sum(amount_micro) as amount_micro
            from hold_records where outcome is not null group by 1, 2, 3, 4, 5, 6, 7
          ) c using (decided_cycle_id, user_id, outcome, cycle_id, number_id, rate_id, told_from)
          where (s.record_count, s.amount_micro) is distinct from (c.record_count, c.amount_micro)`,
    ),
    which,
  ).toEqual({ wrong: 0 })
  await billing.watchLedger()
  expect(await billing.ledgerState(), which).toMatchObject({ balanced: true })
}

/** Whether there were held messages, some of bills, cases that were late, and what reserves kept and gave back. */
async function hasReached(): Promise<boolean> {
  const found = await row<{ least: number }>(
    db,
    sql`select least((select count(*) from hold_records), (select count(*) from hold_records where is_billed),
          (select count(*) from integrity_cases where late_count > 0),
          count(*) filter (where amount_micro > 0), count(*) filter (where amount_micro < 0))::int as least
        from ledger_entries where account = 'reserved'`,
  )
  return (found?.least ?? 0) > 0
}

test(`${rounds} rounds of cases, closes, payments and kills: all money is somewhere, once`, async () => {
  await sql`insert into settings (key, value) values ('second_person_above', '900000000'), ('payable_after_days', '0')`.execute(
    db,
  )
  for (const client of clients) await aPayee(client)
  expect((await keepReserve(2)).status).toBe(200)
  let looks = 0
  // What meets what is a matter of time: where something never met, the history goes on for a while.
  for (let round = 1; round <= rounds || (round <= 4 * rounds && !(await hasReached())); round += 1) {
    const which = `round ${round} of seed ${seed}`
    for (const client of clients)
      await traffic({
        client,
        number: random.pick([1, 3]),
        count: random.between(1, 60),
        amountMicro: random.between(1, 90_000),
      })
    if (random.chance(0.7))
      await newCase(environment, { client: random.pick(clients), senders: random.between(1, 300) })
    const acts = [() => integrity.holdMessages(), decideSome, paySome]
    if (random.chance(0.5)) acts.push(closeNow)
    const work = Promise.allSettled(acts.map((act) => act()))
    const looking = watchPlaces(work, which)
    if (random.chance(0.5)) await killSome().catch(() => undefined)
    looks += await looking
    await afterKills(() => expectAllThere(which))
  }
  await integrity.holdMessages()
  clock.advance(30 * 3_600_000)
  await integrity.holdMessages()
  await billing.closeDueCycles()
  await expectAllThere('the end')
  expect(
    await row(
      db,
      sql`select count(*)::int as waiting from integrity_cases
          where apply_from is not null or billed_from is not null`,
    ),
  ).toEqual({
    waiting: 0,
  })
  // The histories have been where they should.
  expect(looks).toBeGreaterThan(0)
  expect(await hasReached()).toBe(true)
})
