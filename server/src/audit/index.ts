// Who did what, when, from where: an append-only log whose entries are chained by keyed links (decision 75).
import type { Clock } from '../platform/clock.ts'
import type { Db } from '../platform/db.ts'
import { bindOn, type BoundRoutes } from '../platform/http/handlers.ts'
import type { Logger } from '../platform/log.ts'
import type { Secrets } from '../platform/secrets.ts'
import { createAuditKeys } from './keys.ts'
import { bindAuditRoutes } from './routes.ts'
import { record, type AuditRecord } from './service.ts'

export { operatorActor, systemActor, type AuditActor, type AuditRecord } from './service.ts'

export interface Audit {
  /**
   * Appends an entry in the transaction of the change it tells of. Call it last: from then until the commit every other
   * transaction that records waits. Values of `before` and `after` whose names look like a secret are hidden.
   */
  record(tx: Db, entry: AuditRecord): Promise<void>
  readonly routes: BoundRoutes[]
}

export interface AuditDeps {
  readonly db: Db
  /** What heavy calls work on; `db` unless given. */
  readonly heavyDb?: Db | undefined
  readonly clock: Clock
  readonly secrets: Pick<Secrets, 'seal' | 'open'>
  readonly log: Pick<Logger, 'error'>
}

/** Builds the slice. */
export function createAudit(deps: AuditDeps): Audit {
  const { clock, secrets, log } = deps
  const keys = createAuditKeys(secrets)
  return {
    record: (tx, entry) => record(tx, { clock, keys, log }, entry),
    routes: [bindOn(deps, ({ db }) => bindAuditRoutes(db, keys))],
  }
}
