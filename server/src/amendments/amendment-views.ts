// Amendments as replies. Staff reads all of them; a client reads what is in force, and only what was written for clients.
import { type BillId } from '../billing/index.ts'
import type { Amendment } from '@tollgate/contract/amendments/amendments.ts'
import { formatMicro } from '@tollgate/contract/money.ts'
import type { Db } from '../platform/db.ts'
import { amendmentsOf, type AmendmentRow } from './amendment-store.ts'

export async function listAmendments(db: Db, bill: BillId, isForStaff: boolean): Promise<Amendment[]> {
  const found = await amendmentsOf(db, bill)
  return isForStaff
    ? found.map(toAmendment)
    : found.filter(({ status }) => status === 'done').map((row) => forClient(toAmendment(row)))
}

export function toAmendment(row: AmendmentRow): Amendment {
  return {
    id: row.id,
    periodId: `${row.cycle_id}-${row.user_id}`,
    kind: row.kind,
    status: row.status,
    amount: row.amount_micro === null ? '' : formatMicro(BigInt(row.amount_micro), 2),
    messageIds: [...row.message_ids],
    usdtAddress: row.usdt_address ?? '',
    formerAddress: row.former_address ?? '',
    reason: row.reason,
    clientReason: row.client_reason,
    requestedBy: row.requester ?? '',
    requestedAt: row.requested_at.toISOString(),
    acceptableFrom: row.acceptable_from.toISOString(),
    decidedBy: row.decider ?? '',
    decidedAt: row.decided_at?.toISOString() ?? null,
    decisionReason: row.decision_reason,
  }
}

/** Why staff suspects something stays with staff, as with holds. */
function forClient(amendment: Amendment): Amendment {
  return { ...amendment, reason: amendment.clientReason, requestedBy: '', decidedBy: '', decisionReason: '' }
}
