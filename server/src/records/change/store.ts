// SQL of changes of records after they are stored: delivered, failed, reported, kept back by a hold.
import { sql } from 'kysely'
import {
  clientReports,
  recordStatuses,
  type ClientReport,
  type RecordStatus,
} from '@tollgate/contract/vocabulary.ts'
import { rows, type Db } from '../../platform/db.ts'
import type { RecordKey } from '../message-id.ts'

/** The new values of the records; a field that is left out stays as it is. */
export interface RecordChange {
  readonly status?: RecordStatus
  readonly clientReport?: ClientReport
  /** Code of the network's delivery report; 0 is 'No Report'. */
  readonly noReport?: number
  readonly isHeld?: boolean
  /** Only records that have one of these statuses now are changed. */
  readonly from?: readonly RecordStatus[]
}

/**
 * Changes these records and their counters and adds the change to the log, all in the caller's transaction. Gives the keys
 * of the records that were changed. Amounts never change: corrections are ledger lines. Rows are locked in the order of
 * the keys, so two callers with the same records wait for each other without a deadlock.
 */
export async function changeRecords(
  tx: Db,
  keys: readonly RecordKey[],
  change: RecordChange,
): Promise<RecordKey[]> {
  if (keys.length === 0) return []
  const codeOf = (status: RecordStatus) => recordStatuses.indexOf(status)
  const status = change.status === undefined ? null : codeOf(change.status)
  const report = change.clientReport === undefined ? null : clientReports.indexOf(change.clientReport)
  const found = await rows<{ created_at: Date; id: string }>(
    tx,
    sql`
    with requested as (
      select * from unnest(
        ${keys.map(({ createdAtMs }) => new Date(createdAtMs))}::timestamptz[],
        ${keys.map(({ recordId }) => recordId)}::bigint[]
      ) as requested (created_at, id)
    ),
    before as (
      select r.created_at, r.id, r.status from records r join requested using (created_at, id)
      where ${change.from === undefined}::boolean or r.status = any(${(change.from ?? []).map(codeOf)}::smallint[])
      order by r.created_at, r.id for update of r
    ),
    changed as (
      update records r set
        updated_at = clock_timestamp(),
        status = coalesce(${status}::smallint, r.status),
        client_report = coalesce(${report}::smallint, r.client_report),
        no_report = coalesce(${change.noReport ?? null}::smallint, r.no_report),
        is_held = coalesce(${change.isHeld ?? null}::boolean, r.is_held)
      from before where r.created_at = before.created_at and r.id = before.id
      returning r.*, before.status as status_before
    ),
    moved as (
      select cycle_id, extract(epoch from created_at)::bigint / 3600 as hour, coalesce(client_id, 0) as client_id,
        coalesce(range_id, 0) as range_id, gateway_id, settlement * 8 + side.status as kind,
        sum(side.sign) as record_count, sum(side.sign * bill_micro) as bill_micro,
        sum(side.sign * amount_micro) as amount_micro
      from changed, lateral (values (status_before, -1), (status, 1)) as side (status, sign)
      where status_before <> changed.status
      group by 1, 2, 3, 4, 5, 6
    ),
    packed as (
      insert into record_tally_packs
      select cycle_id, array_agg(hour), array_agg(client_id), array_agg(range_id), array_agg(gateway_id),
        array_agg(kind), array_agg(record_count), array_agg(bill_micro), array_agg(amount_micro)
      from moved group by cycle_id
    ),
    logged as (
      insert into record_changes (record_ids, created_ats)
      select array_agg(id), array_agg(created_at) from changed having count(*) > 0
    )
    select created_at, id from changed order by created_at, id`,
  )
  return found.map(({ created_at, id }) => ({ createdAtMs: created_at.getTime(), recordId: Number(id) }))
}
