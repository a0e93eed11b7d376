// Sets the status of all numbers that a filter matches, some at a time, so that messages wait for short changes only. What
// was there before is kept, so that the whole change can be undone.
import { sql, type RawBuilder } from 'kysely'
import { Refusal } from '@tollgate/contract/errors.ts'
import { changedRowsMax } from '@tollgate/contract/fields.ts'
import type { RouteReply } from '@tollgate/contract/route.ts'
import {
  matchingNumbersMax,
  type numberStatusChangesRoutes,
} from '@tollgate/contract/number-status-changes.ts'
import { accountStatuses, type AccountStatus } from '@tollgate/contract/vocabulary.ts'
import { row, rows, type Db } from '../../platform/db.ts'
import type { Caller } from '../../platform/http/handlers.ts'
import { transaction } from '../../platform/transaction.ts'
import { changeCatalog, type CatalogChange } from '../change-catalog.ts'
import type { NumbersDeps } from '../deps.ts'
import { lockNumbers, setStatuses, type NumberRow } from '../store.ts'

type Routes = typeof numberStatusChangesRoutes
type ChangeDeps = Pick<NumbersDeps, 'db' | 'audit' | 'idleWindows'>

// Finding them may take a look at all numbers, so it is done for several steps at once.
const readRowsMax = 5_000
// How long a change can be undone.
const keptFor = '7 days'

interface Asked {
  /** Sees the numbers as n. */
  readonly filter: RawBuilder<unknown>
  /** How many the person was told. */
  readonly count: number
  readonly status: AccountStatus
}

/**
 * Throws Refusal stale when another count matches by now; nothing was changed then. When it is interrupted, what was
 * changed stays so and can be undone.
 */
export async function setMatchingStatus(
  deps: ChangeDeps,
  { filter, count, status }: Asked,
  by: Caller,
): Promise<RouteReply<Routes['setMatchingNumberStatus']>> {
  const matching = await row<{ count: number; same: number; last: number | null }>(
    deps.db,
    sql`select count(*)::int as count, count(*) filter (where n.status = ${status})::int as same, max(n.id) as last
        from numbers n where n.deleted_at is null and ${filter}`,
  )
  const { count: found = 0, same = 0, last = null } = matching ?? {}
  if (found !== count) throw otherCount(found, count)
  if (same === found) return { changeId: null, changedCount: 0, sameCount: same, goneCount: 0 }
  const changeId = await startChange(deps.db, status, by)
  let changedCount = 0
  for (let after = 0; ;) {
    // Numbers that were added after they were counted have higher ids.
    const read = await rows<{ id: number }>(
      deps.db,
      sql`select n.id from numbers n where n.deleted_at is null and ${filter} and n.status <> ${status}
            and n.id > ${after} and n.id <= ${last} order by n.id limit ${readRowsMax}`,
    )
    if (read.length === 0) break
    for (let at = 0; at < read.length; at += changedRowsMax) {
      await deps.idleWindows?.next()
      const ids = read.slice(at, at + changedRowsMax).map(({ id }) => id)
      changedCount += await changePortion(deps, { changeId, status, ids }, by)
    }
    after = read.at(-1)?.id ?? after
  }
  return { changeId, changedCount, sameCount: same, goneCount: Math.max(0, found - same - changedCount) }
}

function otherCount(found: number, told: number): Refusal {
  const said = (count: number) => count.toLocaleString('en-GB')
  if (found > matchingNumbersMax)
    return new Refusal(
      'unprocessable',
      `More than ${said(matchingNumbersMax)} numbers match. Choose a narrower filter.`,
    )
  return new Refusal(
    'stale',
    `Nothing was changed: ${said(found)} numbers match by now, not ${said(told)}. Look at the list again.`,
  )
}

async function startChange(db: Db, status: AccountStatus, by: Caller): Promise<string> {
  await sql`delete from number_status_changes where made_at < now() - ${keptFor}::interval`.execute(db)
  const made = await row<{ id: string }>(
    db,
    sql`insert into number_status_changes (user_id, status, made_at)
        values (${by.actor.userId}, ${status}, clock_timestamp()) returning id`,
  )
  if (made === undefined) throw new Error('The change was not noted')
  return made.id
}

interface Portion {
  readonly changeId: string
  readonly status: AccountStatus
  readonly ids: readonly number[]
}

function changePortion(
  { db, audit }: ChangeDeps,
  { changeId, status, ids }: Portion,
  by: Caller,
): Promise<number> {
  return transaction(db, async (tx) => {
    const change = await changeCatalog(tx)
    const found = await lockNumbers(tx, ids)
    const differing = found.filter((number) => number.status !== status)
    if (differing.length > 0) {
      await setAndRecord(tx, { audit, change, changeId, by }, differing, status)
      await sql`insert into number_status_change_rows (change_id, number_id, before_status, version)
        select ${changeId}::bigint, * from unnest(${differing.map(({ id }) => id)}::int[],
          ${differing.map((number) => number.status)}::text[],
          ${differing.map(({ version }) => version + 1)}::int[])`.execute(tx)
    }
    return differing.length
  })
}

interface Act {
  readonly audit: NumbersDeps['audit']
  readonly change: CatalogChange
  readonly changeId: string
  readonly by: Caller
}

async function setAndRecord(
  tx: Db,
  { audit, change, changeId, by }: Act,
  numbers: readonly NumberRow[],
  status: AccountStatus,
): Promise<void> {
  await setStatuses(
    tx,
    change,
    numbers.map(({ id }) => id),
    status,
  )
  await audit.record(tx, {
    ...by,
    action: 'number.set_status',
    objectType: 'number',
    objectId: numbers.length === 1 ? String(numbers[0]?.id) : `${numbers.length} numbers`,
    before: Object.fromEntries(numbers.map((number) => [number.number, number.status])),
    after: { status, change: changeId },
  })
}

/** Throws Refusal not_found for a change that is not kept (any more), wrong_state when it is undone already. */
export async function undoStatusChange(
  deps: ChangeDeps,
  changeId: string,
  by: Caller,
): Promise<RouteReply<Routes['undoNumberStatusChange']>> {
  const kept = await row<{ undone_at: Date | null }>(
    deps.db,
    sql`select undone_at from number_status_changes where id = ${changeId}::bigint`,
  )
  if (kept === undefined)
    throw new Refusal('not_found', 'This change is not known any more. It can be undone for a week.')
  if (kept.undone_at !== null) throw undoneAlready()
  const sums = { restored: 0, left: 0 }
  for (let after = 0; ;) {
    const portion = await rows<ChangedRow>(
      deps.db,
      sql`select number_id, before_status, version from number_status_change_rows
          where change_id = ${changeId}::bigint and number_id > ${after} order by number_id limit ${changedRowsMax}`,
    )
    if (portion.length === 0) break
    await deps.idleWindows?.next()
    const restored = await restorePortion(deps, changeId, portion, by)
    sums.restored += restored
    sums.left += portion.length - restored
    after = portion.at(-1)?.number_id ?? after
  }
  await finishUndo(deps.db, changeId)
  return { restoredCount: sums.restored, leftCount: sums.left }
}

interface ChangedRow {
  readonly number_id: number
  readonly before_status: AccountStatus
  readonly version: number
}

/** Rows of restored numbers are forgotten, so undoing that was interrupted goes on. Returns how many were restored. */
function restorePortion(
  { db, audit }: ChangeDeps,
  changeId: string,
  portion: readonly ChangedRow[],
  by: Caller,
): Promise<number> {
  return transaction(db, async (tx) => {
    const change = await changeCatalog(tx)
    await refuseUndone(tx, changeId)
    const asked = new Map(portion.map((changed) => [changed.number_id, changed]))
    const found = await lockNumbers(tx, [...asked.keys()])
    const untouched = found.filter(({ id, version }) => asked.get(id)?.version === version)
    for (const status of accountStatuses) {
      const numbers = untouched.filter(({ id }) => asked.get(id)?.before_status === status)
      if (numbers.length > 0) await setAndRecord(tx, { audit, change, changeId, by }, numbers, status)
    }
    await sql`delete from number_status_change_rows where change_id = ${changeId}::bigint
        and number_id = any(${untouched.map(({ id }) => id)}::int[])`.execute(tx)
    return untouched.length
  })
}

const undoneAlready = () => new Refusal('wrong_state', 'This change is undone already.')

async function refuseUndone(tx: Db, changeId: string): Promise<void> {
  const open = await row<{ id: string }>(
    tx,
    sql`select id from number_status_changes where id = ${changeId}::bigint and undone_at is null for update`,
  )
  if (open === undefined) throw undoneAlready()
}

async function finishUndo(db: Db, changeId: string): Promise<void> {
  await transaction(db, async (tx) => {
    await refuseUndone(tx, changeId)
    await sql`update number_status_changes set undone_at = clock_timestamp() where id = ${changeId}::bigint`.execute(
      tx,
    )
  })
}
