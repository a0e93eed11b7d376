// SQL on adjustments: corrections of what a client is owed.
import type { Adjustment, adjustmentSorts } from '@tollgate/contract/adjustments/adjustments.ts'
import { sql } from 'kysely'
import type { AdjustmentStatus } from '@tollgate/contract/vocabulary.ts'
import { correctionUrl } from '../billing/index.ts'
import type { PageReply } from '../http/handlers.ts'
import { replyPage, replyRow } from '../http/reply.ts'
import { changed, row, type Db, type NewRow } from '../platform/db.ts'
import type { Sort, SortedPage } from '../http/lists/sorted-page.ts'
import type { RecordKey } from '../ingest/index.ts'

/** An adjustment as screens show it, before its paths are made. */
type StoredAdjustment = Omit<Adjustment, 'backdating'> & {
  /** Null in all four: it backdates no holding. */
  readonly number: string | null
  readonly heldFrom: string | null
  readonly heldTo: string | null
  readonly smsCount: number | null
}

const shown = sql`a.id, a.user_id, u.username as user_name, a.amount_micro, a.reason, a.reference, a.status,
    q.username as requested_by, coalesce(d.username, '') as decided_by, a.decision_reason,
    a.cycle_id || '-' || a.user_id as period_id, a.created_at, a.decided_at,
    n.number, a.held_from, a.held_to, a.record_count as sms_count`
const source = sql`adjustments a join users u on u.id = a.user_id join users q on q.id = a.requested_by
  left join users d on d.id = a.decided_by
  left join numbers n on n.id = a.number_id`

export async function findAdjustment(db: Db, id: string): Promise<Adjustment | undefined> {
  const query = sql`select ${shown} from ${source} where a.id = ${id}::bigint`
  const found = await replyRow<StoredAdjustment>(db, query)
  return found && toAdjustment(found)
}

function toAdjustment(found: StoredAdjustment): Adjustment {
  const { number, heldFrom, heldTo, smsCount, ...adjustment } = found
  if (number === null || heldFrom === null || heldTo === null) return { ...adjustment, backdating: null }
  const path = adjustment.status === 'rejected' ? '' : correctionUrl(adjustment.id)
  const backdating = { number, heldFrom, heldTo, smsCount: smsCount ?? 0, recordsUrl: path }
  return { ...adjustment, backdating }
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
): Promise<PageReply<Adjustment[]>> {
  const conditions = [
    userId !== undefined && sql`a.user_id = ${userId}`,
    status !== undefined && sql`a.status = ${status}`,
  ]
  const list = { sort: sorts[page.sort], id: sql`a.id`, columns: shown, source, conditions }
  const found = await replyPage<StoredAdjustment>(db, list, page)
  return { items: found.items.map(toAdjustment), next: found.next }
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
