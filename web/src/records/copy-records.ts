import type { SmsRecord } from '@tollgate/contract/records/records.ts'
import { formatDateTime } from '../format/dates.ts'
import { copyText } from '../ui/copy-text.ts'
import { showToast } from '../ui/toasts.ts'
import { t } from '../language/t.ts'

const head = t('Date & Time	Range	Number	LU	Client	Bill	Gateway	No Report	Client Report')

// A spreadsheet would run a cell that begins like a formula.
function cell(text: string): string {
  const line = text.replace(/[\t\r\n]+/g, ' ')
  return /^[=@-]|^\+(?!\d)/.test(line) ? `'${line}` : line
}

/** Rows for a spreadsheet: one line for each record, cells separated by tabs, plain figures. */
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

/** Copy Selected, with the toasts of Spec §8. */
export async function copyRecords(rows: readonly SmsRecord[]): Promise<void> {
  if (rows.length === 0) {
    showToast({ tone: 'bad', title: t('No rows selected'), text: t('Please select rows to copy') })
    return
  }
  await copyText(toTabbedText(rows), {
    title: t('Copied to clipboard'),
    text: t('{count} row(s) copied successfully', { count: rows.length }),
  })
}
