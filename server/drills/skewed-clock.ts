// Loaded into a gateway before its own code (`node --import`): shifts its wall clock by the milliseconds in a file, and
// steps when the file changes. The monotonic clock is not affected.
import { readFileSync, watchFile } from 'node:fs'

const path = process.env['DRILL_CLOCK_FILE'] ?? ''
const checkEveryMs = 50
const TrueDate = Date
let offMs = 0

const read = () => {
  offMs = Number(readFileSync(path, 'utf8'))
}

class SkewedDate extends TrueDate {
  constructor(...args: [] | [number | string | Date]) {
    if (args.length === 0) super(TrueDate.now() + offMs)
    else super(...(args as [number]))
  }
  static override now(): number {
    return TrueDate.now() + offMs
  }
}

if (path !== '') {
  read()
  watchFile(path, { interval: checkEveryMs, persistent: false }, read)
  globalThis.Date = SkewedDate as DateConstructor
}
