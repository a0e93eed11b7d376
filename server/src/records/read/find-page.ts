// Finds a page of records, newest first, without ever letting the database walk blindly through millions of rows: each
// step is bounded, and when a short walk by the best index does not fill the page, matches are rare and the segments'
// bits say where they are. See docs/decisions/0020.
import type { Db } from '../../platform/db.ts'
import { canScan, scanSegments } from '../search/scan-segments.ts'
import { postedNumbers } from '../search/postings.ts'
import { openStatuses, residueOf, type Condition } from './condition.ts'
import { daysWithRecords } from './day-bounds.ts'
import type { NamedRow } from './names.ts'
import { byNewest, placeOf, type Place } from './record-row.ts'
import { answered, walk, type Lead, type Step } from './walk.ts'

const firstWalkRows = 2_000
// As far as a walk goes on when what it found so far promises that it will fill the page.
const promisingRows = 24_000
// Where the segments can tell, reading a record costs more than asking them about a hundred. By time records lie side by
// side, by any other index each is somewhere else.
const firstWalkRowsOfScannable = { byTime: 600, byOther: 300 }
const promisingRowsOfScannable = 4_000
const walkRowsMost = 64_000
const needleNumbersMost = 16
const needlePattern = /^\d{6,}$/
const weekMs = 7 * 86_400_000
// 1970-01-01 was a Thursday; partitions begin on Mondays.
const mondayShiftMs = 4 * 86_400_000

/** Up to `limit` records of `condition` strictly after `after`, newest first. `now` tells which week is the newest. */
export async function findPage(
  db: Db,
  condition: Condition,
  page: { after: Place | undefined; limit: number; now: Date },
): Promise<NamedRow[]> {
  const { after, limit } = page
  const lead = bestLead(condition)
  // A client has few open records: a page of them may come from all weeks, and their index tells it alone.
  if (lead.by === 'clientStatuses' && isAnswered(condition, lead))
    return (await walk(db, condition, lead, after, { rowsMax: limit, limit })).rows
  if (isNeedle(condition)) {
    const bounded = await daysWithRecords(db, condition)
    return bounded === undefined ? [] : findOlder(db, bounded, after, limit, undefined)
  }
  const newest = newestWeek(condition, after, page.now)
  const recent = await walkWhilePromising(db, { ...condition, from: newest }, lead, after, limit)
  if (recent.rows.length >= limit) return recent.rows
  // Without an edge the whole week is known, and the rest lies before it.
  const rest = recent.edge === undefined ? { ...condition, to: newest } : condition
  if (isEmptyWindow(rest)) return recent.rows
  const bounded = await daysWithRecords(db, rest)
  if (bounded === undefined) return recent.rows
  const tried = recent.edge === undefined ? undefined : lead.by
  const older = await findOlder(db, bounded, recent.edge ?? after, limit - recent.rows.length, tried)
  return [...recent.rows, ...older]
}

/**
 * Whether a walk by time would hardly meet what is looked for: the records of few numbers, or so many digits that they
 * are a subscriber's. A short code may fill every page, and so may the beginning of many numbers.
 */
function isNeedle({ numberIds, search }: Condition): boolean {
  if (numberIds !== undefined) return numberIds.length <= needleNumbersMost
  if (search?.sender === undefined || search.numberIds.length > needleNumbersMost) return false
  return needlePattern.test(search.sender)
}

/** Where the newest week of the asked time begins. */
function newestWeek({ from, to }: Condition, after: Place | undefined, now: Date): Date {
  const latest = Math.min(to?.getTime() ?? Infinity, after?.createdAt.getTime() ?? Infinity, now.getTime())
  const monday = new Date(Math.floor((latest - mondayShiftMs) / weekMs) * weekMs + mondayShiftMs)
  return from !== undefined && from >= monday ? from : monday
}

function isEmptyWindow({ from, to }: Condition): boolean {
  return from !== undefined && to !== undefined && from >= to
}

/** The index that leaves the fewest rows to look at. */
function bestLead(condition: Condition): Lead {
  const { clientIds } = condition
  const open = openStatuses(condition)
  const [clientId, ...otherClients] = clientIds ?? []
  if (open !== undefined && clientId !== undefined && otherClients.length === 0)
    return { by: 'clientStatuses', keys: open, clientId }
  if (open !== undefined) return { by: 'statuses', keys: open }
  if (clientIds !== undefined) return { by: 'clientIds', keys: clientIds }
  return { by: 'time' }
}

/**
 * Walks a little, and on as long as the matches so far say that the page will be full soon. When it is not full in the
 * end, either everything is known (no edge) or matches are rare from the edge on.
 */
async function walkWhilePromising(
  db: Db,
  condition: Condition,
  lead: Lead,
  after: Place | undefined,
  limit: number,
): Promise<Step> {
  const found: NamedRow[] = []
  let walkedCount = 0
  let edge = after
  const isScannable = isToldBySegments(condition) && !isAnswered(condition, lead)
  const walkMost = isScannable ? promisingRowsOfScannable : promisingRows
  const { byTime, byOther } = firstWalkRowsOfScannable
  let rowsMax = isScannable ? (lead.by === 'time' ? byTime : byOther) : firstWalkRows
  for (;;) {
    const step = await walk(db, condition, lead, edge, {
      rowsMax: perKey(lead, rowsMax),
      limit: limit - found.length,
    })
    found.push(...step.rows)
    walkedCount += step.walkedCount
    edge = step.edge
    const neededRows = (walkedCount / found.length) * (limit - found.length)
    if (edge === undefined || found.length >= limit || !(neededRows + walkedCount <= walkMost))
      return { rows: found, edge, walkedCount }
    rowsMax = Math.ceil(neededRows * 1.3) + 100
  }
}

/** Of a search its part that no index answers counts: the sender. */
function isToldBySegments({ search, ...common }: Condition): boolean {
  return canScan(search === undefined ? common : { ...common, sender: search.sender })
}

function perKey(lead: Lead, rows: number): number {
  return lead.by === 'time' ? rows : Math.max(16, Math.ceil(rows / lead.keys.length))
}

/** Splits a search into what it may mean, each with an index of its own, and merges what they find. */
async function findOlder(
  db: Db,
  condition: Condition,
  after: Place | undefined,
  limit: number,
  tried: Lead['by'] | undefined,
): Promise<NamedRow[]> {
  const { search, ...common } = condition
  if (search === undefined) return findRare(db, common, after, limit, tried)
  const branches: Condition[] = [
    ...branchOf(common, 'numberIds', search.numberIds),
    ...branchOf(common, 'clientIds', search.clientIds),
    ...(search.sender === undefined ? [] : [{ ...common, sender: search.sender }]),
  ]
  const found = new Map<string, NamedRow>()
  for (const rows of await Promise.all(branches.map((branch) => findRare(db, branch, after, limit, tried))))
    for (const row of rows) found.set(row.id, row)
  return [...found.values()].toSorted((a, b) => byNewest(placeOf(a), placeOf(b))).slice(0, limit)
}

function branchOf(common: Condition, part: 'numberIds' | 'clientIds', ids: readonly number[]): Condition[] {
  const already = common[part]
  const both = already === undefined ? ids : ids.filter((id) => already.includes(id))
  return both.length === 0 ? [] : [{ ...common, [part]: both }]
}

/** For a condition without a search of which a short walk by `tried` has found too little. */
async function findRare(
  db: Db,
  condition: Condition,
  after: Place | undefined,
  limit: number,
  tried: Lead['by'] | undefined,
): Promise<NamedRow[]> {
  if (postedNumbers(condition) !== undefined) return scanSegments(db, condition, after, limit)
  const lead = bestLead(condition)
  const found: NamedRow[] = []
  let edge = after
  if (lead.by !== 'time' && lead.by !== tried) {
    const step = await walkWhilePromising(db, condition, lead, edge, limit)
    if (step.rows.length >= limit || step.edge === undefined) return step.rows
    found.push(...step.rows)
    edge = step.edge
  }
  const rest = canScan(condition) && !isAnswered(condition, lead) ? scanSegments : walkToEnd
  return [...found, ...(await rest(db, condition, edge, limit - found.length))]
}

/** Whether the lead's index leaves nothing to test, so that each row it gives is a match. */
function isAnswered(condition: Condition, lead: Lead): boolean {
  return residueOf(condition, answered[lead.by]).length === 0
}

/** The last resort, for what neither an index nor the bits can tell: ever longer walks. */
async function walkToEnd(
  db: Db,
  condition: Condition,
  after: Place | undefined,
  limit: number,
): Promise<NamedRow[]> {
  const found: NamedRow[] = []
  const lead = bestLead(condition)
  let edge = after
  for (let rowsMax = firstWalkRows * 4; ; rowsMax = Math.min(rowsMax * 2, walkRowsMost)) {
    const step = await walk(db, condition, lead, edge, {
      rowsMax: perKey(lead, rowsMax),
      limit: limit - found.length,
    })
    found.push(...step.rows)
    if (found.length >= limit || step.edge === undefined) return found
    edge = step.edge
  }
}
