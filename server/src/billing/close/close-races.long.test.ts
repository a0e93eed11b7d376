// Many closes, eight closers at once, crashes at every step: nothing is billed twice, and nothing is missed. The bench
// does the same with processes that are killed.
import { sql } from 'kysely'
import { seededRandom } from '../../programs/demo/seeded-random.ts'
import { expect, test } from 'vitest'
import { noteHeld, openTestBilling } from '../../../test/money/billing.ts'
import { findOpenCycle } from '../../ledger/index.ts'
import { execute, row } from '../../platform/db.ts'
import { composeMoney, type Money } from '../../compose-money.ts'

const cycleCount = 120
const clientCount = 4
const closerCount = 8
const crashChance = 0.08

const environment = await openTestBilling({ cycleSeconds: 60 })
const { db, pool, clock, deps } = environment

// The same crashes in every run.
const random = seededRandom(20_260_304)
let crashes = 0

/** Before or after the step, as a power cut may come. */
function crashing<A extends unknown[], T>(step: (...args: A) => Promise<T>): (...args: A) => Promise<T> {
  return async (...args) => {
    const fate = random()
    if (fate < crashChance) {
      crashes += 1
      throw new Error('power cut before')
    }
    const done = await step(...args)
    if (fate > 1 - crashChance) {
      crashes += 1
      throw new Error('power cut after')
    }
    return done
  }
}

const closers: Money[] = Array.from({ length: closerCount }, () =>
  composeMoney({
    ...deps,
    // The settings are known to the process already.
    settings: { ...deps.settings, define: ({ key, fallback }) => ({ key, get: async () => fallback }) },
    ledger: {
      countDue: deps.ledger.countDue,
      holdOpenCycle: deps.ledger.holdOpenCycle,
      closeDueCycle: crashing(deps.ledger.closeDueCycle),
      post: crashing(deps.ledger.post),
      postRows: crashing(deps.ledger.postRows),
    },
    audit: { record: crashing((tx, entry) => deps.audit.record(tx, entry)) },
  }),
)

/** Cuts a few connections, whatever they are at: what a closer that is killed looks like to the database. */
async function killSome(): Promise<void> {
  await pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle' and random() < 0.3`,
  )
}

/** Takes ids of cycles without gaps, also after a rollback, so that the traffic of all cycles can be written ahead. */
async function closeGaps(): Promise<void> {
  await execute(
    db,
    `create function next_cycle_id() returns trigger language plpgsql as $$
     begin new.id := (select coalesce(max(id), 0) + 1 from cycles); return new; end $$;
     create trigger cycles_gapless before insert on cycles for each row execute function next_cycle_id()`,
  )
}

/** What all cycles will hold, written ahead: bills, payouts, a held record and corrections of either sign. */
async function writeTraffic(firstCycle: number): Promise<void> {
  const last = firstCycle + cycleCount - 1
  await sql`insert into records (created_at, id, updated_at, bill_micro, amount_micro, number_id, client_id, gateway_id,
      rate_id, cycle_id, status, settlement, is_held, sender)
    select ${clock.now()}::timestamptz, row_number() over (), now(), 0, 50001 + c * 7 + u, n, u, 1, 1, c, 2,
      case when n > 2 then 2 else 1 end, n = 1 and u = 4 and c % 10 = 0, '49'
    from generate_series(${firstCycle}::int, ${last}::int) c, generate_series(1, ${clientCount}::int) u,
      (values (1), (1), (2), (3)) numbers (n)`.execute(db)
  await sql`insert into record_cycle_counters select cycle_id, client_id, settlement, count(*), sum(amount_micro) from records
    group by 1, 2, 3`.execute(db)
  await sql`insert into ledger_lines (transaction_id, cycle_id, user_id, amount_micro, account, settlement, kind)
    select c.cycle_id * 100 + c.client_id * 10 + c.settlement, c.cycle_id, side.user_id, side.sign * c.amount_micro,
      side.account, c.settlement, 'traffic'
    from record_cycles c, lateral (values (c.client_id, 'payable', 1), (null, 'traffic_expense', -1))
      as side (user_id, account, sign)`.execute(db)
  await sql`insert into ledger_lines (transaction_id, cycle_id, user_id, amount_micro, account, settlement, kind)
    select 100000000 + r.id, r.cycle_id, r.client_id, side.sign * r.amount_micro, side.account, 1, 'hold'
    from records r, (values ('payable', -1), ('held', 1)) as side (account, sign) where r.is_held`.execute(db)
  await noteHeld(db)
  // Every seventh cycle client 2 owes more than it earned, which is carried on.
  await sql`insert into ledger_lines (transaction_id, cycle_id, user_id, amount_micro, account, kind)
    select 200000000 + c, c, side.user_id, side.sign * -300000, side.account, 'adjustment'
    from generate_series(${firstCycle}::int, ${last}::int) c, (values (2, 'payable', 1), (null, 'adjustment', -1))
      as side (user_id, account, sign) where c % 7 = 0`.execute(db)
}

test(`${cycleCount} closes by ${closerCount} racing closers that crash: all is billed once, to the millionth`, async () => {
  await closeGaps()
  const first = await environment.ledger.ensureOpenCycle()
  await writeTraffic(first.id)
  for (let closed = 0; closed < cycleCount; closed += 1) {
    const open = await findOpenCycle(db)
    if (open === undefined) throw new Error('No cycle is open')
    expect(open.id).toBe(first.id + closed)
    clock.set(open.endsAt)
    for (let isOpen = true; isOpen; isOpen = (await findOpenCycle(db))?.id === open.id) {
      const race = Promise.allSettled(closers.map((closer) => closer.closeDueCycles()))
      if (random() < 0.1) await killSome().catch(() => undefined)
      await race
    }
  }
  await environment.billing.closeDueCycles()
  expect(crashes).toBeGreaterThan(cycleCount)
  const found = await row(
    db,
    sql`select
        (select count(*)::int from cycles where closed_at is not null) as closed,
        (select count(*)::int from cycle_bills where itemised_at is not null) as itemised,
        -- What each client of each cycle should be billed, carried debts included, must be what the ledger moved.
        (select count(*)::int from record_cycles c left join payouts o
          on (o.cycle_id, o.user_id) = (c.cycle_id, c.client_id)
          where c.settlement = 2 and o.amount_micro is distinct from c.amount_micro) as wrong_payouts,
        (select count(*)::int from billing_periods b where total_micro <> (
          select sum(amount_micro) from billing_lines l where (l.cycle_id, l.user_id) = (b.cycle_id, b.user_id))
        ) as wrong_lines,
        (select count(*)::int from (
          select cycle_id, client_id, sum(amount_micro) as earned from records
          where settlement = 1 and not is_held group by 1, 2
        ) e left join billing_periods b on (b.cycle_id, b.user_id) = (e.cycle_id, e.client_id)
          where e.client_id <> 2 and b.total_micro is distinct from e.earned) as wrong_bills,
        (select sum(total_micro)::text from billing_periods where user_id = 2) as billed_with_debts,
        -- What its payouts covered of a debt is not carried into a bill any more.
        (select (sum(r.amount_micro) + (select coalesce(sum(amount_micro), 0) from set_offs) - 300000 * (select count(*) from ledger_entries where kind = 'adjustment' and user_id = 2)
            - (select coalesce(sum(amount_micro), 0) from ledger_entries e join cycles c on c.id = e.cycle_id
               where c.closed_at is null and e.user_id = 2 and e.account = 'payable'))::text
          from records r where client_id = 2 and settlement = 1) as earned_less_debts,
        (select sum(amount_micro)::text from ledger_entries) as ledger_sum,
        (select coalesce(sum(e.amount_micro), 0)::text from ledger_entries e join cycles c on c.id = e.cycle_id
          where e.account = 'payable' and c.closed_at is not null) as still_payable,
        (select count(*)::int from audit_entries where action = 'cycle.close') as audited`,
  )
  expect(found).toMatchObject({
    closed: cycleCount,
    itemised: cycleCount,
    wrong_payouts: 0,
    wrong_lines: 0,
    wrong_bills: 0,
    ledger_sum: '0',
    still_payable: '0',
    audited: cycleCount,
  })
  const { billed_with_debts: billed, earned_less_debts: earned } = found as Record<string, string>
  expect(billed).toBe(earned)
  await environment.billing.watchLedger()
  expect(await environment.billing.ledgerState()).toMatchObject({ balanced: true })
})
