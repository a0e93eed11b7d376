// Columns of replies that bills and payouts have in common.
import { sql, type RawBuilder } from 'kysely'
import { quote, type Sentence } from '@tollgate/contract/sentences.ts'
import { isoOf } from '../../http/reply.ts'

/**
 * Who requested a payment `y`, whose requester is `q`, that waits for a second person's approval; null when none waits.
 * Clients learn that it waits, not for whom.
 */
export const approvalOf = (isForStaff: boolean): RawBuilder<unknown> =>
  sql`case when y.awaits_approval then json_build_object(
    'requestedBy', ${isForStaff ? sql`coalesce(q.username, '')` : sql`''`}, 'requestedAt', ${isoOf('y.created_at')}) end`

/**
 * What the check of a payment `y` found. Staff read instead why a person decided, once one has: that is written for staff
 * alone, and may name a suspicion.
 */
export const verificationNoteOf = (isForStaff: boolean): RawBuilder<unknown> =>
  sql`coalesce(${isForStaff ? sql`nullif(y.decision_reason, '')` : sql`null`}, y.verification_note, '')`

/** What became of a debt, and where it is paid to. */
export const debtColumns = (debt: 'b' | 'o' | 'p'): RawBuilder<unknown> =>
  sql.raw(`${debt}.received_micro as received_amount_micro, ${debt}.due_micro as due_amount_micro,
    ${debt}.set_off_micro as set_off_amount_micro, ${debt}.reduced_micro as reduced_amount_micro, ${debt}.payment_id,
    coalesce(${debt}.usdt_address, '') as usdt_address`)

export interface ParkedColumns {
  readonly parkedReason: string | null
  readonly parkedWords: Sentence[] | null
}

/** Why no money may go to the account of a debt, for staff; nothing when it may. */
export function parkedFields({ parkedReason, parkedWords }: ParkedColumns, isForStaff: boolean) {
  if (parkedReason === null || !isForStaff) return {}
  return { parkedReason, parkedWords: parkedWords ?? [quote(parkedReason)] }
}
