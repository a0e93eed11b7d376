// Import templates: the header and one example line.
import { write, utils } from '@e965/xlsx'
import { csvLine } from '../../files/formats/csv.ts'
import { importHeader } from './columns.ts'

const example = [
  '449098790142',
  'Example line, replace it',
  '1.50',
  'active',
  'United Kingdom',
  '+44',
] as const

/** The template file of a format. */
export function templateOf(format: 'csv' | 'xlsx'): {
  contentType: string
  fileName: string
  content: Buffer
} {
  const fileName = `premium_numbers_template.${format}`
  if (format === 'csv')
    return {
      contentType: 'text/csv; charset=utf-8',
      fileName,
      content: Buffer.from(csvLine(importHeader) + csvLine(example)),
    }
  const sheet = utils.aoa_to_sheet([[...importHeader], [...example]])
  sheet['!cols'] = [16, 32, 8, 10, 20, 14].map((wch) => ({ wch }))
  const workbook = utils.book_new(sheet, 'Numbers')
  return {
    contentType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    fileName,
    content: write(workbook, { type: 'buffer', bookType: 'xlsx', compression: true }) as Buffer,
  }
}
