// A process that reads one file for the gateway: a file that breaks the reader breaks nothing else. This thread watches,
// another one reads. Plain JavaScript: Node runs it as it is, from the sources and beside the bundle alike.
//
// In: the file on stdin, which stays open; when it closes, the gateway is gone or has aborted. Out: lines of JSON on
// stdout. A limit that only this thread can check ends the process with a status of its own; see ../reader-process.ts.
//
// Both threads start with the priority of the gateway, since a start takes the same short time for every file. With a low
// one, a busy machine takes seconds for it. Whatever depends on the file has a low one: messages come first.
import { constants, setPriority } from 'node:os'
import { Worker } from 'node:worker_threads'

const statuses = { unreadable: 70, memory: 71, time: 72, output: 73 }
const lookMs = 20

/** @type {{ kind: string, byteCount: number, bounds: import('./row-bounds.mjs').ProcessBounds }} */
const { kind, byteCount, bounds } = JSON.parse(process.argv[2] ?? '')
const content = new SharedArrayBuffer(byteCount)
const target = new Uint8Array(content)
let received = 0
let written = 0

const worker = new Worker(new URL('read-thread.mjs', import.meta.url), {
  workerData: { content, kind, bounds },
  resourceLimits: { maxOldGenerationSizeMb: bounds.heapMb, maxYoungGenerationSizeMb: 16 },
  stdout: true,
  stderr: true,
})
worker.on('message', (/** @type {Uint8Array | undefined} */ bytes) => {
  if (bytes === undefined) {
    process.stdout.write('', () => process.exit(0))
    return
  }
  written += bytes.length
  if (written > bounds.outputBytes) process.exit(statuses.output)
  process.stdout.write(bytes)
})
worker.on('error', (/** @type {NodeJS.ErrnoException} */ error) => {
  process.exit(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? statuses.memory : statuses.unreadable)
})

process.stdin.on('data', (piece) => {
  target.set(piece, received)
  received += piece.length
  if (received === byteCount) beginReading()
})
process.stdin.on('end', () => process.exit(0))
process.stdout.on('error', () => process.exit(0))
if (byteCount === 0) beginReading()

setInterval(() => {
  if (process.memoryUsage.rss() > bounds.memoryMb * 1_048_576) process.exit(statuses.memory)
  const { user, system } = process.cpuUsage()
  if (user + system > bounds.processorSeconds * 1_000_000) process.exit(statuses.time)
}, lookMs)

function beginReading() {
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
  worker.postMessage(undefined)
}
