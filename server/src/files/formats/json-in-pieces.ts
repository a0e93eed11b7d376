// JSON.parse for large texts: the same outcome, in pieces with turns for others between them. One thread serves everybody,
// and 50 MB at once would hold all messages up for half a second.
import { setImmediate as turn } from 'node:timers/promises'

// Some tenths of a millisecond of parsing, and a millisecond of looking for commas.
const pieceBytes = 64 * 1024
const scannedBytes = 1024 * 1024

const quote = 0x22
const comma = 0x2c
const colon = 0x3a
const backslash = 0x5c
const openings = new Set([0x5b, 0x7b])
const closings = new Map([
  [0x5b, 0x5d],
  [0x7b, 0x7d],
])
const closingBytes = new Set(closings.values())
const blanks = new Set([0x20, 0x09, 0x0a, 0x0d])

/**
 * The value of a UTF-8 text whose depth has been checked (measureJson): this walks into it. `prepare` may change the text
 * of a piece before it is parsed; a piece begins and ends between values. Throws SyntaxError for what is no JSON.
 */
export async function parseJsonInPieces(
  bytes: Buffer,
  prepare: (text: string) => string = (text) => text,
): Promise<unknown> {
  const isMarked = bytes.length >= 3 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
  return new PieceParser(isMarked ? bytes.subarray(3) : bytes, prepare).value(
    0,
    bytes.length - (isMarked ? 3 : 0),
  )
}

class PieceParser {
  readonly #bytes: Buffer
  readonly #prepare: (text: string) => string

  constructor(bytes: Buffer, prepare: (text: string) => string) {
    this.#bytes = bytes
    this.#prepare = prepare
  }

  /** The value between two places, which may have blanks around it. */
  async value(from: number, to: number): Promise<unknown> {
    if (to - from <= pieceBytes) return this.#parse('', from, to, '')
    const [begin, end] = this.#trimmed(from, to)
    const opening = this.#bytes[begin] ?? 0
    // A long text or number is no longer to parse than to copy.
    if (!openings.has(opening)) return this.#parse('', begin, end, '')
    if (this.#bytes[end - 1] !== closings.get(opening)) throw new SyntaxError('A bracket is not closed')
    return opening === 0x5b ? this.#list(begin + 1, end - 1) : this.#object(begin + 1, end - 1)
  }

  async #list(from: number, to: number): Promise<unknown[]> {
    const list: unknown[] = []
    for (const [begin, end] of await this.#groups(from, to)) {
      if (end - begin > pieceBytes) list.push(await this.value(begin, end))
      else for (const item of this.#parse('[', begin, end, ']') as unknown[]) list.push(item)
      await turn()
    }
    return list
  }

  async #object(from: number, to: number): Promise<object> {
    const object = {}
    const put = (name: string, value: unknown) =>
      // As JSON.parse does: a property of its own, also when it is called __proto__.
      Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true })
    for (const [begin, end] of await this.#groups(from, to)) {
      if (end - begin > pieceBytes) {
        const [name, valueAt] = this.#name(begin, end)
        put(name, await this.value(valueAt, end))
      } else {
        const members = this.#parse('{', begin, end, '}') as Record<string, unknown>
        for (const name of Object.keys(members)) put(name, members[name])
      }
      await turn()
    }
    return object
  }

  /** Neighbours that fit into a piece together; a larger one is alone. */
  async #groups(from: number, to: number): Promise<(readonly [begin: number, end: number])[]> {
    const commas = await this.#commas(from, to)
    if (commas.length === 0 && this.#isBlank(from, to)) return []
    const groups: [number, number][] = []
    let begin = from
    for (const end of [...commas, to]) {
      if (this.#isBlank(begin, end)) throw new SyntaxError('A value is missing')
      const last = groups.at(-1)
      if (last !== undefined && end - last[0] <= pieceBytes) last[1] = end
      else groups.push([begin, end])
      begin = end + 1
    }
    return groups
  }

  /** Where the commas are that part the values of this list or object, but not those within them. */
  async #commas(from: number, to: number): Promise<number[]> {
    const commas: number[] = []
    const place = { depth: 0, isInText: false }
    for (let at = from; at < to;) {
      const end = Math.min(to, at + scannedBytes)
      at = this.#scan(at, end, place, commas)
      if (end < to) await turn()
    }
    if (place.depth !== 0 || place.isInText) throw new SyntaxError('A bracket or a quote is not closed')
    return commas
  }

  /** Gives the place where it stopped: `to`, or one character later when an escape sequence crosses it. */
  #scan(from: number, to: number, place: { depth: number; isInText: boolean }, commas: number[]): number {
    let at = from
    for (; at < to; at += 1) {
      const byte = this.#bytes[at] ?? 0
      if (place.isInText) {
        if (byte === backslash) at += 1
        else if (byte === quote) place.isInText = false
      } else if (byte === quote) place.isInText = true
      else if (openings.has(byte)) place.depth += 1
      else if (closingBytes.has(byte)) place.depth -= 1
      else if (byte === comma && place.depth === 0) commas.push(at)
      if (place.depth < 0) throw new SyntaxError('A bracket was not opened')
    }
    return at
  }

  /** The name of an object's member, and where its value begins. */
  #name(from: number, to: number): [string, number] {
    const [begin] = this.#trimmed(from, to)
    let at = begin + 1
    while (at < to && this.#bytes[at] !== quote) at += this.#bytes[at] === backslash ? 2 : 1
    const name: unknown = JSON.parse(this.#bytes.toString('utf8', begin, at + 1))
    const [colonAt] = this.#trimmed(at + 1, to)
    if (typeof name !== 'string' || this.#bytes[colonAt] !== colon) throw new SyntaxError('A name is missing')
    return [name, colonAt + 1]
  }

  #parse(before: string, from: number, to: number, after: string): unknown {
    return JSON.parse(`${before}${this.#prepare(this.#bytes.toString('utf8', from, to))}${after}`)
  }

  #trimmed(from: number, to: number): [number, number] {
    let [begin, end] = [from, to]
    while (begin < end && blanks.has(this.#bytes[begin] ?? 0)) begin += 1
    while (end > begin && blanks.has(this.#bytes[end - 1] ?? 0)) end -= 1
    return [begin, end]
  }

  #isBlank(from: number, to: number): boolean {
    const [begin, end] = this.#trimmed(from, to)
    return begin === end
  }
}
