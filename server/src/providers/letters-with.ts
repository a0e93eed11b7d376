// Dead letters whose row names a text: they are encrypted, so each is opened.
import { sql } from 'kysely'
import { changed, rows, type Db } from '../platform/db.ts'
import type { Secrets } from '../platform/security/secrets.ts'
import { deadLetterContext } from './deps.ts'

const pageRows = 200

/** A dead letter and its row as it came. */
export interface OpenedLetter {
  readonly id: string
  readonly provider: string
  readonly number: string
  readonly createdAt: Date
  readonly text: string
}

/** Those whose row fits the pattern, the oldest first, a page at a time. Throws when a row cannot be decrypted. */
export async function* lettersWith(
  db: Db,
  secrets: Pick<Secrets, 'decrypt'>,
  pattern: RegExp,
): AsyncGenerator<OpenedLetter[]> {
  let after = '0'
  for (;;) {
    const page = await rows<LetterRow>(
      db,
      sql`select d.id, d.provider_id, p.name as provider, d.number, d.created_at, encode(uuid_send(d.key), 'hex') as key,
            d.encrypted_row
          from provider_dead_letters d join providers p on p.id = d.provider_id
          where d.id > ${after}::bigint and d.encrypted_row is not null order by d.id limit ${pageRows}::int`,
    )
    yield page.flatMap(({ id, provider_id, key, encrypted_row, provider, number, created_at }) => {
      const text = secrets.decrypt(encrypted_row, deadLetterContext(provider_id, key)).toString()
      return pattern.test(text) ? [{ id, provider, number, createdAt: created_at, text }] : []
    })
    const last = page.at(-1)
    if (last === undefined || page.length < pageRows) return
    after = last.id
  }
}

interface LetterRow {
  readonly id: string
  readonly provider_id: number
  readonly provider: string
  readonly number: string
  readonly created_at: Date
  readonly key: string
  readonly encrypted_row: Buffer
}

/** Dismisses those that fit, as a person would: their rows are deleted, their keys stay. */
export async function eraseLetters(
  tx: Db,
  secrets: Pick<Secrets, 'decrypt'>,
  pattern: RegExp,
): Promise<number> {
  let count = 0
  for await (const page of lettersWith(tx, secrets, pattern))
    if (page.length > 0)
      count += await changed(
        tx,
        tx
          .updateTable('provider_dead_letters')
          .set({ encrypted_row: null, dismissed_at: sql<Date>`coalesce(dismissed_at, clock_timestamp())` })
          .where('id', '=', sql<string>`any(${page.map(({ id }) => id)}::bigint[])`),
      )
  return count
}
