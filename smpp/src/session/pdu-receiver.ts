// Turns the peer's bytes into PDUs: frames, decodes and counts them, and shows them to a recorder.
import { FrameReader, type FrameState, type LostFraming } from '../frames.ts'
import { type PduProblem, decodePdu, isProblem } from '../pdu/decode.ts'
import type { AnyPdu } from '../pdu/registry.ts'
import { isResponse } from '../values/command-id.ts'
import type { SessionClock } from './clock.ts'
import type { Deadlines } from './deadlines.ts'
import type { SessionSettings } from './session-types.ts'
import { copyForTap } from './masking.ts'
import type { Deadline, SessionTransitions } from './internals.ts'
import type { PeerRequests } from './peer-requests.ts'
import type { Session, SessionHandlers } from './session.ts'

// How long a peer may take to send the rest of a header whose length is already beyond the limit.
const oversizedHeaderMs = 500

interface PduReceiverDeps<Account> {
  session: Session<Account>
  settings: SessionSettings
  clock: SessionClock
  deadlines: Deadlines<Deadline>
  peerRequests: PeerRequests<Account>
  transitions: Pick<SessionTransitions<Account>, 'finish'>
}

/** Takes chunks and passes on PDUs. Sets the deadlines `read` and `oversized` for a PDU that is not complete. */
export class PduReceiver<Account> {
  readonly #clock: SessionClock
  readonly #session: Session<Account>
  readonly #settings: SessionSettings
  readonly #onPdu: SessionHandlers<Account>['onPdu']
  readonly #deadlines: Deadlines<Deadline>
  readonly #peerRequests: PeerRequests<Account>
  readonly #transitions: PduReceiverDeps<Account>['transitions']
  readonly #onResponse: (pdu: AnyPdu | PduProblem) => void
  readonly #frames: FrameReader
  #frameCount = 0
  #framesMax: number

  constructor(
    deps: PduReceiverDeps<Account>,
    onPdu: SessionHandlers<Account>['onPdu'],
    onResponse: (pdu: AnyPdu | PduProblem) => void,
  ) {
    this.#clock = deps.clock
    this.#session = deps.session
    this.#settings = deps.settings
    this.#deadlines = deps.deadlines
    this.#onPdu = onPdu
    this.#peerRequests = deps.peerRequests
    this.#transitions = deps.transitions
    this.#onResponse = onResponse
    this.#framesMax = deps.settings.pdusBeforeBindMax
    this.#frames = new FrameReader(deps.settings.pduOctetsUnbound, (bytes, start, end) =>
      this.#take(bytes, start, end),
    )
  }

  /** Raises the limits on size and number of PDUs to those of a bound peer. */
  widen(): void {
    this.#framesMax = Infinity
    this.#frames.octetsMax = this.#settings.pduOctetsBound
  }

  /** Passes on the PDUs that the chunk completes. Returns the reason when the stream cannot be framed any more. */
  receive(chunk: Buffer): LostFraming | undefined {
    return this.#follow(() => this.#frames.push(chunk))
  }

  /** Passes on nothing until `resume`; the rest of the current chunk waits. */
  pause(): void {
    this.#frames.pause()
  }

  /** Passes on what has waited. Returns the reason when the stream cannot be framed any more. */
  resume(): LostFraming | undefined {
    return this.#follow(() => this.#frames.resume())
  }

  #follow(read: () => FrameState): LostFraming | undefined {
    const before = this.#frameCount
    const framing = read()
    if (framing.kind === 'lost') return framing
    if (framing.kind === 'clean') this.#deadlines.clear('read')
    else if (framing.kind === 'oversized') this.#startOnce('oversized', oversizedHeaderMs)
    else {
      // Each PDU has its own deadline: if this chunk completed one, the next begins with a new deadline.
      if (this.#frameCount !== before) this.#deadlines.clear('read')
      this.#startOnce('read', this.#settings.pduReadMs)
    }
    return undefined
  }

  /** Passes on nothing more, not even the rest of the current chunk. */
  stop(): void {
    this.#frames.stop()
  }

  #take(bytes: Buffer, start: number, end: number): void {
    this.#frameCount += 1
    if (this.#frameCount > this.#framesMax)
      return this.#transitions.finish('us', 'flood', `more than ${this.#framesMax} PDUs before the bind`)
    const pdu = decodePdu(bytes, start, end, this.#settings.isStrict, this.#clock.wallMs())
    const status = isProblem(pdu) ? 0 : pdu.status
    this.#onPdu?.(this.#session, pdu.id, 'in', status)
    const { tap } = this.#session
    if (tap !== undefined) {
      tap('in', { id: pdu.id, status, sequence: pdu.sequence }, copyForTap(bytes, start, end, pdu.id))
    }
    if (isResponse(pdu.id)) this.#onResponse(pdu)
    else this.#peerRequests.take(pdu)
  }

  #startOnce(name: Deadline, delayMs: number): void {
    if (!this.#deadlines.isSet(name)) this.#deadlines.start(name, delayMs)
  }
}
