import { accountSorts } from '@tollgate/contract/books/books.ts'
import { daySchema } from '@tollgate/contract/fields.ts'
import { marginViews } from '@tollgate/contract/vocabulary.ts'
import { z } from 'zod'
import { accountSearch, papersSearch } from '../billing/search.ts'

const dayText = z.union([z.literal(''), daySchema]).catch('')

export const booksSearch = z.object({
  /** The list that is shown; those of the ledger stand together under its tab. */
  tab: z.enum(['accounts', 'invoices', 'adjustments', 'accruals', 'journal', 'margin']).catch('accounts'),
  /** The client whose account is shown instead of the list. */
  account: z
    .string()
    .regex(/^\d{0,9}$/)
    .catch(''),
  search: z.string().max(100).catch(''),
  show: z.enum(['all', 'owed']).catch('all'),
  sort: z.enum(accountSorts).catch('balance'),
  order: z.enum(['asc', 'desc']).catch('desc'),
  /** The day of the accruals; now without one. */
  at: dayText,
  /** What the margin is shown by. */
  by: z.enum(marginViews).catch('range'),
  ...accountSearch.shape,
  ...papersSearch.shape,
})
