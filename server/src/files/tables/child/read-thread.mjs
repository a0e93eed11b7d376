// Reads one file and posts its rows in small portions, as octets of JSON. See read-process.mjs.
import { constants, setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { readCsv } from './csv.mjs'
import { Fault } from './fault.mjs'
import { RowBounds } from './row-bounds.mjs'

// The gateway parses such a portion in some tenths of a millisecond.
const portionRows = 200
const portionChars = 16_384

/** @type {{ content: SharedArrayBuffer, kind: 'csv' | 'xlsx' | 'xls', bounds: import('./row-bounds.mjs').Bounds }} */
const { content, kind, bounds } = workerData
const encoder = new TextEncoder()

/** @param {object} message */
function post(message) {
  const bytes = encoder.encode(JSON.stringify(message))
  parentPort?.postMessage(bytes, [bytes.buffer])
}

/**
 * Makes a row at least as wide as the first one, and returns the width of that.
 * @param {import('./row-bounds.mjs').Row} row
 * @param {number} width 0 before the first
 */
function widen({ cells }, width) {
  while (cells.length < width) cells.push('')
  return width === 0 ? cells.length : width
}

/** @returns {Promise<(bytes: Buffer) => Iterable<import('./row-bounds.mjs').Row>>} */
async function readerOf() {
  if (kind === 'csv') return (bytes) => readCsv(bytes, bounds)
  // Only when it is needed: the library takes a while to load.
  const { readWorkbook } = await import('./workbook.mjs')
  return (bytes) => readWorkbook(kind, bytes, bounds)
}

// On Linux this is the priority of this thread alone.
setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
const read = await readerOf()
try {
  const counted = new RowBounds(bounds)
  /** @type {[number, string[], import('./row-bounds.mjs').CellFault[]?][]} */
  let portion = []
  let chars = 0
  let width = 0
  for (const row of read(Buffer.from(content))) {
    counted.check(row)
    if (row.faults === undefined && row.cells.every((cell) => cell === '')) continue
    // A sheet does not hold the empty cells at the end of its rows; a text does.
    if (kind !== 'csv') width = widen(row, width)
    portion.push(row.faults === undefined ? [row.line, row.cells] : [row.line, row.cells, row.faults])
    for (const cell of row.cells) chars += cell.length
    if (portion.length < portionRows && chars < portionChars) continue
    post({ rows: portion })
    portion = []
    chars = 0
  }
  post({ rows: portion, isEnd: true })
} catch (error) {
  if (!(error instanceof Fault)) throw error
  post({ fault: error.code, line: error.line })
}
