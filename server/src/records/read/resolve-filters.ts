// From the words of a filter bar to keys, within what the viewer may see.
import { Refusal } from '@tollgate/contract/errors.ts'
import { normaliseNumber } from '@tollgate/contract/fields.ts'
import type { RecordFilters } from '@tollgate/contract/records.ts'
import type { NumberDirectory } from '../../numbers/index.ts'
import { prepared, type Db } from '../../platform/db.ts'
import { containsPattern } from '../../platform/lists/search-pattern.ts'
import { statusCodes } from './codes.ts'
import { foldCase, type Condition, type Search } from './condition.ts'
import { ownerScope, seesMasked, visibleDigits, type Viewer } from './viewer.ts'

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
  const { clientIds, rangeIds, gatewayIds, numberIds, search } = await findKeys(around, viewer, filters)
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

/** A choice; undefined for what a select box sends for none. */
function chosen(text: string | undefined): string | undefined {
  return text === '' || text === 'all' ? undefined : text
}

type Keys = Pick<Condition, 'clientIds' | 'rangeIds' | 'gatewayIds' | 'numberIds' | 'search'>

/** All that the words mean, from one statement and the numbers in memory. */
async function findKeys(
  { db, numbers }: FilterSurroundings,
  viewer: Viewer,
  filters: RecordFilters,
): Promise<Keys> {
  const owner = ownerScope(viewer)
  const [client, range, gateway, number] = [
    filters.client,
    filters.range,
    filters.gateway,
    filters.number,
  ].map(chosen)
  const search = filters.search === '' ? undefined : filters.search
  const own = owner === undefined ? undefined : [owner]
  if ([client, range, gateway, number, search].every((word) => word === undefined)) return { clientIds: own }
  const pattern = search === undefined ? undefined : containsPattern(search)
  const found = await readKeys(db, [client, range, gateway, pattern, owner])
  if (search !== undefined || number !== undefined)
    await numbers.catchUp({ version: found.version, lastId: found.last_id })
  return {
    clientIds: client === undefined ? own : found.client_ids,
    rangeIds: range === undefined ? undefined : found.range_ids,
    gatewayIds: gateway === undefined ? undefined : found.gateway_ids,
    numberIds: number === undefined ? undefined : findNumbers(numbers, viewer, number),
    search: search === undefined ? undefined : searchOf(numbers, viewer, search, found.searched_ids),
  }
}

async function readKeys(db: Db, words: readonly (string | number | undefined)[]): Promise<KeyRow> {
  const [found] = await prepared<KeyRow>(
    db,
    'keys-of-filters',
    keysText,
    words.map((word) => word ?? null),
  )
  if (found === undefined) throw new Error('A statement of one row gave none')
  return found
}

interface KeyRow {
  readonly version: string
  readonly last_id: number
  readonly client_ids: number[]
  readonly range_ids: number[]
  readonly gateway_ids: number[]
  readonly searched_ids: number[]
}

// With nearly each page of a list.
const keysText = `
  select (select version from catalog) as version,
    coalesce((select max(id) from numbers), 0) as last_id,
    array(select id from users where lower(username) = lower($1::text) and ($5::int is null or id = $5)) as client_ids,
    array(select id from ranges where range_number = $2::text) as range_ids,
    array(select id from gateways where name = $3::text) as gateway_ids,
    array(
      select id from users
      where $4::text is not null and username ilike $4 and ($5::int is null or id = $5)
    ) as searched_ids`

function findNumbers(numbers: NumberDirectory, viewer: Viewer, number: string): number[] {
  if (seesMasked(viewer)) return numbers.endingWith(number.slice(-visibleDigits), visibleDigits)
  return numbers.withDigits(normaliseNumber(number))
}

/** Undefined when it finds all that the viewer sees. */
function searchOf(
  numbers: NumberDirectory,
  viewer: Viewer,
  text: string,
  clientIds: readonly number[],
): Search | undefined {
  // Somebody's own name finds all that they see.
  const owner = ownerScope(viewer)
  if (owner !== undefined && clientIds.includes(owner)) return undefined
  // A number may be typed as it is printed: with a plus, spaces, dashes, brackets.
  const bare = text.replace(/[\s\-.()]/g, '').replace(/^\+/, '')
  const isNumeric = /^\d+$/.test(bare)
  const numberIds = seesMasked(viewer)
    ? numbers.endingWith(bare, visibleDigits)
    : numbers.containing(bare.replace(/^00(?=\d{5})/, ''))
  // A person's number is masked for the test role, so it must not be found out by searching for it either.
  const sender = seesMasked(viewer) ? undefined : foldCase(isNumeric ? bare : text)
  return { numberIds, clientIds, sender }
}
