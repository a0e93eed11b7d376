// SQL of changes of records after they are stored: delivered, failed, reported, kept back by a hold.
import { sql } from 'kysely'
import {
  clientReports,
  recordStatuses,
  type ClientReport,
  type RecordStatus,
} from '@tollgate/contract/vocabulary.ts'
import type { Db } from '../../platform/db.ts'
import { keyArrays } from '../key-arrays.ts'
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
 * Changes these records and their counters and adds the change to the log, all in the caller's transaction. Amounts never
 * change: corrections are ledger lines. Rows are locked in the order of the keys, so two callers with the same records wait
 * for each other without a deadlock.
 */
export async function changeRecords(tx: Db, keys: readonly RecordKey[], change: RecordChange): Promise<void> {
  if (keys.length === 0) return
  const codeOf = (status: RecordStatus) => recordStatuses.indexOf(status)
  const status = change.status === undefined ? null : codeOf(change.status)
  const report = change.clientReport === undefined ? null : clientReports.indexOf(change.clientReport)
  await sql`select change_records(
      ${keyArrays(keys)}, ${change.from?.map(codeOf) ?? null}::smallint[],
      ${status}::smallint, ${report}::smallint, ${change.noReport ?? null}::smallint, ${change.isHeld ?? null}::boolean
    )`.execute(tx)
}
