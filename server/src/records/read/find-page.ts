// Finds a page of records, newest first, without ever letting the database walk blindly through millions of rows: each
// step is bounded, and when a short walk by the best index does not fill the page, matches are rare and the segments'
// bits say where they are. See docs/decisions/0020.
import type { Db } from '../../platform/db.ts'
import { canScan, scanSegments } from '../search/scan-segments.ts'
import { completedCode } from './codes.ts'
import type { Condition } from './condition.ts'
import { daysWithRecords } from './day-bounds.ts'
import { byNewest, placeOf, type Place, type RecordRow } from './record-row.ts'
import { walk, type Lead } from './walk.ts'

const firstWalkRows = 4_000
const secondWalkRows = 16_000
const walkRowsMost = 64_000
// More keys than this and one look for each costs more than a page may.
const keysMost = 5_000
const weekMs = 7 * 86_400_000
// 1970-01-01 was a Thursday; partitions begin on Mondays.
const mondayShiftMs = 4 * 86_400_000

/** Up to `limit` records of `condition` strictly after `after`, newest first. `now` tells which week is the newest. */
export async function findPage(
  db: Db,
  condition: Condition,
  page: { after: Place | undefined; limit: number; now: Date },
): Promise<RecordRow[]> {
  const { after, limit } = page
  const newest = newestWeek(condition, after, page.now)
  const lead = bestLead(condition)
  const first = await walk(db, { ...condition, from: newest }, lead, after, { rowsMax: walkOf(lead), limit })
  if (first.rows.length >= limit) return first.rows
  // Without an edge the whole week is known, and the rest lies before it.
  const rest = first.edge === undefined ? { ...condition, to: newest } : condition
  if (newest === undefined && first.edge === undefined) return first.rows
  if (isEmptyWindow(rest)) return first.rows
  const bounded = await daysWithRecords(db, rest)
  if (bounded === undefined) return first.rows
  const more = await findRest(db, bounded, first.edge ?? after, limit - first.rows.length)
  return [...first.rows, ...more]
}

/** Where the newest week of the asked time begins; undefined when that is all of it. */
function newestWeek({ from, to }: Condition, after: Place | undefined, now: Date): Date | undefined {
  const latest = Math.min(to?.getTime() ?? Infinity, after?.createdAt.getTime() ?? Infinity, now.getTime())
  const monday = new Date(Math.floor((latest - mondayShiftMs) / weekMs) * weekMs + mondayShiftMs)
  return from !== undefined && from >= monday ? from : monday
}

function isEmptyWindow({ from, to }: Condition): boolean {
  return from !== undefined && to !== undefined && from >= to
}

function bestLead(condition: Condition): Lead {
  const { numberIds, statuses, clientIds } = condition
  if (numberIds !== undefined && numberIds.length <= 16) return { by: 'numberIds', keys: numberIds }
  if (statuses !== undefined && !statuses.includes(completedCode)) return { by: 'statuses', keys: statuses }
  if (clientIds !== undefined) return { by: 'clientIds', keys: clientIds }
  return { by: 'time' }
}

function walkOf(lead: Lead): number {
  return lead.by === 'time' ? firstWalkRows : Math.ceil(firstWalkRows / lead.keys.length)
}

/** Splits a search into what it may mean, each with an index of its own, and merges what they find. */
async function findRest(
  db: Db,
  condition: Condition,
  after: Place | undefined,
  limit: number,
): Promise<RecordRow[]> {
  const { search, ...common } = condition
  if (search === undefined) return findRare(db, common, after, limit)
  const branches: Condition[] = [
    ...branchOf(common, 'numberIds', search.numberIds),
    ...branchOf(common, 'clientIds', search.clientIds),
    ...(search.sender === undefined ? [] : [{ ...common, sender: search.sender }]),
  ]
  const found = new Map<string, RecordRow>()
  for (const rows of await Promise.all(branches.map((branch) => findRare(db, branch, after, limit))))
    for (const row of rows) found.set(row.id, row)
  return [...found.values()].toSorted((a, b) => byNewest(placeOf(a), placeOf(b))).slice(0, limit)
}

function branchOf(common: Condition, part: 'numberIds' | 'clientIds', ids: readonly number[]): Condition[] {
  const already = common[part]
  const both = already === undefined ? ids : ids.filter((id) => already.includes(id))
  return both.length === 0 ? [] : [{ ...common, [part]: both }]
}

/** For a condition without a search of which a short walk has found too little. */
async function findRare(
  db: Db,
  condition: Condition,
  after: Place | undefined,
  limit: number,
): Promise<RecordRow[]> {
  const found: RecordRow[] = []
  let edge = after
  for (const { lead, rowsMax } of stepsOf(condition)) {
    const step = await walk(db, condition, lead, edge, { rowsMax, limit: limit - found.length })
    found.push(...step.rows)
    if (found.length >= limit || step.edge === undefined) return found
    edge = step.edge
  }
  if (canScan(condition)) return [...found, ...(await scanSegments(db, condition, edge, limit - found.length))]
  return [...found, ...(await walkOn(db, condition, edge, limit - found.length))]
}

/** The bounded walks worth trying before the segments: by numbers, by a state that is rare, by a client. */
function stepsOf({ numberIds, statuses, clientIds, ...others }: Condition): { lead: Lead; rowsMax: number }[] {
  if (numberIds !== undefined && numberIds.length <= keysMost) return twice({ by: 'numberIds', keys: numberIds })
  if (statuses !== undefined && !statuses.includes(completedCode)) return twice({ by: 'statuses', keys: statuses })
  const isClientAlone = Object.entries(others).every(
    ([part, value]) => value === undefined || part === 'from' || part === 'to',
  )
  return clientIds !== undefined && isClientAlone ? twice({ by: 'clientIds', keys: clientIds }) : []
}

function twice(lead: Lead): { lead: Lead; rowsMax: number }[] {
  const count = lead.by === 'time' ? 1 : lead.keys.length
  return [firstWalkRows, secondWalkRows].map((rowsMax) => ({ lead, rowsMax: Math.max(8, Math.ceil(rowsMax / count)) }))
}

/** The last resort, for what neither an index nor the bits can tell: ever longer walks to the end. */
async function walkOn(
  db: Db,
  condition: Condition,
  after: Place | undefined,
  limit: number,
): Promise<RecordRow[]> {
  const found: RecordRow[] = []
  const lead = lastLead(condition)
  let edge = after
  for (let rowsMax = secondWalkRows; ; rowsMax = Math.min(rowsMax * 2, walkRowsMost)) {
    const step = await walk(db, condition, lead, edge, { rowsMax, limit: limit - found.length })
    found.push(...step.rows)
    if (found.length >= limit || step.edge === undefined) return found
    edge = step.edge
  }
}

function lastLead({ numberIds, statuses, clientIds }: Condition): Lead {
  if (numberIds !== undefined && numberIds.length <= keysMost) return { by: 'numberIds', keys: numberIds }
  if (statuses !== undefined && !statuses.includes(completedCode)) return { by: 'statuses', keys: statuses }
  return clientIds === undefined ? { by: 'time' } : { by: 'clientIds', keys: clientIds }
}
