// Messages that people send by hand over a link: cut into parts, submitted one after the other, outcome written down.
import { randomInt } from 'node:crypto'
import type { Session } from '@tollgate/smpp/session/session.ts'
import { messageIdKey } from '@tollgate/smpp/text/message-id.ts'
import { splitText } from '@tollgate/smpp/text/split.ts'
import { statusText } from '@tollgate/smpp/values/command-status.ts'
import type { Secrets } from '../../platform/secrets.ts'
import type { QueuedSend } from './state-store.ts'
import type { ConnectionRow } from './store.ts'

export type SendResult =
  | { readonly keys: readonly string[] }
  | { readonly failure: { readonly code: number | null; readonly text: string } }

/** What a message's text is sealed for. */
export function sendPlace(sendId: string): string {
  return `connection_sends.sealed_text:${sendId}`
}

/** Submits all parts. The first that fails ends it; parts before it have left. */
export async function sendMessage(
  session: Session<undefined>,
  connection: ConnectionRow,
  send: QueuedSend,
  secrets: Pick<Secrets, 'open'>,
): Promise<SendResult> {
  const text = secrets.open(send.sealedText ?? Buffer.alloc(0), sendPlace(send.id)).toString('utf8')
  const parts = splitText(text, { reference: randomInt(256) })
  if (parts === undefined) return failed(null, 'The text is too long for one message.')
  const keys: string[] = []
  for (const part of parts) {
    const outcome = await session.send('submit_sm', {
      ...sourceOf(send.from, connection),
      sourceAddr: send.from,
      destAddrTon: connection.destTon,
      destAddrNpi: connection.destNpi,
      destinationAddr: send.to,
      esmClass: part.esmClass,
      dataCoding: part.dataCoding,
      // §5.2.17: a receipt when it is delivered or has failed.
      registeredDelivery: 1,
      shortMessage: Buffer.from(part.octets),
    })
    if (outcome.kind === 'timeout')
      return failed(null, 'The gateway did not answer in time; it may have left.')
    if (outcome.kind === 'closed')
      return failed(null, 'The connection was lost while it was being sent; it may have left.')
    if (outcome.kind === 'refused') return failed(null, 'The connection was lost before it could be sent.')
    if (outcome.status !== 0) return failed(outcome.status, statusText(outcome.status))
    keys.push(messageIdKey(outcome.messageId, connection.answerIdForm).slice(0, 64))
  }
  return { keys }
}

// §5.2.5: a name is alphanumeric (5) with an unknown plan.
function sourceOf(from: string, { sourceTon, sourceNpi }: ConnectionRow) {
  return /^\+?\d*$/.test(from)
    ? { sourceAddrTon: sourceTon, sourceAddrNpi: sourceNpi }
    : { sourceAddrTon: 5, sourceAddrNpi: 0 }
}

function failed(code: number | null, text: string): SendResult {
  return { failure: { code, text } }
}
