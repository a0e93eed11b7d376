// Reads a tar archive as PostgreSQL writes it: POSIX ustar (IEEE Std 1003.1, "ustar Interchange Format"), plain files,
// folders and links, sizes in octal or, beyond 8 GB, in base 256.

export interface TarEntry {
  readonly name: string
  readonly size: number
  readonly kind: 'file' | 'folder' | 'link'
}

/** Called with the entries in their order; each call is awaited before the next. */
export interface TarSink {
  begin(entry: TarEntry): Promise<void>
  data(bytes: Buffer): Promise<void>
  end(): Promise<void>
}

const blockBytes = 512
const kinds: Readonly<Record<string, TarEntry['kind']>> = {
  '0': 'file',
  '\0': 'file',
  '5': 'folder',
  '2': 'link',
}

export class TarReader {
  readonly #sink: TarSink
  #header = Buffer.alloc(0)
  /** Bytes that are still missing of the entry, and of its padding to a whole block. */
  #left = 0
  #padding = 0
  #isInEntry = false

  constructor(sink: TarSink) {
    this.#sink = sink
  }

  /** Takes the next bytes of the archive. Throws when it is no tar. */
  async write(bytes: Buffer): Promise<void> {
    let rest = bytes
    while (rest.length > 0)
      if (this.#isInEntry) rest = await this.#readEntry(rest)
      else if (this.#padding > 0) rest = this.#skipPadding(rest)
      else rest = await this.#readHeader(rest)
  }

  /** Call it at the archive's end. Throws when it ends within an entry. */
  close(): void {
    if (this.#isInEntry || this.#padding > 0 || this.#header.length > 0)
      throw new Error('The archive ends in the middle of a file')
  }

  async #readEntry(bytes: Buffer): Promise<Buffer> {
    const part = bytes.subarray(0, this.#left)
    await this.#sink.data(part)
    this.#left -= part.length
    if (this.#left === 0) await this.#endEntry()
    return bytes.subarray(part.length)
  }

  #skipPadding(bytes: Buffer): Buffer {
    const count = Math.min(bytes.length, this.#padding)
    this.#padding -= count
    return bytes.subarray(count)
  }

  async #readHeader(bytes: Buffer): Promise<Buffer> {
    const missing = blockBytes - this.#header.length
    this.#header = Buffer.concat([this.#header, bytes.subarray(0, missing)])
    if (this.#header.length < blockBytes) return Buffer.alloc(0)
    const header = this.#header
    this.#header = Buffer.alloc(0)
    // Two blocks of zeros end an archive.
    if (header.some((byte) => byte !== 0)) await this.#beginEntry(header)
    return bytes.subarray(missing)
  }

  async #beginEntry(header: Buffer): Promise<void> {
    if (header.toString('latin1', 257, 262) !== 'ustar')
      throw new Error('The archive is damaged: no ustar header')
    const kind = kinds[String.fromCharCode(header[156] ?? 0)]
    const prefix = text(header, 345, 155)
    const name = (prefix === '' ? '' : `${prefix}/`) + text(header, 0, 100)
    if (kind === undefined)
      throw new Error(`The archive holds something else than files and folders: ${name}`)
    // PostgreSQL never writes a path that leads out of the folder.
    if (name.startsWith('/') || name.split('/').includes('..'))
      throw new Error(`The archive names a file ${name}`)
    const size = kind === 'file' ? sizeIn(header) : 0
    this.#left = size
    this.#padding = (blockBytes - (size % blockBytes)) % blockBytes
    await this.#sink.begin({ name, size, kind })
    this.#isInEntry = true
    if (size === 0) await this.#endEntry()
  }

  async #endEntry(): Promise<void> {
    this.#isInEntry = false
    await this.#sink.end()
  }
}

function text(header: Buffer, at: number, length: number): string {
  const field = header.toString('utf8', at, at + length)
  const end = field.indexOf('\0')
  return end === -1 ? field : field.slice(0, end)
}

function sizeIn(header: Buffer): number {
  const field = header.subarray(124, 136)
  // The highest bit set: base 256, most significant byte first.
  if (((field[0] ?? 0) & 0x80) !== 0) return Number(field.readBigUInt64BE(4))
  return Number.parseInt(text(header, 124, 12), 8)
}
