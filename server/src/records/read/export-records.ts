// The export of all records that match the filters, as CSV with the console's columns or chosen ones. It reads a page at a time, so that
// ten million rows need no more memory than a thousand, and no snapshot stays open beside ingest.
import {
  parseExportColumns,
  type ExportColumn,
  type RecordFilters,
  type SmsRecord,
} from '@tollgate/contract/records.ts'
import { settlements } from '@tollgate/contract/vocabulary.ts'
import { sql } from 'kysely'
import { csvReply, exportPageRows } from '../../platform/formats/csv.ts'
import { rows as rowsOf, type Db } from '../../platform/db.ts'
import type { StreamReply } from '../../platform/http/handlers.ts'
import { parseMessageId } from '../message-id.ts'
import { wordAt } from '../query/codes.ts'
import type { Condition } from '../query/condition.ts'
import { findPage } from '../search/index.ts'
import type { ReadDeps } from './list-records.ts'
import { nameColumns, nameJoins, ownNames, type NamedRow } from '../query/names.ts'
import { byNewest, listPositionOf, recordColumns, type ListPosition } from '../query/record-row.ts'
import { viewRecord } from './record-view.ts'
import { resolveFilters } from './resolve-filters.ts'
import { ownerScope, type Viewer } from './viewer.ts'

const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const

// Spec §2: the table's columns; by id, sender and status a row can be found again.
const consoleColumns: readonly ExportedColumn[] = [
  ['Date & Time', (record) => formatTime(record.createdAt)],
  ['Range', (record) => record.range],
  ['Number', (record) => record.phoneNumber],
  ['LU', (record) => formatTime(record.lu)],
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

const orEmpty = (value: number | null | undefined) => (value == null ? '' : String(value))

type ExportedColumn = readonly [string, (record: SmsRecord, row: NamedRow) => string]

// Chosen columns are for programs: times are ISO 8601 in UTC with milliseconds.
const columnValues: Record<ExportColumn, (record: SmsRecord, row: NamedRow) => string> = {
  messageId: (record) => record.messageId,
  createdAt: (record) => record.createdAt,
  lu: (record) => record.lu,
  phoneNumber: (record) => record.phoneNumber,
  name: (record) => record.name,
  sender: (record) => record.sender,
  range: (record) => record.range,
  client: (record) => record.client,
  gateway: (record) => record.gateway,
  source: (record) => record.source,
  dataCoding: (record) => orEmpty(record.dataCoding),
  partReference: (record) => orEmpty(record.part?.reference),
  partTotal: (record) => orEmpty(record.part?.total),
  partPosition: (record) => orEmpty(record.part?.position),
  smsCount: (record) => String(record.smsCount),
  status: (record) => record.status,
  noReport: (record) => record.noReport,
  clientReport: (record) => record.clientReport,
  bill: (record) => record.bill,
  amountUsd: (record) => record.amountUsd,
  settlement: (_, row) => wordAt(settlements, row.settlement),
  // As the filter `period` takes it: a client's, or the cycle when nobody held the number.
  period: (_, row) => [row.cycle_id, ...(row.client_id === null ? [] : [row.client_id])].join('-'),
}

/** dd/mm/yyyy | HH:mm with a short weekday, UTC, as the console writes it. Spec §2. */
function formatTime(iso: string): string {
  const [year = '', month = '', day = ''] = iso.slice(0, 10).split('-')
  return `${day}/${month}/${year} | ${iso.slice(11, 16)} ${weekdays[new Date(iso).getUTCDay()] ?? ''}`
}

/**
 * Starts the download. Records stored while it runs may be in it or not; none is in it twice. Throws Refusal invalid
 * before the first byte when the filters are wrong.
 */
export async function exportRecords(
  around: ReadDeps,
  viewer: Viewer,
  { columns, ...filters }: RecordFilters & { readonly columns?: string | undefined },
): Promise<StreamReply> {
  const chosen = columns === undefined ? undefined : parseExportColumns(columns)
  const condition = await resolveFilters(around, viewer, filters)
  return fileOf(
    around,
    viewer,
    matchingRows(around, condition),
    chosen?.map((name) => [name, columnValues[name]]),
  )
}

/** The same for these message ids, newest first; records that the viewer may not see are left out. */
export async function exportChosenRecords(
  around: ReadDeps,
  viewer: Viewer,
  messageIds: readonly string[],
): Promise<StreamReply> {
  return fileOf(around, viewer, chosenRows(around.db, viewer, messageIds))
}

function fileOf(
  { clock }: ReadDeps,
  viewer: Viewer,
  pages: AsyncIterable<readonly NamedRow[]>,
  columns: readonly ExportedColumn[] = consoleColumns,
): StreamReply {
  const day = clock.now().toISOString().slice(0, 10)
  const header = columns.map(([title]) => title)
  return csvReply(`sms-records-${day}.csv`, header, linesOf(viewer, pages, columns))
}

async function* linesOf(
  viewer: Viewer,
  pages: AsyncIterable<readonly NamedRow[]>,
  columns: readonly ExportedColumn[],
): AsyncGenerator<string[][]> {
  for await (const rows of pages) {
    yield rows.map((row) => {
      const record = viewRecord(row, ownNames(row), viewer)
      return columns.map(([, value]) => value(record, row))
    })
  }
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
