// The ids of messages as their peers know them.
import type { Db } from '../../platform/db.ts'
import type { IdStyle } from '../../ingest/index.ts'
import { answeredIds } from './answered-ids.ts'
import { styledId } from './message-id-style.ts'

export interface StyledMessage {
  readonly recordId: number
  readonly messageId: string
  readonly idStyle: IdStyle
}

/** The ids that these messages were answered with, by record id. Those of a submit_multi share one. */
export async function peerMessageIds(
  db: Db,
  messages: readonly StyledMessage[],
): Promise<Map<number, string>> {
  const shared = await answeredIds(
    db,
    messages.map(({ recordId }) => recordId),
  )
  return new Map(
    messages.map(({ recordId, messageId, idStyle }) => [
      recordId,
      shared.get(recordId) ?? styledId(messageId, recordId, idStyle),
    ]),
  )
}
