// The first sheet of a .xls workbook (Excel 97 to 2003). Such a file is not compressed, so its own size is the limit;
// what the library does with a broken file is limited by the process around it.
import { read } from '@e965/xlsx'
import { Fault } from './fault.mjs'

/**
 * Throws Fault, and what the library throws.
 * @param {Buffer} content
 * @param {import('./row-bounds.mjs').Bounds} bounds
 * @returns {Generator<import('./row-bounds.mjs').Row>}
 */
export function* readXls(content, bounds) {
  const workbook = read(content, {
    type: 'buffer',
    dense: true,
    cellFormula: false,
    cellHTML: false,
    cellText: false,
    // One more than allowed, so that a sheet with too many lines is noticed.
    sheetRows: bounds.lines + 1,
  })
  const [name] = workbook.SheetNames
  const sheet = name === undefined ? undefined : workbook.Sheets[name]
  if (sheet === undefined) throw new Fault('not_workbook')
  const lines = sheet['!data'] ?? []
  for (let index = 0; index < lines.length; index += 1) {
    const cells = lines[index] ?? []
    if (cells.length > bounds.columns) throw new Fault('columns', index + 1)
    // A number of twelve digits must not become 4.49E+11, so the value is read and not its display text.
    const texts = Array.from(cells, (cell) => (cell?.v === undefined ? '' : String(cell.v)))
    if (texts.some((text) => text !== '')) yield { line: index + 1, cells: texts }
  }
}
