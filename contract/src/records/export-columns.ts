// The columns of records in exports and CDR files, with their types. docs/cdr.md explains each.
import { z } from 'zod'
import { schemaMessage } from '../schema-messages.ts'
import { sentence } from '../sentences.ts'

/**
 * text: UTF-8. count: a whole number. time: milliseconds, UTC. money: millionths. In Parquet they are string, INT32,
 * TIMESTAMP_MILLIS and DECIMAL(18,6).
 */
export type ExportType = 'text' | 'count' | 'time' | 'money'

/** By the names that a header has. */
const typesByColumn = {
  messageId: 'text',
  peerMessageId: 'text',
  peerReference: 'count',
  createdAt: 'time',
  lu: 'time',
  phoneNumber: 'text',
  name: 'text',
  sender: 'text',
  range: 'text',
  client: 'text',
  gateway: 'text',
  source: 'text',
  dataCoding: 'count',
  partReference: 'count',
  partTotal: 'count',
  partPosition: 'count',
  smsCount: 'count',
  status: 'text',
  noReport: 'text',
  clientReport: 'text',
  bill: 'money',
  rate: 'money',
  amountUsd: 'money',
  settlement: 'text',
  period: 'text',
} as const satisfies Record<string, ExportType>

export type ExportColumn = keyof typeof typesByColumn

/** All of them, in the order of the documents. */
export const exportColumns = Object.keys(typesByColumn) as readonly ExportColumn[]

/** Every column's type. */
export const exportTypes: Readonly<Record<ExportColumn, ExportType>> = typesByColumn

function isExportColumn(name: string): name is ExportColumn {
  return (exportColumns as readonly string[]).includes(name)
}

/** The columns that a text such as `messageId,createdAt` names, in its order; undefined when one is unknown or there twice. */
export function parseExportColumns(text: string): readonly ExportColumn[] | undefined {
  const names = text.split(',')
  return names.every(isExportColumn) && new Set(names).size === names.length ? names : undefined
}

/** Such a text. */
export const exportColumnsSchema = z
  .string()
  .max(400)
  .refine(
    (text) => parseExportColumns(text) !== undefined,
    schemaMessage(
      sentence('Enter names of columns with commas between them, each once, of: {columns}', {
        columns: exportColumns.join(', '),
      }),
    ),
  )
