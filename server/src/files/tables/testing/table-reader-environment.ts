// What table-reader.test.ts and table-reader.long.test.ts stand on.
import type { Refusal } from '@tollgate/contract/errors.ts'
import { tableBounds, workbookBounds, type TableBounds } from '../bounds.ts'
import type { TableKind } from '../reader-process.ts'
import { createTableReader, type Table } from '../table-reader.ts'

const boundsOf = (kind: TableKind) => (kind === 'csv' ? tableBounds : workbookBounds)

export async function rowsOf(table: Table) {
  const found: [number, ...string[]][] = []
  try {
    for await (const portion of table.rows())
      found.push(...portion.map(({ line, cells }): [number, ...string[]] => [line, ...cells]))
  } finally {
    table.close()
  }
  return found
}

/** Status and message of the refusal. */
export async function refused(work: Promise<unknown>): Promise<[number, string]> {
  const error = (await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )) as Refusal | undefined
  if (error?.name !== 'Refusal') throw error ?? new Error('It was read')
  return [error.status, error.message]
}
export const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

const numberFormat = 1
export const dayFormat = 2
export const numberOf = (value: string, style = numberFormat) => `<c s="${style}"><v>${value}</v></c>`

export async function openTableReaderEnvironment() {
  const tables = createTableReader()
  let userId = 0
  const caller = (signal = new AbortController().signal) => ({ userId: (userId += 1), signal })
  const open = (kind: TableKind, content: Buffer | string, bounds: TableBounds = boundsOf(kind)) =>
    tables.open({ kind, content: Buffer.from(content as string), bounds }, caller())

  const read = async (kind: TableKind, content: Buffer | string, bounds = boundsOf(kind)) =>
    rowsOf(await open(kind, content, bounds))
  return { tables, open, read }
}
