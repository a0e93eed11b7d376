// A row of `records` as readers fetch it, and its position in lists.
import { sql } from 'kysely'

export interface RecordRow {
  readonly created_at: Date
  /** A whole number below 2^53. */
  readonly id: string
  readonly updated_at: Date
  readonly bill_micro: string
  readonly amount_micro: string
  readonly number_id: number
  readonly client_id: number | null
  readonly range_id: number | null
  readonly gateway_id: number
  readonly status: number
  readonly no_report: number
  readonly client_report: number
  readonly is_held: boolean
  readonly sender: string
  /** Null for a source without PDUs. */
  readonly data_coding: number | null
  /** The place in a long message: all three, or null. */
  readonly segment_reference: number | null
  readonly segment_total: number | null
  readonly segment_sequence: number | null
  /** See `recordFlags`. */
  readonly flags: number
  /** As many SMS as its text fills; 0 for an acknowledgement. */
  readonly sms_count: number
  /** The rate that priced it; null when none did. */
  readonly rate_id: number | null
  /** The cycle of its money. */
  readonly cycle_id: number
  /** A code of `settlements`. */
  readonly settlement: number
}

/** The columns of {@link RecordRow} on the alias `r`. */
export const recordColumnsText =
  'r.created_at, r.id, r.updated_at, r.bill_micro, r.amount_micro, r.number_id, r.client_id, r.range_id, ' +
  'r.gateway_id, r.status, r.no_report, r.client_report, r.is_held, r.sender, ' +
  'r.data_coding, r.segment_reference, r.segment_total, r.segment_sequence, r.flags, r.sms_count, ' +
  // The columns that the predicates on a record's money read.
  'r.cycle_id, r.rate_id, r.settlement'
export const recordColumns = sql.raw(recordColumnsText)

/** A position in the order of all record lists: newest first, by (created_at, id). */
export interface ListPosition {
  readonly createdAt: Date
  readonly id: number
}

export function listPositionOf(row: RecordRow): ListPosition {
  return { createdAt: row.created_at, id: Number(row.id) }
}

/** Negative when `a` is shown before `b`. */
export function byNewest(a: ListPosition, b: ListPosition): number {
  return b.createdAt.getTime() - a.createdAt.getTime() || b.id - a.id
}

/** The newest `limit` of these records, each once. */
export function newestOf<R extends RecordRow>(records: readonly R[], limit: number): R[] {
  return [...new Map(records.map((record) => [record.id, record])).values()]
    .toSorted((a, b) => byNewest(listPositionOf(a), listPositionOf(b)))
    .slice(0, limit)
}
