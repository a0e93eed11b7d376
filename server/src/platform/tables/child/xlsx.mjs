// The first sheet of a .xlsx workbook, row by row. Our own reader, since a tree of objects is far larger than the
// text: here only the shared texts are kept in memory, within limits.
import { isUtf8 } from 'node:buffer'
import { Fault } from './fault.mjs'
import { attribute, plain, XmlScanner } from './xml.mjs'
import { partsOf, unpack } from './zip.mjs'

// As many as Excel puts into a cell.
const cellChars = 32_767
const workbookName = 'xl/workbook.xml'

/** @typedef {import('./row-bounds.mjs').Row} Row */
/** @typedef {import('./row-bounds.mjs').Bounds} Bounds */

/**
 * Throws Fault.
 * @param {Buffer} content
 * @param {Bounds} bounds
 * @returns {AsyncGenerator<Row>}
 */
export async function* readXlsx(content, bounds) {
  const book = { content, parts: partsOf(content, bounds) }
  if (!book.parts.has('[content_types].xml') || !book.parts.has(workbookName)) throw new Fault('not_workbook')
  const { sheet, texts } = await findFirstSheet(book)
  const shared = book.parts.has(texts.toLowerCase()) ? await readShared(book, texts, bounds) : []
  const scan = new SheetScan(shared, bounds)
  for await (const piece of textOf(book, sheet)) {
    scan.feed(piece)
    yield* scan.takeRows()
  }
  scan.end()
}

/** @typedef {{ content: Buffer, parts: Map<string, import('./zip.mjs').Part> }} Book */

/**
 * A part as text, cut only behind tags.
 * @param {Book} book
 * @param {string} name
 * @returns {AsyncGenerator<string>}
 */
async function* textOf({ content, parts }, name) {
  const part = parts.get(name.toLowerCase())
  if (part === undefined) throw new Fault('damaged')
  /** @type {Buffer} */
  let rest = Buffer.alloc(0)
  for await (const piece of unpack(content, part)) {
    const end = piece.lastIndexOf(0x3e) + 1
    if (end > 0) yield decode(Buffer.concat([rest, piece.subarray(0, end)]))
    rest = end > 0 ? piece.subarray(end) : Buffer.concat([rest, piece])
    // A cell's text, at four bytes for a character and ten characters for a reference.
    if (rest.length > cellChars * 40) throw new Fault('cell_chars')
  }
  yield decode(rest)
}

/** @param {Buffer} bytes */
function decode(bytes) {
  if (!isUtf8(bytes)) throw new Fault('damaged')
  return bytes.toString('utf8')
}

/**
 * @param {Book} book
 * @param {string} name
 * @param {import('./xml.mjs').XmlHandler['open']} open
 */
async function scanTags(book, name, open) {
  const scanner = new XmlScanner({ open, close() {}, text() {} })
  for await (const piece of textOf(book, name)) scanner.feed(piece)
  scanner.end()
}

/**
 * ECMA-376 part 1 §12.3.24: the workbook names its sheets in order, and by relation the part of each.
 * @param {Book} book
 */
async function findFirstSheet(book) {
  let relation = ''
  let isFound = false
  await scanTags(book, workbookName, (name, tag) => {
    if (name !== 'sheet' || isFound) return
    isFound = true
    relation = attribute(tag, 'id')
  })
  if (!isFound) throw new Fault('not_workbook')
  let sheet = 'xl/worksheets/sheet1.xml'
  let texts = ''
  if (book.parts.has('xl/_rels/workbook.xml.rels'))
    await scanTags(book, 'xl/_rels/workbook.xml.rels', (name, tag) => {
      if (name !== 'Relationship') return
      const target = pathOf(attribute(tag, 'Target'))
      if (attribute(tag, 'Id') === relation && relation !== '') sheet = target
      if (attribute(tag, 'Type').endsWith('/sharedStrings')) texts = target
    })
  return { sheet, texts }
}

/** @param {string} target */
function pathOf(target) {
  return target.startsWith('/') ? target.slice(1) : `xl/${target.replace(/^\.\//, '')}`
}

/**
 * The texts that cells share, in the order of their numbers.
 * @param {Book} book
 * @param {string} name
 * @param {Bounds} bounds
 */
async function readShared(book, name, bounds) {
  /** @type {string[]} */
  const texts = []
  const text = new CellText()
  let chars = 0
  const scanner = new XmlScanner({
    open: (tag) => text.open(tag),
    text: (raw) => text.add(raw),
    close(tag) {
      text.close(tag)
      if (tag !== 'si') return
      const found = text.take()
      chars += found.length
      // The limits of cells and text hold here too: no sheet that is read needs more shared texts.
      if (texts.length >= bounds.cells) throw new Fault('cells')
      if (chars > bounds.textChars) throw new Fault('text')
      texts.push(found)
    },
  })
  for await (const piece of textOf(book, name)) scanner.feed(piece)
  scanner.end()
  return texts
}

/** The text of a cell or of a shared text: all its <t>, without its pronunciation (<rPh>). */
class CellText {
  #raw = ''
  #isWanted = false
  #isAloud = false

  /** @param {string} tag */
  open(tag) {
    if (tag === 'rPh') this.#isAloud = true
    else if (tag === 't' || tag === 'v') this.#isWanted = !this.#isAloud
  }

  /** @param {string} tag */
  close(tag) {
    if (tag === 'rPh') this.#isAloud = false
    else if (tag === 't' || tag === 'v') this.#isWanted = false
  }

  /** @param {string} raw */
  add(raw) {
    if (!this.#isWanted) return
    this.#raw += raw
    // A reference has up to ten characters for one.
    if (this.#raw.length > cellChars * 10) throw new Fault('cell_chars')
  }

  take() {
    const text = plain(this.#raw)
    this.#raw = ''
    if (text.length > cellChars) throw new Fault('cell_chars')
    return text
  }
}

class SheetScan {
  #text = new CellText()
  #scanner
  #shared
  #bounds
  /** @type {Row[]} */
  #rows = []
  #line = 0
  #column = 0
  #kind = ''
  /** @type {string[]} */
  #cells = []
  #isInSheet = false

  /**
   * @param {readonly string[]} shared
   * @param {Bounds} bounds
   */
  constructor(shared, bounds) {
    this.#shared = shared
    this.#bounds = bounds
    this.#scanner = new XmlScanner({
      open: (name, tag) => this.#open(name, tag),
      close: (name) => this.#close(name),
      text: (raw) => this.#text.add(raw),
    })
  }

  /** @param {string} piece */
  feed(piece) {
    this.#scanner.feed(piece)
  }

  end() {
    this.#scanner.end()
  }

  takeRows() {
    const rows = this.#rows
    this.#rows = []
    return rows
  }

  /**
   * @param {string} name
   * @param {string} tag
   */
  #open(name, tag) {
    if (name === 'sheetData') this.#isInSheet = true
    if (!this.#isInSheet) return
    if (name === 'row') this.#beginRow(attribute(tag, 'r'))
    else if (name === 'c') this.#beginCell(attribute(tag, 'r'), attribute(tag, 't'))
    else this.#text.open(name)
  }

  /** @param {string} name */
  #close(name) {
    if (!this.#isInSheet) return
    if (name === 'c') this.#endCell()
    else if (name === 'row') this.#endRow()
    else if (name === 'sheetData') this.#isInSheet = false
    else this.#text.close(name)
  }

  /** @param {string} number '' when the row follows the one before */
  #beginRow(number) {
    const line = number === '' ? this.#line + 1 : Number(number)
    if (!Number.isInteger(line) || line <= this.#line) throw new Fault('damaged')
    if (line > this.#bounds.lines) throw new Fault('lines')
    this.#line = line
    this.#column = 0
    this.#cells = []
  }

  /**
   * @param {string} place such as C5; '' when the cell follows the one before
   * @param {string} kind
   */
  #beginCell(place, kind) {
    const column = place === '' ? this.#column : columnOf(place)
    if (column < this.#column) throw new Fault('damaged')
    this.#column = column
    this.#kind = kind
  }

  #endCell() {
    const value = this.#valueOf(this.#text.take())
    if (value !== '') {
      if (this.#column >= this.#bounds.columns) throw new Fault('columns', this.#line)
      while (this.#cells.length < this.#column) this.#cells.push('')
      this.#cells.push(value)
    }
    this.#column += 1
  }

  /** @param {string} text */
  #valueOf(text) {
    if (this.#kind === 's') {
      const shared = text === '' ? '' : this.#shared[Number(text)]
      if (shared === undefined) throw new Fault('damaged')
      return shared
    }
    if (this.#kind === 'b') return text === '1' ? 'true' : text === '' ? '' : 'false'
    if ((this.#kind !== '' && this.#kind !== 'n') || text.trim() === '') return text
    // 4.49E+11 is how a number of twelve digits may be written.
    const number = Number(text)
    return Number.isNaN(number) ? text : String(number)
  }

  #endRow() {
    if (this.#cells.length > 0) this.#rows.push({ line: this.#line, cells: this.#cells })
    this.#cells = []
  }
}

/** @param {string} place */
function columnOf(place) {
  let column = 0
  for (let at = 0; at < place.length; at += 1) {
    const code = place.charCodeAt(at) | 0x20
    if (code < 0x61 || code > 0x7a) break
    column = column * 26 + (code - 0x60)
  }
  // XFD is the last one that a spreadsheet has.
  if (column < 1 || column > 16_384) throw new Fault('damaged')
  return column - 1
}
