// Reads files and pasted text as rows. The content is parsed in processes of their own, with limits of memory, time and
// size, so that no file can stop the messages or end the gateway (decision 40).
import { Refusal } from '@tollgate/contract/errors.ts'
import { sentence } from '@tollgate/contract/sentences.ts'
import type { TableBounds } from './bounds.ts'
import { ReaderProcess, type FileReading, type TableKind, type FileRow } from './reader-process.ts'
import { FairQueue } from '../../platform/load/fair-queue.ts'

export interface TableSource {
  readonly kind: TableKind
  readonly content: Buffer
  readonly bounds: TableBounds
}

/** The person who sent it. */
export interface TableCaller {
  readonly userId: number
  /** Aborted when the caller goes away; the reading then ends. */
  readonly signal: AbortSignal
}

/** A file that is being read. {@link close} must follow. */
export interface Table {
  /** The reading process; for tests that end it. */
  readonly pid: number | undefined
  /**
   * The rows in portions of some hundred; call it once. Throws Refusal: invalid for a wrong file, unprocessable when
   * a limit was passed, unavailable when the process died or the caller is gone.
   */
  rows(): AsyncGenerator<readonly FileRow[], void>
  close(): void
}

export interface TableReader {
  /**
   * Begins to read a file once it is its turn: two are read at a time, of different people. Throws Refusal: too_large
   * for the file's size, too_many while many wait, unavailable when the caller is gone.
   */
  open(source: TableSource, caller: TableCaller): Promise<Table>
}

// Each takes a processor for some seconds, and up to 140 MB (a workbook 280 MB). Two are read, eight wait.
const limits = { runningMax: 2, runningMaxOfKey: 1, waitingMaxOfKey: 3, totalMax: 10 }

/** One for the whole gateway: it keeps count of all files that are being read. */
export function createTableReader(): TableReader {
  const queue = new FairQueue(limits, tooMany)
  const readers = new Set<ReaderProcess>()
  return {
    async open({ kind, content, bounds }, { userId, signal }) {
      if (content.length > bounds.uploadBytes)
        throw new Refusal(
          'too_large',
          sentence('This is more than {count} MB. Import it in parts.', {
            count: Math.round(bounds.uploadBytes / 1_048_576),
          }),
        )
      if (signal.aborted) throw callerGone()
      const leave = await queue.enter({ key: String(userId), signal }).catch((error: unknown) => {
        throw signal.aborted ? callerGone() : error
      })
      try {
        const reader = [...readers].find(({ isFree }) => isFree) ?? startReader(readers)
        return openTable(reader.read(kind, content, bounds), signal, leave)
      } catch (error) {
        leave()
        throw error
      }
    },
  }
}

function startReader(readers: Set<ReaderProcess>): ReaderProcess {
  const reader = new ReaderProcess()
  readers.add(reader)
  void reader.gone.then(() => readers.delete(reader))
  return reader
}

function openTable(reading: FileReading, signal: AbortSignal, leave: () => void): Table {
  const stop = () => void reading.end().then(leave)
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  return {
    pid: reading.pid,
    async *rows() {
      for await (const portion of reading.rows()) {
        if (signal.aborted) throw callerGone()
        yield portion
      }
    },
    close() {
      signal.removeEventListener('abort', stop)
      stop()
    },
  }
}

function tooMany(): Refusal {
  return new Refusal('too_many', 'Too many files wait to be read. Try again in a moment.', {
    retryAfterSeconds: 5,
  })
}

function callerGone(): Refusal {
  return new Refusal('unavailable', 'The call was cancelled before the file was read.')
}
