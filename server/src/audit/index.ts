// Who did what, when, from where: an append-only log whose entries are chained by hashes.
import type { Clock } from '../platform/clock.ts'
import type { Db } from '../platform/db.ts'
import type { BoundRoutes } from '../platform/http/handlers.ts'
import { bindAuditRoutes } from './routes.ts'
import { record, type AuditRecord } from './service.ts'

export { systemActor, type AuditActor, type AuditRecord } from './service.ts'

export interface Audit {
  /**
   * Appends an entry in the transaction of the change it tells of. Call it last: from then until the commit every other
   * transaction that records waits. Values of `before` and `after` whose names look like a secret are hidden.
   */
  record(tx: Db, entry: AuditRecord): Promise<void>
  readonly routes: BoundRoutes[]
}

/** Builds the slice. */
export function createAudit({ db, clock }: { db: Db; clock: Clock }): Audit {
  return { record: (tx, entry) => record(tx, clock, entry), routes: [bindAuditRoutes(db)] }
}
