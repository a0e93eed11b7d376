// XML as spreadsheets write it, read in pieces and without a tree. No document types, so no entities but the built-in
// ones and nothing from outside.
import { Fault } from './fault.mjs'

// A tag or a comment. Those of spreadsheets have some hundred characters.
const tokenChars = 16_384
const depthMax = 64

/**
 * @typedef {object} XmlHandler
 * @property {(name: string, tag: string) => void} open the name without its prefix; `tag` is all of the tag, for {@link attribute}
 * @property {(name: string) => void} close
 * @property {(raw: string) => void} text a piece of text, to be read by {@link plain} once it is whole
 */

export class XmlScanner {
  #rest = ''
  #depth = 0
  #handler

  /** @param {XmlHandler} handler */
  constructor(handler) {
    this.#handler = handler
  }

  /**
   * Takes the next piece, best one that ends with a tag: a tag that is cut in two is copied again at each call. Throws
   * Fault for what no spreadsheet writes.
   * @param {string} piece
   */
  feed(piece) {
    const source = this.#rest === '' ? piece : this.#rest + piece
    this.#rest = ''
    let at = 0
    while (at < source.length) {
      const begin = source.indexOf('<', at)
      if (begin < 0) {
        this.#handler.text(source.slice(at))
        return
      }
      if (begin > at) this.#handler.text(source.slice(at, begin))
      const end = tokenEnd(source, begin)
      if (end < 0) {
        this.#rest = source.slice(begin)
        if (this.#rest.length > tokenChars) throw new Fault('damaged')
        return
      }
      this.#take(source.slice(begin, end))
      at = end
    }
  }

  /** Call it after the last piece. Throws Fault when the text is cut off. */
  end() {
    if (this.#rest !== '' || this.#depth !== 0) throw new Fault('damaged')
  }

  /** @param {string} token */
  #take(token) {
    if (token.startsWith('<?') || token.startsWith('<!--')) return
    if (token.startsWith('<![CDATA[')) {
      this.#handler.text(token.slice(9, -3).replaceAll('&', '&amp;'))
    } else if (token.startsWith('<!')) {
      throw new Fault('document_type')
    } else if (token.startsWith('</')) {
      this.#depth -= 1
      if (this.#depth < 0) throw new Fault('damaged')
      this.#handler.close(localName(token, 2))
    } else {
      const name = localName(token, 1)
      this.#handler.open(name, token)
      if (token.endsWith('/>')) this.#handler.close(name)
      else this.#depth += 1
      if (this.#depth > depthMax) throw new Fault('damaged')
    }
  }
}

/**
 * Where a token that begins at `begin` ends; -1 when that has not come yet. Writers escape a > inside a tag.
 * @param {string} source
 * @param {number} begin
 */
function tokenEnd(source, begin) {
  const mark = source.startsWith('<!--', begin) ? '-->' : source.startsWith('<![CDATA[', begin) ? ']]>' : '>'
  // Too little to see what it is.
  if (mark === '>' && source[begin + 1] === '!' && source.length - begin < 9) return -1
  const found = source.indexOf(mark, begin)
  return found < 0 ? -1 : found + mark.length
}

/**
 * @param {string} token
 * @param {number} from
 */
function localName(token, from) {
  let [begin, at] = [from, from]
  for (; at < token.length; at += 1) {
    const char = token[at]
    if (char === ':') begin = at + 1
    else if (char === '>' || char === '/' || char === ' ' || char === '\n' || char === '\r' || char === '\t')
      break
  }
  return token.slice(begin, at)
}

/** @type {Map<string, RegExp>} */
const patterns = new Map()

/**
 * An attribute's text; '' when it is not there. A name without a prefix finds one with a prefix too.
 * @param {string} tag
 * @param {string} name
 */
export function attribute(tag, name) {
  let pattern = patterns.get(name)
  if (pattern === undefined)
    patterns.set(name, (pattern = new RegExp(`[\\s:]${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`)))
  const found = pattern.exec(tag)
  return plain(found?.[1] ?? found?.[2] ?? '')
}

const named = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
])

/**
 * A text with its references replaced: those of XML, and _x000D_ as spreadsheets write what XML cannot hold.
 * @param {string} raw
 */
export function plain(raw) {
  const text = raw.includes('&')
    ? raw.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{1,8}));/gi, (whole, decimal, hex, name) =>
        name === undefined ? charOf(decimal, hex) : (named.get(name) ?? whole),
      )
    : raw
  return text.includes('_x')
    ? text.replace(/_x([\da-f]{4})_/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
    : text
}

/**
 * @param {string | undefined} decimal
 * @param {string | undefined} hex
 */
function charOf(decimal, hex) {
  const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal)
  return code > 0x10ffff ? '\uFFFD' : String.fromCodePoint(code)
}
