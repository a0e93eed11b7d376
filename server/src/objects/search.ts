// The search of the whole console: each kind of object has a finder, which knows who may find what.
import { searchedDigits } from '@tollgate/contract/fields.ts'
import { foundPerKindMax, type Found } from '@tollgate/contract/objects/objects.ts'
import type { Actor } from '../http/handlers.ts'
import type { Db } from '../platform/db.ts'
import type { Finder } from './finder.ts'
import { findConnections, findEndpoints, findProviders, findRanges } from './find-links.ts'
import { findBills, findPayments, findTransfers } from './find-money.ts'
import { findPhoneNumbers } from './find-phone-numbers.ts'
import { findPeople } from './find-people.ts'
import { findHolds, findRecords } from './find-records.ts'

// One letter finds half of everything.
const searchLengthMin = 2

const finders: readonly Finder[] = [
  findRanges,
  findConnections,
  findProviders,
  findEndpoints,
  findBills,
  findPayments,
  findTransfers,
  findRecords,
  findHolds,
]

/** The objects that a viewer may open and that have this text in a name, number, id or hash. */
export async function search(db: Db, actor: Actor, text: string): Promise<Found[]> {
  if (text.length < searchLengthMin) return []
  const query = { db, actor, text, max: foundPerKindMax }
  const found: Found[] = []
  // One after the other: a search takes one connection, however fast somebody types.
  const [first, second] =
    searchedDigits(text) === undefined ? [findPeople, findPhoneNumbers] : [findPhoneNumbers, findPeople]
  for (const find of [first, second, ...finders]) found.push(...(await find(query)))
  return found
}
