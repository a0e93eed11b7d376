// Acts on many rows as one change: on all that a filter matches, some at a time, so that nothing else waits for long, or on
// rows that a person chose. What was there before is kept for a week, so that the whole change can be undone.
import { sql, type RawBuilder } from 'kysely'
import { matchingRowsMax, type BulkChange, type BulkUndo } from '@tollgate/contract/numbers/bulk-changes.ts'
import { Refusal } from '@tollgate/contract/errors.ts'
import { changedRowsMax } from '@tollgate/contract/fields.ts'
import { sentence } from '@tollgate/contract/sentences.ts'
import type { LeftOutReason } from '@tollgate/contract/vocabulary.ts'
import { onlyRow, row, rows, type Db } from '../../platform/db.ts'
import type { Caller } from '../handlers.ts'
import type { IdleWindows } from '../../platform/load/idle-windows.ts'
import { transaction } from '../../platform/transaction.ts'

// Finding the rows may mean reading all of them, so it is done for several steps at once.
const readRowsMax = 5_000
const keptFor = '7 days'

/** A row that was changed. */
export interface ChangedRow {
  readonly id: number
  /** What was there before. */
  readonly before: string
  /** Tells whether something has changed the row since. */
  readonly mark: string
}

/** What each step of a change, or of its undoing, is done for. Its audit entries name the change. */
export interface BulkStep {
  readonly changeId: string
  readonly by: Caller
}

/** One kind of change. `begin` is called first in each transaction, before any row lock, and gives what the steps need. */
export interface BulkKind<Scope> {
  readonly name: string
  readonly begin: (tx: Db) => Promise<Scope>
  /** Gives rows back what they had, except those that something has changed since. Returns the ids of the others. */
  readonly restore: (
    tx: Db,
    scope: Scope,
    chosen: readonly ChangedRow[],
    step: BulkStep,
  ) => Promise<readonly number[]>
}

export interface MatchingAct<Scope> {
  readonly kind: BulkKind<Scope>
  /** A query of all rows that match: `id`, and `left_out`, why a row is left as it is, or null. */
  readonly matching: RawBuilder<unknown>
  /** How many rows the person saw counted. */
  readonly count: number
  /** Changes rows and returns them, without those that cannot be changed any more. */
  readonly change: (
    tx: Db,
    scope: Scope,
    ids: readonly number[],
    step: BulkStep,
  ) => Promise<readonly ChangedRow[]>
}

export interface BulkDeps {
  readonly db: Db
  readonly idleWindows?: IdleWindows | undefined
}

/**
 * Changes all rows that match. Throws Refusal stale when another count matches by now; nothing was changed then. When it is
 * interrupted, what was changed stays so and can be undone.
 */
export async function changeMatching<Scope>(
  { db, idleWindows }: BulkDeps,
  { kind, matching, count, change }: MatchingAct<Scope>,
  by: Caller,
): Promise<BulkChange> {
  await idleWindows?.next()
  const counted = await rows<{ reason: LeftOutReason | null; count: number; last: string }>(
    db,
    sql`select m.left_out as reason, count(*)::int as count, max(m.id)::bigint as last from (${matching}) m group by 1`,
  )
  const found = counted.reduce((sum, group) => sum + group.count, 0)
  if (found !== count) throw otherCount(found, count)
  const open = counted.find(({ reason }) => reason === null)
  const leftOut = counted.flatMap(({ reason, count: each }) => (reason ? [{ reason, count: each }] : []))
  if (open === undefined) return { changeId: null, changedCount: 0, leftOut }
  const changeId = await startChange(db, kind, by)
  let changedCount = 0
  for (let after = '0'; ;) {
    // Rows that were added after they were counted have higher ids.
    const read: { id: string }[] = await rows<{ id: string }>(
      db,
      sql`select m.id::bigint as id from (${matching}) m
          where m.left_out is null and m.id > ${after} and m.id <= ${open.last} order by m.id limit ${readRowsMax}`,
    )
    if (read.length === 0) break
    for (let at = 0; at < read.length; at += changedRowsMax) {
      await idleWindows?.next()
      const ids = read.slice(at, at + changedRowsMax).map(({ id }) => Number(id))
      changedCount += await transaction(db, async (tx) => {
        const changed = await change(tx, await kind.begin(tx), ids, { changeId, by })
        await keepRows(tx, changeId, changed)
        return changed.length
      })
    }
    after = read.at(-1)?.id ?? after
  }
  const gone = Math.max(0, open.count - changedCount)
  if (gone > 0) leftOut.push({ reason: 'gone', count: gone })
  return { changeId: changedCount > 0 ? changeId : null, changedCount, leftOut }
}

/** Changes rows that a person chose, in the transaction of the caller. The id is null when none was changed. */
export async function changeChosen<Scope>(
  tx: Db,
  kind: BulkKind<Scope>,
  by: Caller,
  change: (step: BulkStep) => Promise<readonly ChangedRow[]>,
): Promise<{ changed: number; changeId: string | null }> {
  const changeId = await startChange(tx, kind, by)
  const changed = await change({ changeId, by })
  if (changed.length > 0) await keepRows(tx, changeId, changed)
  else await sql`delete from bulk_changes where id = ${changeId}::bigint`.execute(tx)
  return { changed: changed.length, changeId: changed.length > 0 ? changeId : null }
}

function otherCount(found: number, expected: number): Refusal {
  if (found > matchingRowsMax)
    return new Refusal(
      'unprocessable',
      sentence('More than {count} match. Choose a narrower filter.', { count: matchingRowsMax }),
    )
  return new Refusal(
    'stale',
    sentence('Nothing was changed: {found} match by now, not {expected}. Look at the list again.', {
      found,
      expected,
    }),
  )
}

async function startChange(db: Db, { name }: Pick<BulkKind<never>, 'name'>, by: Caller): Promise<string> {
  await sql`delete from bulk_changes where made_at < now() - ${keptFor}::interval`.execute(db)
  const made = await onlyRow<{ id: string }>(
    db,
    sql`insert into bulk_changes (kind, user_id, made_at)
        values (${name}, ${by.actor.userId}, clock_timestamp()) returning id`,
  )
  return made.id
}

async function keepRows(tx: Db, changeId: string, changed: readonly ChangedRow[]): Promise<void> {
  await sql`insert into bulk_change_rows (change_id, object_id, before, mark)
    select ${changeId}::bigint, * from unnest(${changed.map(({ id }) => id)}::bigint[],
      ${changed.map(({ before }) => before)}::text[], ${changed.map(({ mark }) => mark)}::text[])`.execute(tx)
}

/**
 * Undoes a change of one of these kinds. Throws Refusal not_found for a change that is not kept (any more), wrong_state when
 * it is undone already.
 */
export async function undoChange(
  { db, idleWindows }: BulkDeps,
  kinds: readonly BulkKind<unknown>[],
  changeId: string,
  by: Caller,
): Promise<BulkUndo> {
  const kept = await row<{ kind: string; undone_at: Date | null }>(
    db,
    sql`select kind, undone_at from bulk_changes where id = ${changeId}::bigint`,
  )
  const kind = kinds.find(({ name }) => name === kept?.kind)
  if (kept === undefined || kind === undefined)
    throw new Refusal('not_found', 'This change is not known any more. It can be undone for a week.')
  if (kept.undone_at !== null) throw undoneAlready()
  const sums = { restoredCount: 0, leftCount: 0 }
  for (let after = 0; ;) {
    const portion = await readPortion(db, changeId, after)
    if (portion.length === 0) break
    await idleWindows?.next()
    const restored = await restorePortion(db, kind, portion, { changeId, by })
    sums.restoredCount += restored
    sums.leftCount += portion.length - restored
    after = portion.at(-1)?.id ?? after
  }
  await finishUndo(db, changeId)
  return sums
}

async function readPortion(db: Db, changeId: string, after: number): Promise<ChangedRow[]> {
  const portion = await rows<{ id: string; before: string; mark: string }>(
    db,
    sql`select object_id as id, before, mark from bulk_change_rows
        where change_id = ${changeId}::bigint and object_id > ${after} order by object_id limit ${changedRowsMax}`,
  )
  return portion.map((each) => ({ ...each, id: Number(each.id) }))
}

/** Rows that were restored are forgotten, so an undoing that was interrupted goes on. Returns how many were restored. */
function restorePortion<Scope>(
  db: Db,
  kind: BulkKind<Scope>,
  portion: readonly ChangedRow[],
  step: BulkStep,
): Promise<number> {
  return transaction(db, async (tx) => {
    const scope = await kind.begin(tx)
    await refuseUndone(tx, step.changeId)
    const restored = await kind.restore(tx, scope, portion, step)
    await sql`delete from bulk_change_rows where change_id = ${step.changeId}::bigint
        and object_id = any(${[...restored]}::bigint[])`.execute(tx)
    return restored.length
  })
}

const undoneAlready = () => new Refusal('wrong_state', 'This change is undone already.')

async function refuseUndone(tx: Db, changeId: string): Promise<void> {
  const open = await row<{ id: string }>(
    tx,
    sql`select id from bulk_changes where id = ${changeId}::bigint and undone_at is null for update`,
  )
  if (open === undefined) throw undoneAlready()
}

/** The condition that this JSON names, as `change`, a change that can still be undone. */
export function namesUndoable(json: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`coalesce(case when ${json} ->> 'change' ~ '^[0-9]{1,18}$' then exists (
    select from bulk_changes c where c.id = (${json} ->> 'change')::bigint and c.undone_at is null
      and c.made_at >= now() - ${keptFor}::interval) end, false)`
}

async function finishUndo(db: Db, changeId: string): Promise<void> {
  await transaction(db, async (tx) => {
    await refuseUndone(tx, changeId)
    await sql`update bulk_changes set undone_at = clock_timestamp() where id = ${changeId}::bigint`.execute(
      tx,
    )
  })
}

/** Locks the rows that nothing has changed since, by their versions, each with what was there before. */
export async function lockUntouched<Row extends { readonly id: number; readonly version: number }>(
  tx: Db,
  chosen: readonly ChangedRow[],
  lock: (tx: Db, ids: readonly number[]) => Promise<readonly Row[]>,
): Promise<ReadonlyMap<Row, string>> {
  const kept = new Map(chosen.map((each) => [each.id, each]))
  const found = await lock(tx, [...kept.keys()])
  const open = found.filter(({ id, version }) => kept.get(id)?.mark === String(version))
  return new Map(open.map((each) => [each, kept.get(each.id)?.before ?? '']))
}
