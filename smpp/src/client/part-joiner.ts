// Collects the segments of long messages until one is whole. Bounded in memory and time.
import { type SessionClock, systemClock } from '../session/clock.ts'
import type { DefaultAlphabet } from '../text/alphabet.ts'
import { type DecodedBody, decodeBody } from '../text/decode.ts'
import type { TextFlag } from '../text/flags.ts'
import { joinSegments } from '../text/join.ts'
import { findTlv, type Tlv } from '../tlv/tlv.ts'
import { tags } from '../tlv/tags.ts'

/** The fields of a deliver_sm or submit_sm that a message is made from. */
export interface ReceivedBody {
  readonly sourceAddr: string
  readonly destinationAddr: string
  readonly esmClass: number
  readonly dataCoding: number
  readonly shortMessage: Buffer
  readonly tlvs: readonly Tlv[]
}

/** A message as a person reads it, with the segments that it came in. */
export interface JoinedMessage<Body extends ReceivedBody = ReceivedBody> {
  readonly from: string
  readonly to: string
  readonly text: string
  /** What was unusual in it. */
  readonly flags: readonly TextFlag[]
  /** The numbers of the segments that did not come; empty for a whole message. */
  readonly missing: readonly number[]
  readonly segments: readonly Body[]
}

interface PartJoinerOptions<Body extends ReceivedBody> {
  /** A message whose segments did not all come in time, or had to make room. */
  readonly onIncomplete?: (message: JoinedMessage<Body>) => void
  /** The alphabet of data_coding 0; default gsm7. */
  readonly alphabet?: DefaultAlphabet
  /** How long a message waits for its next segment; default 10 minutes. */
  readonly keepMs?: number
  /** Octets of segments that wait; beyond it the oldest message is given up. Default 4 MiB. */
  readonly octetsMax?: number
  readonly clock?: SessionClock
}

interface Waiting<Body extends ReceivedBody> {
  readonly total: number
  readonly segments: Map<number, { readonly body: Body; readonly decoded: DecodedBody }>
  octets: number
  changedAtMs: number
}

// What a waiting segment takes besides its text.
const segmentOverheadOctets = 500

/** Joins segments that come in any order, over any session. */
export class PartJoiner<Body extends ReceivedBody = ReceivedBody> {
  readonly #options: PartJoinerOptions<Body>
  readonly #clock: SessionClock
  readonly #keepMs: number
  readonly #octetsMax: number
  // In the order of their last segment, so the first has waited longest.
  readonly #waiting = new Map<string, Waiting<Body>>()
  /** The segment that made a message whole. */
  readonly #lastOf = new WeakMap<JoinedMessage<Body>, Body>()
  #octets = 0
  #cancel: (() => void) | undefined

  constructor(options: PartJoinerOptions<Body> = {}) {
    this.#options = options
    this.#clock = options.clock ?? systemClock
    this.#keepMs = options.keepMs ?? 600_000
    this.#octetsMax = options.octetsMax ?? 4 * 1024 * 1024
  }

  /** Messages of which segments are missing. */
  get waitingCount(): number {
    return this.#waiting.size
  }

  /** Takes a segment or a whole message. Returns the message when it is whole, else undefined. Never throws. */
  add(received: Body): JoinedMessage<Body> | undefined {
    // A copy: the octets are views of a received chunk, which is many times as large.
    const body: Body = {
      ...received,
      shortMessage: Buffer.from(received.shortMessage),
      tlvs: received.tlvs.map(({ tag, value }) => ({ tag, value: Buffer.from(value) })),
    }
    const octets = findTlv(body.tlvs, tags.messagePayload) ?? body.shortMessage
    const decoded = decodeBody({
      dataCoding: body.dataCoding,
      esmClass: body.esmClass,
      octets,
      defaultAlphabet: this.#options.alphabet,
      sar: {
        reference: findTlv(body.tlvs, tags.sarMsgRefNum),
        total: findTlv(body.tlvs, tags.sarTotalSegments),
        sequence: findTlv(body.tlvs, tags.sarSegmentSeqnum),
      },
    })
    const { position } = decoded
    if (position === undefined || position.total === 1) return single(body, decoded)
    const { reference, total, sequence } = position
    const key = JSON.stringify([body.sourceAddr, body.destinationAddr, reference, total])
    const waiting: Waiting<Body> = this.#waiting.get(key) ?? {
      total,
      segments: new Map(),
      octets: 0,
      changedAtMs: 0,
    }
    waiting.changedAtMs = this.#clock.nowMs()
    // A segment that comes again, as after a lost answer, is the same one.
    if (!waiting.segments.has(sequence)) {
      const size = octets.length + segmentOverheadOctets
      waiting.segments.set(sequence, { body, decoded })
      waiting.octets += size
      this.#octets += size
    }
    this.#waiting.delete(key)
    this.#waiting.set(key, waiting)
    if (waiting.segments.size === total) {
      this.#remove(key, waiting)
      // Without a message that waits, no timer keeps the program alive.
      this.#giveUp()
      const message = joined(waiting)
      this.#lastOf.set(message, body)
      return message
    }
    this.#giveUp()
    return undefined
  }

  /** Takes a message back that could not be passed on, but for the segment that came last: its sender sends that again. */
  putBack(message: JoinedMessage<Body>): void {
    const last = this.#lastOf.get(message)
    if (last === undefined) return
    for (const segment of message.segments) if (segment !== last) this.add(segment)
  }

  /** Gives up all waiting messages, each to `onIncomplete`. */
  close(): void {
    for (const [key, waiting] of this.#waiting) this.#abandon(key, waiting)
    this.#cancel?.()
    this.#cancel = undefined
  }

  /** Gives up what has waited too long or takes too much, and sets the timer for the next. */
  #giveUp(): void {
    const nowMs = this.#clock.nowMs()
    for (const [key, waiting] of this.#waiting) {
      if (this.#octets <= this.#octetsMax && nowMs - waiting.changedAtMs < this.#keepMs) break
      this.#abandon(key, waiting)
    }
    const [oldest] = this.#waiting.values()
    this.#cancel?.()
    this.#cancel =
      oldest === undefined
        ? undefined
        : this.#clock.setTimer(oldest.changedAtMs + this.#keepMs - nowMs, () => this.#giveUp())
  }

  #abandon(key: string, waiting: Waiting<Body>): void {
    this.#remove(key, waiting)
    this.#options.onIncomplete?.(joined(waiting))
  }

  #remove(key: string, { octets }: Waiting<Body>): void {
    this.#waiting.delete(key)
    this.#octets -= octets
  }
}

function single<Body extends ReceivedBody>(body: Body, { text, flags }: DecodedBody): JoinedMessage<Body> {
  return { from: body.sourceAddr, to: body.destinationAddr, text, flags, missing: [], segments: [body] }
}

function joined<Body extends ReceivedBody>({ total, segments }: Waiting<Body>): JoinedMessage<Body> {
  const inOrder = [...segments].toSorted(([one], [other]) => one - other)
  const { text, flags, missing } = joinSegments(
    inOrder.map(([sequence, { decoded }]) => ({ sequence, ...decoded })),
    total,
  )
  const bodies = inOrder.map(([, { body }]) => body)
  const [first] = bodies
  return {
    from: first?.sourceAddr ?? '',
    to: first?.destinationAddr ?? '',
    text,
    flags,
    missing,
    segments: bodies,
  }
}
