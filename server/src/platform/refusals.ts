// Refusals that every editable list needs, with one wording.
import { Refusal } from '@tollgate/contract/errors.ts'
import { sentence, type Sentence } from '@tollgate/contract/sentences.ts'
import { brokenConstraint } from './db.ts'

/** The refusal stale when somebody else saved after the row was read. */
export function staleRefusal(seen: number | undefined, current: number): Refusal | undefined {
  return seen !== undefined && seen < current
    ? new Refusal('stale', 'Somebody changed this in the meantime. Reload and try again.')
    : undefined
}

/** Throws Refusal stale when somebody else saved after the form was opened. */
export function checkVersion(seen: number | undefined, current: number): void {
  const refusal = staleRefusal(seen, current)
  if (refusal !== undefined) throw refusal
}

/** The same for a value without a version: throws Refusal stale when it changed after the form was opened. */
export function checkSeen(seen: string | undefined, current: string, field: string): void {
  if (seen === undefined || seen === current) return
  const now = current === '' ? sentence('It is empty now.') : sentence('It is {current} now.', { current })
  const changed = sentence('Somebody changed this in the meantime.')
  throw new Refusal('stale', [changed, now, sentence('Nothing was overwritten.')], {
    fields: { [field]: [sentence('Changed in the meantime.'), now] },
  })
}

// PostgreSQL's int.
const idMax = 2_147_483_647

/** An id as the database has it. Throws `missing()` for one that cannot exist. */
export function rowId(id: string, missing: () => Refusal): number {
  const value = Number(id)
  if (!Number.isInteger(value) || value < 1 || value > idMax) throw missing()
  return value
}

/** Runs a statement; throws `refusal()` when it breaks one of these constraints. The transaction is then lost. */
export async function refuseWhereBroken<T>(
  constraints: string | readonly string[],
  refusal: () => Refusal,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const broken = brokenConstraint(error)
    if (broken !== undefined && [constraints].flat().includes(broken)) throw refusal()
    throw error
  }
}

/** Refusal taken, for a name that is in use. */
export function nameTaken(message: Sentence): Refusal {
  return new Refusal('taken', message, { fields: { name: 'This name is taken' } })
}

type Defined<T> = { [K in keyof T]: Exclude<T[K], undefined> }

/** The fields of an edit that are present. */
export function withoutUndefined<T extends object>(edit: T): Defined<T> {
  return Object.fromEntries(Object.entries(edit).filter(([, value]) => value !== undefined)) as Defined<T>
}
