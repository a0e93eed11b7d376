// SQL of holding the messages of a case.
import { sql } from 'kysely'
import { englishOf, type Sentence } from '@tollgate/contract/sentences.ts'
import { changed, row, rows, type Db } from '../../platform/db.ts'
import { keyArrays, literalOf, type RecordKey } from '../../ingest/index.ts'
import { sliceRecordsMax } from '../move-decided.ts'

export interface AppliedCase {
  readonly id: string
  readonly rule: string
  readonly client_id: number
  readonly words: readonly Sentence[]
  readonly apply_from: Date
  readonly apply_to_at: Date | null
  readonly apply_to_id: string | null
  /** Whether it holds what is on bills and payouts that are due, too. */
  readonly takes_billed: boolean
  /** When it will, as there is something on them. */
  readonly billed_from: Date | null
  /** After the last day that a dispute names; any other case goes on. */
  readonly ends_at: Date | null
}

/**
 * The next case with messages to hold, locked; not one of `skipped`. One that has not begun is the first, so that no first
 * hold waits for a large case.
 */
export async function nextCase(
  tx: Db,
  skipped: readonly string[],
  now: Date,
): Promise<AppliedCase | undefined> {
  // The client may see by now what a case takes off bills, so that it walks through all its messages again.
  await sql`update integrity_cases set takes_billed = true, billed_from = null, apply_to_at = null, apply_to_id = null,
      apply_from = from_day::timestamp at time zone 'UTC'
    where id = (select id from integrity_cases where billed_from <= ${now} order by id limit 1 for update)`.execute(
    tx,
  )
  return row(
    tx,
    sql`select id, rule, client_id, words, apply_from, apply_to_at, apply_to_id, takes_billed, billed_from,
          case when rule = 'dispute' then (day + 1)::timestamp at time zone 'UTC' end as ends_at from integrity_cases
        where apply_from is not null and id <> all(${[...skipped]}::bigint[])
        order by apply_to_at is not null, id limit 1 for update`,
  )
}

/** The senders of a case. There may be 100,000, so they stay in the database. */
const sendersOf = (caseId: string) =>
  sql`array(select sender from integrity_members where case_id = ${caseId}::bigint)`

export interface CaseMessage extends RecordKey {
  readonly numberId: number
  readonly rateId: number | null
  readonly cycleId: number
  readonly settlement: number
  readonly amountMicro: bigint
}

/** A search takes several slices at once, because it hashes all senders of the case. */
const searchRecordsMax = 10 * sliceRecordsMax

/** Finds the messages of cases, slice by slice. */
export class MessageSearch {
  #found: CaseMessage[] = []
  #isComplete = false
  /** The position of a case at which `found` begins. */
  #at = ''

  /**
   * The next messages of the case, the newest first, of which none was held at the search; some may have been held before.
   * Fewer than a slice: there are no others.
   */
  async next(tx: Db, applied: AppliedCase): Promise<CaseMessage[]> {
    const isAhead = this.#isComplete || this.#found.length >= sliceRecordsMax
    if (this.#at !== positionOf(applied) || !isAhead) {
      this.#found = await findMessages(tx, applied)
      this.#isComplete = this.#found.length < searchRecordsMax
    }
    const slice = this.#found.slice(0, sliceRecordsMax)
    this.#found = this.#found.slice(sliceRecordsMax)
    const last = slice.at(-1)
    this.#at =
      last === undefined
        ? ''
        : positionOf({ ...applied, apply_to_at: new Date(last.createdAtMs), apply_to_id: `${last.recordId}` })
    return slice
  }
}

const positionOf = ({ id, apply_from, apply_to_at, apply_to_id }: AppliedCase): string =>
  [id, apply_from.getTime(), apply_to_at?.getTime(), apply_to_id].join(' ')

async function findMessages(
  tx: Db,
  { id, client_id, apply_from, apply_to_at, apply_to_id }: AppliedCase,
): Promise<CaseMessage[]> {
  const found = await rows<{
    created_at: Date
    id: string
    number_id: number
    rate_id: number | null
    cycle_id: number
    settlement: number
    amount_micro: string
  }>(
    tx,
    sql`select * from records_of_senders(${client_id}::int, ${sendersOf(id)}, ${apply_from}::timestamptz,
          coalesce(${apply_to_at}::timestamptz, 'infinity'), coalesce(${apply_to_id}::bigint, 0), ${searchRecordsMax}::int)`,
  )
  return found.map((message) => ({
    createdAtMs: message.created_at.getTime(),
    recordId: Number(message.id),
    numberId: message.number_id,
    rateId: message.rate_id,
    cycleId: message.cycle_id,
    settlement: message.settlement,
    amountMicro: BigInt(message.amount_micro),
  }))
}

/** Those that no hold has ever had. */
export async function neverHeld<T extends RecordKey>(tx: Db, messages: readonly T[]): Promise<T[]> {
  if (messages.length === 0) return []
  const held = await rows<{ id: string }>(
    tx,
    sql`select record_id as id from hold_records where record_id = any(${literalOf(messages.map(({ recordId }) => recordId))}::bigint[])`,
  )
  const known = new Set(held.map(({ id }) => Number(id)))
  return messages.filter(({ recordId }) => !known.has(recordId))
}

export type CycleState = 'open' | 'unbilled' | 'unfinished' | 'billed'

/** How far the cycles are. Of one that is closed without bills, none are made until the transaction ends. */
export async function cycleStates(tx: Db, cycleIds: readonly number[]): Promise<Map<number, CycleState>> {
  await sql`select from cycles c where id = any(${[...cycleIds]}::int[]) and closed_at is not null
    and not exists (select from cycle_bills b where b.cycle_id = c.id) order by id for share`.execute(tx)
  const found = await rows<{ id: number; state: CycleState }>(
    tx,
    sql`select c.id, case when c.closed_at is null then 'open' when b.cycle_id is null then 'unbilled'
          when b.itemised_at is null then 'unfinished' else 'billed' end as state
        from cycles c left join cycle_bills b on b.cycle_id = c.id where c.id = any(${[...cycleIds]}::int[])`,
  )
  return new Map(found.map(({ id, state }) => [id, state]))
}

/** Adds messages to the case's holds, one for each number. The caller has locked them. */
export async function addToHolds(
  tx: Db,
  { id, rule, client_id, words }: AppliedCase,
  messages: readonly (CaseMessage & { readonly isBilled: boolean })[],
  now: Date,
): Promise<void> {
  const list = (of: (message: CaseMessage) => number | bigint | null) => literalOf(messages.map(of))
  await sql`with added as materialized (
      select * from unnest(${keyArrays(messages)}, ${list(({ numberId }) => numberId)}::int[],
        ${list(({ rateId }) => rateId)}::int[], ${list(({ cycleId }) => cycleId)}::int[],
        ${list(({ settlement }) => settlement)}::smallint[], ${list(({ amountMicro }) => amountMicro)}::bigint[],
        ${messages.map(({ isBilled }) => isBilled)}::boolean[]
      ) m (created_at, record_id, number_id, rate_id, cycle_id, settlement, amount_micro, is_billed)
    ), holds as (
      insert into holds as kept (user_id, number_id, case_id, rule, explanation, words, score, amount_micro, record_count,
        created_at)
      select ${client_id}::int, number_id, ${id}::bigint, ${rule}, ${englishOf([...words])}, ${JSON.stringify(words)}::jsonb,
        ${caseScore}::int, sum(amount_micro), count(*), ${now} from added group by number_id order by number_id
      on conflict (case_id, number_id) where case_id is not null do update set
        amount_micro = kept.amount_micro + excluded.amount_micro, record_count = kept.record_count + excluded.record_count
      returning id, number_id
    )
    insert into hold_records (record_id, record_created_at, hold_id, user_id, number_id, rate_id, cycle_id, settlement,
      amount_micro, is_billed, told_from)
    select a.record_id, a.created_at, h.id, ${client_id}::int, a.number_id, a.rate_id, a.cycle_id, a.settlement,
      -- What is taken off a bill is seen there.
      a.amount_micro, a.is_billed, case when a.is_billed then '-infinity' else next_morning(${now}) end
    from added a join holds h using (number_id)`.execute(tx)
}

/** As the API has it: from 60 a record is held. */
const caseScore = 60

/** Notes what a slice did, and where the next one begins; `last` undefined: all messages are looked at. */
export async function setApplied(
  tx: Db,
  caseId: string,
  held: { readonly count: number; readonly amountMicro: bigint },
  last: RecordKey | undefined,
): Promise<void> {
  const at = last === undefined ? null : new Date(last.createdAtMs)
  await changed(
    tx,
    sql`update integrity_cases set held_count = held_count + ${held.count}, held_micro = held_micro + ${held.amountMicro},
          apply_from = case when ${at}::timestamptz is null then null else apply_from end, apply_to_at = ${at},
          apply_to_id = ${last?.recordId ?? null}::bigint,
          takes_billed = takes_billed and (rule = 'dispute' or ${at}::timestamptz is not null)
        where id = ${caseId}::bigint`,
  )
}

/** There is something on bills that are due: their client would see at once what is taken off. */
export async function waitForMorning(tx: Db, caseId: string, now: Date): Promise<void> {
  await sql`update integrity_cases set billed_from = next_morning(${now}) where id = ${caseId}::bigint`.execute(
    tx,
  )
}

/** Notes what could not be held: of all messages of the case from `from` on, those in other cycles that were never held. */
export async function setLate(
  tx: Db,
  { id, client_id, apply_from, ends_at }: AppliedCase,
  openCycleId: number,
): Promise<void> {
  await sql`update integrity_cases set (late_count, late_micro) = (
      select count(*), coalesce(sum(amount_micro), 0) from records_of_senders(${client_id}::int, ${sendersOf(id)},
        ${apply_from}::timestamptz, coalesce(${ends_at}::timestamptz, 'infinity'), 0, 2147483647) r
      where r.cycle_id <> ${openCycleId}::int and not exists (select from hold_records p where p.record_id = r.id)
    ) where id = ${id}::bigint`.execute(tx)
}
