import type { SmsRecord } from '@tollgate/contract/records.ts'
import { formatDateTime } from '../format/dates.ts'
import { copyText } from '../ui/copy-text.ts'
import { showToast } from '../ui/toasts.ts'

const head = 'Date & Time\tRange\tNumber\tLU\tClient\tBill\tGateway\tNo Report\tClient Report'

// A cell that begins like a formula would be run by the spreadsheet it is pasted into.
function cell(text: string): string {
  const line = text.replace(/[\t\r\n]+/g, ' ')
  return /^[=@-]|^\+(?!\d)/.test(line) ? `'${line}` : line
}

/** Rows as a spreadsheet takes them: one line each, cells parted by tabs, plain figures. */
export function toTabbedText(rows: readonly SmsRecord[]): string {
  const lines = rows.map((row) =>
    [
      formatDateTime(row.createdAt),
      row.range,
      row.phoneNumber,
      formatDateTime(row.lu),
      row.client,
      row.bill,
      row.gateway,
      row.noReport,
      row.clientReport,
    ]
      .map(cell)
      .join('\t'),
  )
  return [head, ...lines].join('\n')
}

/** Copy Selected, with the words of Spec §8. */
export async function copyRecords(rows: readonly SmsRecord[]): Promise<void> {
  if (rows.length === 0) {
    showToast({ tone: 'bad', title: 'No rows selected', text: 'Please select rows to copy' })
    return
  }
  await copyText(toTabbedText(rows), {
    title: 'Copied to clipboard',
    text: `${rows.length} row(s) copied successfully`,
  })
}
