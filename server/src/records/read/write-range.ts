// The content of a CDR file: all records of a range of the log, or received in a time, oldest first, as CSV or Parquet.
import { setTimeout as sleep } from 'node:timers/promises'
import type { ExportColumn } from '@tollgate/contract/records/export-columns.ts'
import { csvOf, exportPageRows } from '../../files/formats/csv.ts'
import { parquetOf, type ParquetCell } from '../../files/formats/parquet.ts'
import type { HeavyPace } from '../../platform/load/heavy-work.ts'
import {
  readLogRange,
  readTime,
  type LogRange,
  type ReceivedTime,
  type RangeFilter,
  messageIdOf,
  type NamedRow,
} from '../../ingest/index.ts'
import { readCells, textsOf, typedColumns, type ColumnDeps } from './read-cells.ts'
import type { Viewer } from './viewer.ts'

export interface RangeDeps extends ColumnDeps {
  /** How the work makes room for messages; undefined: not at all. */
  readonly pace?: HeavyPace | undefined
}

export interface RangeContent extends RangeFilter {
  readonly range: LogRange | ReceivedTime
  readonly format: 'csv' | 'parquet'
  readonly columns: readonly ExportColumn[]
}

/** What was written so far. */
export interface RangeSummary {
  count: number
  /** The message ids of the first and the last record; undefined when there is none. */
  first: string | undefined
  last: string | undefined
  /** What they earned, in millionths of USD. */
  amountMicro: bigint
  /** Of a time: the sum of the times of their last change, in microseconds. */
  updatedSum: bigint
}

// Background work rests no longer after a page than heavy calls do.
const restMaxMs = 500
const staff: Viewer = { userId: 0, role: 'admin' }

/**
 * The bytes, in parts, and the summary that grows with them. A file of one client says what that client may see. It throws
 * RecordsGone on the way when a record of the range is missing.
 */
export function writeRange(
  around: RangeDeps,
  content: RangeContent,
): { readonly parts: AsyncGenerator<string | Buffer>; readonly summary: RangeSummary } {
  const summary: RangeSummary = {
    count: 0,
    first: undefined,
    last: undefined,
    amountMicro: 0n,
    updatedSum: 0n,
  }
  const pages = cellsOf(around, content, summary)
  const { columns, format } = content
  const parts =
    format === 'parquet' ? parquetOf(typedColumns(columns), pages) : csvOf(columns, linesOf(columns, pages))
  return { parts, summary }
}

async function* cellsOf(
  around: RangeDeps,
  { range, columns, clientId, gatewayId }: RangeContent,
  summary: RangeSummary,
): AsyncGenerator<ParquetCell[][]> {
  const viewer: Viewer = clientId === null ? staff : { userId: clientId, role: 'user' }
  const rows =
    'fromXid' in range
      ? readLogRange(around.db, range, { clientId, gatewayId }, exportPageRows)
      : readTime(around.db, range, exportPageRows, (sum) => (summary.updatedSum += sum))
  for await (const page of paced(rows, around.pace)) {
    count(summary, page)
    yield await readCells(around, viewer, columns, page)
  }
}

async function* linesOf(
  columns: readonly ExportColumn[],
  pages: AsyncIterable<ParquetCell[][]>,
): AsyncGenerator<string[][]> {
  for await (const page of pages) yield page.map((cells) => textsOf(columns, cells))
}

function count(summary: RangeSummary, page: readonly NamedRow[]): void {
  const idOf = (row: NamedRow | undefined) =>
    row && messageIdOf({ createdAtMs: row.created_at.getTime(), recordId: Number(row.id) })
  summary.count += page.length
  summary.first ??= idOf(page[0])
  summary.last = idOf(page.at(-1)) ?? summary.last
  summary.amountMicro += page.reduce((sum, { amount_micro: amount }) => sum + BigInt(amount), 0n)
}

/** The same pages; each is read and used in its turn, with a rest after it. */
async function* paced<T>(pages: AsyncIterable<T>, pace: HeavyPace | undefined): AsyncGenerator<T> {
  let startedAtMs = performance.now()
  for await (const page of pages) {
    yield page
    const restMs = Math.min(restMaxMs, pace?.restMs(performance.now() - startedAtMs) ?? 0)
    if (restMs >= 1) await sleep(restMs)
    await pace?.next()
    startedAtMs = performance.now()
  }
}
