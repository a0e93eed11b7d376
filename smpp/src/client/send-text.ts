// Sends a text: splits it, sends all segments within the window, and gives one outcome.
import { randomInt } from 'node:crypto'
import type { SendBody, SendName, SendOutcome } from '../session/session-types.ts'
import type { DefaultAlphabet } from '../text/alphabet.ts'
import type { SegmentPosition } from '../text/segment-position.ts'
import { type MessageSegment, splitText } from '../text/split.ts'
import { makeTlv, type Tlv } from '../tlv/tlv.ts'
import { tags } from '../tlv/tags.ts'
import { isBusy, statusText } from '../values/command-status.ts'
import { type Address, addressOf } from './addresses.ts'
import type { SendPace } from './send-pace.ts'

/** Whatever takes requests: a session, or a pool of binds. */
export interface RequestCarrier {
  send<Name extends SendName>(command: Name, body: SendBody<Name>, signal?: AbortSignal): Promise<SendOutcome>
}

export interface OutgoingText {
  /** A text means what {@link addressOf} says; give an address for a national number. Default: empty, the SMSC's choice. */
  readonly from?: string | Address
  readonly to: string | Address
  readonly text: string
  /** Which receipts the SMSC is asked for (§5.2.17). Default none. */
  readonly receipts?: 'all' | 'failures' | 'none'
  /** Where the position in a long message is written: a header of 8 or 16 bits, or sar_ parameters. Default udh8. */
  readonly carrier?: SegmentPosition['carrier']
  /** What the SMSC takes data_coding 0 for. Default gsm7. */
  readonly alphabet?: DefaultAlphabet
  /** Use the national language tables where they make a text shorter; not every telephone knows them. Default false. */
  readonly isNational?: boolean
  /** The reference that the segments share. Default: by chance. */
  readonly reference?: number
  /** Further fields of each submit_sm: validityPeriod, serviceType, tlvs and so on. */
  readonly fields?: SendBody<'submit_sm'>
}

export interface SendTextOptions {
  /** Ends every wait. What was sent already may arrive. */
  readonly signal?: AbortSignal
  /** The pace of the SMSC: share one between all messages to it. Without it a busy SMSC is a refusal. */
  readonly pace?: SendPace
  /** How often a segment that the SMSC is too busy for (0x58, 0x14) is sent in all. Default 8. */
  readonly triesMax?: number
}

/** Why a segment was not accepted. */
export type SegmentFault =
  /** The SMSC's status. */
  | { readonly kind: 'refused'; readonly status: number; readonly detail: string }
  /** No answer came: the SMSC may have the segment. */
  | { readonly kind: 'unanswered'; readonly detail: string }
  /** It never left. */
  | { readonly kind: 'unsent'; readonly detail: string }

export interface SegmentResult {
  readonly sequence: number
  /** The SMSC's id; undefined when the segment was not accepted. */
  readonly messageId: string | undefined
  /** Undefined when the segment was accepted. */
  readonly fault: SegmentFault | undefined
}

export type TextOutcome =
  /** Every segment was accepted. `messageIds` are in their order. */
  | { readonly kind: 'sent'; readonly messageIds: readonly string[]; readonly to: Address }
  /** At least one segment was not. `segments` says of each what became of it; `fault` is the first one. */
  | { readonly kind: 'failed'; readonly fault: SegmentFault; readonly segments: readonly SegmentResult[] }
  /** Nothing was sent: no header can number more than 255 segments. */
  | { readonly kind: 'too-long' }

// No more than this many segments of one text are under way. Behind a refused segment nothing more leaves.
const underWayMax = 20
const receiptBits = { all: 1, failures: 2, none: 0 } as const

/**
 * Sends a text and waits until each of its segments is accepted or has failed. Never rejects. When a segment fails, those
 * that had not left stay: the message will not be whole.
 */
export async function sendText(
  carrier: RequestCarrier,
  message: OutgoingText,
  options: SendTextOptions = {},
): Promise<TextOutcome> {
  const segments = splitText(message.text, {
    reference: message.reference ?? randomInt(0x1_0000),
    carrier: message.carrier,
    alphabet: message.alphabet,
    isNational: message.isNational,
  })
  if (segments === undefined) return { kind: 'too-long' }
  const to = typeof message.to === 'string' ? addressOf(message.to) : message.to
  const results: SegmentResult[] = []
  let next = 0
  let fault: SegmentFault | undefined
  const work = async (): Promise<void> => {
    for (;;) {
      const place = next++
      const segment = segments[place]
      if (segment === undefined) return
      const result =
        fault === undefined
          ? await sendSegment(carrier, bodyOf(message, to, segment), options)
          : ({ kind: 'unsent', detail: 'another segment of the message had failed' } as const)
      if (typeof result === 'string')
        results[place] = { sequence: place + 1, messageId: result, fault: undefined }
      else {
        fault ??= result
        results[place] = { sequence: place + 1, messageId: undefined, fault: result }
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(underWayMax, segments.length) }, work))
  if (fault !== undefined) return { kind: 'failed', fault, segments: results }
  return { kind: 'sent', messageIds: results.map(({ messageId }) => messageId ?? ''), to }
}

function bodyOf(message: OutgoingText, to: Address, segment: MessageSegment): SendBody<'submit_sm'> {
  const from = typeof message.from === 'object' ? message.from : addressOf(message.from ?? '')
  const { fields = {} } = message
  const isSar = segment.position?.carrier === 'sar'
  return {
    registeredDelivery: receiptBits[message.receipts ?? 'none'],
    ...fields,
    sourceAddr: from.digits,
    sourceAddrTon: from.ton,
    sourceAddrNpi: from.npi,
    destinationAddr: to.digits,
    destAddrTon: to.ton,
    destAddrNpi: to.npi,
    esmClass: (fields.esmClass ?? 0) | segment.esmClass,
    dataCoding: segment.dataCoding,
    shortMessage: Buffer.from(segment.octets),
    tlvs: [...(fields.tlvs ?? []), ...(isSar ? sarParameters(segment.position) : [])],
  }
}

// §5.3.2.22–24.
function sarParameters({ reference, total, sequence }: SegmentPosition): Tlv[] {
  return [
    makeTlv(tags.sarMsgRefNum, reference),
    makeTlv(tags.sarTotalSegments, total),
    makeTlv(tags.sarSegmentSeqnum, sequence),
  ]
}

/** Sends one segment, again while the SMSC is too busy for it. Returns its id, or why there is none. */
async function sendSegment(
  carrier: RequestCarrier,
  body: SendBody<'submit_sm'>,
  { signal, pace, triesMax = 8 }: SendTextOptions,
): Promise<string | SegmentFault> {
  for (let tryCount = 1; ; tryCount += 1) {
    try {
      await pace?.turn(signal)
    } catch {
      return { kind: 'unsent', detail: 'it was aborted while it waited for its turn' }
    }
    const outcome = await carrier.send('submit_sm', body, signal)
    if (outcome.kind !== 'answered') return faultOf(outcome)
    if (outcome.status === 0) {
      pace?.accepted()
      return outcome.messageId
    }
    const mayGoAgain = isBusy(outcome.status)
    if (mayGoAgain) pace?.throttled()
    if (!mayGoAgain || pace === undefined || tryCount >= triesMax)
      return { kind: 'refused', status: outcome.status, detail: statusText(outcome.status) }
  }
}

function faultOf(outcome: Exclude<SendOutcome, { kind: 'answered' }>): SegmentFault {
  switch (outcome.kind) {
    case 'timeout':
      return { kind: 'unanswered', detail: 'no answer came in time' }
    case 'refused':
      return { kind: 'unsent', detail: outcome.detail }
    case 'closed':
      return outcome.wasSent
        ? { kind: 'unanswered', detail: 'the session ended before the answer' }
        : { kind: 'unsent', detail: 'the session ended before it was sent' }
    case 'aborted':
      return outcome.wasSent
        ? { kind: 'unanswered', detail: 'it was aborted before the answer' }
        : { kind: 'unsent', detail: 'it was aborted before it was sent' }
  }
}
