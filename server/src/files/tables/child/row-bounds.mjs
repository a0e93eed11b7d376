import { Fault } from './fault.mjs'

/**
 * @typedef {object} Bounds the part of ../bounds.ts that a reader holds by itself
 * @property {number} lines
 * @property {number} columns
 * @property {number} lineChars
 * @property {number} cells
 * @property {number} textChars
 * @property {number} unpackedBytes
 * @property {number} unpackedRatio
 * @property {number} archiveEntries
 */

/**
 * @typedef {object} ProcessBounds the part that the process around it holds
 * @property {number} heapMb
 * @property {number} memoryMb
 * @property {number} outputBytes
 * @property {number} processorSeconds
 */

/** @typedef {{ column: number, cell: string, fault: string }} CellFault a cell whose value must not be taken; `cell` is its name, such as C5 */
/** @typedef {{ line: number, cells: string[], faults?: CellFault[] }} Row a cell with a fault is '' */

/** Counts the cells and characters of one file's rows, and throws at the first row that passes a limit. */
export class RowBounds {
  #cells = 0
  #textChars = 0
  #bounds

  /** @param {Bounds} bounds */
  constructor(bounds) {
    this.#bounds = bounds
  }

  /**
   * Throws Fault. Call it before the texts of the row are copied: every cell may share one long text.
   * @param {Row} row
   */
  check({ line, cells }) {
    const bounds = this.#bounds
    if (line > bounds.lines) throw new Fault('lines')
    if (cells.length > bounds.columns) throw new Fault('columns', line)
    let chars = 0
    for (const cell of cells) chars += cell.length
    if (chars > bounds.lineChars) throw new Fault('line_chars', line)
    this.#cells += cells.length
    if (this.#cells > bounds.cells) throw new Fault('cells')
    this.#textChars += chars
    if (this.#textChars > bounds.textChars) throw new Fault('text')
  }
}
