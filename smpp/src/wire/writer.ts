// A growing buffer. A value that does not fit its field is kept as `failure`; the caller then rolls back to the start of
// the PDU.

/** Appends fields to a growing buffer. Never throws: the first value that does not fit is kept as `failure`. */
export class Writer {
  bytes: Buffer
  at = 0
  failure: string | undefined = undefined

  constructor(initialOctets: number) {
    this.bytes = Buffer.allocUnsafe(initialOctets)
  }

  fail(reason: string): void {
    this.failure ??= reason
  }

  /** Makes room for `octets` more. */
  reserve(octets: number): void {
    const size = this.at + octets
    if (size <= this.bytes.length) return
    const grown = Buffer.allocUnsafe(Math.max(size, this.bytes.length * 2))
    this.bytes.copy(grown, 0, 0, this.at)
    this.bytes = grown
  }

  integer(octets: 1 | 2 | 4, value: number): void {
    if (!Number.isInteger(value) || value < 0 || value >= 2 ** (8 * octets)) {
      this.fail(`${value} is not an integer of ${octets} octets`)
      return
    }
    this.reserve(octets)
    if (octets === 1) this.bytes[this.at] = value
    else if (octets === 2) this.bytes.writeUInt16BE(value, this.at)
    else this.bytes.writeUInt32BE(value, this.at)
    this.at += octets
  }

  /** A C-octet string of at most `octetsMax` octets with its NUL. */
  cOctetString(text: string, octetsMax: number): void {
    const { length } = text
    if (length >= octetsMax) {
      this.fail(`a string of ${length} octets, at most ${octetsMax - 1} fit`)
      return
    }
    this.reserve(length + 1)
    const { bytes, at } = this
    for (let index = 0; index < length; index++) {
      const code = text.charCodeAt(index)
      if (code === 0 || code > 0xff) this.fail('a string with a NUL or a character beyond one octet')
      bytes[at + index] = code
    }
    bytes[at + length] = 0
    this.at = at + length + 1
  }

  octets(value: Uint8Array): void {
    this.reserve(value.length)
    this.bytes.set(value, this.at)
    this.at += value.length
  }
}
