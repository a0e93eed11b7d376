// Turns the filters by period, rate, settlement and hold into tests, and the period into a time span.
import { sql, type RawBuilder } from 'kysely'
import { parseMicro } from '@tollgate/contract/money.ts'
import type { RecordFilters } from '@tollgate/contract/records.ts'
import { settlements } from '@tollgate/contract/vocabulary.ts'
import { rows, type Db } from '../../platform/db.ts'
import { findCycleSpan, type CycleSpan } from '../query/cycle-span.ts'
import type { Settling } from '../query/settling.ts'

export interface ResolvedSettling {
  readonly settling: Settling | undefined
  /** The client whose period it is. */
  readonly clientId: number | undefined
  readonly span: CycleSpan['records']
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

/** Undefined when no record can match: there is no such period. */
export async function resolveSettling(db: Db, filters: RecordFilters): Promise<ResolvedSettling | undefined> {
  const { period, rate, rateId, settlement, hold, late, unowned } = filters
  const isSet = [period, rate, rateId, settlement, hold, late, unowned].some((value) => value !== undefined)
  if (!isSet) return { settling: undefined, clientId: undefined, span: undefined }
  const [cycleId, clientId] = period?.split('-').map(Number) ?? []
  const cycle = cycleId === undefined ? undefined : await spanOf(db, cycleId)
  if (cycleId !== undefined && cycle === undefined) return undefined
  return {
    clientId,
    span: cycle?.records,
    settling: {
      cycleId,
      settlement: settlement === undefined ? undefined : settlements.indexOf(settlement),
      rateId,
      amountMicro: rate === undefined ? undefined : parseMicro(rate),
      ...(hold !== undefined && (await holdTests(db, hold, cycle?.isClosed === true ? cycleId : undefined))),
      isLate: late === undefined ? undefined : late === 'true',
      isUnowned: unowned === 'true',
    },
  }
}

/** With a closed cycle: held or not when it closed. Otherwise as it is now; what is refused waits for nobody. */
async function holdTests(
  db: Db,
  hold: NonNullable<RecordFilters['hold']>,
  closedCycleId: number | undefined,
): Promise<Pick<Settling, 'isHeld' | 'onlyIds' | 'exceptIds'>> {
  if (hold === 'refused') return { isHeld: true, onlyIds: await refusedIds(db) }
  if (closedCycleId !== undefined) {
    const ids = await idsOf(
      db,
      sql`select record_id::text as id from cycle_held_records where cycle_id = ${closedCycleId}`,
    )
    return hold === 'held' ? { onlyIds: ids } : { exceptIds: ids }
  }
  return hold === 'held' ? { isHeld: true, exceptIds: await refusedIds(db) } : { isHeld: false }
}

const refusedIds = (db: Db) =>
  idsOf(
    db,
    sql`select p.record_id::text as id from hold_records p join holds h on h.id = p.hold_id where h.status = 'confirmed'`,
  )

async function idsOf(db: Db, query: RawBuilder<unknown>): Promise<string[]> {
  return (await rows<{ id: string }>(db, query)).map(({ id }) => id)
}
