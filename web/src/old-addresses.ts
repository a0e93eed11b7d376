// Lists that have moved to another page: their former addresses lead there, with filters and sort.
import { paths } from './paths.ts'

interface Place {
  readonly path: string
  readonly search: Readonly<Record<string, unknown>>
}

const movedToBooks: readonly unknown[] = ['invoices', 'adjustments']

/** Where an address leads now; undefined where it is a place still. */
export function newPlaceOf(path: string, search: Readonly<Record<string, unknown>>): Place | undefined {
  if (search['tab'] === 'aging' && (path === paths.paymentManagement || path === paths.books))
    return { path: paths.books, search: { show: 'owed' } }
  if (path === paths.paymentManagement && movedToBooks.includes(search['tab']))
    return { path: paths.books, search }
  if (path === paths.numberInventory && ('payout' in search || 'payoutSort' in search))
    return { path: paths.paymentManagement, search: { ...search, view: 'payouts' } }
  return undefined
}
