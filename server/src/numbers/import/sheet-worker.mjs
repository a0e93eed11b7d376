// Turns the first sheet of a workbook into CSV text. A thread of its own: it blocks for seconds, and its memory has a
// limit. Plain JavaScript, since a thread loads its file by itself, without the bundle around it.
import { parentPort, workerData } from 'node:worker_threads'
import { read, utils } from '@e965/xlsx'

/** @type {{ content: Uint8Array, linesMax: number, columnsMax: number }} */
const { content, linesMax, columnsMax } = workerData

const workbook = read(content, {
  type: 'buffer',
  dense: true,
  cellFormula: false,
  cellHTML: false,
  cellText: false,
  // One more than allowed, so that a sheet with too many lines is told.
  sheetRows: linesMax + 2,
})
const [name] = workbook.SheetNames
const sheet = name === undefined ? undefined : workbook.Sheets[name]
if (sheet?.['!ref']) {
  const used = utils.decode_range(sheet['!ref'])
  used.s = { r: 0, c: 0 }
  used.e.c = Math.min(used.e.c, columnsMax - 1)
  sheet['!ref'] = utils.encode_range(used)
}
// Raw: a number of twelve digits is not to become 4.49E+11.
const lines =
  sheet === undefined ? [] : utils.sheet_to_json(sheet, { header: 1, raw: true, defval: '', blankrows: true })
const text = lines
  .map((cells) => cells.map((cell) => `"${String(cell).replaceAll('"', '""')}"`).join(','))
  .join('\n')
const bytes = new TextEncoder().encode(text)
parentPort?.postMessage(bytes, [bytes.buffer])
