// Who did what, when, from where: an append-only log whose entries are chained by keyed links (decision 48).
import type { Clock } from '../platform/clock.ts'
import type { Db } from '../platform/db.ts'
import { bindOn, type BoundRoutes } from '../http/handlers.ts'
import type { Job } from '../platform/work/jobs.ts'
import type { Logger } from '../platform/log.ts'
import type { Secrets } from '../platform/security/secrets.ts'
import { createAuditKeys } from './keys.ts'
import { publishHead } from './publish-head.ts'
import { bindAuditRoutes } from './routes.ts'
import { record, type AuditRecord } from './service.ts'
import { createWatch } from './watch.ts'

export { operatorActor, systemActor, type AuditActor } from './service.ts'
export { chainLines as exportAuditChain } from './chain-file.ts'
export { verifyAuditFile, type FileVerdict } from './verify-file.ts'

export interface Audit {
  /**
   * Appends an entry in the transaction of the change that it describes. Call it last: from then until the commit every
   * other transaction that records waits. Values of `before` and `after` whose names look like a secret are hidden.
   */
  record(tx: Db, entry: AuditRecord): Promise<void>
  readonly routes: BoundRoutes[]
  /** The jobs that check the log and publish its head; `announce` passes the head on in the same transaction. */
  jobs(options: { readonly announce: (tx: Db, line: string, at: Date) => Promise<void> }): Job[]
}

export interface AuditDeps {
  readonly db: Db
  /** The pool for heavy calls; `db` by default. */
  readonly heavyDb?: Db | undefined
  readonly clock: Clock
  readonly secrets: Pick<Secrets, 'encrypt' | 'decrypt'>
  readonly log: Pick<Logger, 'info' | 'error'>
  /** Awaited before each piece of background work, so that messages come first. */
  readonly pause?: () => Promise<void>
}

/** Builds the slice. */
export function createAudit(deps: AuditDeps): Audit {
  const { db, clock, secrets, log, pause = async () => undefined } = deps
  const keys = createAuditKeys(secrets)
  const watch = createWatch({ db, clock, keys, log, pause })
  const add = (tx: Db, entry: AuditRecord) => record(tx, { clock, keys, log }, entry)
  return {
    record: add,
    routes: [bindOn(deps, (on) => bindAuditRoutes({ db: on.db, keys, watch, record: add }))],
    jobs: ({ announce }) => [
      { name: 'verify-audit', everyMs: 60_000, run: (signal) => watch.run(signal) },
      {
        name: 'publish-audit-head',
        everyMs: 600_000,
        run: async () => void (await publishHead({ db, clock, keys, log, announce })),
      },
    ],
  }
}
