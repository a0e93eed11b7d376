// What the acts on many numbers, ranges and requests share.
import type { RawBuilder } from 'kysely'
import type { Db } from '../platform/db.ts'
import type { Caller } from '../http/handlers.ts'
import { changeChosen, type BulkKind, type BulkStep, type ChangedRow } from '../http/lists/bulk-changes.ts'
import { transaction } from '../platform/transaction.ts'
import { changeCatalog, type CatalogChange } from './change-catalog.ts'
import { numberId, unknownNumber } from './refusals.ts'
import { lockNumbers, type NumberRow } from './store.ts'

/** All that a filter matches. */
export interface BulkSet {
  /** Sees the rows of the list by the name that the list gives them. */
  readonly filter: RawBuilder<unknown>
  /** How many the person was told. */
  readonly count: number
}

/** An act on locked numbers, with its audit entry. Returns those that it has changed. */
export type NumbersAct = (
  tx: Db,
  change: CatalogChange,
  numbers: readonly NumberRow[],
  step: BulkStep,
) => Promise<readonly ChangedRow[]>

/** Does the act on all chosen numbers or on none. Throws Refusal not_found when one is missing. */
export function changeChosenNumbers(
  db: Db,
  kind: BulkKind<CatalogChange>,
  idTexts: readonly string[],
  act: NumbersAct,
  by: Caller,
): Promise<{ changed: number; changeId: string | null }> {
  const ids = [...new Set(idTexts.map((id) => numberId(id)))]
  return transaction(db, async (tx) => {
    const change = await changeCatalog(tx)
    const numbers = await lockNumbers(tx, ids)
    if (numbers.length < ids.length) throw unknownNumber()
    return changeChosen(tx, kind, by, (step) => act(tx, change, numbers, step))
  })
}

/** The object of an audit entry: one click makes one entry, which contains all the rows. */
export function manyObjects(
  objectType: string,
  plural: string,
  rows: readonly { readonly id: number | string }[],
) {
  return { objectType, objectId: rows.length === 1 ? String(rows[0]?.id) : `${rows.length} ${plural}` }
}
