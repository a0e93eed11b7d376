// Finds a page of records, newest first. The database never scans millions of rows without a limit: each step is bounded.
// When a short scan of the best index does not fill the page, matches are rare and the search index says where they are.
// Decision 16.
import type { Db } from '../../platform/db.ts'
import { canUseIndex, findByIndex } from './find-by-index.ts'
import { numbersForPostings } from './posting-lists.ts'
import { openStatuses, partsOf, withSender, type Condition } from '../query/condition.ts'
import { daysWithRecords } from './day-bounds.ts'
import { type NamedRow, newestOf, type ListPosition } from '../../ingest/index.ts'
import { dayOf, describe, ignoreTrace, leadNames, type SearchTrace } from './trace.ts'
import { isAnswered, walkIndex, type LeadingIndex, type IndexWalk } from './walk-index.ts'

const firstScanRows = 2_000
// A scan goes on so far if its matches up to now promise that it will fill the page.
const promisingRows = 24_000
// Where the search index helps, reading one record costs more than testing a hundred by the index. In the order of time
// records lie side by side; in any other index each is on another page of the disk.
const firstScanRowsIndexed = { byTime: 600, byOther: 300 }
const promisingRowsIndexed = 4_000
const scanRowsMax = 64_000
const needleNumbersMax = 16
const needlePattern = /^\d{6,}$/
const weekMs = 7 * 86_400_000
// 1970-01-01 was a Thursday; partitions begin on Mondays.
const mondayShiftMs = 4 * 86_400_000

export interface PageRequest {
  readonly after: ListPosition | undefined
  readonly limit: number
  /** Says which week is the newest. */
  readonly now: Date
  /** Receives a line for each step of the search. */
  readonly trace?: SearchTrace | undefined
}

/** Up to `limit` records of `condition` strictly after `after`, newest first. */
export async function findPage(db: Db, condition: Condition, page: PageRequest): Promise<NamedRow[]> {
  const search = new PageSearch(db, page.trace ?? ignoreTrace)
  const found: NamedRow[] = []
  for (const part of partsOf(condition)) {
    if (found.length >= page.limit) break
    if (page.after !== undefined && part.from !== undefined && part.from > page.after.createdAt) continue
    found.push(...(await search.find(part, { ...page, limit: page.limit - found.length })))
  }
  return found
}

class PageSearch {
  readonly #db: Db
  readonly #trace: SearchTrace

  constructor(db: Db, trace: SearchTrace) {
    this.#db = db
    this.#trace = trace
  }

  async find(condition: Condition, { after, limit, now }: PageRequest): Promise<NamedRow[]> {
    const lead = bestLead(condition)
    // A client has few open records. A page of them may come from all weeks, and their own index is enough to find it.
    // There are few test messages.
    if (lead.by === 'tests' || (lead.by === 'clientStatuses' && isAnswered(condition, lead)))
      return this.#scanToEnd(condition, after, limit)
    if (isNeedle(condition)) {
      this.#trace('No scan: so few records can match that a scan would not find them')
      const bounded = await this.#daysWithRecords(condition)
      return bounded === undefined ? [] : this.#findOlder(bounded, after, limit, undefined)
    }
    const newest = newestWeek(condition, after, now)
    const recent = await this.#scanWhilePromising({ ...condition, from: newest }, lead, after, limit)
    if (recent.rows.length >= limit) return recent.rows
    // Without an edge the whole week was scanned, so the rest is older.
    const rest = recent.edge === undefined ? { ...condition, to: newest } : condition
    if (isEmptyWindow(rest)) return recent.rows
    const bounded = await this.#daysWithRecords(rest)
    if (bounded === undefined) return recent.rows
    const tried = recent.edge === undefined ? undefined : lead.by
    const older = await this.#findOlder(bounded, recent.edge ?? after, limit - recent.rows.length, tried)
    return [...recent.rows, ...older]
  }

  async #daysWithRecords(condition: Condition): Promise<Condition | undefined> {
    const bounded = await daysWithRecords(this.#db, condition)
    if (bounded === undefined) this.#trace('Day counters: no day has a match')
    else if (bounded !== condition)
      this.#trace(`Day counters: matches from ${dayOf(bounded.from)} to before ${dayOf(bounded.to)}`)
    return bounded
  }

  async #scan(
    condition: Condition,
    lead: LeadingIndex,
    after: ListPosition | undefined,
    limits: { rowsMax: number; limit: number },
  ): Promise<IndexWalk> {
    const step = await walkIndex(this.#db, condition, lead, after, limits)
    const end = step.edge === undefined ? 'to the end' : `down to ${step.edge.createdAt.toISOString()}`
    this.#trace(`Scan by ${leadNames[lead.by]}: ${step.walkedCount} rows, ${step.rows.length} match, ${end}`)
    return step
  }

  /**
   * Scans a little, and goes on while the matches so far promise that the page will soon be full. If the page is not full
   * in the end, either everything was scanned (no edge) or matches are rare from the edge on.
   */
  async #scanWhilePromising(
    condition: Condition,
    lead: LeadingIndex,
    after: ListPosition | undefined,
    limit: number,
  ): Promise<IndexWalk> {
    const found: NamedRow[] = []
    let walkedCount = 0
    let edge = after
    const isIndexed = isIndexUseful(condition) && !isAnswered(condition, lead)
    const scanMax = isIndexed ? promisingRowsIndexed : promisingRows
    const { byTime, byOther } = firstScanRowsIndexed
    let rowsMax = isIndexed ? (lead.by === 'time' ? byTime : byOther) : firstScanRows
    for (;;) {
      const step = await this.#scan(condition, lead, edge, {
        rowsMax: perKey(lead, rowsMax),
        limit: limit - found.length,
      })
      found.push(...step.rows)
      walkedCount += step.walkedCount
      edge = step.edge
      const neededRows = (walkedCount / found.length) * (limit - found.length)
      if (edge === undefined || found.length >= limit || !(neededRows + walkedCount <= scanMax))
        return { rows: found, edge, walkedCount }
      rowsMax = Math.ceil(neededRows * 1.3) + 100
    }
  }

  /** Splits the text of a search box into its meanings, each of which has its own index, and merges the results. */
  async #findOlder(
    condition: Condition,
    after: ListPosition | undefined,
    limit: number,
    tried: LeadingIndex['by'] | undefined,
  ): Promise<NamedRow[]> {
    const { search, ...common } = condition
    if (search === undefined) return this.#findRare(common, after, limit, tried)
    const branches: Condition[] = [
      ...branchOf(common, 'numberIds', search.numberIds),
      ...branchOf(common, 'clientIds', search.clientIds),
      ...(search.sender === undefined ? [] : [withSender(common, search.sender)]),
    ]
    this.#trace(`The search box can mean: ${branches.map(describe).join(' or ')}`)
    const found = await Promise.all(branches.map((branch) => this.#findRare(branch, after, limit, tried)))
    return newestOf(found.flat(), limit)
  }

  /** For a condition without a search box, after a short scan of the index `tried` has found too little. */
  async #findRare(
    condition: Condition,
    after: ListPosition | undefined,
    limit: number,
    tried: LeadingIndex['by'] | undefined,
  ): Promise<NamedRow[]> {
    if (numbersForPostings(condition) !== undefined) return this.#findByIndex(condition, after, limit)
    const lead = bestLead(condition)
    const found: NamedRow[] = []
    let edge = after
    if (lead.by !== 'time' && lead.by !== tried) {
      const step = await this.#scanWhilePromising(condition, lead, edge, limit)
      if (step.rows.length >= limit || step.edge === undefined) return step.rows
      found.push(...step.rows)
      edge = step.edge
    }
    const missing = limit - found.length
    const rest =
      canUseIndex(condition) && !isAnswered(condition, lead)
        ? await this.#findByIndex(condition, edge, missing)
        : await this.#scanToEnd(condition, edge, missing)
    return [...found, ...rest]
  }

  #findByIndex(condition: Condition, after: ListPosition | undefined, limit: number): Promise<NamedRow[]> {
    return findByIndex(this.#db, condition, { after, limit }, this.#trace)
  }

  /** The last resort, for conditions that no index and no bloom filter helps with: longer and longer scans. */
  async #scanToEnd(
    condition: Condition,
    after: ListPosition | undefined,
    limit: number,
  ): Promise<NamedRow[]> {
    const found: NamedRow[] = []
    const lead = bestLead(condition)
    let edge = after
    for (let rowsMax = firstScanRows * 4; ; rowsMax = Math.min(rowsMax * 2, scanRowsMax)) {
      const step = await this.#scan(condition, lead, edge, {
        rowsMax: perKey(lead, rowsMax),
        limit: limit - found.length,
      })
      found.push(...step.rows)
      if (found.length >= limit || step.edge === undefined) return found
      edge = step.edge
    }
  }
}

/**
 * Whether a scan by time would hardly find a match: the records of few numbers, or so many digits that they are those of
 * one subscriber. A short code, or the first digits of many numbers, may match on every page.
 */
function isNeedle({ numberIds, sender, search }: Condition): boolean {
  if (numberIds !== undefined) return numberIds.length <= needleNumbersMax
  if (sender !== undefined) return needlePattern.test(sender)
  if (search?.sender === undefined || search.numberIds.length > needleNumbersMax) return false
  return needlePattern.test(search.sender)
}

/** Where the newest week of the condition's time begins. */
function newestWeek({ from, to }: Condition, after: ListPosition | undefined, now: Date): Date {
  const latest = Math.min(to?.getTime() ?? Infinity, after?.createdAt.getTime() ?? Infinity, now.getTime())
  const monday = new Date(Math.floor((latest - mondayShiftMs) / weekMs) * weekMs + mondayShiftMs)
  return from !== undefined && from >= monday ? from : monday
}

function isEmptyWindow({ from, to }: Condition): boolean {
  return from !== undefined && to !== undefined && from >= to
}

/** The index that leaves the fewest rows to look at. */
function bestLead(condition: Condition): LeadingIndex {
  const { clientIds } = condition
  if (condition.isTest === true) return { by: 'tests' }
  const open = openStatuses(condition)
  const [clientId, ...otherClients] = clientIds ?? []
  if (open !== undefined && clientId !== undefined && otherClients.length === 0)
    return { by: 'clientStatuses', keys: open, clientId }
  if (open !== undefined) return { by: 'statuses', keys: open }
  if (clientIds !== undefined) return { by: 'clientIds', keys: clientIds }
  if (condition.isUnowned === true) return { by: 'unowned' }
  return { by: 'time' }
}

/** Whether the search index helps; of a search box only the source address counts, which no other index has. */
function isIndexUseful({ search, ...common }: Condition): boolean {
  return canUseIndex(search?.sender === undefined ? common : withSender(common, search.sender))
}

function perKey(lead: LeadingIndex, rows: number): number {
  return 'keys' in lead ? Math.max(16, Math.ceil(rows / lead.keys.length)) : rows
}

function branchOf(common: Condition, part: 'numberIds' | 'clientIds', ids: readonly number[]): Condition[] {
  const already = common[part]
  const both = already === undefined ? ids : ids.filter((id) => already.includes(id))
  return both.length === 0 ? [] : [{ ...common, [part]: both }]
}
