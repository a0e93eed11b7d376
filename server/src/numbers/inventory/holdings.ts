// Many numbers get one holder, or lose theirs, at once.
import { sql } from 'kysely'
import { Refusal } from '@tollgate/contract/errors.ts'
import { sentence } from '@tollgate/contract/sentences.ts'
import type { Caller } from '../../http/handlers.ts'
import { lockUntouched, type BulkKind, type MatchingAct } from '../../http/lists/bulk-changes.ts'
import { changeCatalog, type CatalogChange } from '../change-catalog.ts'
import type { NumbersDeps } from '../deps.ts'
import { assignIn } from './assign.ts'
import { endHoldings, lockClient, lockNumbers, type NumberRow } from '../store.ts'
import { hasInventoryStatus } from '../views.ts'
import { changeChosenNumbers, manyObjects, type BulkSet, type NumbersAct } from '../bulk-set.ts'

type Answer = Promise<{ changed: number; changeId: string | null }>

/** Undone, the numbers are free from then on. What they earned until then stays their holder's. */
export function assignKind(deps: NumbersDeps): BulkKind<CatalogChange> {
  return {
    name: 'number.assign',
    begin: changeCatalog,
    async restore(tx, change, requested, step) {
      const open = await lockUntouched(tx, requested, lockNumbers)
      const ended = await ending(deps)(tx, change, [...open.keys()], step)
      return ended.map(({ id }) => id)
    },
  }
}

/** Undone, the numbers are their former holders' from then on. What they received in between stays nobody's. */
export function unassignKind(deps: NumbersDeps): BulkKind<CatalogChange> {
  return {
    name: 'number.unassign',
    begin: changeCatalog,
    async restore(tx, change, requested, step) {
      const open = [...(await lockUntouched(tx, requested, lockNumbers))].filter(([number]) =>
        isAvailable(number),
      )
      const restored: number[] = []
      for (const holder of new Set(open.map(([, before]) => before))) {
        const userId = Number(holder)
        // Whose account was closed meanwhile gets nothing back.
        if ((await lockClient(tx, userId))?.status !== 'active') continue
        const numbers = open.flatMap(([number, before]) => (before === holder ? [number] : []))
        // A number whose price was changed meanwhile is not open any more, so anybody may undo this.
        const assigned = await assigning(deps, userId, { mayBeOwn: true })(tx, change, numbers, step)
        restored.push(...assigned.map(({ id }) => id))
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
        case when ${hasInventoryStatus.assigned} then 'held' when ${hasInventoryStatus.suspended} then 'suspended' end as left_out
      from numbers n where n.deleted_at is null and ${filter}`,
    change: async (tx, change, ids, step) =>
      assigning(deps, userId)(tx, change, (await lockNumbers(tx, ids)).filter(isAvailable), step),
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
    change: async (tx, change, ids, step) =>
      ending(deps)(tx, change, (await lockNumbers(tx, ids)).filter(isHeld), step),
  }
}

/** Assigns all chosen numbers or none. */
export function assignChosen(
  deps: NumbersDeps,
  { ids, userId }: { readonly ids: readonly string[]; readonly userId: number },
  by: Caller,
): Answer {
  return changeChosenNumbers(deps.db, assignKind(deps), ids, assigning(deps, userId), by)
}

/** Ends the holdings of all chosen numbers or of none. Throws Refusal wrong_state when nobody holds one of them. */
export function unassignChosen(deps: NumbersDeps, ids: readonly string[], by: Caller): Answer {
  const end: NumbersAct = (tx, change, numbers, step) => {
    const unheld = numbers.find((number) => !isHeld(number))
    if (unheld !== undefined)
      throw new Refusal('wrong_state', sentence('Nobody holds {number}.', { number: `+${unheld.number}` }))
    return ending(deps)(tx, change, numbers, step)
  }
  return changeChosenNumbers(deps.db, unassignKind(deps), ids, end, by)
}

const isHeld = ({ holder_id }: NumberRow): boolean => holder_id !== null
const isAvailable = (number: NumberRow): boolean => number.status === 'active' && !isHeld(number)

function assigning(deps: NumbersDeps, userId: number, rule: { mayBeOwn?: true } = {}): NumbersAct {
  return async (tx, change, numbers, { changeId, by }) => {
    if (numbers.length > 0) await assignIn(deps, tx, change, numbers, { userId, changeId, ...rule }, by)
    return numbers.map(({ id, version }) => ({ id, before: '', mark: String(version + 1) }))
  }
}

function ending({ audit }: NumbersDeps): NumbersAct {
  return async (tx, change, numbers, { changeId, by }) => {
    if (numbers.length === 0) return []
    await endHoldings(
      tx,
      change,
      numbers.map(({ id }) => id),
    )
    await audit.record(tx, {
      ...by,
      ...manyObjects('number', 'numbers', numbers),
      action: 'number.unassign',
      before: Object.fromEntries(numbers.map((row) => [row.number, row.holder_id])),
      after: { assignedTo: null, to: change.now.toISOString(), change: changeId },
    })
    return numbers.map(({ id, holder_id, version }) => ({
      id,
      before: String(holder_id),
      mark: String(version + 1),
    }))
  }
}
