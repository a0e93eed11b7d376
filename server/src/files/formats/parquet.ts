// Apache Parquet, written in a thread of its own: encoding a row group takes 0.1 s, in which no message would be answered.
import { once } from 'node:events'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { StreamReply } from '../../http/handlers.ts'
import { projectRoot } from '../../platform/process/project.ts'

/** text: a string. count: a whole number. time: milliseconds since 1970. money: millionths. */
export interface ParquetColumn {
  readonly name: string
  readonly type: 'text' | 'count' | 'time' | 'money'
}

/** A value of a row; null when it has none. */
export type ParquetCell = string | number | bigint | null

/** Pages of rows. */
export type ParquetPages = AsyncIterable<readonly (readonly ParquetCell[])[]>

// The script is read from the sources, as the migrations are.
const script = join(projectRoot, 'server', 'src', 'files', 'formats', 'parquet-thread.mjs')
// A row group and its encoded form need some 60 MB, the footer of ten million rows 35 MB; a fault ends the thread alone.
const heapMb = 448

/** What the thread answers to each message: what it has written since the last one. */
type Written = Uint8Array | null

/** The bytes of a file with these rows, page after page, no faster than the reader takes them. */
export async function* parquetOf(
  columns: readonly ParquetColumn[],
  pages: ParquetPages,
): AsyncGenerator<Buffer> {
  const worker = new Worker(script, {
    workerData: { columns },
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: 8 },
  })
  const ended = new AbortController()
  // A fault between two answers must not end the gateway, nor leave the next exchange waiting for ever.
  worker.on('error', (fault) => ended.abort(fault)).on('exit', () => ended.abort())
  try {
    for await (const rows of pages) {
      const written = await exchange(worker, rows, ended.signal)
      if (written !== undefined) yield written
    }
    const rest = await exchange(worker, null, ended.signal)
    if (rest !== undefined) yield rest
  } finally {
    await worker.terminate()
  }
}

/** Sends rows, or null for the end. Throws what the thread failed with. */
async function exchange(
  worker: Worker,
  rows: readonly (readonly ParquetCell[])[] | null,
  signal: AbortSignal,
): Promise<Buffer | undefined> {
  const answer = once(worker, 'message', { signal })
  worker.postMessage(rows)
  const [written] = (await answer) as [Written]
  return written === null ? undefined : Buffer.from(written.buffer, written.byteOffset, written.byteLength)
}

/** A download of this name. */
export function parquetReply(
  fileName: string,
  columns: readonly ParquetColumn[],
  pages: ParquetPages,
): StreamReply {
  return { contentType: 'application/vnd.apache.parquet', fileName, stream: parquetOf(columns, pages) }
}
