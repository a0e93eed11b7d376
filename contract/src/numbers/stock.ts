// Numbers that staff offer: available ones with a price of their own, which clients search, request or take.
import { z } from 'zod'
import { idParams, idSchema, orderSchema, pageQuery, searchSchema } from '../fields.ts'
import { rateInputSchema } from '../money.ts'
import { scheduledRateSchema } from '../rates/rates.ts'
import { routes } from '../route.ts'
import { numberTypes, stockOffers } from '../vocabulary.ts'

const offeredNumberSchema = z.object({
  id: idSchema,
  number: z.string(),
  country: z.string(),
  countryCode: z.string(),
  operator: z.string(),
  type: z.enum(numberTypes),
  /** USD per SMS that its holder earns. */
  pricePerSms: z.string(),
  /** The price that starts later; an empty rate ends it then. */
  scheduled: scheduledRateSchema,
})
export type OfferedNumber = z.infer<typeof offeredNumberSchema>

export const stockSorts = ['pricePerSms', 'number', 'country', 'createdAt'] as const

export const stockRoutes = routes({
  getStockTerms: {
    method: 'GET',
    path: '/api/number-stock/terms',
    summary:
      'What clients may do with numbers in stock, how many the caller may still take today, and where they are.',
    access: 'numberRequests',
    response: z.object({
      offer: z.enum(stockOffers),
      takesLeft: z.int(),
      countries: z.array(z.string()),
    }),
  },
  listStock: {
    method: 'GET',
    path: '/api/number-stock',
    summary: 'Available numbers with a price of their own; none while the setting number_stock is off.',
    access: 'numberRequests',
    query: pageQuery.extend({
      /** Digits of the number, or a country. */
      search: searchSchema.optional(),
      country: z.string().max(100).optional(),
      type: z.enum([...numberTypes, 'all']).optional(),
      /** USD per SMS at least. */
      priceMin: rateInputSchema.optional(),
      sort: z.enum(stockSorts).default('pricePerSms'),
      order: orderSchema,
    }),
    response: z.array(offeredNumberSchema),
    isPaged: true,
  },
  takeNumber: {
    method: 'PUT',
    path: '/api/number-stock/{id}/take',
    summary: 'Hold an offered number from now on, where the setting number_stock is take.',
    access: 'numberRequests',
    fresh: 'hour',
    params: idParams,
    response: offeredNumberSchema,
  },
})
