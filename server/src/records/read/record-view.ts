// A record as the API, the feed and exports show it.
import { formatMicro } from '@tollgate/contract/money.ts'
import type { SmsRecord } from '@tollgate/contract/records/records.ts'
import { clientReports, recordStatuses } from '@tollgate/contract/vocabulary.ts'
import { maskNumber } from '../../files/formats/mask-number.ts'
import { messageIdOf, noReportWord, wordAt, type RecordNames, type RecordRow } from '../../ingest/index.ts'
import { isStaff, maskedText, seesMasked, type Viewer } from './viewer.ts'

/** A record as `viewer` sees it, who must be allowed to see it. It never contains the text. */
export function viewRecord(row: RecordRow, names: RecordNames, viewer: Viewer): SmsRecord {
  const messageId = messageIdOf({ createdAtMs: row.created_at.getTime(), recordId: Number(row.id) })
  const { digits, description } = names.number(row.number_id)
  const { name, alias, source } = names.gateway(row.gateway_id)
  const mask = seesMasked(viewer) ? maskNumber : (text: string) => text
  return {
    id: messageId,
    messageId,
    createdAt: row.created_at.toISOString(),
    range: names.range(row.range_id),
    phoneNumber: mask(digits),
    lu: row.updated_at.toISOString(),
    client: names.client(row.client_id),
    bill: formatMicro(BigInt(row.bill_micro), 2),
    gateway: isStaff(viewer) ? name : alias,
    noReport: noReportWord(row.no_report),
    clientReport: wordAt(clientReports, row.client_report),
    name: description,
    status: wordAt(recordStatuses, row.status),
    sender: mask(row.sender),
    text: maskedText,
    source,
    amountUsd: formatMicro(BigInt(row.amount_micro)),
    dataCoding: row.data_coding,
    part: partOf(row),
    smsCount: row.sms_count,
    ...(isStaff(viewer) ? { held: row.is_held } : {}),
  }
}

function partOf(row: RecordRow): SmsRecord['part'] {
  const { segment_reference: reference, segment_total: total, segment_sequence: position } = row
  return reference === null || total === null || position === null ? null : { reference, total, position }
}
