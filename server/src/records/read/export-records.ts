// The export of all records that match the filters, as CSV or Parquet, with the console's columns or chosen ones. It reads
// a page at a time, so that ten million rows need no more memory than a thousand, and no snapshot stays open beside ingest.
import {
  exportColumns,
  parseExportColumns,
  type ExportColumn,
} from '@tollgate/contract/records/export-columns.ts'
import type { RecordFilters, SmsRecord } from '@tollgate/contract/records/records.ts'
import { sql } from 'kysely'
import { csvReply, exportPageRows, type CsvColumn } from '../../files/formats/csv.ts'
import { parquetReply, type ParquetCell } from '../../files/formats/parquet.ts'
import { rows as rowsOf, type Db } from '../../platform/db.ts'
import type { StreamReply } from '../../http/handlers.ts'
import {
  parseMessageId,
  nameColumns,
  nameJoins,
  ownNames,
  type NamedRow,
  byNewest,
  listPositionOf,
  recordColumns,
  type ListPosition,
} from '../../ingest/index.ts'
import type { Condition } from '../query/condition.ts'
import { findPage } from '../search/index.ts'
import { readCells, textsOf, typedColumns, type ColumnDeps } from './read-cells.ts'
import type { ReadDeps } from './list-records.ts'
import { viewRecord } from './record-view.ts'
import { resolveFilters } from './resolve-filters.ts'
import { ownerScope, type Viewer } from './viewer.ts'

// Spec §2: the table's columns; by id, sender and status a row can be found again. Times are ISO 8601 with their zone, for programs.
const consoleColumns: readonly CsvColumn<SmsRecord>[] = [
  ['Date & Time', (record) => record.createdAt],
  ['Range', (record) => record.range],
  ['Number', (record) => record.phoneNumber],
  ['LU', (record) => record.lu],
  ['Client', (record) => record.client],
  ['Bill', (record) => record.bill],
  ['Gateway', (record) => record.gateway],
  ['No Report', (record) => record.noReport],
  ['Client Report', (record) => record.clientReport],
  ['Status', (record) => record.status],
  ['Sender', (record) => record.sender],
  ['Amount USD', (record) => record.amountUsd],
  ['Message ID', (record) => record.messageId],
]

/** The columns that were requested, as the route's text. */
interface Chosen {
  readonly columns?: string | undefined
}

export type ExportDeps = ReadDeps & ColumnDeps

/** Writes pages of records as a file: {@link csvOf} or {@link parquetOf}. */
type Writer = (around: ExportDeps, viewer: Viewer, pages: Pages, columns: string | undefined) => StreamReply

/**
 * Starts the download. Records stored while it runs may be in it or not; none is in it twice. Throws Refusal invalid
 * before the first byte when the filters are wrong.
 */
export async function exportRecords(
  around: ExportDeps,
  viewer: Viewer,
  { columns, ...filters }: RecordFilters & Chosen,
  write: Writer,
): Promise<StreamReply> {
  const condition = await resolveFilters(around.db, viewer, filters, around.clock.now())
  return write(around, viewer, matchingRows(around, condition), columns)
}

/** The same for these message ids, newest first; records that the viewer may not see are left out. */
export async function exportChosenRecords(
  around: ExportDeps,
  viewer: Viewer,
  { ids, columns }: ChosenRecords,
  write: Writer,
): Promise<StreamReply> {
  return write(around, viewer, chosenRows(around.db, viewer, ids), columns)
}

interface ChosenRecords extends Chosen {
  readonly ids: readonly string[]
}

type Pages = AsyncIterable<readonly NamedRow[]>

/** As CSV. */
export const csvOf: Writer = (around, viewer, pages, columns) => {
  const fileName = fileNameOf(around, 'csv')
  const chosen = columns === undefined ? undefined : parseExportColumns(columns)
  if (chosen !== undefined) return csvReply(fileName, chosen, linesOf(around, viewer, pages, chosen))
  return csvReply(
    fileName,
    consoleColumns.map(([title]) => title),
    consoleLines(viewer, pages),
  )
}

/** As Apache Parquet. */
export const parquetOf: Writer = (around, viewer, pages, columns) => {
  const chosen = (columns === undefined ? undefined : parseExportColumns(columns)) ?? exportColumns
  return parquetReply(
    fileNameOf(around, 'parquet'),
    typedColumns(chosen),
    cellsOf(around, viewer, pages, chosen),
  )
}

function fileNameOf({ clock }: ReadDeps, ending: string): string {
  return `sms-records-${clock.now().toISOString().slice(0, 10)}.${ending}`
}

async function* consoleLines(viewer: Viewer, pages: Pages): AsyncGenerator<string[][]> {
  for await (const rows of pages)
    yield rows.map((row) => {
      const record = viewRecord(row, ownNames(row), viewer)
      return consoleColumns.map(([, value]) => value(record))
    })
}

async function* cellsOf(
  around: ColumnDeps,
  viewer: Viewer,
  pages: Pages,
  columns: readonly ExportColumn[],
): AsyncGenerator<ParquetCell[][]> {
  for await (const rows of pages) yield await readCells(around, viewer, columns, rows)
}

async function* linesOf(
  around: ColumnDeps,
  viewer: Viewer,
  pages: Pages,
  columns: readonly ExportColumn[],
): AsyncGenerator<string[][]> {
  for await (const page of cellsOf(around, viewer, pages, columns))
    yield page.map((cells) => textsOf(columns, cells))
}

async function* matchingRows(
  { db, clock }: ReadDeps,
  condition: Condition | undefined,
): AsyncGenerator<NamedRow[]> {
  if (condition === undefined) return
  let after: ListPosition | undefined
  for (;;) {
    const rows = await findPage(db, condition, { after, limit: exportPageRows, now: clock.now() })
    yield rows
    const last = rows.at(-1)
    if (rows.length < exportPageRows || last === undefined) return
    after = listPositionOf(last)
  }
}

/** Each record is found in one partition by its key; unknown ids are left out. */
async function* chosenRows(
  db: Db,
  viewer: Viewer,
  messageIds: readonly string[],
): AsyncGenerator<readonly NamedRow[]> {
  const owner = ownerScope(viewer)
  const places = [...new Set(messageIds)]
    .map(parseMessageId)
    .filter((key) => key !== undefined)
    .map(({ createdAtMs, recordId }): ListPosition => ({ createdAt: new Date(createdAtMs), id: recordId }))
    .toSorted(byNewest)
  for (let from = 0; from < places.length; from += exportPageRows) {
    const page = places.slice(from, from + exportPageRows)
    yield await rowsOf<NamedRow>(
      db,
      sql`select ${recordColumns}, ${nameColumns}
          from unnest(${page.map(({ createdAt }) => createdAt)}::timestamptz[], ${page.map(({ id }) => id)}::bigint[])
            as chosen (at, id)
          join records r on r.created_at = chosen.at and r.id = chosen.id
          ${nameJoins}
          where ${owner === undefined ? sql`true` : sql`r.client_id = ${owner}`}
            and r.created_at between ${page.at(-1)?.createdAt} and ${page[0]?.createdAt}
          order by r.created_at desc, r.id desc`,
    )
  }
}
