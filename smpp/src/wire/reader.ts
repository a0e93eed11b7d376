// Bounded reading of one PDU. A fault does not throw: the first one is kept, later reads return zeros, and the caller
// checks once at the end. So the hot path has no exceptions.
import { latin1 } from './octet-string.ts'

/** Reads fields from the octets `at` to `end`. Never throws: the first failure is kept, later reads return zeros. */
export class Reader {
  bytes: Buffer
  at: number
  end: number
  /** 0 without a fault; else the status that the caller passed for the first fault. */
  failure = 0
  reason = ''
  /** Read what can be understood, although the specification would have it refused. */
  readonly isLenient: boolean
  /** Something was taken that the specification would have refused. */
  isOdd = false

  constructor(bytes: Buffer, start: number, end: number, isLenient = false) {
    this.bytes = bytes
    this.at = start
    this.end = end
    this.isLenient = isLenient
  }

  get remaining(): number {
    return this.end - this.at
  }

  fail(status: number, reason: string): void {
    if (this.failure !== 0) return
    this.failure = status
    this.reason = reason
    this.at = this.end
  }

  octet(shortStatus: number): number {
    if (this.at >= this.end) {
      this.fail(shortStatus, 'ends before a one-octet field')
      return 0
    }
    return this.bytes[this.at++] ?? 0
  }

  /** A big-endian integer of 1, 2 or 4 octets (SMPP 3.4 §3.1). */
  integer(octets: 1 | 2 | 4, shortStatus: number): number {
    if (octets === 1) return this.octet(shortStatus)
    if (this.end - this.at < octets) {
      this.fail(shortStatus, `ends before a ${octets}-octet field`)
      return 0
    }
    const at = this.at
    this.at += octets
    return octets === 2 ? this.bytes.readUInt16BE(at) : this.bytes.readUInt32BE(at)
  }

  /**
   * A C-octet string of at most `octetsMax` octets with its NUL.
   * Fails with `unterminatedStatus` when there is no NUL in the PDU, with `tooLongStatus` when the NUL comes too late.
   */
  cOctetString(octetsMax: number, unterminatedStatus: number, tooLongStatus: number): string {
    const { bytes, at: start, end } = this
    let at = start
    while (at < end && bytes[at] !== 0) at++
    if (at === end) {
      this.fail(unterminatedStatus, 'a string without its NUL')
      return ''
    }
    if (at - start >= octetsMax) {
      this.fail(tooLongStatus, `a string of ${at - start} octets, at most ${octetsMax - 1} fit`)
      return ''
    }
    this.at = at + 1
    return at === start ? '' : latin1(bytes, start, at)
  }

  /** A view of the next octets; it shares memory with the bytes read. */
  octets(count: number, shortStatus: number): Buffer {
    const start = this.at
    if (count > this.end - start) {
      this.fail(shortStatus, `${count} octets announced, ${this.end - start} present`)
      return empty
    }
    this.at = start + count
    return count === 0 ? empty : this.bytes.subarray(start, start + count)
  }
}

/** The shared empty octet string: most messages have several empty fields. */
export const empty = Buffer.alloc(0)
