import type { Found } from '@tollgate/contract/objects/objects.ts'
import { findNumbers } from '../numbers/index.ts'
import { foundOf, type SearchQuery } from './finder.ts'

/** Numbers by digits, account number, description or holder, newest first. */
export async function findPhoneNumbers({ db, actor, text, max }: SearchQuery): Promise<Found[]> {
  const found = await findNumbers(db, actor, text, max)
  return found.map(({ id, phoneNumber, accountNumber, clientName, description }) =>
    foundOf({
      kind: 'number',
      id,
      title: actor.role === 'test' ? phoneNumber : `+${phoneNumber}`,
      detail: [accountNumber, clientName, description].filter((part) => part !== '').join(' · '),
    }),
  )
}
