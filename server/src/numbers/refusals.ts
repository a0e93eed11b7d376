// The noes that several parts of this slice give, in one wording.
import { Refusal } from '@tollgate/contract/errors.ts'
import { brokenConstraint } from '../platform/db.ts'

export const unknownNumber = (): Refusal =>
  new Refusal('not_found', 'There is no such number. It may have been deleted; reload the list.')

export const numberTaken = (digits: string): Refusal =>
  new Refusal('taken', `+${digits} is already in the list. Edit that entry instead.`, {
    fields: { number: 'This number is already in the list' },
  })

/** Throws Refusal stale when somebody saved after the form was opened. */
export function checkVersion(given: number | undefined, current: number): void {
  if (given !== undefined && given < current)
    throw new Refusal('stale', 'Somebody changed this in the meantime. Reload and try again.')
}

const intMax = 2_147_483_647

/** The id of a number or range as the database has it. Throws `missing()` for one that cannot exist. */
export function rowId(id: string, missing: () => Refusal = unknownNumber): number {
  const value = Number(id)
  if (value < 1 || value > intMax) throw missing()
  return value
}

/** Runs a statement and gives `refusal()` where it breaks the named constraint. The transaction is lost then. */
export async function refuseWhereBroken<T>(
  constraint: string,
  refusal: () => Refusal,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (brokenConstraint(error) === constraint) throw refusal()
    throw error
  }
}
