// What the messages of a page of events carried, for a reader who may read it and asked for it. Each page leaves an audit entry.
import type { Audit } from '../audit/index.ts'
import type { Db } from '../platform/db.ts'
import type { Secrets } from '../platform/security/secrets.ts'
import { transaction } from '../platform/transaction.ts'
import { messageIdOf, type RecordRow } from '../ingest/index.ts'
import { readContents, type MessageContents, isStaff, type Viewer } from '../records/index.ts'

export interface ContentsDeps {
  readonly db: Db
  readonly secrets: Pick<Secrets, 'decrypt'>
  readonly audit: Pick<Audit, 'record'>
  /** A batch that cannot be decrypted is reported here, and its texts stay masked: a reader would never get past it. */
  readonly onFault: (error: Error) => void
}

export interface ContentsReader extends Viewer {
  readonly username: string
  readonly ip: string
}

/** The contents of these records by record id; those that the reader may not read, or that are not kept, are left out. */
export type ReadEventContents = (
  records: readonly Pick<RecordRow, 'id' | 'client_id' | 'created_at'>[],
) => Promise<ReadonlyMap<number, MessageContents>>

/** Makes the function for one reader. Staff read everybody's messages, all others their own. */
export function eventContents(deps: ContentsDeps, reader: ContentsReader): ReadEventContents {
  return async (records) => {
    const open = records
      .filter(({ client_id: clientId }) => isStaff(reader) || clientId === reader.userId)
      .map(({ id, created_at: at }) => ({ recordId: Number(id), createdAtMs: at.getTime() }))
    const contents = await readContents(deps.db, deps.secrets, open, (error) =>
      deps.onFault(error instanceof Error ? error : new Error(String(error))),
    )
    const read = open.filter(({ recordId }) => contents.has(recordId))
    const [first, last] = [read[0], read.at(-1)]
    if (first === undefined || last === undefined) return contents
    await transaction(deps.db, (tx) =>
      deps.audit.record(tx, {
        actor: { userId: reader.userId, username: reader.username },
        ip: reader.ip,
        action: 'record.read_texts',
        objectType: 'record',
        objectId: messageIdOf(first),
        after: { count: read.length, last: messageIdOf(last) },
      }),
    )
    return contents
  }
}

/** The fields that an event has beside those of its record; null where nothing is kept. */
export function contentFields(contents: MessageContents | undefined): object {
  const { text, encoding = null, raw = null, sent = null } = contents ?? {}
  return { ...(text === undefined ? {} : { text }), encoding, raw, sent }
}
