// What the columns of an export say of a record, and what must be read for them beside it.
import { exportTypes, type ExportColumn } from '@tollgate/contract/records/export-columns.ts'
import { formatMicro } from '@tollgate/contract/money.ts'
import type { SmsRecord } from '@tollgate/contract/records/records.ts'
import { settlements } from '@tollgate/contract/vocabulary.ts'
import { sql } from 'kysely'
import { rows, type Db } from '../../platform/db.ts'
import type { ParquetCell } from '../../files/formats/parquet.ts'
import { readPeerIds, type IdStyle, wordAt, ownNames, type NamedRow } from '../../ingest/index.ts'
import { viewRecord } from './record-view.ts'
import type { Viewer } from './viewer.ts'

/** Gives the ids that peers were answered with, by record id. */
export type ReadPeerIds = (
  db: Db,
  messages: readonly {
    readonly recordId: number
    readonly messageId: string
    readonly idStyle: IdStyle
  }[],
) => Promise<ReadonlyMap<number, string>>

export interface ColumnDeps {
  readonly db: Db
  readonly peerMessageIds: ReadPeerIds
}

interface PeerFields {
  readonly messageId: string | null
  readonly reference: number | null
}

interface ExportedRecord {
  readonly record: SmsRecord
  readonly row: NamedRow
  /** USD per SMS in millionths; null without a rate. */
  readonly rateMicro: bigint | null
  readonly peer: PeerFields
}

const noPeer: PeerFields = { messageId: null, reference: null }
const timeOf = (iso: string) => Date.parse(iso)

const values: Readonly<Record<ExportColumn, (of: ExportedRecord) => ParquetCell>> = {
  messageId: ({ record }) => record.messageId,
  peerMessageId: ({ peer }) => peer.messageId,
  peerReference: ({ peer }) => peer.reference,
  createdAt: ({ record }) => timeOf(record.createdAt),
  lu: ({ record }) => timeOf(record.lu),
  phoneNumber: ({ record }) => record.phoneNumber,
  name: ({ record }) => record.name,
  sender: ({ record }) => record.sender,
  range: ({ record }) => record.range,
  client: ({ record }) => record.client,
  gateway: ({ record }) => record.gateway,
  source: ({ record }) => record.source,
  dataCoding: ({ record }) => record.dataCoding,
  partReference: ({ record }) => record.part?.reference ?? null,
  partTotal: ({ record }) => record.part?.total ?? null,
  partPosition: ({ record }) => record.part?.position ?? null,
  smsCount: ({ record }) => record.smsCount,
  status: ({ record }) => record.status,
  noReport: ({ record }) => record.noReport,
  clientReport: ({ record }) => record.clientReport,
  bill: ({ row }) => BigInt(row.bill_micro),
  rate: ({ rateMicro }) => rateMicro,
  amountUsd: ({ row }) => BigInt(row.amount_micro),
  settlement: ({ row }) => wordAt(settlements, row.settlement),
  // As the filter `period` takes it: a client's, or the cycle when nobody held the number.
  period: ({ row }) => [row.cycle_id, ...(row.client_id === null ? [] : [row.client_id])].join('-'),
}

/** These columns of a page of rows, which `viewer` may see. */
export async function readCells(
  deps: ColumnDeps,
  viewer: Viewer,
  columns: readonly ExportColumn[],
  page: readonly NamedRow[],
): Promise<ParquetCell[][]> {
  const records = page.map((row) => ({ row, record: viewRecord(row, ownNames(row), viewer) }))
  const rates = columns.includes('rate') ? await readRates(deps.db, page) : new Map<number, bigint>()
  const hasPeer = columns.includes('peerMessageId') || columns.includes('peerReference')
  const peers = hasPeer ? await readPeers(deps, records) : new Map<number, PeerFields>()
  return records.map(({ row, record }) => {
    const of: ExportedRecord = {
      record,
      row,
      rateMicro: row.rate_id === null ? null : (rates.get(row.rate_id) ?? null),
      peer: peers.get(Number(row.id)) ?? noPeer,
    }
    return columns.map((column) => values[column](of))
  })
}

async function readRates(db: Db, page: readonly NamedRow[]): Promise<Map<number, bigint>> {
  const ids = [...new Set(page.map((row) => row.rate_id))]
  const found = await rows<{ id: number; rateMicro: string | null }>(
    db,
    sql`select id, rate_micro as "rateMicro" from rates where id = any(${ids}::int[])`,
  )
  return new Map(found.flatMap(({ id, rateMicro }) => (rateMicro === null ? [] : [[id, BigInt(rateMicro)]])))
}

/** What each peer calls its message. A source without PDUs has no names of its own. */
async function readPeers(
  { db, peerMessageIds }: ColumnDeps,
  records: readonly { readonly row: NamedRow; readonly record: SmsRecord }[],
): Promise<Map<number, PeerFields>> {
  const withPdu = records.filter(({ row }) => row.data_coding !== null)
  const ids = await readPeerIds(
    db,
    withPdu.map(({ row }) => Number(row.id)),
  )
  const answered = withPdu.flatMap(({ row, record: { messageId } }) => {
    const recordId = Number(row.id)
    const idStyle = ids.get(recordId)?.idStyle
    return idStyle === undefined ? [] : [{ recordId, messageId, idStyle }]
  })
  const messageIds = await peerMessageIds(db, answered)
  return new Map(
    [...ids].map(([recordId, { reference }]) => [
      recordId,
      { messageId: messageIds.get(recordId) ?? null, reference: reference ?? null },
    ]),
  )
}

/** Columns with their types, as {@link readCells} fills them. */
export function typedColumns(columns: readonly ExportColumn[]) {
  return columns.map((name) => ({ name, type: exportTypes[name] }))
}

/** Such a row as CSV has it: times in ISO 8601 with milliseconds, money with a point, nothing for what is not there. */
export function textsOf(columns: readonly ExportColumn[], cells: readonly ParquetCell[]): string[] {
  return cells.map((cell, index) => {
    if (cell === null) return ''
    if (typeof cell === 'bigint') return formatMicro(cell, columns[index] === 'bill' ? 2 : 0)
    const column = columns[index]
    return column !== undefined && exportTypes[column] === 'time'
      ? new Date(Number(cell)).toISOString()
      : String(cell)
  })
}
