// The text of one message. Each reading writes an audit entry; without the entry there is no text.
import { flagMeanings } from '@tollgate/smpp/text/flags.ts'
import { Refusal } from '@tollgate/contract/errors.ts'
import type { RawView } from '@tollgate/contract/records/records.ts'
import type { Audit } from '../../audit/index.ts'
import { transaction } from '../../platform/transaction.ts'
import { readBody } from '../../ingest/index.ts'
import { decodeStored, readWhole, type WholeMessage } from '../../long-messages/index.ts'
import { findRecord, type MessageReadingDeps } from './get-record.ts'
import { viewRaw } from './sent-view.ts'
import type { Viewer } from './viewer.ts'

export interface TextDeps extends MessageReadingDeps {
  readonly audit: Pick<Audit, 'record'>
}

export interface MessageText {
  readonly text: string
  readonly encoding: string
  /** What was unusual about the bytes, in sentences. */
  readonly flags: string[]
  /** The octets that the text was read from. */
  readonly raw: RawView
  /** The whole message that this segment belongs to; absent for a message of one segment. */
  readonly whole?: Pick<WholeMessage, 'text' | 'parts' | 'total'>
}

/**
 * Throws Refusal not_found when the record is unknown, somebody else's, or its text is not stored (any more). The route
 * has checked the permission.
 */
export async function readText(
  { db, secrets, audit, joinSegments }: TextDeps,
  reader: Viewer & { readonly username: string; readonly ip: string },
  messageId: string,
): Promise<MessageText> {
  const found = await findRecord(db, reader, messageId)
  const message = await readBody(db, secrets, BigInt(found.id))
  if (message === undefined)
    throw new Refusal('not_found', 'The text of this message is not stored, or was removed after its time.')
  const decoded = decodeStored(message)
  if (decoded.position !== undefined) await joinSegments()
  const whole = await readWhole({ db, secrets }, found, decoded)
  await transaction(db, async (tx) => {
    for (const objectId of [messageId.toUpperCase(), ...(whole?.otherIds ?? [])])
      await audit.record(tx, {
        actor: { userId: reader.userId, username: reader.username },
        ip: reader.ip,
        action: 'record.read_text',
        objectType: 'record',
        objectId,
      })
  })
  return {
    text: decoded.text,
    encoding: decoded.encoding,
    flags: decoded.flags.map((flag) => flagMeanings[flag]),
    raw: viewRaw(message),
    ...(whole === undefined ? {} : { whole: { text: whole.text, parts: whole.parts, total: whole.total } }),
  }
}
