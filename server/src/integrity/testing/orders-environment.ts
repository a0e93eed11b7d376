// Stores the messages of a fortnight in some order of arrival, as ingest leaves them, and judges and holds them meanwhile:
// by one node, or by two at once that are killed now and then.
import { sql } from 'kysely'
import type { Random } from '../../../drills/random.ts'
import { untilFinal } from '../../../test/environment/database.ts'
import { countEarned, openTestBilling } from '../../../test/money/billing.ts'
import { rows, type Db } from '../../platform/db.ts'
import { Overload } from '../../platform/load/overload.ts'
import { judgeDueDays } from '../judge/due-days.ts'
import { countSenderDays } from '../judge/sender-days.ts'
import { standardThresholds } from '../rules/thresholds.ts'
import { fortnightClients, newClient, newClientDay, type FortnightMessage } from './fortnight.ts'

const dayMs = 86_400_000
const amountMicro = 50_000
export const testVersion = { id: 1, thresholds: standardThresholds }
const modes = { of: () => 'enforce' as const }

/** Where a kill hits: within the transactions of counting, of judging and of holding. */
const killPlaces = {
  count: ['sender_days'],
  judge: ['integrity_members', 'integrity_cases'],
  hold: ['hold_records', 'ledger_entries'],
} as const

export interface OrdersEnvironment {
  readonly db: Db
  readonly kills: () => number
  /** Stores these at this time, in days from the first one, and judges and holds what is due. */
  readonly arrive: (messages: readonly FortnightMessage[], atDay: number) => Promise<void>
  /** Closes the cycles that have ended, with their bills. */
  readonly closeCycles: () => Promise<void>
}

/** `firstDay` is UTC midnight. Without `random` there is one node, and nothing is killed. */
export async function openOrdersEnvironment(firstDay: number, random?: Random): Promise<OrdersEnvironment> {
  const { db, clock, ledger, billing, integrity, aPayee } = await openTestBilling()
  clock.set(new Date(firstDay))
  await prepare(db, firstDay)
  for (const client of [1, 2, 3]) await aPayee(client)
  // A process that has just begun.
  const count = () =>
    countSenderDays({ db, overload: new Overload({ isBusy: () => false }), onFault: () => undefined }).step()
  const judge = () => judgeDueDays({ db, now: clock.now(), version: testVersion, modes, goesOn: () => true })
  let [batch, killCount] = [0, 0]

  async function hold(): Promise<number> {
    await integrity.holdMessages()
    return 0
  }

  /** One node does it, or two at once; again after a kill, until there is nothing left. */
  async function work(kind: keyof typeof killPlaces, step: () => Promise<number>): Promise<void> {
    if (random?.chance(0.3) === true)
      await sql`insert into kill_places values (${random.pick(killPlaces[kind])})`.execute(db)
    for (let isMore = true; isMore;) {
      const done = await Promise.allSettled(random === undefined ? [step()] : [step(), step()])
      const isFailed = done.some(({ status }) => status === 'rejected')
      for (const each of done)
        if (each.status === 'rejected' && !String(each.reason).includes('killed here')) throw each.reason
      if (isFailed) killCount += 1
      isMore = isFailed || done.some((each) => each.status === 'fulfilled' && each.value > 0)
      await sql`delete from kill_places`.execute(db)
    }
  }

  async function store(messages: readonly FortnightMessage[]): Promise<void> {
    const { id: cycleId } = await ledger.ensureOpenCycle()
    batch += 1
    await storeBatch(db, { batch: 9_000_000 + batch, cycleId, firstDay, messages })
    for (const client of new Set(messages.map(({ client }) => client)))
      for (const settlement of [1, 2]) {
        const count = messages.filter(
          (each) => each.client === client && settlementOf(each) === settlement,
        ).length
        if (count === 0) continue
        const earned = { count, amountMicro: BigInt(count * amountMicro) }
        await countEarned(db, ledger, { cycleId, userId: client, settlement, ...earned })
      }
  }

  async function arrive(messages: readonly FortnightMessage[], atDay: number): Promise<void> {
    clock.set(new Date(firstDay + atDay * dayMs))
    for (let from = 0; from < messages.length; from += 4_000) await store(messages.slice(from, from + 4_000))
    await untilFinal(db)
    await work('count', count)
    await work('judge', judge)
    await work('hold', hold)
  }

  async function closeCycles(): Promise<void> {
    await billing.closeDueCycles()
  }
  return { db, kills: () => killCount, arrive, closeCycles }
}

const settlementOf = ({ number }: FortnightMessage) => (number === 3 || number === 4 ? 2 : 1)

async function prepare(db: Db, firstDay: number): Promise<void> {
  await sql`insert into users (username, email, first_name, last_name, password_hash, role)
    select 'u' || i, '', 'U', 'U', 'x', 'user' from generate_series(7, 10) i`.execute(db)
  await sql`insert into numbers (number) values ('447700000005'), ('447700000006'), ('447700000007')`.execute(
    db,
  )
  await sql`insert into number_holders (number_id, user_id, held_from)
    select place, client, ${new Date(firstDay)}::timestamptz
      + make_interval(days => case when client = ${newClient}::int then ${newClientDay}::int else -90 end)
    from unnest(${[...fortnightClients]}::int[]) with ordinality t (client, place)`.execute(db)
  await sql`insert into settings (key, value) values ('integrity_mode', 'enforce'), ('payable_after_days', '0')`.execute(
    db,
  )
  await sql`create table kill_places (name text)`.execute(db)
  await sql`create function kill_here() returns trigger language plpgsql as $$ begin
    if exists (select from kill_places where name = tg_table_name) then raise exception 'killed here'; end if;
    return null; end $$`.execute(db)
  for (const table of Object.values(killPlaces).flat())
    await sql`create trigger kill_here after insert on ${sql.table(table)} for each statement
      execute function kill_here()`.execute(db)
}

interface Batch {
  readonly batch: number
  readonly cycleId: number
  readonly firstDay: number
  readonly messages: readonly FortnightMessage[]
}

/** As ingest leaves them. */
async function storeBatch(db: Db, { batch, cycleId, firstDay, messages }: Batch): Promise<void> {
  await sql`with made as (
      insert into records (created_at, id, updated_at, bill_micro, amount_micro, number_id, client_id, gateway_id, rate_id,
        cycle_id, status, settlement, sender)
      select at, ${batch}::bigint * 4096 + place - 1, now(), 0, ${amountMicro}::bigint, number_id, client_id, 1, 1,
        ${cycleId}::int, 2, settlement, sender
      from unnest(${messages.map(({ day, atMs }) => new Date(firstDay + day * dayMs + atMs))}::timestamptz[],
        ${messages.map(({ number }) => number)}::int[], ${messages.map(({ client }) => client)}::int[],
        ${messages.map(settlementOf)}::int[], ${messages.map(({ sender }) => sender)}::text[]
      ) with ordinality m (at, number_id, client_id, settlement, sender, place) returning *
    )
    insert into record_batches (id, stored_at, record_count, created_from, created_to, priced_at)
    select ${batch}::bigint, now(), count(*), min(created_at), max(created_at), now() from made`.execute(db)
}

/** The records that are held, as {@link keyOf} names them. */
export async function heldOf(db: Db): Promise<ReadonlySet<string>> {
  const held = await rows<{ key: string }>(
    db,
    sql`select r.client_id || ' ' || r.sender || ' ' || (extract(epoch from r.created_at) * 1000)::bigint as key
        from hold_records p join records r on r.id = p.record_id and r.created_at = p.record_created_at`,
  )
  return new Set(held.map(({ key }) => key))
}

/** What a record is, whenever it came. */
export const keyOf = (firstDay: number, { client, sender, day, atMs }: FortnightMessage): string =>
  `${client} ${sender} ${firstDay + day * dayMs + atMs}`

/** What each client's ledger lacks of what it earned, and of what is held. */
export function missingOf(db: Db): Promise<{ readonly earned: number; readonly held: number }[]> {
  return rows(
    db,
    sql`select r.amount - coalesce(l.found, 0) as earned, coalesce(p.amount, 0) - coalesce(l.held, 0) as held
        from (select client_id, sum(amount_micro)::float8 as amount from records group by 1) r
        left join (select user_id, sum(amount_micro)::float8 as found,
            sum(amount_micro) filter (where account = 'held')::float8 as held
          from ledger_entries where account in ('payable', 'held', 'billed') group by 1) l on l.user_id = r.client_id
        left join (select user_id, sum(amount_micro)::float8 as amount from hold_records group by 1) p
          on p.user_id = r.client_id`,
  )
}
