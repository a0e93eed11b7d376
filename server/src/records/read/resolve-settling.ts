// Resolves the filters by period, rate, settlement and hold to what a record's money must be, and the period to a time
// span.
import { sql, type RawBuilder } from 'kysely'
import { parseMicro } from '@tollgate/contract/money.ts'
import type { RecordFilters } from '@tollgate/contract/records/records.ts'
import { settlements } from '@tollgate/contract/vocabulary.ts'
import { row, rows, type Db } from '../../platform/db.ts'
import { findCycleSpan, type CycleSpan } from '../query/cycle-span.ts'
import type { Settling } from '../query/settling.ts'
import { isSeen } from './reviewed-records.ts'
import { ownerScope, type Viewer } from './viewer.ts'

export interface ResolvedSettling {
  readonly settling: Settling | undefined
  /** The client whose period it is. */
  readonly clientId: number | undefined
  readonly span: CycleSpan['records']
  /** What a correction credits. */
  readonly credit: Credit | undefined
}

interface Credit {
  readonly numberId: number
  readonly from: Date
  readonly to: Date
  readonly ids: readonly string[]
}

// The span of a closed cycle changes no more. Years of weekly cycles fit.
const spansMax = 500
const closedSpans = new WeakMap<Db, Map<number, CycleSpan>>()

async function spanOf(db: Db, cycleId: number): Promise<CycleSpan | undefined> {
  const known = closedSpans.get(db) ?? new Map<number, CycleSpan>()
  closedSpans.set(db, known)
  const span = known.get(cycleId) ?? (await findCycleSpan(db, cycleId))
  if (known.size >= spansMax) known.clear()
  if (span?.isClosed === true) known.set(cycleId, span)
  return span
}

/** Undefined when no record can match: there is no such period or correction, or it is none of the viewer's. */
export async function resolveSettling(
  db: Db,
  viewer: Viewer,
  filters: RecordFilters,
): Promise<ResolvedSettling | undefined> {
  const { period, rate, rateId, settlement, hold, late, correction } = filters
  if ([period, rate, rateId, settlement, hold, late, correction].every((value) => value === undefined))
    return { settling: undefined, clientId: undefined, span: undefined, credit: undefined }
  const credit = correction === undefined ? undefined : await findCredit(db, viewer, correction)
  if (correction !== undefined && credit === undefined) return undefined
  const [cycleId, clientId] = partsOf(period)
  const cycle = cycleId === undefined ? undefined : await spanOf(db, cycleId)
  if (cycleId !== undefined && cycle === undefined) return undefined
  const closedCycleId = cycle?.isClosed === true ? cycleId : undefined
  return {
    clientId,
    span: cycle?.records ?? credit,
    credit,
    settling: {
      cycleId,
      ...ownFilter(filters),
      onlyIds: credit?.ids,
      ...(hold !== undefined && holdFilter(hold, closedCycleId, ownerScope(viewer))),
    },
  }
}

/** The numbers in a period's id: cycle and client, or the cycle of all clients. */
const partsOf = (period: string | undefined): number[] => period?.split('-').map(Number) ?? []

/** The filters that a record's own columns decide. */
function ownFilter({ rate, rateId, settlement, late }: RecordFilters): Settling {
  return {
    settlement: settlement === undefined ? undefined : settlements.indexOf(settlement),
    rateId,
    amountMicro: rate === undefined ? undefined : parseMicro(rate),
    isLate: late === undefined ? undefined : late === 'true',
  }
}

/** What a correction credits, for staff and, once it is posted, for its client. */
async function findCredit(db: Db, viewer: Viewer, id: string): Promise<Credit | undefined> {
  const owner = ownerScope(viewer)
  const found = await row<Omit<Credit, 'ids'>>(
    db,
    sql`select a.number_id as "numberId", a.held_from as from, a.held_to as to
        from adjustments a where a.id = ${id}::bigint and a.number_id is not null and a.status <> 'rejected'
          and (${owner ?? null}::int is null or a.user_id = ${owner ?? null} and a.status = 'posted')`,
  )
  if (found === undefined) return undefined
  const ids = await idsOf(
    db,
    sql`select record_id::text as id from adjustment_records where adjustment_id = ${id}::bigint`,
  )
  return { ...found, ids }
}

/**
 * The filter by hold. With a closed cycle: whether the record waited when the cycle closed, or is in its figures. Otherwise: whether it is
 * held now and not refused, since a refused record waits for nobody.
 */
function holdFilter(
  hold: NonNullable<RecordFilters['hold']>,
  closedCycleId: number | undefined,
  owner: number | undefined,
): Pick<Settling, 'isHeld' | 'within' | 'without'> {
  if (hold === 'refused')
    return {
      isHeld: true,
      within: owner === undefined ? refused : sql`${told(owner)} and outcome = 'confirmed'`,
    }
  if (closedCycleId !== undefined) {
    const left = sql`select record_id from hold_records where cycle_id = ${closedCycleId} and not is_billed
      and ${isSeen({ cycleId: closedCycleId, asTold: owner !== undefined })}`
    return hold === 'held'
      ? { within: sql`${left} and decided_cycle_id is distinct from cycle_id` }
      : { without: sql`${left} and (outcome is distinct from 'released' or decided_cycle_id <> cycle_id)` }
  }
  if (owner !== undefined)
    return hold === 'held'
      ? { isHeld: true, within: sql`${told(owner)} and outcome is null` }
      : { without: told(owner) }
  return hold === 'held' ? { isHeld: true, without: refused } : { isHeld: false }
}

/** Records of a client that are held or refused, as it is told: of what a case holds from the next morning on. */
const told = (owner: number) => sql`select record_id from hold_records
  where user_id = ${owner} and outcome is distinct from 'released' and is_told(told_from)`

const refused = sql`select record_id from hold_records where outcome = 'confirmed'`

async function idsOf(db: Db, query: RawBuilder<unknown>): Promise<string[]> {
  return (await rows<{ id: string }>(db, query)).map(({ id }) => id)
}
