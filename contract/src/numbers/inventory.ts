// Numbers as stock: who holds them and their own price. Spec §2, §3, §7.
import { z } from 'zod'
import {
  bulkAnswerSchema,
  changedRowsMax,
  chosenRowsBytes,
  chosenRowsSchema,
  idParams,
  idSchema,
  instantSchema,
  lineSchema,
  numberInputSchema,
  orderSchema,
  pageQuery,
  searchSchema,
  userIdSchema,
} from '../fields.ts'
import { rateInputSchema } from '../money.ts'
import { scheduledRateSchema } from '../rates/rates.ts'
import { routes } from '../route.ts'
import { premiumNumberFields } from './numbers.ts'
import { inventoryStatuses } from '../vocabulary.ts'

export const inventoryItemSchema = z.object({
  id: idSchema,
  number: z.string(),
  countryCode: z.string(),
  country: z.string(),
  operator: z.string(),
  /** USD per SMS; empty when the number has no price of its own and settles in the weekly bill. */
  pricePerSms: z.string(),
  /** The own price that starts later; an empty rate ends it then. */
  scheduled: scheduledRateSchema,
  /** What one SMS earns its holder now, in USD; for a number that nobody holds, at the global rate. */
  usdPerSms: z.string(),
  /** What it earned its holder in the open cycle, in USD; empty when nobody holds it. */
  earned: z.string(),
  status: z.enum(inventoryStatuses),
  assignedTo: z.int().nullable(),
  /** The holder's username; empty when nobody holds it. */
  assignedUsername: z.string(),
  assignedFrom: z.string().nullable(),
  createdAt: z.string(),
  version: z.int(),
})
export type InventoryItem = z.infer<typeof inventoryItemSchema>

/** A number that was assigned. */
const assignedItemSchema = inventoryItemSchema.extend({
  /**
   * Assigned from an earlier time, and it received messages since then: until a second person has accepted the adjustment
   * that credits them, it is held from now.
   */
  waitingCredit: z.object({ adjustmentId: idSchema, smsCount: z.int(), amount: z.string() }).nullable(),
})
export type AssignedItem = z.infer<typeof assignedItemSchema>

/** The stock's form takes a country as GB, or its code as +44. Empty means found from the number. */
const stockCountrySchema = z
  .string()
  .trim()
  .regex(/^([A-Za-z]{2}|\+?\d{1,4})?$/, 'Enter a country such as GB, or its code such as +44')
  .transform((text) => (/^\d/.test(text) ? `+${text}` : text.toUpperCase()))

export const inventoryInputSchema = z.object({
  number: numberInputSchema,
  countryCode: stockCountrySchema.default(''),
  operator: lineSchema(100).default(''),
  /** Spec §9: 0.50 unless given. Empty: none of its own. */
  pricePerSms: z.union([z.literal(''), rateInputSchema]).default('0.50'),
  // What a number in the list already has stays where these are left out.
  description: premiumNumberFields.shape.description.default(''),
  rate: premiumNumberFields.shape.rate.default(''),
  country: premiumNumberFields.shape.country.default(''),
  status: premiumNumberFields.shape.status.optional(),
  type: premiumNumberFields.shape.type.optional(),
})

/** The filters of the stock. */
export const inventoryQuery = z.object({
  search: searchSchema.optional(),
  status: z.enum([...inventoryStatuses, 'all']).optional(),
  country: z.string().max(100).optional(),
})
/** What the list may be sorted by. */
export const inventorySorts = ['createdAt', 'number', 'country', 'pricePerSms', 'assignedTo'] as const
export const inventoryRoutes = routes({
  listInventory: {
    method: 'GET',
    path: '/api/number-inventory',
    summary: 'All numbers as stock.',
    access: 'numbersManagement',
    query: pageQuery.extend({
      ...inventoryQuery.shape,
      sort: z.enum(inventorySorts).default('createdAt'),
      order: orderSchema,
    }),
    response: z.array(inventoryItemSchema),
    isPaged: true,
    onReplica: 'current',
  },
  summariseInventory: {
    method: 'GET',
    path: '/api/number-inventory/summary',
    summary: 'Totals under the filters, and the countries that occur.',
    access: 'numbersManagement',
    query: inventoryQuery,
    response: z.object({
      count: z.int(),
      assigned: z.int(),
      available: z.int(),
      suspended: z.int(),
      countries: z.array(z.string()),
    }),
    onReplica: 'current',
  },
  exportInventory: {
    method: 'GET',
    path: '/api/number-inventory/export',
    summary: 'The filtered stock as CSV.',
    access: 'numbersManagement',
    query: inventoryQuery,
    stream: 'csv',
    isHeavy: true,
    onReplica: 'current',
  },
  exportChosenInventory: {
    method: 'POST',
    path: '/api/number-inventory/export',
    summary: 'The chosen numbers of the stock as CSV.',
    access: 'numbersManagement',
    body: chosenRowsSchema,
    bodyLimitBytes: chosenRowsBytes,
    stream: 'csv',
    isHeavy: true,
    onReplica: 'current',
  },
  createInventoryItem: {
    method: 'POST',
    path: '/api/number-inventory',
    summary: 'Add a number with its own price, or give an existing one a price.',
    access: 'numbersManagement',
    fresh: 'hour',
    body: inventoryInputSchema,
    response: inventoryItemSchema,
    status: 201,
    isIdempotent: true,
  },
  editInventoryItem: {
    method: 'PUT',
    path: '/api/number-inventory/{id}',
    summary:
      'Change a number, as PUT /api/premium-numbers/{id} does, its operator and its own price; an empty price returns the number to the weekly bill. With `startsAt` the price starts then instead of now, and replaces one that waits: a message has the price of its own time.',
    access: 'numbersManagement',
    fresh: 'hour',
    params: idParams,
    body: premiumNumberFields.partial().extend({
      countryCode: stockCountrySchema.optional(),
      operator: lineSchema(100).optional(),
      pricePerSms: z.union([z.literal(''), rateInputSchema]).optional(),
      startsAt: instantSchema.optional(),
    }),
    response: inventoryItemSchema,
  },
  cancelScheduledPrice: {
    method: 'DELETE',
    path: '/api/number-inventory/{id}/scheduled',
    summary: 'Cancel the price of a number that starts later.',
    access: 'numbersManagement',
    fresh: 'hour',
    params: idParams,
  },
  assignNumber: {
    method: 'PUT',
    path: '/api/number-inventory/{id}/assign',
    summary:
      'Give an available number to a user from now; an admin may backdate with `from`, also for its holder.',
    access: 'numbersManagement',
    fresh: 'hour',
    params: idParams,
    body: z.object({ userId: userIdSchema, from: instantSchema.optional() }),
    response: assignedItemSchema,
  },
  unassignNumber: {
    method: 'PUT',
    path: '/api/number-inventory/{id}/unassign',
    summary: 'End the holding from now.',
    access: 'numbersManagement',
    fresh: 'hour',
    params: idParams,
    response: inventoryItemSchema,
  },
  suspendNumber: {
    method: 'PUT',
    path: '/api/number-inventory/{id}/suspend',
    summary: 'Refuse messages to this number until it is resumed.',
    access: 'numbersManagement',
    fresh: 'hour',
    params: idParams,
    response: inventoryItemSchema,
  },
  resumeNumber: {
    method: 'PUT',
    path: '/api/number-inventory/{id}/resume',
    summary: 'Take messages for this number again.',
    access: 'numbersManagement',
    fresh: 'hour',
    params: idParams,
    response: inventoryItemSchema,
  },
  bulkAssignNumbers: {
    method: 'POST',
    path: '/api/number-inventory/assign',
    summary: 'Give several available numbers to one user: all or none.',
    access: 'numbersManagement',
    fresh: 'hour',
    body: z.object({ ids: z.array(idSchema).min(1).max(changedRowsMax), userId: userIdSchema }),
    response: bulkAnswerSchema,
  },
  bulkUnassignNumbers: {
    method: 'POST',
    path: '/api/number-inventory/unassign',
    summary: 'End the holdings of several numbers: all or none.',
    access: 'numbersManagement',
    fresh: 'hour',
    body: z.object({ ids: z.array(idSchema).min(1).max(changedRowsMax) }),
    response: bulkAnswerSchema,
  },
})
