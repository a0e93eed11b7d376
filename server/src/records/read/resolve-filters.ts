// From the words of a filter bar to keys, within what the viewer may see.
import { sql } from 'kysely'
import { Refusal } from '@tollgate/contract/errors.ts'
import { normaliseNumber } from '@tollgate/contract/fields.ts'
import type { RecordFilters } from '@tollgate/contract/records.ts'
import { rows, type Db } from '../../platform/db.ts'
import { containsPattern } from '../../platform/search-pattern.ts'
import { statusCodes } from './codes.ts'
import { foldCase, type Condition, type Search } from './condition.ts'
import type { NumberDirectory } from './number-directory.ts'
import { isStaff, ownerScope, seesMasked, visibleDigits, type Viewer } from './viewer.ts'

export interface FilterSurroundings {
  readonly db: Db
  readonly numbers: NumberDirectory
}

const dayMs = 86_400_000

/**
 * The condition that `filters` mean for `viewer`; undefined when no record can match. Days are UTC days, both ends
 * included. Throws Refusal invalid when the days are in the wrong order.
 */
export async function resolveFilters(
  around: FilterSurroundings,
  viewer: Viewer,
  filters: RecordFilters,
): Promise<Condition | undefined> {
  const { dateFrom, dateTo } = filters
  if (dateFrom !== undefined && dateTo !== undefined && dateTo < dateFrom)
    throw new Refusal('invalid', 'Date To must not be before Date From.', {
      fields: { dateTo: 'Must not be before Date From' },
    })
  const [clientIds, rangeIds, gatewayIds, numberIds, search] = await Promise.all([
    findClients(around.db, viewer, filters.client),
    findRanges(around.db, filters.range),
    findGateways(around.db, filters.gateway),
    findNumbers(around.numbers, viewer, filters.number),
    findSearch(around, viewer, filters.search),
  ])
  const isHopeless =
    [clientIds, rangeIds, gatewayIds, numberIds].some((ids) => ids?.length === 0) ||
    (search !== undefined &&
      search.sender === undefined &&
      search.numberIds.length === 0 &&
      search.clientIds.length === 0)
  if (isHopeless) return undefined
  return {
    from: dateFrom === undefined ? undefined : new Date(`${dateFrom}T00:00:00Z`),
    to: dateTo === undefined ? undefined : new Date(Date.parse(`${dateTo}T00:00:00Z`) + dayMs),
    clientIds,
    rangeIds,
    gatewayIds,
    numberIds,
    statuses: statusCodes(filters.status),
    search,
  }
}

/** What a select box sends for "no choice". */
function isChosen(text: string | undefined): text is string {
  return text !== undefined && text !== '' && text !== 'all'
}

async function idsOf(db: Db, query: ReturnType<typeof sql>): Promise<number[]> {
  return (await rows<{ id: number }>(db, query)).map(({ id }) => id)
}

async function findClients(
  db: Db,
  viewer: Viewer,
  client: string | undefined,
): Promise<number[] | undefined> {
  const owner = ownerScope(viewer)
  if (!isChosen(client)) return owner === undefined ? undefined : [owner]
  const ids = await idsOf(db, sql`select id from users where lower(username) = lower(${client})`)
  return owner === undefined ? ids : ids.filter((id) => id === owner)
}

async function findRanges(db: Db, range: string | undefined): Promise<number[] | undefined> {
  if (!isChosen(range)) return undefined
  return idsOf(db, sql`select id from ranges where range_number = ${range}`)
}

async function findGateways(db: Db, gateway: string | undefined): Promise<number[] | undefined> {
  if (!isChosen(gateway)) return undefined
  return idsOf(db, sql`select id from gateways where name = ${gateway}`)
}

async function findNumbers(
  numbers: NumberDirectory,
  viewer: Viewer,
  number: string | undefined,
): Promise<number[] | undefined> {
  if (!isChosen(number)) return undefined
  if (seesMasked(viewer)) return numbers.endingWith(number.slice(-visibleDigits), visibleDigits)
  return numbers.named(normaliseNumber(number))
}

async function findSearch(
  { db, numbers }: FilterSurroundings,
  viewer: Viewer,
  text: string | undefined,
): Promise<Search | undefined> {
  if (text === undefined || text === '') return undefined
  // A number may be typed as it is printed: with a plus, spaces, dashes, brackets.
  const bare = text.replace(/[\s\-.()]/g, '').replace(/^\+/, '')
  const isNumeric = /^\d+$/.test(bare)
  const [numberIds, clientIds] = await Promise.all([
    seesMasked(viewer)
      ? numbers.endingWith(bare, visibleDigits)
      : numbers.containing(bare.replace(/^00(?=\d{5})/, '')),
    idsOf(
      db,
      sql`select id from users where username ilike ${containsPattern(text)}
        and ${isStaff(viewer) ? sql`true` : sql`id = ${viewer.userId}`}`,
    ),
  ])
  // Somebody's own name finds all that they see.
  const owner = ownerScope(viewer)
  if (owner !== undefined && clientIds.includes(owner)) return undefined
  // A person's number is masked for the test role, so it must not be found out by searching for it either.
  const sender = seesMasked(viewer) ? undefined : foldCase(isNumeric ? bare : text)
  return { numberIds, clientIds, sender }
}
