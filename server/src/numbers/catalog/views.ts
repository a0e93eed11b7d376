// Reads the catalog's rows for memory. Plain arrays of columns: a hundred thousand row objects would cost the start-up.
import type { AccountStatus } from '@tollgate/contract/vocabulary.ts'
import { driverOf, type Db } from '../../platform/db.ts'
import type { IdleWindows } from '../../platform/load/idle-windows.ts'
import { NumberTable } from './number-table.ts'
import type { CatalogRange } from './range-index.ts'

export interface CatalogChanges {
  readonly version: bigint
  /** Numbers that are new or changed. */
  readonly numbers: NumberTable
  readonly deletedIds: readonly number[]
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

// Larger pages would hold the event loop for tens of milliseconds at a time.
const pageRows = 2_000
// What an import brought is read beside the traffic; what all nodes start with is not. A hundred thousand take two seconds
// then: a message to a number that nobody knows yet waits for them.
const importedPageRows = 400

/** Everything that a change after `since` touched; 0 reads all. */
export async function readChanges(
  tx: Db,
  since: bigint,
  version: bigint,
  idleWindows: IdleWindows,
): Promise<CatalogChanges> {
  const numbers = new NumberTable()
  const deletedIds: number[] = []
  for (const { from, to, condition, isDense, mayBeHeld, limit } of await changedParts(tx, since)) {
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
      // Of changed numbers these are asked for by id; of all they are read from their tables, below.
      if (since > 0n && mayBeHeld && ids.length > 0) {
        await addHoldings(tx, numbers, ids)
        await addPrices(tx, numbers, ids)
      }
    }
  }
  if (since === 0n) {
    await addHoldings(tx, numbers)
    await addPrices(tx, numbers)
  }
  return { version, numbers, deletedIds, ranges: await readRanges(tx, since) }
}

interface Part {
  readonly from: number
  readonly to: number
  readonly condition: string
  /**
   * Whether nearly all ids in it are meant. It is read by spans of ids then, which no statistics can lead PostgreSQL away
   * from: before it has any, it takes the next few hundred rows by looking through all that follow.
   */
  readonly isDense: boolean
  /** Whether its numbers may have holders and own prices. */
  readonly mayBeHeld: boolean
  /** How many rows to read at once. */
  readonly limit: number
}

/**
 * Where to look for changed numbers: in an index for those that say so, and between the ids of each import for those
 * that it brought. Asked for together they cost a reading of all numbers, while the traffic waits.
 */
async function changedParts(tx: Db, since: bigint): Promise<readonly Part[]> {
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
    // Version 0: nobody has touched it since it was imported. What was touched is among the above.
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

/** One string object for each status, whatever the driver made. */
function shared(status: AccountStatus): AccountStatus {
  if (status === 'active') return 'active'
  return status === 'suspended' ? 'suspended' : 'inactive'
}

async function addHoldings(tx: Db, numbers: NumberTable, ids?: number[]): Promise<void> {
  for (let last: string | number = 0; ;) {
    const page: [string, number, number, number, number][] = await columns(
      tx,
      `select id, number_id, user_id, ${inMs('held_from')}, coalesce(${inMs('held_to')}, 'Infinity')
       from number_holders where id > $1 ${ids === undefined ? '' : 'and number_id = any($2::int[])'}
       order by id limit ${pageRows}`,
      ids === undefined ? [last] : [last, ids],
    )
    for (const [, numberId, userId, fromMs, toMs] of page) {
      numbers.withId(numberId)?.addHolding(fromMs, toMs, userId)
    }
    const final = page.at(-1)
    if (final === undefined || page.length < pageRows) break
    last = final[0]
  }
}

async function addPrices(tx: Db, numbers: NumberTable, ids?: number[]): Promise<void> {
  for (let last = 0; ;) {
    const page = await columns<[number, number, number, number]>(
      tx,
      `select id, number_id, coalesce(rate_micro, 0)::float8, ${inMs('valid_from')}
       from rates where scope = 'number' and id > $1 ${ids === undefined ? '' : 'and number_id = any($2::int[])'}
       order by id limit ${pageRows}`,
      ids === undefined ? [last] : [last, ids],
    )
    for (const [rateId, numberId, rateMicro, validFromMs] of page) {
      numbers.withId(numberId)?.addPrice({ rateId, rateMicro, validFromMs, from: 'number' })
      last = rateId
    }
    if (page.length < pageRows) break
  }
}

async function readRanges(tx: Db, since: bigint): Promise<CatalogRange[]> {
  // Deleted ranges are read too: old records name them.
  const found = await columns<[number, string, string, string, number, AccountStatus, boolean]>(
    tx,
    `select id, range_number, start_number, end_number, tariff_micro::float8, status, deleted_at is not null
     from ranges where catalog_version > $1 order by id`,
    [since],
  )
  return found.map(([id, rangeNumber, start, end, tariffMicro, status, isDeleted]) => ({
    id,
    rangeNumber,
    start: Number(start),
    end: Number(end),
    digitCount: start.length,
    tariffMicro,
    status: shared(status),
    isDeleted,
  }))
}
