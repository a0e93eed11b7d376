// A process that reads files for the gateway, one after the other: a file that breaks the reader breaks nothing else. This
// thread watches, another one reads, a new one for each file. Plain JavaScript: Node runs it as it is, from the sources
// and beside the bundle alike.
//
// In: a message for each file, then its content in pieces; 'stop' ends the reading of the present one. Out: portions of its
// rows as octets of JSON, then 'free' when the next file may come, or 'last' when this process has grown and ends. A file
// that breaks a limit that only this thread can check ends the process, and so does the end of the gateway.
//
// This thread and the start of the other one have the priority of the gateway, since they take the same short time for every
// file. With a low one, a busy machine takes seconds for it. Reading has a low one: messages come first.
import { Worker } from 'node:worker_threads'

const lookMs = 20
// With a new thread at work it takes some 60 MB. Memory that a file has left behind would count against the next one.
const grownMb = 90

/** @typedef {import('./row-bounds.mjs').ProcessBounds} ProcessBounds */
/** @typedef {{ readonly kind: string, readonly bytes: number, readonly bounds: ProcessBounds }} Job */
/** @type {Worker | undefined} */
let worker
/**
 * A file whose content is coming.
 * @type {{ readonly job: Job, readonly content: Uint8Array<SharedArrayBuffer>, at: number } | undefined}
 */
let coming

/** @param {Job | Uint8Array | 'stop'} message */
function take(message) {
  if (message === 'stop') stop()
  else if (message instanceof Uint8Array) add(message)
  else {
    coming = { job: message, content: new Uint8Array(new SharedArrayBuffer(message.bytes)), at: 0 }
    readWhenWhole()
  }
}

function stop() {
  if (coming !== undefined) tell('free')
  coming = undefined
  void worker?.terminate()
}

/** @param {Uint8Array} piece */
function add(piece) {
  if (coming === undefined) return
  coming.content.set(piece, coming.at)
  coming.at += piece.length
  readWhenWhole()
}

function readWhenWhole() {
  if (coming === undefined || coming.at < coming.job.bytes) return
  const { job, content } = coming
  coming = undefined
  read(job, content.buffer)
}

/**
 * @param {Job} job
 * @param {SharedArrayBuffer} shared
 */
function read({ kind, bounds }, shared) {
  let written = 0
  const usedBefore = usedMicroseconds()
  const watch = setInterval(() => {
    if (residentMb() > bounds.memoryMb) endBy('memory')
    else if (usedMicroseconds() - usedBefore > bounds.processorSeconds * 1_000_000) endBy('time')
  }, lookMs)
  worker = new Worker(new URL('read-thread.mjs', import.meta.url), {
    workerData: { content: shared, kind, bounds },
    resourceLimits: { maxOldGenerationSizeMb: bounds.heapMb, maxYoungGenerationSizeMb: 16 },
    stdout: true,
    stderr: true,
  })
  worker.on('message', (/** @type {Uint8Array} */ portion) => {
    written += portion.length
    if (written > bounds.outputBytes) endBy('output')
    else tell(portion)
  })
  worker.on('error', (/** @type {NodeJS.ErrnoException} */ error) =>
    tell(faultOf(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'memory' : 'unreadable')),
  )
  worker.on('exit', () => {
    clearInterval(watch)
    worker = undefined
    // What a busy gateway has not read yet would be lost with the channel.
    if (residentMb() > grownMb) tell('last', () => process.disconnect())
    else tell('free')
  })
  /** @param {string} fault */
  function endBy(fault) {
    clearInterval(watch)
    worker?.removeAllListeners()
    tell(faultOf(fault), () => process.exit(0))
  }
}

/** When the gateway has gone this process ends, and nobody need hear of it. */
function tell(/** @type {Uint8Array | string} */ message, done = () => {}) {
  process.send?.(message, undefined, undefined, done)
}

const residentMb = () => process.memoryUsage.rss() / 1_048_576

function usedMicroseconds() {
  const { user, system } = process.cpuUsage()
  return user + system
}

/** @param {string} fault */
const faultOf = (fault) => new TextEncoder().encode(JSON.stringify({ fault }))

process.on('message', take)
process.on('disconnect', () => process.exit(0))
