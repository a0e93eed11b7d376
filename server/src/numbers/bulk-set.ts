// What the acts on many numbers share.
import type { RawBuilder } from 'kysely'
import type { Db } from '../platform/db.ts'
import { numberId, unknownNumber } from './refusals.ts'
import { lockNumbers, type NumberRow } from './store.ts'

/** All that a filter matches. */
export interface BulkSet {
  /** Sees the rows of the list by the name that the list gives them. */
  readonly filter: RawBuilder<unknown>
  /** How many the person was told. */
  readonly count: number
}

/** Locks the numbers with these ids. Throws Refusal not_found when one is missing. */
export async function lockAll(tx: Db, idTexts: readonly string[]): Promise<NumberRow[]> {
  const ids = [...new Set(idTexts.map((id) => numberId(id)))]
  const found = await lockNumbers(tx, ids)
  if (found.length < ids.length) throw unknownNumber()
  return found
}

export function marksOf(numbers: readonly NumberRow[]): ReadonlyMap<number, string> {
  return new Map(numbers.map(({ id, version }) => [id, String(version)]))
}

/** The object of an audit entry: one click makes one entry, which contains all the numbers. */
export function manyNumbers(numbers: readonly NumberRow[]) {
  const objectId = numbers.length === 1 ? String(numbers[0]?.id) : `${numbers.length} numbers`
  return { objectType: 'number', objectId }
}
