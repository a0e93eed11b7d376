// Adds numbers by COPY, a few at a time.
import { once } from 'node:events'
import { finished } from 'node:stream/promises'
import { sql } from 'kysely'
import pg from 'pg'
import { from as copyFrom, type CopyStreamQuery } from 'pg-copy-streams'
import { driverOf, rows, type Db } from '../../platform/db.ts'

/** A number to add; the tariff in millionths as a text, null for the range's. */
export interface NewNumber {
  readonly number: string
  readonly description: string
  readonly tariffMicro: string | null
  readonly status: string
  readonly country: string
  readonly countryCode: string
}

const longestMs = 600_000

/** Adds numbers to the table while they come. One of {@link end} and {@link abort} must follow. */
export class NumberCopy {
  readonly #tx: Db
  readonly #stream: CopyStreamQuery
  readonly #firstId: number
  #fault: Error | undefined

  private constructor(tx: Db, stream: CopyStreamQuery, firstId: number) {
    this.#tx = tx
    this.#stream = stream
    this.#firstId = firstId
    stream.on('error', (error) => (this.#fault = error))
  }

  /**
   * Opens the way. The transaction can do nothing else until it is closed. A statement for each portion would look up
   * all indexes each time, and could not be as small as a copy's portions: those have no answer to wait for.
   */
  static async open(tx: Db): Promise<NumberCopy> {
    // It lasts as long as the file does, not as a statement should.
    await sql`select set_config('statement_timeout', ${String(longestMs)}, true)`.execute(tx)
    const [first] = await rows<{ id: string }>(tx, sql`select nextval('numbers_id_seq') as id`)
    const driver = driverOf(tx)
    if (driver instanceof pg.Pool) throw new Error('A copy needs a transaction')
    const stream = driver.query(
      copyFrom(`copy numbers (number, description, tariff_micro, status, type, country, country_code,
        catalog_version) from stdin`),
    )
    return new NumberCopy(tx, stream, Number(first?.id))
  }

  /** Adds numbers that do not count yet: version 0, see makeCount in store.ts. Throws the database's error, perhaps later. */
  async write(numbers: readonly NewNumber[]): Promise<void> {
    if (this.#fault !== undefined) throw this.#fault
    if (!this.#stream.write(numbers.map(copyLine).join(''))) await once(this.#stream, 'drain')
  }

  /** Waits until all are added. Gives ids between which theirs are. */
  async end(): Promise<{ firstId: number; lastId: number }> {
    if (this.#fault !== undefined) throw this.#fault
    this.#stream.end()
    await finished(this.#stream)
    const [last] = await rows<{ id: string }>(this.#tx, sql`select currval('numbers_id_seq') as id`)
    return { firstId: this.#firstId, lastId: Number(last?.id) }
  }

  /** Gives up. The transaction can only be rolled back then. */
  async abort(): Promise<void> {
    if (this.#fault !== undefined) return
    this.#fault = new Error('The import was given up')
    this.#stream.destroy(this.#fault)
    await finished(this.#stream).catch(() => undefined)
  }
}

function copyLine({ number, description, tariffMicro, status, country, countryCode }: NewNumber): string {
  const tariff = tariffMicro ?? '\\N'
  return `${number}\t${escaped(description)}\t${tariff}\t${status}\tpremium\t${escaped(country)}\t${escaped(countryCode)}\t0\n`
}

const escapes: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' }
const needsEscape = /[\\\t\n\r]/g
const escapeOf = (char: string): string => escapes[char] ?? char

function escaped(text: string): string {
  return text.replace(needsEscape, escapeOf)
}
