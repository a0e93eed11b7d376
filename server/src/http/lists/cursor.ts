// Opaque cursors of keyset pages: the sort values of a page's last row. An OFFSET would skip and repeat rows while others
// are added.
import { Refusal } from '@tollgate/contract/errors.ts'

export type CursorValue = string | number | null
type CursorKind = 'id' | 'signed' | 'time' | 'text'

/** Writes the sort values of the last row shown as an opaque, URL-safe cursor. */
function writeCursor(values: readonly CursorValue[]): string {
  return Buffer.from(JSON.stringify(values)).toString('base64url')
}

/**
 * Reads a cursor of `kinds.length` values; undefined without a cursor, which means the first page. Each value is checked
 * against its kind ('id': digits, 'signed': digits that may be negative, 'time': ISO 8601, 'text'), so it may be cast in
 * SQL. Throws Refusal invalid for anything that {@link writeCursor} did not make.
 */
export function readCursor<const K extends readonly CursorKind[]>(
  cursor: string | undefined,
  kinds: K,
): { readonly [I in keyof K]: string } | undefined {
  if (cursor === undefined) return undefined
  const values = parseArray(cursor)
  if (values.length !== kinds.length || !kinds.every((kind, index) => isOfKind(values[index], kind)))
    throw new Refusal('invalid', 'This page does not exist. Start again from the first one.', {
      fields: { cursor: 'Not a cursor of this list' },
    })
  return values.map(String) as unknown as { readonly [I in keyof K]: string }
}

function parseArray(cursor: string): unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
    return Array.isArray(value) ? value : []
  } catch {
    // Not ours; the caller refuses it by its length.
    return []
  }
}

function isOfKind(value: unknown, kind: CursorKind): boolean {
  if (kind === 'id') return /^\d{1,18}$/.test(String(value))
  if (kind === 'signed') return /^-?\d{1,19}$/.test(String(value)) && isBigint(BigInt(String(value)))
  if (typeof value !== 'string' || value.includes('\u0000')) return false
  return kind === 'text' || (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value) && !Number.isNaN(Date.parse(value)))
}

/** Whether PostgreSQL's type bigint can hold it. */
const isBigint = (value: bigint): boolean => BigInt.asIntN(64, value) === value

/** Cuts `limit + 1` fetched rows to a page: the rows to show and, when one was left over, the cursor behind the last. */
export function cutPage<R>(
  fetched: readonly R[],
  limit: number,
  cursorOf: (row: R) => readonly CursorValue[],
): { readonly rows: R[]; readonly next: string | undefined } {
  const rows = fetched.slice(0, limit)
  const last = rows.at(-1)
  return {
    rows,
    next: fetched.length > limit && last !== undefined ? writeCursor(cursorOf(last)) : undefined,
  }
}
