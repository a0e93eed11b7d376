// Adds numbers by COPY, a few rows at a time.
import { once } from 'node:events'
import { finished } from 'node:stream/promises'
import { sql } from 'kysely'
import pg from 'pg'
import { from as copyFrom, type CopyStreamQuery } from 'pg-copy-streams'
import { driverOf, rows, type Db } from '../../platform/db.ts'

/** A number to add. `tariffMicro` is a text of millionths; null: the range's tariff applies. */
export interface NewNumber {
  readonly number: string
  readonly description: string
  readonly tariffMicro: string | null
  readonly status: string
  readonly country: string
  readonly countryCode: string
}

export interface ImportedIds {
  readonly importId: number
  readonly firstId: number
  readonly lastId: number
}

const statementTimeoutMs = 600_000

/** Adds numbers to the table as they come. {@link end} or {@link abort} must be called at last. */
export class NumberCopy {
  readonly #tx: Db
  readonly #importId: number
  readonly #stream: CopyStreamQuery
  readonly #firstId: number
  #fault: Error | undefined

  private constructor(tx: Db, stream: CopyStreamQuery, ids: { importId: number; firstId: number }) {
    this.#tx = tx
    this.#importId = ids.importId
    this.#stream = stream
    this.#firstId = ids.firstId
    stream.on('error', (error) => (this.#fault = error))
  }

  /**
   * Starts the COPY. Until it ends, the transaction can do nothing else. An INSERT for each portion would open all indexes
   * each time, and needs larger portions, because each would have to wait for an answer of PostgreSQL.
   */
  static async open(tx: Db): Promise<NumberCopy> {
    // The COPY runs as long as the file is read, so the usual statement timeout is too short.
    await sql`select set_config('statement_timeout', ${String(statementTimeoutMs)}, true)`.execute(tx)
    const [ids] = await rows<{ first: string; import: number }>(
      tx,
      sql`select nextval('numbers_id_seq') as first, nextval('number_import_id_seq')::int as import`,
    )
    const driver = driverOf(tx)
    if (driver instanceof pg.Pool) throw new Error('A copy needs a transaction')
    const stream = driver.query(
      copyFrom(`copy numbers (number, description, tariff_micro, status, type, country, country_code,
        import_id, catalog_version) from stdin`),
    )
    return new NumberCopy(tx, stream, { importId: ids?.import ?? 0, firstId: Number(ids?.first) })
  }

  /**
   * Adds numbers with catalog version 0: catalogs do not read them before publishImport (store.ts). A later call may throw
   * the error of an earlier one.
   */
  async write(numbers: readonly NewNumber[]): Promise<void> {
    if (this.#fault !== undefined) throw this.#fault
    if (!this.#stream.write(numbers.map((number) => copyLine(number, this.#importId)).join('')))
      await once(this.#stream, 'drain')
  }

  /** Waits until all are added. All their ids lie between `firstId` and `lastId`, and all have this `importId`. */
  async end(): Promise<ImportedIds> {
    if (this.#fault !== undefined) throw this.#fault
    this.#stream.end()
    await finished(this.#stream)
    const [last] = await rows<{ id: string }>(this.#tx, sql`select currval('numbers_id_seq') as id`)
    return { importId: this.#importId, firstId: this.#firstId, lastId: Number(last?.id) }
  }

  /** Ends the COPY with an error. After that the transaction can only be rolled back. */
  async abort(): Promise<void> {
    if (this.#fault !== undefined) return
    this.#fault = new Error('The import was given up')
    this.#stream.destroy(this.#fault)
    await finished(this.#stream).catch(() => undefined)
  }
}

function copyLine(
  { number, description, tariffMicro, status, country, countryCode }: NewNumber,
  importId: number,
): string {
  const tariff = tariffMicro ?? '\\N'
  return `${number}\t${escaped(description)}\t${tariff}\t${status}\tpremium\t${escaped(country)}\t${escaped(countryCode)}\t${importId}\t0\n`
}

const escapes: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' }
const needsEscape = /[\\\t\n\r]/g
const escapeOf = (char: string): string => escapes[char] ?? char

function escaped(text: string): string {
  return text.replace(needsEscape, escapeOf)
}
