// SQL on holds and the records in them.
import { sql } from 'kysely'
import { englishOf, sentencesOf, type Words } from '@tollgate/contract/sentences.ts'
import type { HoldAction, HoldStatus } from '@tollgate/contract/vocabulary.ts'
import { changed, row, rows, type Db } from '../platform/db.ts'
import { keyArrays, type RecordKey } from '../ingest/index.ts'

/** A record that can be held, since somebody earns by it. */
export interface EarningRecord extends RecordKey {
  readonly userId: number
  readonly numberId: number
  readonly rateId: number | null
  readonly cycleId: number
  readonly settlement: number
  readonly amountMicro: bigint
}

/** Undefined for a record by which nobody earns. */
export async function findEarning(tx: Db, key: RecordKey): Promise<EarningRecord | undefined> {
  const found = await row<{
    client_id: number | null
    number_id: number
    rate_id: number | null
    cycle_id: number
    settlement: number
    amount_micro: string
  }>(
    tx,
    sql`select client_id, number_id, rate_id, cycle_id, settlement, amount_micro from records
        where created_at = ${new Date(key.createdAtMs)} and id = ${key.recordId}`,
  )
  if (found === undefined || found.client_id === null) return undefined
  return {
    ...key,
    userId: found.client_id,
    numberId: found.number_id,
    rateId: found.rate_id,
    cycleId: found.cycle_id,
    settlement: found.settlement,
    amountMicro: BigInt(found.amount_micro),
  }
}

export interface BilledRecord extends EarningRecord {
  /** Whether a hold has had it before: a record is held once at most. */
  readonly wasHeld: boolean
}

/** Of these records those that somebody earns by, locked, in the order of time. */
export async function lockBilled(tx: Db, keys: readonly RecordKey[]): Promise<BilledRecord[]> {
  const found = await rows<{
    created_at: Date
    id: string
    client_id: number
    number_id: number
    rate_id: number | null
    cycle_id: number
    settlement: number
    amount_micro: string
    was_held: boolean
  }>(
    tx,
    sql`select r.created_at, r.id, r.client_id, r.number_id, r.rate_id, r.cycle_id, r.settlement, r.amount_micro,
          r.is_held or exists (select from hold_records h where h.record_id = r.id) as was_held
        from lock_records(${keyArrays(keys)}) r
        where r.client_id is not null order by r.created_at, r.id`,
  )
  return found.map((record) => ({
    createdAtMs: record.created_at.getTime(),
    recordId: Number(record.id),
    userId: record.client_id,
    numberId: record.number_id,
    rateId: record.rate_id,
    cycleId: record.cycle_id,
    settlement: record.settlement,
    amountMicro: BigInt(record.amount_micro),
    wasHeld: record.was_held,
  }))
}

export interface HoldCause {
  /** The check that found it. */
  readonly rule: string
  /** Why it is held, in one sentence for whoever reviews it. */
  readonly explanation: Words
  readonly score: number
}

/** A hold of records of one number and one client. */
export async function insertHold(
  tx: Db,
  first: EarningRecord,
  cause: HoldCause,
  {
    more = [],
    isBilled = false,
  }: { readonly more?: readonly EarningRecord[]; readonly isBilled?: boolean } = {},
): Promise<string> {
  const records = [first, ...more]
  const sumMicro = records.reduce((sum, { amountMicro }) => sum + amountMicro, 0n)
  const made = await row<{ id: string }>(
    tx,
    sql`with made as (
          insert into holds (user_id, number_id, rule, explanation, words, score, amount_micro, record_count, created_at)
          values (${first.userId}, ${first.numberId}, ${cause.rule}, ${englishOf(cause.explanation)},
            ${JSON.stringify(sentencesOf(cause.explanation))}::jsonb, ${cause.score},
            ${sumMicro}, ${records.length}, clock_timestamp()) returning id
        )
        insert into hold_records (record_id, record_created_at, hold_id, user_id, number_id, rate_id, cycle_id, settlement,
          amount_micro, is_billed)
        select record_id, created_at, made.id, ${first.userId}::int, ${first.numberId}::int, rate_id, cycle_id, settlement,
          amount_micro, ${isBilled}::boolean from made, unnest(
          ${keyArrays(records)},
          ${records.map(({ rateId }) => rateId)}::int[],
          ${records.map(({ cycleId }) => cycleId)}::int[], ${records.map(({ settlement }) => settlement)}::smallint[],
          ${records.map(({ amountMicro }) => amountMicro)}::bigint[]
        ) held (created_at, record_id, rate_id, cycle_id, settlement, amount_micro)
        returning hold_id as id`,
  )
  if (made === undefined) throw new Error('The new hold did not come back')
  return made.id
}

export interface LockedHold {
  readonly id: string
  readonly user_id: number
  readonly amount_micro: string
  readonly status: HoldStatus
  readonly requested_action: HoldAction | null
  readonly requested_by: number | null
}

/** Locked in the order of their ids, so that two callers with the same ones do not deadlock. */
export function lockHolds(tx: Db, ids: readonly string[]): Promise<LockedHold[]> {
  return rows(
    tx,
    sql`select id, user_id, amount_micro, status, requested_action, requested_by from holds
        where id = any(${[...ids]}::bigint[]) order by id for update`,
  )
}

interface HoldDecision {
  readonly action: HoldAction
  readonly by: number
  readonly at: Date
  readonly reason: string
}

/** Stores the first decision, for a second person to decide the same. */
export async function setRequested(tx: Db, ids: readonly string[], word: HoldDecision): Promise<void> {
  await sql`update holds set requested_action = ${word.action}, requested_by = ${word.by}, requested_at = ${word.at},
      requested_reason = ${word.reason}
    where id = any(${[...ids]}::bigint[]) and status = 'open'`.execute(tx)
}

/** Decides open holds, whose amounts are to be moved then; the caller keeps the cycle open meanwhile. Throws when one is decided already: its money must not move twice. */
export async function setDecided(tx: Db, ids: readonly string[], word: HoldDecision): Promise<void> {
  const status: HoldStatus = word.action === 'release' ? 'released' : 'confirmed'
  const count = await changed(
    tx,
    sql`update holds set status = ${status}, decided_by = ${word.by}, decided_at = ${word.at},
          decision_reason = ${word.reason}, decided_cycle_id = (select id from cycles where closed_at is null),
          is_moving = true
        where id = any(${[...ids]}::bigint[]) and status = 'open'`,
  )
  if (count !== ids.length) throw new Error('A hold was decided already')
}
