// Conditions on a transfer `t` that several queries share.
import { sql } from 'kysely'

/** A person said why it pays no debt. */
export const isExplained = sql`exists (select from transfer_decisions x
  where x.transfer_id = t.id and x.kind = 'explain' and x.status = 'done')`

/** Somebody has asked a second person about it. */
const isWaiting = sql`exists (select from transfer_decisions x
  where x.transfer_id = t.id and x.status = 'pending')`

/** People are dealing with the transfer, so no job books it. */
export const isDecided = sql`exists (select from transfer_decisions x
  where x.transfer_id = t.id and (x.status = 'pending' or (x.kind = 'explain' and x.status = 'done')))`

/** The state that lists show. */
export const transferState = sql`case when ${isExplained} then 'explained' when t.booked_micro >= t.amount_micro then 'booked'
  when ${isWaiting} then 'waiting' else 'open' end`
