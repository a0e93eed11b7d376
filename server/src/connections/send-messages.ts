// Sends one message that a person typed: cuts it into segments and submits them one after the other.
import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { keptText } from '@tollgate/contract/kept-texts.ts'
import type { SendPace } from '@tollgate/smpp/client/send-pace.ts'
import type { PduBody } from '@tollgate/smpp/pdu/registry.ts'
import type { Session } from '@tollgate/smpp/session/session.ts'
import { messageIdKey } from '@tollgate/smpp/text/message-id.ts'
import { splitText } from '@tollgate/smpp/text/split.ts'
import { commandStatus, isBusy, statusText } from '@tollgate/smpp/values/command-status.ts'
import type { Secrets } from '../platform/security/secrets.ts'
import { textContext, type QueuedSend } from './send-store.ts'
import type { ConnectionRow } from './store.ts'

type SendResult =
  | { readonly kind: 'sent'; readonly keys: readonly string[] }
  | { readonly kind: 'failed'; readonly code: number | null; readonly text: string }

/** The link, as far as sending a message needs it. */
export interface SendContext {
  /** The present session; undefined while there is none. */
  session(): Session<undefined> | undefined
  /** Aborted when this node stops to own the link. */
  readonly signal: AbortSignal
  /** Shared by all messages of the link. */
  readonly pace: Pick<SendPace, 'turn' | 'throttled' | 'accepted'>
  readonly pausesMs: readonly number[]
  /** Called before each pause. */
  onWait(code: number, text: string): Promise<void>
}

/** Pauses between attempts, a minute in all: the person who sends waits for the result. */
export const defaultSendPausesMs = [1_000, 2_000, 4_000, 8_000, 15_000, 30_000]

/**
 * Submits all segments. A segment that the upstream is too busy for is sent again. The first failure ends the message;
 * earlier segments have left by then.
 */
export async function sendMessage(
  context: SendContext,
  connection: ConnectionRow,
  send: QueuedSend,
  secrets: Pick<Secrets, 'decrypt'>,
): Promise<SendResult> {
  const text = secrets.decrypt(send.encryptedText ?? Buffer.alloc(0), textContext(send.id)).toString('utf8')
  const segments = splitText(text, {
    reference: randomInt(256),
    alphabet: connection.defaultAlphabet,
    isNational: connection.useNationalTables,
  })
  if (segments === undefined) return failed(null, 'The text is too long for one message.')
  const keys: string[] = []
  const pausesMs = [...context.pausesMs]
  for (const segment of segments) {
    const result = await submitSegment(context, pausesMs, {
      ...sourceOf(send.from, connection),
      sourceAddr: send.from,
      destAddrTon: connection.destTon,
      destAddrNpi: connection.destNpi,
      destinationAddr: send.to,
      esmClass: segment.esmClass,
      dataCoding: segment.dataCoding,
      // §5.2.17: a receipt when it is delivered or has failed.
      registeredDelivery: 1,
      shortMessage: Buffer.from(segment.octets),
    })
    if (result.kind !== 'sent') return result
    keys.push(messageIdKey(result.messageId, connection.answerIdForm).slice(0, 64))
  }
  return { kind: 'sent', keys }
}

type SendFailure = Extract<SendResult, { readonly kind: 'failed' }>

/** `pausesMs` is shared by all segments of a message: each retry uses up one pause. */
async function submitSegment(
  context: SendContext,
  pausesMs: number[],
  segment: Partial<PduBody<'submit_sm'>>,
): Promise<SendFailure | { readonly kind: 'sent'; readonly messageId: string }> {
  let refusal: { readonly status: number; readonly text: string } | undefined
  const givenUp = () =>
    refusal === undefined
      ? failed(null, 'The link was given up before it could be sent.')
      : failed(
          refusal.status,
          keptText('{refusal}; the link was given up before it could go again', { refusal: refusal.text }),
        )
  for (let tryCount = 1; ; tryCount += 1) {
    if (!(await isOver(context.pace.turn(context.signal), context.signal))) return givenUp()
    const session = context.session()
    if (session === undefined) return failed(null, 'The connection was lost before it could be sent.')
    const outcome = await session.send('submit_sm', segment)
    if (outcome.kind === 'timeout')
      return failed(null, 'The gateway did not answer in time; it may have left.')
    if (outcome.kind === 'closed' || outcome.kind === 'aborted')
      return failed(null, 'The connection was lost while it was being sent; it may have left.')
    if (outcome.kind === 'refused') return failed(null, 'The connection was lost before it could be sent.')
    const { status, messageId } = outcome
    if (status === 0) {
      context.pace.accepted()
      return { kind: 'sent', messageId }
    }
    if (status === commandStatus.ESME_RTHROTTLED) context.pace.throttled()
    const text = statusText(status)
    const pauseMs = isBusy(status) ? pausesMs.shift() : undefined
    if (pauseMs === undefined)
      return failed(
        status,
        tryCount === 1
          ? text
          : keptText('{refusal}; tried {count} times', { refusal: text, count: tryCount }),
      )
    refusal = { status, text }
    await context.onWait(status, text)
    if (!(await isOver(sleep(pauseMs, undefined, { signal: context.signal }), context.signal)))
      return givenUp()
  }
}

/** Waits; false when the wait was aborted. */
async function isOver(wait: Promise<void>, signal: AbortSignal): Promise<boolean> {
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

function failed(code: number | null, text: string): SendFailure {
  return { kind: 'failed', code, text }
}
