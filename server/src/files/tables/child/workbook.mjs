// The first visible sheet of a workbook, .xlsx or .xls, by the library. What that does with a broken file is limited by
// the process around it.
import * as library from '@e965/xlsx'
import { Fault } from './fault.mjs'
import { partsOf, unpack } from './zip.mjs'

// As many as Excel puts into a cell.
const cellChars = 32_767
// In XML; a character has up to ten bytes, as a reference.
const textBytes = cellChars * 10
// A spreadsheet keeps no more digits of a number.
const digits = 15
const roundedFrom = 10 ** digits
// As many as Excel has columns; the shortest cell is <c/>.
const rowCells = 16_384
const rowBytes = rowCells * 4
// What stands behind an attribute of a row in its tag.
const tagBytes = 400

/** @typedef {import('./row-bounds.mjs').Row} Row */
/** @typedef {import('./row-bounds.mjs').Bounds} Bounds */
/** @typedef {import('@e965/xlsx').CellObject} Cell */
/** @typedef {import('@e965/xlsx').ParsingOptions} Options */
/** @typedef {import('@e965/xlsx').WorkBook} Book */
/** @typedef {(options: Options) => Book} Parse */

// Empty cells too, so that a formula without a result is not one of them.
/** @type {Options} */
const plain = { dense: true, sheetStubs: true, cellFormula: false, cellHTML: false, cellText: false }

/**
 * Throws Fault.
 * @param {'xlsx' | 'xls'} kind
 * @param {Buffer} content
 * @param {Bounds} bounds
 * @returns {Generator<Row>}
 */
export function* readWorkbook(kind, content, bounds) {
  const parse = kind === 'xlsx' ? xlsxParser(content, bounds) : xlsParser(content)
  const { lines, isHidden, index } = firstVisible(parse)
  const results = new Results(parse, index)
  for (const [at, cells] of lines.entries()) {
    if (cells === undefined) continue
    const row = rowOf(cells, at, results, bounds)
    // Whether the person means it too is not known: only the rows around it are seen.
    if (isHidden(at) && row.cells.length > 0) throw new Fault('hidden', row.line)
    yield row
  }
}

/**
 * @param {Buffer} content
 * @returns {Parse}
 */
function xlsParser(content) {
  // The format keeps a result with each formula.
  return (options) =>
    readBy('unreadable', () => library.read(content, { ...options, type: 'buffer', cellFormula: false }))
}

/**
 * The archive is unpacked here, each part when it is read: the library knows no bounds.
 * @param {Buffer} content
 * @param {Bounds} bounds
 * @returns {Parse}
 */
function xlsxParser(content, bounds) {
  const parts = partsOf(content, bounds)
  // Without this one the library would look for other formats.
  if (!parts.has('[content_types].xml')) throw new Fault('not_workbook')
  /** @type {{ parse_zip: (archive: object, options: Options) => Book }} */
  const { parse_zip: parse } = /** @type {any} */ (library)
  /** @type {unknown} */
  let fault
  /** @type {{ hidden: true }[]} */
  let hidden = []
  const asNodeBuffer = (/** @type {import('./zip.mjs').Part} */ part) => {
    try {
      const bytes = unpackXml(content, part)
      if (bytes.includes('sheetData')) hidden = hiddenRows(bytes)
      return bytes
    } catch (error) {
      fault ??= error
      throw error
    }
  }
  const files = [...parts]
    .filter(([name]) => isRead(name))
    .map(([name, part]) => [name, { name, asNodeBuffer: () => asNodeBuffer(part) }])
  const archive = { files: Object.fromEntries(files) }
  return (options) => {
    const book = readBy('not_workbook', () => parse(archive, options))
    // The library goes on without a part that it cannot have.
    if (fault !== undefined) throw fault
    const sheet = book.Sheets[book.SheetNames[Number(options.sheets)] ?? '']
    if (sheet !== undefined) sheet['!rows'] = hidden
    return book
  }
}

/**
 * @param {Buffer} content
 * @param {import('./zip.mjs').Part} part
 */
function unpackXml(content, part) {
  const bytes = unpack(content, part)
  if (bytes.includes('<!DOCTYPE')) throw new Fault('document_type')
  // A text of many megabytes is refused before the library makes several copies of it.
  for (let at = 0; at + textBytes <= bytes.length; at += textBytes)
    if (!bytes.subarray(at, at + textBytes).includes('<')) throw new Fault('cell_chars')
  refuseLongRows(bytes)
  return bytes
}

/**
 * Throws for a row that no spreadsheet can have, before the library makes an object of each of its cells.
 * @param {Buffer} bytes
 */
function refuseLongRows(bytes) {
  let line = 0
  for (let at = bytes.indexOf('<row'); at >= 0;) {
    line += 1
    const next = bytes.indexOf('<row', at + 1)
    const row = bytes.subarray(at, next < 0 ? undefined : next)
    if (row.length >= rowBytes && countOf(row, '<c') > rowCells) throw new Fault('columns', line)
    at = next
  }
}

/**
 * @param {Buffer} bytes
 * @param {string} text
 */
function countOf(bytes, text) {
  let count = 0
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1)) count += 1
  return count
}

/**
 * Which rows of a sheet are hidden. The library tells it only together with the style of each cell.
 * @param {Buffer} bytes
 */
function hiddenRows(bytes) {
  /** @type {{ hidden: true }[]} */
  const rows = []
  for (let at = bytes.indexOf('hidden='); at >= 0; at = bytes.indexOf('hidden=', at + 1)) {
    const tag =
      bytes
        .subarray(bytes.lastIndexOf('<', at), at + tagBytes)
        .toString('latin1')
        .split('>', 1)[0] ?? ''
    if (!/^<(?:\w+:)?row\s/.test(tag) || !/\shidden=["'](?:1|true)["']/.test(tag)) continue
    const line = /\sr=["'](\d{1,7})["']/.exec(tag)?.[1]
    rows[line === undefined ? countOf(bytes.subarray(0, at), '<row') - 1 : Number(line) - 1] = {
      hidden: true,
    }
  }
  return rows
}

/** @param {string} name */
function isRead(name) {
  return /\.(?:xml|rels)$/.test(name) && !/^(?:meta-inf\/|objectdata\.xml$)/.test(name)
}

/**
 * @param {string} fault what an error of the library means
 * @param {() => Book} parse
 */
function readBy(fault, parse) {
  try {
    return parse()
  } catch (error) {
    if (error instanceof Fault) throw error
    throw new Fault(/password/i.test(String(error)) ? 'protected' : fault)
  }
}

/** @param {Parse} parse */
function firstVisible(parse) {
  for (let index = 0; ; index += 1) {
    const book = parse({ ...plain, cellDates: true, cellFormula: true, sheets: index })
    const name = book.SheetNames[index]
    if (name === undefined) return { lines: [], isHidden: () => false, index }
    if (book.Workbook?.Sheets?.[index]?.Hidden) continue
    const sheet = book.Sheets[name]
    if (sheet === undefined) throw new Fault('damaged')
    // Charts are sheets too.
    if ((sheet['!type'] ?? 'sheet') !== 'sheet') continue
    const rows = sheet['!rows'] ?? []
    return {
      lines: linesOf(book, index),
      isHidden: (/** @type {number} */ at) => rows[at]?.hidden === true,
      index,
    }
  }
}

/**
 * @param {Book} book
 * @param {number} index
 * @returns {(Cell | undefined)[][]} with holes
 */
function linesOf(book, index) {
  return book.Sheets[book.SheetNames[index] ?? '']?.['!data'] ?? []
}

/** Which formulas have a stored result: read with them, the library gives 0 for none. */
class Results {
  #parse
  #index
  /** @type {ReturnType<typeof linesOf> | undefined} */
  #lines

  /**
   * @param {Parse} parse
   * @param {number} index
   */
  constructor(parse, index) {
    this.#parse = parse
    this.#index = index
  }

  /**
   * @param {number} line
   * @param {number} column
   */
  has(line, column) {
    this.#lines ??= linesOf(this.#parse({ ...plain, sheets: this.#index }), this.#index)
    const cell = this.#lines[line]?.[column]
    return cell !== undefined && cell.t !== 'z'
  }
}

/**
 * @param {(Cell | undefined)[]} cells with holes
 * @param {number} at
 * @param {Results} results
 * @param {Bounds} bounds
 * @returns {Row}
 */
function rowOf(cells, at, results, bounds) {
  /** @type {string[]} */
  const texts = []
  /** @type {import('./row-bounds.mjs').CellFault[]} */
  const faults = []
  for (const [column, cell] of cells.entries()) {
    const fault = cell === undefined ? undefined : faultOf(cell, () => results.has(at, column))
    const text = fault === undefined ? textOf(cell) : ''
    if (text === '' && fault === undefined) continue
    if (column >= bounds.columns) throw new Fault('columns', at + 1)
    while (texts.length < column) texts.push('')
    texts.push(text)
    if (fault !== undefined)
      faults.push({ column, fault, cell: library.utils.encode_cell({ r: at, c: column }) })
  }
  return { line: at + 1, cells: texts, ...(faults.length > 0 && { faults }) }
}

/**
 * @param {Cell} cell
 * @param {() => boolean} hasResult
 */
function faultOf(cell, hasResult) {
  if (cell.t === 'e') return 'error'
  if (cell.t === 'd') return 'date'
  if (cell.t === 'n' && Math.abs(Number(cell.v)) >= roundedFrom) return 'rounded'
  if ((cell.f ?? cell.F) === undefined) return undefined
  return cell.t === 'z' || (cell.v === 0 && !hasResult()) ? 'no_result' : undefined
}

/** @param {Cell | undefined} cell */
function textOf(cell) {
  if (cell?.v === undefined) return ''
  // Not its display text, which may be 4.49E+11.
  const text = cell.t === 'n' && !Number.isInteger(cell.v) ? inFewerDigits(Number(cell.v)) : String(cell.v)
  if (text.length > cellChars) throw new Fault('cell_chars')
  return text
}

/**
 * What a person sees where 0.30000000000000004 is stored.
 * @param {number} value
 */
function inFewerDigits(value) {
  return String(Number(value.toPrecision(digits)))
}
