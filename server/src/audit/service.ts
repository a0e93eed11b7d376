import type { AuditEntry, AuditFilter } from '@tollgate/contract/audit/audit.ts'
import type { Clock } from '../platform/clock.ts'
import { csvOfList, type CsvColumn, exportPageRows } from '../files/formats/csv.ts'
import type { Db } from '../platform/db.ts'
import type { StreamReply } from '../http/handlers.ts'
import { append, type AppendDeps } from './append.ts'
import { loggable, oneLine } from './chain.ts'
import { listEntries } from './store.ts'

/** Who did something. A null id is the system itself, or somebody who is not signed in. */
export interface AuditActor {
  readonly userId: number | null
  readonly username: string
}

export const systemActor: AuditActor = { userId: null, username: 'system' }

/** The operator, who works at the machine itself by a command. */
export const operatorActor: AuditActor = { userId: null, username: 'operator' }

export interface AuditRecord {
  readonly actor: AuditActor
  readonly ip: string
  /** `noun.verb`, such as `user.suspend`. */
  readonly action: string
  readonly objectType: string
  readonly objectId: string
  readonly before?: object | null | undefined
  readonly after?: object | null | undefined
}

/** Appends an entry in the caller's transaction. */
export async function record(
  tx: Db,
  deps: AppendDeps & { readonly clock: Clock },
  entry: AuditRecord,
): Promise<void> {
  await append(tx, deps, {
    at: deps.clock.now(),
    actorId: entry.actor.userId,
    actor: oneLine(entry.actor.username),
    ip: oneLine(entry.ip),
    action: entry.action,
    objectType: entry.objectType,
    objectId: oneLine(entry.objectId),
    before: loggable(entry.before),
    after: loggable(entry.after),
  })
}

const json = (value: object | null): string => (value === null ? '' : JSON.stringify(value))

const exportColumns: readonly CsvColumn<AuditEntry>[] = [
  ['Entry', ({ id }) => id],
  ['Date & Time', ({ at }) => at],
  ['Who', ({ actor }) => actor],
  ['Action', ({ action }) => action],
  ['Object Type', ({ objectType }) => objectType],
  ['Object ID', ({ objectId }) => objectId],
  ['From', ({ ip }) => ip],
  ['Before', ({ before }) => json(before)],
  ['After', ({ after }) => json(after)],
]

/** The entries of a filter as CSV, newest first; the changes are JSON. */
export function exportEntries(db: Db, filter: AuditFilter): StreamReply {
  return csvOfList('audit-log.csv', exportColumns, (cursor) =>
    listEntries(db, { ...filter, limit: exportPageRows, cursor }),
  )
}
