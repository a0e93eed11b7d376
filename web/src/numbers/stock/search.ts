import { stockSorts } from '@tollgate/contract/numbers/stock.ts'
import { numberTypes } from '@tollgate/contract/vocabulary.ts'
import { z } from 'zod'

export const stockSearch = z.object({
  search: z.string().max(100).catch(''),
  country: z.string().max(100).catch(''),
  type: z.enum(['all', ...numberTypes]).catch('all'),
  /** USD per SMS at least. */
  price: z
    .string()
    .regex(/^(\d{1,3}(\.\d{1,6})?)?$/)
    .catch(''),
  sort: z.enum(stockSorts).catch('pricePerSms'),
  order: z.enum(['asc', 'desc']).catch('desc'),
})
