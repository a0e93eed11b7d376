// Many numbers get one holder, or lose theirs, at once.
import { sql } from 'kysely'
import { Refusal } from '@tollgate/contract/errors.ts'
import type { Db } from '../../platform/db.ts'
import type { Caller } from '../../platform/http/handlers.ts'
import { transaction } from '../../platform/transaction.ts'
import {
  keepChange,
  untouched,
  type BulkKind,
  type ChangedRow,
  type MatchingAct,
} from '../../platform/lists/bulk-changes.ts'
import { changeCatalog, type CatalogChange } from '../change-catalog.ts'
import type { NumbersDeps } from '../deps.ts'
import { assignIn } from './assign.ts'
import { endHoldings, lockClient, lockNumbers, type NumberRow } from '../store.ts'
import { lockAll, manyNumbers, marksOf, type BulkSet } from '../bulk-set.ts'

type Answer = Promise<{ changed: number; changeId: string | null }>

/** Undone, the numbers are free from then on. What they earned until then stays their holder's. */
export function assignKind(deps: NumbersDeps): BulkKind<CatalogChange> {
  return {
    name: 'number.assign',
    begin: changeCatalog,
    async restore(tx, change, asked, { changeId, by }) {
      const open = await lockUntouched(tx, asked)
      if (open.length > 0) await endAndRecord(deps, tx, { change, numbers: open, changeId }, by)
      return open.map(({ id }) => id)
    },
  }
}

/** Undone, the numbers are their former holders' from then on. What they received in between stays nobody's. */
export function unassignKind(deps: NumbersDeps): BulkKind<CatalogChange> {
  return {
    name: 'number.unassign',
    begin: changeCatalog,
    async restore(tx, change, asked, { by }) {
      const holders = new Map(asked.map(({ id, before }) => [id, Number(before)]))
      const open = (await lockUntouched(tx, asked)).filter(isAvailable)
      const restored: number[] = []
      for (const userId of new Set(open.map(({ id }) => holders.get(id) ?? 0))) {
        // Whose account was closed meanwhile gets nothing back.
        if ((await lockClient(tx, userId))?.status !== 'active') continue
        const numbers = open.filter(({ id }) => holders.get(id) === userId)
        await assignIn(deps, tx, change, numbers, { userId }, by)
        restored.push(...numbers.map(({ id }) => id))
      }
      return restored
    },
  }
}

/** Assigns all available numbers that a filter of the stock matches to an active user. */
export function matchingAssignment(
  deps: NumbersDeps,
  { filter, count, userId }: BulkSet & { readonly userId: number },
): MatchingAct<CatalogChange> {
  return {
    kind: assignKind(deps),
    count,
    matching: sql`select n.id,
        case n.stock_status when 'assigned' then 'held' when 'suspended' then 'suspended' end as left_out
      from numbers n where n.deleted_at is null and ${filter}`,
    async change(tx, change, ids, { by }) {
      const numbers = (await lockNumbers(tx, ids)).filter(isAvailable)
      return assignAll(deps, tx, { change, numbers, userId }, by)
    },
  }
}

/** Ends the holdings of all numbers that a filter of the stock matches. */
export function matchingUnassignment(
  deps: NumbersDeps,
  { filter, count }: BulkSet,
): MatchingAct<CatalogChange> {
  return {
    kind: unassignKind(deps),
    count,
    matching: sql`select n.id, case when n.holder_id is null then 'unheld' end as left_out
      from numbers n where n.deleted_at is null and ${filter}`,
    async change(tx, change, ids, { changeId, by }) {
      const numbers = (await lockNumbers(tx, ids)).filter(isHeld)
      return endAndRecord(deps, tx, { change, numbers, changeId }, by)
    },
  }
}

/** Assigns all chosen numbers or none. */
export async function assignChosen(
  deps: NumbersDeps,
  { ids, userId }: { readonly ids: readonly string[]; readonly userId: number },
  by: Caller,
): Answer {
  return transaction(deps.db, async (tx) => {
    const change = await changeCatalog(tx)
    const numbers = await lockAll(tx, ids)
    const changed = await assignAll(deps, tx, { change, numbers, userId }, by)
    return { changed: changed.length, changeId: await keepChange(tx, assignKind(deps), changed, by) }
  })
}

/** Ends the holdings of all chosen numbers or of none. Throws Refusal wrong_state when nobody holds one of them. */
export async function unassignChosen(deps: NumbersDeps, ids: readonly string[], by: Caller): Answer {
  return transaction(deps.db, async (tx) => {
    const change = await changeCatalog(tx)
    const numbers = await lockAll(tx, ids)
    const unheld = numbers.find((number) => !isHeld(number))
    if (unheld !== undefined) throw new Refusal('wrong_state', `Nobody holds +${unheld.number}.`)
    const changed = await endAndRecord(deps, tx, { change, numbers }, by)
    return { changed: changed.length, changeId: await keepChange(tx, unassignKind(deps), changed, by) }
  })
}

const isHeld = ({ holder_id }: NumberRow): boolean => holder_id !== null
const isAvailable = (number: NumberRow): boolean => number.status === 'active' && !isHeld(number)

async function lockUntouched(tx: Db, asked: readonly ChangedRow[]): Promise<NumberRow[]> {
  const found = await lockNumbers(
    tx,
    asked.map(({ id }) => id),
  )
  const open = new Set(untouched(asked, marksOf(found)).map(({ id }) => id))
  return found.filter(({ id }) => open.has(id))
}

interface Assignment {
  readonly change: CatalogChange
  readonly numbers: readonly NumberRow[]
  readonly userId: number
}

async function assignAll(
  deps: NumbersDeps,
  tx: Db,
  { change, numbers, userId }: Assignment,
  by: Caller,
): Promise<ChangedRow[]> {
  if (numbers.length > 0) await assignIn(deps, tx, change, numbers, { userId }, by)
  return numbers.map(({ id, version }) => ({ id, before: '', mark: String(version + 1) }))
}

interface Ending {
  readonly change: CatalogChange
  readonly numbers: readonly NumberRow[]
  readonly changeId?: string
}

async function endAndRecord(
  { audit }: NumbersDeps,
  tx: Db,
  { change, numbers, changeId }: Ending,
  by: Caller,
): Promise<ChangedRow[]> {
  if (numbers.length === 0) return []
  await endHoldings(
    tx,
    change,
    numbers.map(({ id }) => id),
  )
  await audit.record(tx, {
    ...by,
    ...manyNumbers(numbers),
    action: 'number.unassign',
    before: Object.fromEntries(numbers.map((row) => [row.number, row.holder_id])),
    after: {
      assignedTo: null,
      to: change.now.toISOString(),
      ...(changeId !== undefined && { change: changeId }),
    },
  })
  return numbers.map(({ id, holder_id, version }) => ({
    id,
    before: String(holder_id),
    mark: String(version + 1),
  }))
}
