// Cuts a byte stream into whole PDUs by command_length (SMPP 3.4 §3.2). A complete PDU is passed on as a range of the
// chunk; only a PDU that spans chunks is copied, once, into a buffer of its announced size.

const headerOctets = 16

/** The stream cannot be cut into PDUs any more: answer generic_nack 0x02 with `sequence`, then close. */
export interface LostFraming {
  kind: 'lost'
  sequence: number
  announcedOctets: number
}

/** `partial`: a PDU has begun and is not complete. `oversized`: too long, and its sequence is still to come. */
export type FrameState = { kind: 'clean' } | { kind: 'partial' } | { kind: 'oversized' } | LostFraming

const clean: FrameState = { kind: 'clean' }
const partial: FrameState = { kind: 'partial' }
const oversized: FrameState = { kind: 'oversized' }

/** Cuts a stream into PDUs of 16 to `octetsMax` octets (§4.3). Never throws: `push` returns the fault. */
export class FrameReader {
  /** The longest PDU to accept. Raised when the session binds. */
  octetsMax: number
  readonly #onFrame: (bytes: Buffer, start: number, end: number) => void
  #header: Buffer | undefined
  #pending: Buffer | undefined
  #pendingOctets = 0
  #isStopped = false
  #isPaused = false
  #rest: Buffer | undefined

  /** `onFrame` gets a range of `bytes`. It stays valid: those bytes are never written to again. */
  constructor(octetsMax: number, onFrame: (bytes: Buffer, start: number, end: number) => void) {
    this.octetsMax = octetsMax
    this.#onFrame = onFrame
  }

  /** Takes no more bytes, and drops the rest of the current chunk. */
  stop(): void {
    this.#isStopped = true
  }

  /** Passes on nothing more until `resume`; the rest of the current chunk and later chunks are kept. */
  pause(): void {
    this.#isPaused = true
  }

  /** Continues with what was kept. */
  resume(): FrameState {
    this.#isPaused = false
    const rest = this.#rest
    this.#rest = undefined
    return rest === undefined ? clean : this.push(rest)
  }

  /** Takes a chunk from the peer. What a pause keeps counts as clean: it cannot be late. */
  push(chunk: Buffer): FrameState {
    if (this.#isPaused) return this.#keep(chunk)
    let at = this.#pending === undefined && this.#header === undefined ? 0 : this.#continue(chunk)
    if (typeof at !== 'number') return at
    const { length } = chunk
    while (!this.#isStopped && !this.#isPaused && length - at >= 4) {
      const octets = chunk.readUInt32BE(at)
      if (octets < headerOctets) return { kind: 'lost', sequence: 0, announcedOctets: octets }
      if (length - at < headerOctets) break
      if (octets > this.octetsMax) {
        return { kind: 'lost', sequence: chunk.readUInt32BE(at + 12), announcedOctets: octets }
      }
      if (length - at < octets) break
      this.#onFrame(chunk, at, at + octets)
      at += octets
    }
    if (this.#isStopped || at === length) return clean
    if (this.#isPaused) return this.#keep(chunk.subarray(at))
    return this.#begin(chunk, at)
  }

  #keep(chunk: Buffer): FrameState {
    this.#rest = this.#rest === undefined ? chunk : Buffer.concat([this.#rest, chunk])
    return clean
  }

  /** Keeps the start of a PDU that continues in the next chunk. */
  #begin(chunk: Buffer, at: number): FrameState {
    const present = chunk.length - at
    const isWhole = present >= headerOctets
    const keep = Buffer.allocUnsafeSlow(isWhole ? chunk.readUInt32BE(at) : headerOctets)
    chunk.copy(keep, 0, at)
    this.#pendingOctets = present
    if (isWhole) this.#pending = keep
    else this.#header = keep
    return present >= 4 && keep.readUInt32BE(0) > this.octetsMax ? oversized : partial
  }

  /** Continues the PDU begun earlier. Returns where the next PDU starts, or the state when the chunk ended. */
  #continue(chunk: Buffer): number | FrameState {
    let at = 0
    if (this.#header !== undefined) {
      at = Math.min(headerOctets - this.#pendingOctets, chunk.length)
      chunk.copy(this.#header, this.#pendingOctets, 0, at)
      this.#pendingOctets += at
      const state = this.#promote(this.#header)
      if (state !== undefined) return state
    }
    const pending = this.#pending
    if (pending === undefined) return at
    const taken = Math.min(pending.length - this.#pendingOctets, chunk.length - at)
    chunk.copy(pending, this.#pendingOctets, at, at + taken)
    this.#pendingOctets += taken
    if (this.#pendingOctets < pending.length) return partial
    this.#pending = undefined
    this.#onFrame(pending, 0, pending.length)
    return at + taken
  }

  /** Checks a header that arrived in pieces; once it is whole, it is copied into the PDU's own buffer. */
  #promote(header: Buffer): FrameState | undefined {
    if (this.#pendingOctets < 4) return partial
    const octets = header.readUInt32BE(0)
    if (octets < headerOctets) return { kind: 'lost', sequence: 0, announcedOctets: octets }
    if (this.#pendingOctets < headerOctets) return octets > this.octetsMax ? oversized : partial
    if (octets > this.octetsMax) {
      return { kind: 'lost', sequence: header.readUInt32BE(12), announcedOctets: octets }
    }
    const whole = Buffer.allocUnsafeSlow(octets)
    header.copy(whole)
    this.#header = undefined
    this.#pending = whole
    return undefined
  }
}
