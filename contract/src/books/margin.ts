// Margin: what suppliers pay us for the messages to their ranges, less what clients earn by them.
import { z } from 'zod'
import { daySchema, idSchema, lineSchema, pageQuery } from '../fields.ts'
import { rateInputSchema } from '../money.ts'
import { routes } from '../route.ts'
import { marginViews } from '../vocabulary.ts'

const purchasePriceSchema = z.object({
  id: idSchema,
  /** The number of the range. */
  range: z.string(),
  supplier: z.string(),
  /** What the supplier pays for each message, in USDT. */
  price: z.string(),
  /** UTC; it counts from the beginning of this day until the next price of the range. */
  startsOn: z.string(),
  enteredBy: z.string(),
  enteredAt: z.string(),
})
export type PurchasePrice = z.infer<typeof purchasePriceSchema>

export const purchasePriceInputSchema = z.object({
  range: lineSchema(40).refine((text) => text !== '', 'Enter the number of the range'),
  supplier: lineSchema(80).refine((text) => text !== '', 'Enter the name of the supplier'),
  /** 0: the supplier pays nothing any more. */
  price: z.union([z.literal('0'), rateInputSchema]),
  startsOn: daySchema,
})

const marginSumsSchema = z.object({
  /** Messages with a purchase price. */
  smsCount: z.int(),
  /** What suppliers pay for them; null when there is no purchase price, as with the margin. */
  revenue: z.string().nullable(),
  /** What clients earn by them, before holds and corrections. */
  cost: z.string(),
  margin: z.string().nullable(),
  /** Messages without a purchase price, and what clients earn by them. They are in no margin. */
  unpricedCount: z.int(),
  unpricedCost: z.string(),
})
const marginRowSchema = marginSumsSchema.extend({
  /** Of the range or client; the supplier's name. */
  id: z.string(),
  name: z.string(),
})
export type MarginRow = z.infer<typeof marginRowSchema>

const marginQuery = z.object({ from: daySchema, to: daySchema, by: z.enum(marginViews).default('range') })

export const marginRoutes = routes({
  listPurchasePrices: {
    method: 'GET',
    path: '/api/books/purchase-prices',
    summary: 'What suppliers pay, newest entry first.',
    access: 'adminSettings',
    query: pageQuery,
    response: z.array(purchasePriceSchema),
    isPaged: true,
  },
  createPurchasePrice: {
    method: 'POST',
    path: '/api/books/purchase-prices',
    summary:
      'Enter what a supplier pays for each message to a range, from a day on. Of two for one day the newer counts.',
    access: 'adminSettings',
    fresh: 'hour',
    body: purchasePriceInputSchema,
    response: purchasePriceSchema,
    status: 201,
    isIdempotent: true,
  },
  getMargin: {
    method: 'GET',
    path: '/api/books/margin',
    summary:
      'Margin of some days (UTC, both included) by range, client or supplier; the 500 with the largest revenue.',
    access: 'adminSettings',
    query: marginQuery,
    response: z.object({ totals: marginSumsSchema, rows: z.array(marginRowSchema) }),
    isHeavy: true,
    onReplica: 'current',
  },
  exportMargin: {
    method: 'GET',
    path: '/api/books/margin/export',
    summary: 'The same as CSV, with all of them.',
    access: 'adminSettings',
    query: marginQuery,
    stream: 'csv',
    isHeavy: true,
    onReplica: 'current',
  },
})
