// Writes PostgreSQL's frontend messages (protocol 3.0) into one growing buffer, so that a whole batch leaves in one
// socket write. Knows nothing of records. Numbers are the manual's: "Message Formats", "COPY … Binary Format".

// timestamptz counts microseconds from 2000-01-01.
const epochShiftMs = 946_684_800_000
const two32 = 4_294_967_296
// By the type's id: int8, int2, int4.
const widths = { 20: 8, 21: 2, 23: 4 } as const

export class WireWriter {
  /** The bytes so far are `bytes[0..length)`; the rest is room. */
  bytes: Buffer
  length = 0
  #messageStart = 0

  constructor(capacity: number) {
    this.bytes = Buffer.allocUnsafeSlow(capacity)
  }

  /** Makes room for `count` more bytes; must be called before any of the writing methods below. */
  reserve(count: number): void {
    const needed = this.length + count
    if (needed <= this.bytes.length) return
    const grown = Buffer.allocUnsafeSlow(Math.max(needed, this.bytes.length * 2))
    grown.set(this.bytes.subarray(0, this.length))
    this.bytes = grown
  }

  byte(value: number): void {
    this.bytes[this.length++] = value
  }

  int16(value: number): void {
    const { bytes, length } = this
    bytes[length] = value >>> 8
    bytes[length + 1] = value
    this.length = length + 2
  }

  int16At(index: number, value: number): void {
    this.bytes[index] = value >>> 8
    this.bytes[index + 1] = value
  }

  int32(value: number): void {
    this.int32At(this.length, value)
    this.length += 4
  }

  int32At(index: number, value: number): void {
    const { bytes } = this
    const bits = value | 0
    bytes[index] = bits >>> 24
    bytes[index + 1] = bits >>> 16
    bytes[index + 2] = bits >>> 8
    bytes[index + 3] = bits
  }

  /** A whole number of at most 53 bits. */
  int64At(index: number, value: number): void {
    this.int32At(index, Math.floor(value / two32))
    this.int32At(index + 4, value)
  }

  int64(value: number): void {
    this.int64At(this.length, value)
    this.length += 8
  }

  /** A one-dimensional array without nulls, of int8, int2 or int4, with its size before it. Reserve 24 + 12 an element. */
  array(values: readonly number[], count: number, typeId: 20 | 21 | 23): void {
    const width = widths[typeId]
    this.int32(20 + count * (4 + width))
    for (const head of [1, 0, typeId, count, 1]) this.int32(head)
    for (let index = 0; index < count; index += 1) {
      this.int32(width)
      const value = values[index] ?? 0
      if (width === 8) this.int64(value)
      else if (width === 4) this.int32(value)
      else this.int16(value)
    }
  }

  raw(source: Uint8Array): void {
    this.bytes.set(source, this.length)
    this.length += source.length
  }

  /** Text as UTF-8 after its length in bytes. Reserve three bytes a character. */
  text(value: string): void {
    const start = this.length + 4
    const count = this.#ascii(value, start)
    const size = count === value.length ? count : this.bytes.write(value, start, 'utf8')
    this.int32(size)
    this.length = start + size
  }

  /** Copies ASCII characters; for short texts this is quicker than a call of the runtime's encoder. */
  #ascii(value: string, start: number): number {
    const { bytes } = this
    // For long texts the encoder is quicker.
    if (value.length > 40) return -1
    for (let index = 0; index < value.length; index += 1) {
      const code = value.charCodeAt(index)
      if (code > 127) return index
      bytes[start + index] = code
    }
    return value.length
  }

  /** Begins a message of this type (one ASCII letter); {@link end} writes its length. */
  begin(type: string): void {
    this.reserve(5)
    this.byte(type.charCodeAt(0))
    this.#messageStart = this.length
    this.length += 4
  }

  end(): void {
    this.int32At(this.#messageStart, this.length - this.#messageStart)
  }

  /** Parse: prepares `text` under `name` on this connection. */
  parse(name: string, text: string): void {
    this.begin('P')
    this.reserve(name.length + text.length * 3 + 4)
    this.#terminated(name)
    this.#terminated(text)
    this.int16(0)
    this.end()
  }

  /** Bind of the unnamed portal: parameters are all binary; `write` writes each as length and bytes. */
  bind(name: string, parameterCount: number, write: () => void): void {
    this.begin('B')
    this.reserve(name.length + 16)
    this.byte(0)
    this.#terminated(name)
    this.int16(1)
    this.int16(1)
    this.int16(parameterCount)
    write()
    this.reserve(4)
    // Results come as text.
    this.int16(0)
    this.end()
  }

  /** Execute of the unnamed portal, all rows. */
  execute(): void {
    this.begin('E')
    this.reserve(5)
    this.byte(0)
    this.int32(0)
    this.end()
  }

  /** An empty message: 'S' Sync, 'H' Flush, 'c' CopyDone. */
  signal(type: string): void {
    this.begin(type)
    this.end()
  }

  #terminated(value: string): void {
    this.length += this.bytes.write(value, this.length, 'utf8')
    this.byte(0)
  }
}

/** A time as timestamptz's eight bytes hold it, as a number. */
export function postgresMicroseconds(timeMs: number): number {
  return (timeMs - epochShiftMs) * 1000
}

const copySignature = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1')

/** Begins a binary COPY's data; rows follow. */
export function beginCopyData(wire: WireWriter): void {
  wire.begin('d')
  wire.reserve(copySignature.length)
  wire.raw(copySignature)
}

/** Ends a binary COPY's data and the COPY. */
export function endCopyData(wire: WireWriter): void {
  wire.reserve(2)
  wire.int16(-1)
  wire.end()
  wire.signal('c')
}
