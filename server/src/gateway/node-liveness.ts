// When a node counts as dead. It writes its heartbeat every 1.5 s.
import { sql } from 'kysely'

/**
 * A node without a heartbeat for this long is dead and its binds no longer count. The API specification allows 15 s.
 */
export const deadAfter = sql`interval '12 seconds'`
/** A node without a heartbeat for this long may be dead: what it stored last may be unanswered. */
export const silentAfter = sql`interval '2.5 seconds'`
