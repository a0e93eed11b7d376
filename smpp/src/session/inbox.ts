// Makes PDUs of the peer's bytes: cut, decoded, counted, and shown to the recorder when there is one.
import { FrameReader, type FrameState, type LostFraming } from '../frames.ts'
import { type PduProblem, decodePdu, isProblem } from '../pdu/decode.ts'
import type { AnyPdu } from '../pdu/registry.ts'
import { isResponse } from '../values/command-id.ts'
import type { Deadlines } from './deadlines.ts'
import type { SessionHandlers, SessionSettings } from './handlers.ts'
import type { Liveness } from './liveness.ts'
import { copyForTap } from './masking.ts'
import type { Deadline, Steps } from './parts.ts'
import type { Serving } from './serving.ts'
import type { Session } from './session.ts'

// How long a peer may take to send the rest of a header whose length is already beyond the limit.
const oversizedHeaderMs = 500

export interface InboxParts<Account> {
  session: Session<Account>
  settings: SessionSettings
  deadlines: Deadlines<Deadline>
  liveness: Liveness
  serving: Serving<Account>
  steps: Pick<Steps<Account>, 'finish'>
}

/** Takes chunks and gives PDUs. One that is late has the deadline `read` or `oversized` fall due. */
export class Inbox<Account> {
  readonly #session: Session<Account>
  readonly #settings: SessionSettings
  readonly #onPdu: SessionHandlers<Account>['onPdu']
  readonly #deadlines: Deadlines<Deadline>
  readonly #liveness: Liveness
  readonly #serving: Serving<Account>
  readonly #steps: InboxParts<Account>['steps']
  readonly #onResponse: (pdu: AnyPdu | PduProblem) => void
  readonly #frames: FrameReader
  #frameCount = 0
  #framesMax: number

  constructor(
    parts: InboxParts<Account>,
    onPdu: SessionHandlers<Account>['onPdu'],
    onResponse: (pdu: AnyPdu | PduProblem) => void,
  ) {
    this.#session = parts.session
    this.#settings = parts.settings
    this.#deadlines = parts.deadlines
    this.#onPdu = onPdu
    this.#liveness = parts.liveness
    this.#serving = parts.serving
    this.#steps = parts.steps
    this.#onResponse = onResponse
    this.#framesMax = parts.settings.pdusBeforeBindMax
    this.#frames = new FrameReader(parts.settings.pduOctetsUnbound, (bytes, start, end) =>
      this.#take(bytes, start, end),
    )
  }

  /** Takes PDUs as large, and as many, as a bound peer may send. */
  widen(): void {
    this.#framesMax = Infinity
    this.#frames.octetsMax = this.#settings.pduOctetsBound
  }

  /** Hands on what the chunk completes. Gives why the stream can no longer be followed, if so. */
  receive(chunk: Buffer): LostFraming | undefined {
    return this.#follow(() => this.#frames.push(chunk))
  }

  /** Hands on nothing until `resume`; what is left of the chunk in hand waits. */
  pause(): void {
    this.#frames.pause()
  }

  /** Hands on what has waited. Gives why the stream can no longer be followed, if so. */
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
      // Each PDU has its own time: one that was completed by this chunk gives way to the next.
      if (this.#frameCount !== before) this.#deadlines.clear('read')
      this.#startOnce('read', this.#settings.pduReadMs)
    }
    return undefined
  }

  /** Hands on nothing more, not even what is left of the chunk in hand. */
  stop(): void {
    this.#frames.stop()
  }

  #take(bytes: Buffer, start: number, end: number): void {
    this.#frameCount += 1
    if (this.#frameCount > this.#framesMax)
      return this.#steps.finish('us', 'flood', `more than ${this.#framesMax} PDUs before the bind`)
    const pdu = decodePdu(bytes, start, end, this.#settings.isStrict, this.#liveness.receivedAtMs)
    const status = isProblem(pdu) ? 0 : pdu.status
    this.#onPdu?.(this.#session, pdu.id, 'in', status)
    const { tap } = this.#session
    if (tap !== undefined) {
      tap('in', { id: pdu.id, status, sequence: pdu.sequence }, copyForTap(bytes, start, end, pdu.id))
    }
    if (isResponse(pdu.id)) this.#onResponse(pdu)
    else this.#serving.take(pdu)
  }

  #startOnce(name: Deadline, delayMs: number): void {
    if (!this.#deadlines.isSet(name)) this.#deadlines.start(name, delayMs)
  }
}
