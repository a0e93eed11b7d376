// Turns the words of the filter bar into ids, within what the viewer may see.
import { sql } from 'kysely'
import { Refusal } from '@tollgate/contract/errors.ts'
import { normaliseNumber, searchedDigits } from '@tollgate/contract/fields.ts'
import type { RecordFilters } from '@tollgate/contract/records/records.ts'
import { timedDaysMax, timeSpans } from '@tollgate/contract/records/time-of-day.ts'
import { dayStart } from '@tollgate/contract/zones.ts'
import { countryOf, idsContaining, idsEndingWith, idsWithDigits } from '../../numbers/index.ts'
import { prepared, rows, type Db } from '../../platform/db.ts'
import { visibleDigits } from '../../files/formats/mask-number.ts'
import { containsPattern } from '../../http/lists/search-pattern.ts'
import { statusCodes } from '../../ingest/index.ts'
import { foldCase, type Condition, type SearchBoxKeys } from '../query/condition.ts'
import { resolveSettling, type ResolvedSettling } from './resolve-settling.ts'
import { ownerScope, seesMasked, type Viewer } from './viewer.ts'

const hourMs = 3_600_000

/**
 * The condition that `filters` mean for `viewer`; undefined when no record can match. Days are those of the filters' zone,
 * both ends included. Throws Refusal invalid when the days are in the wrong order, or too many for a time of day.
 */
export async function resolveFilters(
  db: Db,
  viewer: Viewer,
  filters: RecordFilters,
  now: Date,
): Promise<Condition | undefined> {
  const spans = spansOf(filters, now)
  const sender = filters.sender === '' ? undefined : filters.sender
  // It must not reveal what is masked for the viewer.
  if (sender !== undefined && seesMasked(viewer)) return undefined
  const { rangeIds, gatewayIds, search, ...keys } = await findKeys(db, viewer, filters)
  const settled = await resolveSettling(db, viewer, filters)
  if (settled === undefined) return undefined
  const owners = ownersOf(filters, settled, keys)
  if (owners === undefined) return undefined
  const isUnmatchable =
    [rangeIds, gatewayIds].some((ids) => ids?.length === 0) ||
    (search !== undefined &&
      search.sender === undefined &&
      search.numberIds.length === 0 &&
      search.clientIds.length === 0)
  if (isUnmatchable) return undefined
  return {
    ...windowOf(filters, spans, settled.span),
    spans,
    ...owners,
    sender: sender && senderPart(sender),
    rangeIds,
    gatewayIds,
    statuses: statusCodes(filters.status),
    settling: settled.settling,
    isTest: filters.test === undefined ? undefined : filters.test === 'true',
    search,
  }
}

/** The spans of a time of day, once the days are right. */
export function spansOf(
  filters: Pick<RecordFilters, 'dateFrom' | 'dateTo' | 'time' | 'within' | 'zone'>,
  now: Date,
): Condition['spans'] {
  const { dateFrom, dateTo } = filters
  if (dateFrom !== undefined && dateTo !== undefined && dateTo < dateFrom)
    throw new Refusal('invalid', 'Date To must not be before Date From.', {
      fields: { dateTo: 'Must not be before Date From' },
    })
  const spans = timeSpans(filters, now)
  if (spans !== undefined && spans.length > timedDaysMax)
    throw new Refusal('invalid', 'With a time of day, choose at most 31 days.', {
      fields: { dateFrom: 'With a time of day, choose at most 31 days' },
    })
  return spans
}

/** Whose records, and of which numbers; undefined when there are none. */
function ownersOf(
  filters: RecordFilters,
  { credit, clientId }: ResolvedSettling,
  keys: Pick<Keys, 'clientIds' | 'numberIds'>,
): Pick<Condition, 'clientIds' | 'numberIds' | 'isUnowned'> | undefined {
  // A client whom a correction credits sees its messages, although they have no client.
  const isForAll = credit !== undefined && chosen(filters.client) === undefined
  const clientIds = isForAll ? undefined : ofPeriod(clientId, keys.clientIds)
  const numberIds = credit === undefined ? keys.numberIds : within([credit.numberId], keys.numberIds)
  const isUnowned = credit !== undefined || filters.unowned === 'true'
  if (clientIds?.length === 0 || numberIds?.length === 0) return undefined
  if (isUnowned && clientIds !== undefined) return undefined
  return { clientIds, numberIds, ...(isUnowned && { isUnowned }) }
}

/** A period's client, if the viewer may see it and filters by no other. */
function ofPeriod(
  clientId: number | undefined,
  clientIds: readonly number[] | undefined,
): readonly number[] | undefined {
  return clientId === undefined ? clientIds : within([clientId], clientIds)
}

/** The ids that are also among `others`; all ids when `others` is undefined. */
function within(ids: readonly number[], others: readonly number[] | undefined): readonly number[] {
  return others === undefined ? ids : ids.filter((id) => others.includes(id))
}

/** The days of the filters, unless a time of day has them already, within the span of a period's records. */
export function windowOf(
  { hour, zone, ...days }: Pick<RecordFilters, 'dateFrom' | 'dateTo' | 'hour' | 'zone'>,
  spans: Condition['spans'],
  span?: ResolvedSettling['span'],
): Pick<Condition, 'from' | 'to'> {
  const { dateFrom, dateTo } = spans === undefined ? days : {}
  const latest = (...times: (number | undefined)[]) =>
    times.reduce((a, b) => (a === undefined || (b !== undefined && b > a) ? b : a))
  const from = latest(
    dateFrom === undefined ? undefined : dayStart(dateFrom, zone).getTime(),
    hour === undefined ? undefined : Date.parse(`${hour}:00:00Z`),
    span?.from.getTime(),
  )
  const ends = [
    dateTo === undefined ? Infinity : dayStart(dateTo, zone, 1).getTime(),
    hour === undefined ? Infinity : Date.parse(`${hour}:00:00Z`) + hourMs,
    // A window is half-open.
    span === undefined ? Infinity : span.to.getTime() + 1,
  ]
  const to = Math.min(...ends)
  return {
    from: from === undefined ? undefined : new Date(from),
    to: to === Infinity ? undefined : new Date(to),
  }
}

/** The chosen word; undefined for the values that a select box sends for none. */
function chosen(text: string | undefined): string | undefined {
  return text === '' || text === 'all' ? undefined : text
}

type Keys = Pick<Condition, 'clientIds' | 'rangeIds' | 'gatewayIds' | 'numberIds' | 'search'>

/** Looks up all words. */
async function findKeys(db: Db, viewer: Viewer, filters: RecordFilters): Promise<Keys> {
  const owner = ownerScope(viewer)
  const [client, range, gateway, number, country] = [
    filters.client,
    filters.range,
    filters.gateway,
    filters.number,
    filters.country,
  ].map(chosen)
  const inCountry = country === undefined ? undefined : await rangesIn(db, country)
  const search = filters.search === '' ? undefined : filters.search
  const own = owner === undefined ? undefined : [owner]
  if ([client, range, gateway, number, search].every((word) => word === undefined))
    return { clientIds: own, rangeIds: inCountry }
  const pattern = search === undefined ? undefined : containsPattern(search)
  const [found, numberIds, searchedNumberIds] = await Promise.all([
    readKeys(db, [client, range, gateway, pattern, owner]),
    number === undefined ? undefined : findNumberIds(db, viewer, number),
    search === undefined ? [] : searchNumberIds(db, viewer, search),
  ])
  return {
    clientIds: client === undefined ? own : found.client_ids,
    rangeIds: range === undefined ? inCountry : within(found.range_ids, inCountry),
    gatewayIds: gateway === undefined ? undefined : found.gateway_ids,
    numberIds,
    search:
      search === undefined ? undefined : searchOf(viewer, search, searchedNumberIds, found.searched_ids),
  }
}

/** The ranges of a country, deleted ones too. */
async function rangesIn(db: Db, country: string): Promise<number[]> {
  const found = await rows<{ id: number; start_number: string }>(db, sql`select id, start_number from ranges`)
  return found.filter(({ start_number: digits }) => countryOf(digits) === country).map(({ id }) => id)
}

async function readKeys(db: Db, words: readonly (string | number | undefined)[]): Promise<FilterIdsRow> {
  const [found] = await prepared<FilterIdsRow>(
    db,
    'keys-of-filters',
    keysText,
    words.map((word) => word ?? null),
  )
  if (found === undefined) throw new Error('A statement of one row gave none')
  return found
}

interface FilterIdsRow {
  readonly client_ids: number[]
  readonly range_ids: number[]
  readonly gateway_ids: number[]
  readonly searched_ids: number[]
}

// Prepared, since nearly each page of a list needs it.
const keysText = `
  select
    array(select id from users where lower(username) = lower($1::text) and ($5::int is null or id = $5)) as client_ids,
    array(select id from ranges where range_number = $2::text) as range_ids,
    -- A client knows gateways by their aliases, which several may share.
    array(select id from gateways where case when $5::int is null then name else alias end = $3::text) as gateway_ids,
    array(
      select id from users
      where $4::text is not null and username ilike $4 and ($5::int is null or id = $5)
    ) as searched_ids`

function findNumberIds(db: Db, viewer: Viewer, number: string): Promise<number[]> {
  return seesMasked(viewer)
    ? idsEndingWith(db, number.slice(-visibleDigits), visibleDigits)
    : idsWithDigits(db, normaliseNumber(number))
}

function searchNumberIds(db: Db, viewer: Viewer, text: string): Promise<number[]> {
  const digits = searchedDigits(text) ?? ''
  return seesMasked(viewer) ? idsEndingWith(db, digits, visibleDigits) : idsContaining(db, digits)
}

/** Undefined when the text matches everything that the viewer may see. */
function searchOf(
  viewer: Viewer,
  text: string,
  numberIds: readonly number[],
  clientIds: readonly number[],
): SearchBoxKeys | undefined {
  // A client's own name matches all records of that client.
  const owner = ownerScope(viewer)
  if (owner !== undefined && clientIds.includes(owner)) return undefined
  // Numbers are masked for the test role, so a search must not reveal them either.
  return { numberIds, clientIds, sender: seesMasked(viewer) ? undefined : senderPart(text) }
}

/** What a source address must contain. */
function senderPart(text: string): string {
  return foldCase(searchedDigits(text) ?? text)
}
