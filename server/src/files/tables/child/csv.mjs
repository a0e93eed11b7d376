// CSV as RFC 4180 describes it. Our own, since it must take the same short time for each character, whatever the text is.
import { isUtf8 } from 'node:buffer'
import { Fault } from './fault.mjs'

const comma = 0x2c
const semicolon = 0x3b
const tab = 0x09
const quote = 0x22
const equals = 0x3d
const lf = 0x0a
const cr = 0x0d

/**
 * The rows of a file whose cells are separated by commas, semicolons or tabs, as its first line shows. Each has the line on
 * which it begins; the line's length and count are checked before it is cut. Throws Fault.
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
 * How many lines there are, empty ones too. Stops counting at one more than `max`.
 * @param {Uint8Array} content
 * @param {number} max
 */
function countLines(content, max) {
  let count = content.length === 0 ? 0 : 1
  for (let at = 0; at < content.length && count <= max; at += 1) {
    const isEnd = content[at] === lf || (content[at] === cr && content[at + 1] !== lf)
    // A line end at the end of the file begins no line.
    if (isEnd && at + 1 < content.length) count += 1
  }
  return count
}

/**
 * What separates the cells: the one that the first line that is not empty has most of, outside quotes; a comma when it has
 * none.
 * @param {string} text
 * @param {number} end how many characters are looked at
 */
function separatorOf(text, end) {
  const counts = new Map([comma, semicolon, tab].map((code) => [code, 0]))
  let isQuoted = false
  let isEmpty = true
  for (let at = 0; at < text.length && at < end; at += 1) {
    const code = text.charCodeAt(at)
    if (code === quote) isQuoted = !isQuoted
    if (isQuoted) continue
    if (code !== lf && code !== cr) isEmpty = false
    else if (!isEmpty) break
    const count = counts.get(code)
    if (count !== undefined) counts.set(code, count + 1)
  }
  return [...counts].reduce((best, one) => (one[1] > best[1] ? one : best))[0]
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
  #separator
  #at = 0
  #line = 1

  /**
   * @param {string} text
   * @param {import('./row-bounds.mjs').Bounds} bounds
   */
  constructor(text, bounds) {
    this.#text = text
    this.#bounds = bounds
    this.#separator = separatorOf(text, bounds.lineChars)
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
    } while (this.#takesSeparator())
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
    // A formula that is nothing but a text: ="449098790142".
    if (this.#text.charCodeAt(first) === equals && this.#text.charCodeAt(first + 1) === quote)
      return this.#quotedCell(first + 1, line, rowBegin)
    let at = first
    for (; at < this.#text.length; at += 1) {
      const code = this.#text.charCodeAt(at)
      if (code === this.#separator || code === lf || code === cr) break
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
    if (after < this.#text.length && code !== this.#separator && code !== lf && code !== cr)
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
    const end = Math.min(this.#text.length, from + 100)
    while (at < end && this.#isBlank(this.#text.charCodeAt(at))) at += 1
    return at
  }

  /** @param {number} code */
  #isBlank(code) {
    return code === 0x20 || (code === tab && code !== this.#separator)
  }

  #takesSeparator() {
    if (this.#text.charCodeAt(this.#at) !== this.#separator) return false
    this.#at += 1
    return true
  }

  #takeLineEnd() {
    if (this.#text.charCodeAt(this.#at) === cr) this.#at += 1
    if (this.#text.charCodeAt(this.#at) === lf) this.#at += 1
    this.#line += 1
  }
}
