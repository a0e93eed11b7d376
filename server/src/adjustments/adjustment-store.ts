// SQL on adjustments: corrections of what a client is owed.
import type { adjustmentSorts } from '@tollgate/contract/adjustments/adjustments.ts'
import { sql } from 'kysely'
import type { AdjustmentStatus } from '@tollgate/contract/vocabulary.ts'
import { cutPage } from '../http/lists/cursor.ts'
import { changed, row, rows, type Db, type NewRow } from '../platform/db.ts'
import { allOf, keyset, type Sort, type SortedPage } from '../http/lists/sorted-page.ts'
import type { RecordKey } from '../ingest/index.ts'

/** As screens show it. */
export interface AdjustmentRow {
  readonly id: string
  readonly user_id: number
  readonly username: string
  readonly amount_micro: string
  readonly reason: string
  readonly reference: string
  readonly status: AdjustmentStatus
  readonly requested_by: string
  readonly decided_by: string | null
  readonly decision_reason: string
  readonly cycle_id: number | null
  readonly created_at: Date
  readonly decided_at: Date | null
  /** Null in all four: it backdates no holding. */
  readonly number: string | null
  readonly held_from: Date | null
  readonly held_to: Date | null
  readonly record_count: number | null
}

const shown = sql`a.id, a.user_id, u.username, a.amount_micro, a.reason, a.reference, a.status, q.username as requested_by,
    d.username as decided_by, a.decision_reason, a.cycle_id, a.created_at, a.decided_at,
    n.number, b.held_from, b.held_to, b.record_count`
const source = sql`adjustments a join users u on u.id = a.user_id join users q on q.id = a.requested_by
  left join users d on d.id = a.decided_by
  left join backdatings b on b.adjustment_id = a.id left join numbers n on n.id = b.number_id`

export function findAdjustment(db: Db, id: string): Promise<AdjustmentRow | undefined> {
  return row(db, sql`select ${shown} from ${source} where a.id = ${id}::bigint`)
}

const sorts: Record<(typeof adjustmentSorts)[number], Sort> = {
  createdAt: { expression: sql`a.id`, kind: 'id' },
  userName: { expression: sql`lower(u.username)`, kind: 'text' },
  amount: { expression: sql`a.amount_micro`, kind: 'signed' },
  status: { expression: sql`a.status`, kind: 'text' },
  requestedBy: { expression: sql`lower(q.username)`, kind: 'text' },
}

export interface AdjustmentFilter {
  readonly userId?: number | undefined
  readonly status?: AdjustmentStatus | undefined
}

/** A page of adjustments. */
export async function listAdjustments(
  db: Db,
  { userId, status }: AdjustmentFilter,
  page: SortedPage<(typeof adjustmentSorts)[number]>,
): Promise<{ rows: readonly AdjustmentRow[]; next: string | undefined }> {
  const set = keyset(sorts[page.sort], sql`a.id`, page.order, page.cursor)
  const condition = allOf([
    userId !== undefined && sql`a.user_id = ${userId}`,
    status !== undefined && sql`a.status = ${status}`,
    set.after,
  ])
  const found = await rows<AdjustmentRow & { sort_key: string }>(
    db,
    sql`select ${shown}, ${set.key} as sort_key from ${source}
        where ${condition} order by ${set.orderBy} limit ${page.limit + 1}`,
  )
  return cutPage(found, page.limit, ({ sort_key: key, id }) => [key, id])
}

export async function insertAdjustment(tx: Db, adjustment: NewRow<'adjustments'>): Promise<string> {
  const { id } = await tx
    .insertInto('adjustments')
    .values(adjustment)
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

export function lockAdjustment(tx: Db, id: string) {
  return tx
    .selectFrom('adjustments')
    .select(['user_id', 'amount_micro', 'reason', 'status', 'requested_by'])
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
}

interface AdjustmentDecision {
  readonly status: AdjustmentStatus
  readonly cycleId: number | null
  readonly decidedBy: number
  readonly decisionReason: string
  readonly at: Date
}

/** Sets the decision on a pending adjustment. Throws when it is decided already, so that it is never posted twice. */
export async function setAdjustment(tx: Db, id: string, decision: AdjustmentDecision): Promise<void> {
  const { status, cycleId, decidedBy, decisionReason, at } = decision
  const count = await changed(
    tx,
    sql`update adjustments set status = ${status}, cycle_id = ${cycleId}, decided_by = ${decidedBy},
          decision_reason = ${decisionReason}, decided_at = ${at}
        where id = ${id}::bigint and status = 'pending'`,
  )
  if (count !== 1) throw new Error('The correction was decided already')
}

/** Whether the bill, payout or record is this client's, or the correction of it can be taken back. */
export async function belongsTo(tx: Db, userId: number, subject: AdjustmentSubject): Promise<boolean> {
  const query =
    subject.kind === 'bill'
      ? sql`select from billing_periods where cycle_id = ${subject.cycleId} and user_id = ${userId}`
      : subject.kind === 'payout'
        ? sql`select from payouts where id = ${subject.id}::bigint and user_id = ${userId}`
        : subject.kind === 'correction'
          ? // Locked, so that two persons do not take it back twice at once.
            sql`select from adjustments a where id = ${subject.id}::bigint and user_id = ${userId} and status = 'posted'
                and amount_micro = ${subject.amountMicro} and not exists (select from adjustments o
                  where o.user_id = a.user_id and o.reference = ${`correction-${subject.id}`} and o.status <> 'rejected')
              for update`
          : sql`select from records where created_at = ${new Date(subject.key.createdAtMs)}
            and id = ${subject.key.recordId} and client_id = ${userId}`
  return (await row(tx, query)) !== undefined
}

/** What an adjustment can be about. */
export type AdjustmentSubject =
  | { readonly kind: 'bill'; readonly cycleId: number }
  | { readonly kind: 'payout'; readonly id: string }
  | { readonly kind: 'correction'; readonly id: string; readonly amountMicro: bigint }
  | { readonly kind: 'record'; readonly key: RecordKey }
