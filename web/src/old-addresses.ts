// Lists and drawers that have become another page: their former addresses lead there, with filters and sort.
import { objectPath, paths } from './paths.ts'

interface Place {
  readonly path: string
  readonly search: Readonly<Record<string, unknown>>
}

/** Where an endpoint opened in a drawer. */
const endpointLists: readonly string[] = [paths.webhooks, paths.interconnectionApi]
const movedToBooks: readonly unknown[] = ['invoices', 'adjustments']

/** Where an address leads now; undefined where it is a place still. */
export function newPlaceOf(path: string, search: Readonly<Record<string, unknown>>): Place | undefined {
  if (search['tab'] === 'aging' && (path === paths.paymentManagement || path === paths.books))
    return { path: paths.books, search: { show: 'owed' } }
  if (path === paths.paymentManagement && movedToBooks.includes(search['tab']))
    return { path: paths.books, search }
  if (path === paths.numberInventory && ('payout' in search || 'payoutSort' in search))
    return { path: paths.paymentManagement, search: { ...search, view: 'payouts' } }
  const { open, delivery } = search
  if (typeof open === 'string' && endpointLists.includes(path))
    return { path: objectPath('endpoint', open), search: { delivery } }
  return undefined
}
