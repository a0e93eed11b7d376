// A message that somebody sends by hand over a link: cut into parts, submitted one after the other.
import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { PduBody } from '@tollgate/smpp/pdu/registry.ts'
import type { Session } from '@tollgate/smpp/session/session.ts'
import { messageIdKey } from '@tollgate/smpp/text/message-id.ts'
import { splitText } from '@tollgate/smpp/text/split.ts'
import { commandStatus, statusText } from '@tollgate/smpp/values/command-status.ts'
import type { Secrets } from '../../platform/secrets.ts'
import type { SendPace } from './send-pace.ts'
import type { QueuedSend } from './state-store.ts'
import type { ConnectionRow } from './store.ts'

export type SendResult =
  | { readonly kind: 'sent'; readonly keys: readonly string[] }
  | { readonly kind: 'failed'; readonly code: number | null; readonly text: string }

/** The link as a message sees it. */
export interface Way {
  /** The session now; undefined while there is none. */
  session(): Session<undefined> | undefined
  /** Aborted when this node gives the link up. */
  readonly signal: AbortSignal
  /** Shared by all messages of the link. */
  readonly pace: Pick<SendPace, 'turn' | 'throttled' | 'taken'>
  readonly pausesMs: readonly number[]
  /** Told before each pause. */
  onWait(code: number, text: string): Promise<void>
}

/** Between one try and the next, a minute in all: whoever sends by hand waits for the outcome. */
export const usualSendPausesMs = [1_000, 2_000, 4_000, 8_000, 15_000, 30_000]

// SMPP 3.4 §5.1.3: the gateway took nothing and asks to come later, so the same part goes again.
const laterStatuses = new Set<number>([commandStatus.ESME_RMSGQFUL, commandStatus.ESME_RTHROTTLED])

/** What a message's text is sealed for. */
export function sendPlace(sendId: string): string {
  return `connection_sends.sealed_text:${sendId}`
}

/** Submits all parts. One that the gateway is too busy for is tried again; the first that fails ends it, parts before it have left. */
export async function sendMessage(
  way: Way,
  connection: ConnectionRow,
  send: QueuedSend,
  secrets: Pick<Secrets, 'open'>,
): Promise<SendResult> {
  const text = secrets.open(send.sealedText ?? Buffer.alloc(0), sendPlace(send.id)).toString('utf8')
  const parts = splitText(text, { reference: randomInt(256) })
  if (parts === undefined) return failed(null, 'The text is too long for one message.')
  const keys: string[] = []
  const pausesMs = [...way.pausesMs]
  for (const part of parts) {
    const result = await submitPart(way, pausesMs, {
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
    if (result.kind !== 'sent') return result
    keys.push(messageIdKey(result.messageId, connection.answerIdForm).slice(0, 64))
  }
  return { kind: 'sent', keys }
}

type Failed = Extract<SendResult, { readonly kind: 'failed' }>

/** Takes its pauses from those that the whole message has left. */
async function submitPart(
  way: Way,
  pausesMs: number[],
  part: Partial<PduBody<'submit_sm'>>,
): Promise<Failed | { readonly kind: 'sent'; readonly messageId: string }> {
  let refusal: { readonly status: number; readonly text: string } | undefined
  const givenUp = () =>
    refusal === undefined
      ? failed(null, 'The link was given up before it could be sent.')
      : failed(refusal.status, `${refusal.text}; the link was given up before it could go again`)
  for (let tryCount = 1; ; tryCount += 1) {
    if (!(await hasCome(way.pace.turn(way.signal), way.signal))) return givenUp()
    const session = way.session()
    if (session === undefined) return failed(null, 'The connection was lost before it could be sent.')
    const outcome = await session.send('submit_sm', part)
    if (outcome.kind === 'timeout')
      return failed(null, 'The gateway did not answer in time; it may have left.')
    if (outcome.kind === 'closed')
      return failed(null, 'The connection was lost while it was being sent; it may have left.')
    if (outcome.kind === 'refused') return failed(null, 'The connection was lost before it could be sent.')
    const { status, messageId } = outcome
    if (status === 0) {
      way.pace.taken()
      return { kind: 'sent', messageId }
    }
    if (status === commandStatus.ESME_RTHROTTLED) way.pace.throttled()
    const text = statusText(status)
    const pauseMs = laterStatuses.has(status) ? pausesMs.shift() : undefined
    if (pauseMs === undefined)
      return failed(status, tryCount === 1 ? text : `${text}; tried ${tryCount} times`)
    refusal = { status, text }
    await way.onWait(status, text)
    if (!(await hasCome(sleep(pauseMs, undefined, { signal: way.signal }), way.signal))) return givenUp()
  }
}

/** False when the wait was cut short. */
async function hasCome(wait: Promise<void>, signal: AbortSignal): Promise<boolean> {
  try {
    await wait
    return true
  } catch (error) {
    if (signal.aborted) return false
    throw error
  }
}

// §5.2.5: a name is alphanumeric (5) with an unknown plan.
function sourceOf(from: string, { sourceTon, sourceNpi }: ConnectionRow) {
  return /^\+?\d*$/.test(from)
    ? { sourceAddrTon: sourceTon, sourceAddrNpi: sourceNpi }
    : { sourceAddrTon: 5, sourceAddrNpi: 0 }
}

function failed(code: number | null, text: string): Failed {
  return { kind: 'failed', code, text }
}
