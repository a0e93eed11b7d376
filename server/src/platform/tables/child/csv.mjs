// CSV as RFC 4180 describes it. Our own, since it must take the same short time for each character, whatever the text is.
import { isUtf8 } from 'node:buffer'
import { Fault } from './fault.mjs'

const comma = 0x2c
const quote = 0x22
const lf = 0x0a
const cr = 0x0d

/**
 * The rows of a CSV file, each with the line on which it begins; the line's length and count are checked before it is
 * cut. Throws Fault.
 * @param {Buffer} content
 * @param {import('./row-bounds.mjs').Bounds} bounds
 * @returns {Generator<import('./row-bounds.mjs').Row>}
 */
export function* readCsv(content, bounds) {
  if (countLines(content, bounds.lines) > bounds.lines) throw new Fault('lines')
  const text = textOf(content)
  const cursor = new Cursor(text, bounds)
  while (!cursor.isAtEnd) yield cursor.nextRow()
}

/**
 * How many lines there are, empty ones too. Stops counting at one more than `most`.
 * @param {Uint8Array} content
 * @param {number} most
 */
function countLines(content, most) {
  let count = content.length === 0 ? 0 : 1
  for (let at = 0; at < content.length && count <= most; at += 1) {
    const isEnd = content[at] === lf || (content[at] === cr && content[at + 1] !== lf)
    // A line end at the end of the file begins no line.
    if (isEnd && at + 1 < content.length) count += 1
  }
  return count
}

/** @param {Buffer} content */
function textOf(content) {
  if (!isUtf8(content)) throw new Fault('not_utf8')
  const text = content.toString('utf8')
  return text.startsWith('\uFEFF') ? text.slice(1) : text
}

class Cursor {
  #text
  #bounds
  #at = 0
  #line = 1

  /**
   * @param {string} text
   * @param {import('./row-bounds.mjs').Bounds} bounds
   */
  constructor(text, bounds) {
    this.#text = text
    this.#bounds = bounds
  }

  get isAtEnd() {
    return this.#at >= this.#text.length
  }

  /** @returns {import('./row-bounds.mjs').Row} */
  nextRow() {
    const line = this.#line
    const begin = this.#at
    const cells = []
    do {
      cells.push(this.#nextCell(line, begin))
      if (cells.length > this.#bounds.columns) throw new Fault('columns', line)
    } while (this.#takesComma())
    this.#takeLineEnd()
    return { line, cells }
  }

  /**
   * @param {number} line
   * @param {number} rowBegin
   */
  #nextCell(line, rowBegin) {
    const begin = this.#at
    const first = this.#firstVisible(begin)
    if (this.#text.charCodeAt(first) === quote) return this.#quotedCell(first, line, rowBegin)
    let at = first
    for (; at < this.#text.length; at += 1) {
      const code = this.#text.charCodeAt(at)
      if (code === comma || code === lf || code === cr) break
      if (code === quote) throw new Fault('not_csv', this.#line)
      if (at - rowBegin > this.#bounds.lineChars) throw new Fault('line_chars', line)
    }
    if (at - rowBegin > this.#bounds.lineChars) throw new Fault('line_chars', line)
    this.#at = at
    return this.#text.slice(begin, at)
  }

  /**
   * @param {number} opening where its first quote is
   * @param {number} line
   * @param {number} rowBegin
   */
  #quotedCell(opening, line, rowBegin) {
    let at = opening + 1
    let hasQuotes = false
    for (; at < this.#text.length; at += 1) {
      const code = this.#text.charCodeAt(at)
      if (code === quote) {
        if (this.#text.charCodeAt(at + 1) !== quote) break
        hasQuotes = true
        at += 1
      } else if (code === lf || (code === cr && this.#text.charCodeAt(at + 1) !== lf)) this.#line += 1
      // Quotes that are never closed end here too.
      if (at - rowBegin > this.#bounds.lineChars) throw new Fault('line_chars', line)
    }
    if (at >= this.#text.length) throw new Fault('not_csv', line)
    const cell = this.#text.slice(opening + 1, at)
    const after = this.#firstVisible(at + 1)
    const code = this.#text.charCodeAt(after)
    if (after < this.#text.length && code !== comma && code !== lf && code !== cr)
      throw new Fault('not_csv', this.#line)
    this.#at = after
    return hasQuotes ? cell.replaceAll('""', '"') : cell
  }

  /**
   * Programs put blanks around quotes.
   * @param {number} from
   */
  #firstVisible(from) {
    let at = from
    // Longer blanks are a part of the text, whose length is looked at.
    const most = Math.min(this.#text.length, from + 100)
    while (at < most && (this.#text[at] === ' ' || this.#text[at] === '\t')) at += 1
    return at
  }

  #takesComma() {
    if (this.#text.charCodeAt(this.#at) !== comma) return false
    this.#at += 1
    return true
  }

  #takeLineEnd() {
    if (this.#text.charCodeAt(this.#at) === cr) this.#at += 1
    if (this.#text.charCodeAt(this.#at) === lf) this.#at += 1
    this.#line += 1
  }
}
