// Runs the process that reads a file, and receives its rows. See child/read-process.mjs.
import { spawn, type ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
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

/** What read-process.mjs ends with when it stops the reading. */
const faultsByStatus: Readonly<Record<number, string>> = {
  70: 'unreadable',
  71: 'memory',
  72: 'time',
  73: 'output',
}

export class ReaderProcess {
  readonly #bounds: TableBounds
  readonly #child: ChildProcess
  readonly #output: PassThrough
  readonly #closed: Promise<string | undefined>
  readonly #timer: NodeJS.Timeout
  #isLate = false

  /** Starts it. {@link end} must follow. */
  constructor(kind: TableKind, content: Buffer, bounds: TableBounds) {
    this.#bounds = bounds
    const request = JSON.stringify({ kind, byteCount: content.length, bounds })
    this.#child = spawn(process.execPath, [...flags, script, request], {
      // An empty environment: no key, no database address.
      env: {},
      stdio: ['pipe', 'pipe', 'ignore'],
      windowsHide: true,
    })
    const { stdin, stdout } = this.#child
    if (stdin === null || stdout === null) throw new Error('The reading process has no pipes')
    // The process may end before it has read the whole file.
    stdin.on('error', () => undefined)
    // stdin stays open: when it closes, the process knows that the gateway is gone.
    stdin.write(content)
    // All rows are buffered here, so that a slow import does not keep the process alive.
    this.#output = stdout.pipe(new PassThrough({ highWaterMark: bounds.outputBytes }))
    this.#closed = new Promise((resolve) => {
      this.#child.once('error', () => resolve(undefined))
      this.#child.once('close', (status, signal) => resolve(faultOf(status, signal)))
    })
    this.#timer = setTimeout(() => {
      this.#isLate = true
      this.#child.kill('SIGKILL')
    }, bounds.seconds * 1_000)
  }

  /** The process's id; undefined when none could be started. */
  get pid(): number | undefined {
    return this.#child.pid
  }

  /**
   * The rows in small portions. Throws Refusal: invalid for a wrong file, unprocessable for a limit, unavailable when
   * it died or got no processor in time.
   */
  async *rows(): AsyncGenerator<readonly FileRow[], void> {
    for await (const text of linesOf(this.#output)) {
      const { rows = [], isEnd, fault, line } = JSON.parse(text) as Portion
      if (fault !== undefined) throw refusalOf(fault, this.#bounds, line)
      if (rows.length > 0) yield rows.map(toFileRow)
      if (isEnd === true) return
    }
    const fault = await this.#closed
    if (fault !== undefined) throw refusalOf(fault, this.#bounds)
    throw new Refusal(
      'unavailable',
      this.#isLate
        ? 'The gateway is too busy to read the file now. Send it again later.'
        : 'The file could not be read to its end. Send it again.',
      { retryAfterSeconds: this.#isLate ? 60 : 5 },
    )
  }

  /** Kills the process and waits until it is gone. */
  async end(): Promise<void> {
    clearTimeout(this.#timer)
    this.#child.kill('SIGKILL')
    // An unread pipe would keep it from closing.
    this.#output.resume()
    await this.#closed
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
function faultOf(status: number | null, signal: NodeJS.Signals | null): string | undefined {
  if (signal === 'SIGABRT' || status === 134) return 'memory'
  return status === null ? undefined : faultsByStatus[status]
}

async function* linesOf(stream: PassThrough): AsyncGenerator<string> {
  let pieces: Buffer[] = []
  for await (const piece of stream as AsyncIterable<Buffer>) {
    let from = 0
    for (let end = piece.indexOf(0x0a); end >= 0; end = piece.indexOf(0x0a, from)) {
      pieces.push(piece.subarray(from, end))
      yield Buffer.concat(pieces).toString('utf8')
      pieces = []
      from = end + 1
    }
    if (from < piece.length) pieces.push(piece.subarray(from))
  }
}
