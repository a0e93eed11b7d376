// The noes that several parts of this slice give, in one wording.
import { Refusal } from '@tollgate/contract/errors.ts'
import { rowId } from '../platform/refusals.ts'

export const unknownNumber = (): Refusal =>
  new Refusal('not_found', 'There is no such number. It may have been deleted; reload the list.')

export const numberTaken = (digits: string): Refusal =>
  new Refusal('taken', `+${digits} is already in the list. Edit that entry instead.`, {
    fields: { number: 'This number is already in the list' },
  })

/** The id of a number as the database has it. Throws Refusal not_found for one that cannot exist. */
export const numberId = (id: string): number => rowId(id, unknownNumber)
