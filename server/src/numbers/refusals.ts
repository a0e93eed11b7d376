// Refusals that several folders of this slice use.
import { Refusal } from '@tollgate/contract/errors.ts'
import { sentence } from '@tollgate/contract/sentences.ts'
import { rowId } from '../platform/refusals.ts'

export const unknownNumber = (): Refusal =>
  new Refusal('not_found', 'There is no such number. It may have been deleted; reload the list.')

export const unknownRange = (): Refusal =>
  new Refusal('not_found', 'There is no such range. It may have been deleted; reload the list.')

export const numberTaken = (digits: string): Refusal =>
  new Refusal(
    'taken',
    sentence('{number} is already in the list. Edit that entry instead.', { number: `+${digits}` }),
    {
      fields: { number: 'This number is already in the list' },
    },
  )

/** The number's id as an integer. Throws Refusal not_found for a text that cannot be an id. */
export const numberId = (id: string): number => rowId(id, unknownNumber)
