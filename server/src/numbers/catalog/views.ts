// Reads the rows of the catalog. Rows come as arrays: a hundred thousand row objects would slow down the start.
import type { AccountStatus } from '@tollgate/contract/vocabulary.ts'
import { driverOf, type Db } from '../../platform/db.ts'
import type { IdleWindows } from '../../platform/load/idle-windows.ts'
import { CatalogEntry } from './entry.ts'
import { NumberTable } from './number-table.ts'
import type { CatalogRange } from './narrowest-range.ts'

export interface CatalogChanges {
  readonly version: bigint
  /** New and changed numbers. */
  readonly numbers: NumberTable
  readonly deletedIds: readonly number[]
  /** Deleted numbers that somebody held. */
  readonly former: readonly CatalogEntry[]
  readonly ranges: readonly CatalogRange[]
}

async function columns<R extends unknown[]>(db: Db, text: string, values: unknown[] = []): Promise<R[]> {
  return (await driverOf(db).query<R>({ text, values, rowMode: 'array' })).rows
}

const inMs = (column: string): string => `(extract(epoch from ${column}) * 1000)::float8`

/** The database's catalog version. */
export async function readVersion(db: Db): Promise<bigint> {
  const [found] = await columns<[string]>(db, 'select version from catalog')
  return BigInt(found?.[0] ?? 0)
}

// Larger pages would block the event loop for tens of milliseconds.
const pageRows = 2_000
// Smaller, because imported numbers are read while messages come in. A hundred thousand take two seconds; a message to a
// number that this process does not know yet waits for them.
const importedPageRows = 400

/** Everything that was changed after version `since`; 0 reads all. */
export async function readChanges(
  tx: Db,
  since: bigint,
  version: bigint,
  idleWindows: IdleWindows,
): Promise<CatalogChanges> {
  const numbers = new NumberTable()
  const deletedIds: number[] = []
  for (const { from, to, condition, isDense, mayBeHeld, limit } of await changedSpans(tx, since)) {
    for (let last = from - 1; last < to;) {
      if (!mayBeHeld) await idleWindows.next()
      const until = isDense ? Math.min(last + limit, to) : to
      const page = await columns<[number, string, AccountStatus, number, boolean]>(
        tx,
        `select id, number, status, coalesce(tariff_micro, -1)::float8, deleted_at is not null
         from numbers where id > $1 and id <= $2 and ${condition} order by id limit ${limit}`,
        [last, until],
      )
      for (const [id, digits, status, tariffMicro, isDeleted] of page) {
        if (isDeleted) deletedIds.push(id)
        else numbers.add(id, digits, status, tariffMicro)
      }
      const ids = page.map(([id]) => id)
      last = page.length < limit ? until : (ids.at(-1) ?? until)
      // For changed numbers only; when everything is loaded, these tables are read as a whole below.
      if (since > 0n && mayBeHeld && ids.length > 0) {
        const withId = (id: number) => numbers.withId(id)
        await addHoldings(tx, withId, ids)
        await addPrices(tx, withId, ids)
      }
    }
  }
  if (since === 0n) {
    await addHoldings(tx, (id) => numbers.withId(id))
    await addPrices(tx, (id) => numbers.withId(id))
  }
  const former = await readFormer(tx, since, deletedIds)
  return { version, numbers, deletedIds, former, ranges: await readRanges(tx, since) }
}

/** The deleted numbers that somebody held: all of them at first, then those of a change. */
async function readFormer(tx: Db, since: bigint, deletedIds: readonly number[]): Promise<CatalogEntry[]> {
  const found = new Map<number, CatalogEntry>()
  if (since > 0n && deletedIds.length === 0) return []
  for (let last = 0; ;) {
    const page = await columns<[number, string, AccountStatus, number]>(
      tx,
      `select id, number, status, coalesce(tariff_micro, -1)::float8 from numbers
       where id > $1 and deleted_at is not null ${since === 0n ? '' : 'and id = any($2::int[])'}
         and exists (select from number_holders h where h.number_id = numbers.id)
       order by id limit ${pageRows}`,
      since === 0n ? [last] : [last, deletedIds],
    )
    for (const [id, digits, status, tariffMicro] of page)
      found.set(id, new CatalogEntry(id, digits, shared(status), tariffMicro))
    last = page.at(-1)?.[0] ?? 0
    const ids = page.map(([id]) => id)
    await addHoldings(tx, (id) => found.get(id), ids)
    await addPrices(tx, (id) => found.get(id), ids)
    if (page.length < pageRows) return [...found.values()]
  }
}

type EntryWithId = (numberId: number) => CatalogEntry | undefined

/** A span of ids in which to look for changed numbers. */
interface ChangedSpan {
  readonly from: number
  readonly to: number
  readonly condition: string
  /**
   * Whether nearly all ids in the span match. Then each page is limited by ids, not only by `limit`: before PostgreSQL has
   * statistics of the new rows, it would read all rows that follow to find the next few hundred.
   */
  readonly isDense: boolean
  /** Whether the numbers may have holders and own prices. */
  readonly mayBeHeld: boolean
  /** How many rows to read at once. */
  readonly limit: number
}

/**
 * Where to look for changed numbers: changed rows by the index on catalog_version, imported rows between the ids of each
 * import. One query for both would read all numbers while messages wait.
 */
async function changedSpans(tx: Db, since: bigint): Promise<readonly ChangedSpan[]> {
  const [last] = await columns<[number]>(tx, 'select coalesce(max(id), 0) from numbers')
  const all = { from: 1, to: last?.[0] ?? 0, limit: pageRows }
  if (since === 0n) return [{ ...all, condition: 'deleted_at is null', isDense: true, mayBeHeld: true }]
  const imports = await columns<[number, number]>(
    tx,
    'select first_id, last_id from number_imports where catalog_version > $1 order by first_id',
    [since],
  )
  return [
    { ...all, condition: `catalog_version > ${since}`, isDense: false, mayBeHeld: true },
    // Version 0: not changed since the import. Imported numbers that were changed are found by the first span.
    ...imports.map(([from, to]) => ({
      from,
      to,
      condition: 'catalog_version = 0',
      isDense: true,
      mayBeHeld: false,
      limit: importedPageRows,
    })),
  ]
}

/** One string object for each status, instead of one for each row that the driver returned. */
function shared(status: AccountStatus): AccountStatus {
  if (status === 'active') return 'active'
  return status === 'suspended' ? 'suspended' : 'inactive'
}

async function addHoldings(tx: Db, withId: EntryWithId, ids?: number[]): Promise<void> {
  for (let last: string | number = 0; ;) {
    const page: [string, number, number, number, number][] = await columns(
      tx,
      `select id, number_id, user_id, ${inMs('held_from')}, coalesce(${inMs('held_to')}, 'Infinity')
       from number_holders where id > $1 ${ids === undefined ? '' : 'and number_id = any($2::int[])'}
       order by id limit ${pageRows}`,
      ids === undefined ? [last] : [last, ids],
    )
    for (const [, numberId, userId, fromMs, toMs] of page) {
      withId(numberId)?.addHolding(fromMs, toMs, userId)
    }
    const final = page.at(-1)
    if (final === undefined || page.length < pageRows) break
    last = final[0]
  }
}

async function addPrices(tx: Db, withId: EntryWithId, ids?: number[]): Promise<void> {
  for (let last = 0; ;) {
    const page = await columns<[number, number, number, number]>(
      tx,
      `select id, number_id, coalesce(rate_micro, 0)::float8, ${inMs('valid_from')}
       from rates where scope = 'number' and id > $1 ${ids === undefined ? '' : 'and number_id = any($2::int[])'}
       order by id limit ${pageRows}`,
      ids === undefined ? [last] : [last, ids],
    )
    for (const [rateId, numberId, rateMicro, validFromMs] of page) {
      withId(numberId)?.addPrice({ rateId, rateMicro, validFromMs, from: 'number' })
      last = rateId
    }
    if (page.length < pageRows) break
  }
}

async function readRanges(tx: Db, since: bigint): Promise<CatalogRange[]> {
  // Deleted ranges too, because old records name them.
  type Tariffs = [present: number, next: number, nextFromMs: number, earlier: number, fromMs: number]
  const found = await columns<[number, string, string, string, AccountStatus, boolean, ...Tariffs]>(
    tx,
    `select id, range_number, start_number, end_number, status, deleted_at is not null, tariff_micro::float8,
       coalesce(next_tariff_micro, 0)::float8, coalesce(${inMs('next_tariff_from')}, 'Infinity'),
       coalesce(earlier_tariff_micro, 0)::float8, coalesce(${inMs('tariff_from')}, '-Infinity')
     from ranges where catalog_version > $1 order by id`,
    [since],
  )
  return found.map(([id, rangeNumber, start, end, status, isDeleted, ...tariffs]) => ({
    id,
    rangeNumber,
    start: Number(start),
    end: Number(end),
    digitCount: start.length,
    tariffMicro: tariffs[0],
    nextTariffMicro: tariffs[1],
    nextTariffFromMs: tariffs[2],
    earlierTariffMicro: tariffs[3],
    tariffFromMs: tariffs[4],
    status: shared(status),
    isDeleted,
  }))
}
