// The export: every record that the filters match, as CSV with the console's columns, a page at a time, so that ten
// million rows need no more memory than a thousand and no snapshot is held open against ingest.
import type { RecordFilters, SmsRecord } from '@tollgate/contract/records.ts'
import { csvStream } from '../../platform/csv.ts'
import type { StreamReply } from '../../platform/http/handlers.ts'
import type { Condition } from './condition.ts'
import { findPage } from './find-page.ts'
import type { ReadSurroundings } from './list-records.ts'
import { readNames } from './names.ts'
import { placeOf, type Place } from './record-row.ts'
import { viewRecord } from './record-view.ts'
import { resolveFilters } from './resolve-filters.ts'
import type { Viewer } from './viewer.ts'

const pageRows = 1_000
const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const

// Spec §2: the table's columns; the id, the sender and the state let a row be found again.
const columns: readonly (readonly [title: string, value: (record: SmsRecord) => string])[] = [
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

/** dd/mm/yyyy | HH:mm with a short weekday, UTC, as the console writes it. Spec §2. */
function formatTime(iso: string): string {
  const [year = '', month = '', day = ''] = iso.slice(0, 10).split('-')
  return `${day}/${month}/${year} | ${iso.slice(11, 16)} ${weekdays[new Date(iso).getUTCDay()] ?? ''}`
}

/**
 * Starts the download. Rows stored while it runs appear only where the walk has not been yet; none comes twice.
 * Throws Refusal invalid before the first byte when the filters are wrong.
 */
export async function exportRecords(
  around: ReadSurroundings,
  viewer: Viewer,
  filters: RecordFilters,
): Promise<StreamReply> {
  const condition = await resolveFilters(around, viewer, filters)
  const day = around.clock.now().toISOString().slice(0, 10)
  return {
    contentType: 'text/csv; charset=utf-8',
    fileName: `sms-records-${day}.csv`,
    stream: csvStream(
      columns.map(([title]) => title),
      pages(around, viewer, condition),
    ),
  }
}

async function* pages(
  { db, clock }: ReadSurroundings,
  viewer: Viewer,
  condition: Condition | undefined,
): AsyncGenerator<string[][]> {
  if (condition === undefined) return
  let after: Place | undefined
  for (;;) {
    const rows = await findPage(db, condition, { after, limit: pageRows, now: clock.now() })
    const names = await readNames(db, rows)
    yield rows.map((row) => {
      const record = viewRecord(row, names, viewer)
      return columns.map(([, value]) => value(record))
    })
    const last = rows.at(-1)
    if (rows.length < pageRows || last === undefined) return
    after = placeOf(last)
  }
}
