// Runs the process that reads files, and receives their rows. See child/read-process.mjs.
import { spawn, type ChildProcess } from 'node:child_process'
import { on } from 'node:events'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { Refusal } from '@tollgate/contract/errors.ts'
import type { Words } from '@tollgate/contract/sentences.ts'
import { projectRoot } from '../../platform/process/project.ts'
import type { TableBounds } from './bounds.ts'
import { cellFaultOf, refusalOf } from './faults.ts'

/** A line of the file; never one of empty cells alone. */
export interface FileRow {
  /** As a text editor counts them, the first is 1; of a workbook the number beside the row. */
  readonly line: number
  readonly cells: readonly string[]
  /** Cells of a workbook whose values are not taken; their texts are empty. */
  readonly faults?: readonly CellFault[]
}

export interface CellFault {
  /** Its place among the cells. */
  readonly column: number
  readonly fault: Words
}

export type TableKind = 'csv' | 'xlsx' | 'xls'

interface Portion {
  readonly rows?: readonly (readonly [
    line: number,
    cells: readonly string[],
    faults?: readonly { readonly column: number; readonly cell: string; readonly fault: string }[],
  ])[]
  readonly isEnd?: boolean
  readonly fault?: string
  readonly line?: number
}

// The sources are always there: migrations are read from them too.
const script = join(projectRoot, 'server', 'src', 'files', 'tables', 'child', 'read-process.mjs')

// The collector works in the thread that reads: only that one has its priority lowered.
const flags = ['--max-semi-space-size=4', '--single-threaded-gc', '--no-concurrent-recompilation']

// A person imports several files within that time; the processes of a flood need not start again.
const idleMs = 10_000
// All of it at once would be copied in one turn of the event loop, and no message would be read meanwhile.
const pieceBytes = 128 * 1024
// A thread that is told to stop does so at once, unless it waits for a processor.
const stopMs = 3_000

/**
 * Reads files, one after the other. A start takes 50 ms of a processor, and stops the event loop until the new process
 * has a processor, so it is not done for each file.
 */
export class ReaderProcess {
  readonly #child: ChildProcess
  /** Settles when it is gone, with what its end says of the file. */
  readonly gone: Promise<string | undefined>
  /** The file that it has, until it is free. */
  #reading: FileReading | undefined
  /** Aborted when the file need not be sent on. */
  #sending = new AbortController()
  #idle: NodeJS.Timeout | undefined
  /** It lives on for a moment, and may say in it that it is free. */
  #isKilled = false

  constructor() {
    this.#child = spawn(process.execPath, [...flags, script], {
      // An empty environment: no key, no database address.
      env: {},
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      serialization: 'advanced',
      windowsHide: true,
    })
    this.gone = new Promise((resolve) => {
      this.#child.once('error', () => resolve(undefined))
      this.#child.once('exit', (status, signal) => resolve(faultOf(status, signal)))
    })
    void this.gone.then(() => clearTimeout(this.#idle))
    // It ends when the gateway does, and is no reason for it to go on.
    this.#child.unref()
    this.#child.channel?.unref()
  }

  /** Whether {@link read} may be called. */
  get isFree(): boolean {
    return this.#reading === undefined && this.#child.connected && !this.#isKilled
  }

  /** The process's id; undefined when none could be started. */
  get pid(): number | undefined {
    return this.#child.pid
  }

  /** Begins to read a file. {@link FileReading.end} must follow. */
  read(kind: TableKind, content: Buffer, bounds: TableBounds): FileReading {
    clearTimeout(this.#idle)
    const freed = new Promise<'free'>((resolve) => {
      const hear = (message: unknown) => {
        if (message !== 'free') return
        this.#child.off('message', hear)
        this.#reading = undefined
        this.#idle = setTimeout(() => this.kill(), idleMs).unref()
        resolve('free')
      }
      this.#child.on('message', hear)
    })
    const messages = on(this.#child, 'message', { close: ['disconnect'] })
    this.#sending = new AbortController()
    void this.#sendFile(this.#sending.signal, kind, content, bounds)
    const over = Promise.race([freed, this.gone.then(() => 'gone' as const)])
    this.#reading = new FileReading(this, bounds, messages, over)
    return this.#reading
  }

  /** Ends this reading, unless it is over: the next file may have begun. {@link isFree} follows soon. */
  stop(reading: FileReading): void {
    if (this.#reading !== reading) return
    this.#sending.abort()
    void this.#send('stop')
  }

  /** The content follows in pieces, each when the one before is on its way. */
  async #sendFile(isOver: AbortSignal, kind: TableKind, content: Buffer, bounds: TableBounds): Promise<void> {
    await this.#send({ kind, bytes: content.length, bounds })
    for (let at = 0; at < content.length && this.#child.connected && !isOver.aborted; at += pieceBytes) {
      await this.#send(content.subarray(at, at + pieceBytes))
      await setImmediate()
    }
  }

  /** Settles when the message is on its way. Whatever fails here ends the process too. */
  #send(message: object | string): Promise<void> {
    return new Promise((resolve) => {
      if (this.#child.connected) this.#child.send(message, () => resolve())
      else resolve()
    })
  }

  kill(): void {
    this.#isKilled = true
    this.#child.kill('SIGKILL')
  }
}

/** A file that is being read. */
export class FileReading {
  readonly #process: ReaderProcess
  readonly #bounds: TableBounds
  readonly #messages: AsyncIterableIterator<unknown[]>
  /** Settles when the process is free or gone. */
  readonly #over: Promise<'free' | 'gone'>
  readonly #timer: NodeJS.Timeout
  #isLate = false
  #ending: Promise<void> | undefined

  constructor(
    process: ReaderProcess,
    bounds: TableBounds,
    messages: AsyncIterableIterator<unknown[]>,
    over: Promise<'free' | 'gone'>,
  ) {
    this.#process = process
    this.#bounds = bounds
    this.#messages = messages
    this.#over = over
    this.#timer = setTimeout(() => {
      this.#isLate = true
      process.kill()
    }, bounds.seconds * 1_000)
  }

  get pid(): number | undefined {
    return this.#process.pid
  }

  /**
   * The rows in small portions. Throws Refusal: invalid for a wrong file, unprocessable for a limit, unavailable when
   * the process died or got no processor in time.
   */
  async *rows(): AsyncGenerator<readonly FileRow[], void> {
    // All that has come waits here, so that a slow import does not keep the process.
    for await (const [message] of this.#messages) {
      if (!(message instanceof Uint8Array)) break
      const { rows = [], isEnd, fault, line } = JSON.parse(Buffer.from(message).toString()) as Portion
      if (fault !== undefined) throw refusalOf(fault, this.#bounds, line)
      if (rows.length > 0) yield rows.map(toFileRow)
      if (isEnd === true) return
    }
    const fault = (await this.#over) === 'free' ? undefined : await this.#process.gone
    if (fault !== undefined) throw refusalOf(fault, this.#bounds)
    throw new Refusal(
      'unavailable',
      this.#isLate
        ? 'The gateway is too busy to read the file now. Send it again later.'
        : 'The file could not be read to its end. Send it again.',
      { retryAfterSeconds: this.#isLate ? 60 : 5 },
    )
  }

  /** Ends the reading; resolves when its process is free, or gone. */
  end(): Promise<void> {
    this.#ending ??= this.#end()
    return this.#ending
  }

  async #end(): Promise<void> {
    clearTimeout(this.#timer)
    void this.#messages.return?.()
    this.#process.stop(this)
    const killing = setTimeout(() => this.#process.kill(), stopMs)
    await this.#over
    clearTimeout(killing)
  }
}

function toFileRow([line, cells, faults]: NonNullable<Portion['rows']>[number]): FileRow {
  if (faults === undefined) return { line, cells }
  return {
    line,
    cells,
    faults: faults.map(({ column, cell, fault }) => ({ column, fault: cellFaultOf(fault, cell) })),
  }
}

/** V8 itself ends a process whose heap is full, with SIGABRT. Any other signal came from outside. */
const faultOf = (status: number | null, signal: NodeJS.Signals | null) =>
  signal === 'SIGABRT' || status === 134 ? 'memory' : undefined
