// Loaded into a gateway before its own code (`node --import`): its wall clock is off by as many milliseconds as a file
// says, and steps when the file changes, as a clock does that somebody sets. The monotonic clock goes on, as it would.
import { readFileSync, watchFile } from 'node:fs'

const path = process.env['DRILL_CLOCK_FILE'] ?? ''
const lookEveryMs = 50
const TrueDate = Date
let offMs = 0

const read = () => {
  offMs = Number(readFileSync(path, 'utf8'))
}

class SkewedDate extends TrueDate {
  constructor(...given: [] | [number | string | Date]) {
    if (given.length === 0) super(TrueDate.now() + offMs)
    else super(...(given as [number]))
  }
  static override now(): number {
    return TrueDate.now() + offMs
  }
}

if (path !== '') {
  read()
  watchFile(path, { interval: lookEveryMs, persistent: false }, read)
  globalThis.Date = SkewedDate as DateConstructor
}
