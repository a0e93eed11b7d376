// Numbers: one row seen three ways (premium number, account number, inventory item) and requests. Spec §2, §3, §7.
import { z } from 'zod'
import {
  chosenRowsSchema,
  countryCodeSchema,
  idParams,
  idSchema,
  instantSchema,
  lineSchema,
  numberInputSchema,
  okSchema,
  orderSchema,
  pageQuery,
  searchSchema,
  userIdSchema,
  versionSchema,
} from './fields.ts'
import { rateInputSchema, tariffInputSchema } from './money.ts'
import { routes } from './route.ts'
import {
  accountStatuses,
  expectedVolumes,
  inventoryStatuses,
  numberTypes,
  requestStatuses,
} from './vocabulary.ts'

/** A tariff in shekels; empty leaves it to the range that contains the number. */
const ownTariffSchema = z.union([z.literal(''), tariffInputSchema])

export const accountNumberSchema = z.object({
  id: idSchema,
  /** Given when the number is first assigned; empty before. */
  accountNumber: z.string(),
  clientName: z.string(),
  phoneNumber: z.string(),
  type: z.enum(numberTypes),
  rate: z.string(),
  status: z.enum(accountStatuses),
  description: z.string(),
  createdAt: z.string(),
})
export type AccountNumber = z.infer<typeof accountNumberSchema>

export const premiumNumberSchema = z.object({
  id: idSchema,
  number: z.string(),
  description: z.string(),
  rate: z.string(),
  status: z.enum(accountStatuses),
  country: z.string(),
  countryCode: z.string(),
  type: z.enum(numberTypes),
  createdAt: z.string(),
  version: z.int(),
})
export type PremiumNumber = z.infer<typeof premiumNumberSchema>

const premiumNumberFields = z.object({
  number: numberInputSchema,
  description: lineSchema(500),
  rate: ownTariffSchema,
  status: z.enum(accountStatuses),
  country: lineSchema(100),
  countryCode: z.union([z.literal(''), countryCodeSchema]),
  type: z.enum(numberTypes),
  version: versionSchema,
})
export const premiumNumberInputSchema = premiumNumberFields.extend({
  description: premiumNumberFields.shape.description.default(''),
  rate: ownTariffSchema.default(''),
  status: premiumNumberFields.shape.status.default('active'),
  country: premiumNumberFields.shape.country.default(''),
  countryCode: premiumNumberFields.shape.countryCode.default(''),
  type: premiumNumberFields.shape.type.default('premium'),
})
export type PremiumNumberInput = z.output<typeof premiumNumberInputSchema>
/** Without defaults: a field that is not sent stays as it is. */
export const premiumNumberEditSchema = premiumNumberFields.partial()

export const inventoryItemSchema = z.object({
  id: idSchema,
  number: z.string(),
  countryCode: z.string(),
  country: z.string(),
  operator: z.string(),
  /** USD per SMS; empty when the number has no price of its own and settles in the weekly bill. */
  pricePerSms: z.string(),
  status: z.enum(inventoryStatuses),
  assignedTo: z.int().nullable(),
  /** The holder's username; empty when nobody holds it. */
  assignedUsername: z.string(),
  assignedFrom: z.string().nullable(),
  createdAt: z.string(),
  version: z.int(),
})
export type InventoryItem = z.infer<typeof inventoryItemSchema>

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
  /** Spec §9: 0.50 unless given. */
  pricePerSms: rateInputSchema.default('0.50'),
})

/** The largest file that an import takes. OWASP ASVS 5.2.1. */
export const importBytesMax = 5 * 1024 * 1024

/** What one line of an import says of itself. */
export const importLineSchema = z.object({
  line: z.int(),
  number: z.string(),
  problems: z.array(z.object({ field: z.string(), message: z.string() })),
})
export const importReportSchema = z.object({
  /** Lines read, the header not counted. */
  lineCount: z.int(),
  validCount: z.int(),
  importedCount: z.int(),
  isDryRun: z.boolean(),
  /** The first lines as they were understood. */
  preview: z.array(premiumNumberSchema.omit({ id: true, createdAt: true, version: true })),
  /** Every faulty line, at most 1,000 of them. */
  faults: z.array(importLineSchema),
  faultCount: z.int(),
})
export type ImportReport = z.infer<typeof importReportSchema>

export const numberRequestSchema = z.object({
  id: idSchema,
  userId: z.int(),
  userName: z.string(),
  userEmail: z.string(),
  requestedNumber: z.string(),
  preferredCountry: z.string(),
  countryCode: z.string(),
  businessPurpose: z.string(),
  expectedVolume: z.string(),
  status: z.enum(requestStatuses),
  assignedNumber: z.string(),
  processedAt: z.string().nullable(),
  rejectionReason: z.string(),
  createdAt: z.string(),
})
export type NumberRequest = z.infer<typeof numberRequestSchema>

const statusQuery = z.object({
  search: searchSchema.optional(),
  status: z.enum([...accountStatuses, 'all']).optional(),
})
const accountNumberQuery = statusQuery.extend({ type: z.enum([...numberTypes, 'all']).optional() })
const premiumQuery = statusQuery.extend({ country: z.string().max(100).optional() })
const inventoryQuery = z.object({
  search: searchSchema.optional(),
  status: z.enum([...inventoryStatuses, 'all']).optional(),
  country: z.string().max(100).optional(),
})
/** What the lists may be sorted by. */
export const accountNumberSorts = [
  'createdAt',
  'phoneNumber',
  'accountNumber',
  'clientName',
  'type',
  'rate',
  'status',
] as const
export const premiumNumberSorts = ['createdAt', 'number', 'country', 'type', 'rate', 'status'] as const
export const inventorySorts = [
  'createdAt',
  'number',
  'country',
  'operator',
  'pricePerSms',
  'status',
  'assignedTo',
] as const
export const requestSorts = ['createdAt', 'userName', 'requestedNumber', 'expectedVolume', 'status'] as const

const requestPageQuery = pageQuery.extend({
  sort: z.enum(requestSorts).default('createdAt'),
  order: orderSchema,
})
const requestQuery = z.object({
  search: searchSchema.optional(),
  status: z.enum([...requestStatuses, 'all']).optional(),
})

export const numbersRoutes = routes({
  listAccountNumbers: {
    method: 'GET',
    path: '/api/numbers',
    summary: "The viewer's numbers; staff see all. The test role sees them masked.",
    access: 'accountNumbers',
    query: pageQuery.extend({
      ...accountNumberQuery.shape,
      sort: z.enum(accountNumberSorts).default('createdAt'),
      order: orderSchema,
    }),
    response: z.array(accountNumberSchema),
    isPaged: true,
  },
  summariseAccountNumbers: {
    method: 'GET',
    path: '/api/numbers/summary',
    summary: 'Totals under the same filters.',
    access: 'accountNumbers',
    query: accountNumberQuery,
    response: z.object({ count: z.int(), active: z.int(), premium: z.int() }),
  },
  exportAccountNumbers: {
    method: 'GET',
    path: '/api/numbers/export',
    summary: 'The filtered account numbers as CSV.',
    access: 'accountNumbers',
    query: accountNumberQuery,
    stream: 'csv',
  },
  exportChosenAccountNumbers: {
    method: 'POST',
    path: '/api/numbers/export',
    summary: 'The chosen account numbers as CSV.',
    access: 'accountNumbers',
    body: chosenRowsSchema,
    stream: 'csv',
  },
  listPremiumNumbers: {
    method: 'GET',
    path: '/api/premium-numbers',
    summary: 'All numbers under management.',
    access: 'numbersManagement',
    query: pageQuery.extend({
      ...premiumQuery.shape,
      sort: z.enum(premiumNumberSorts).default('createdAt'),
      order: orderSchema,
    }),
    response: z.array(premiumNumberSchema),
    isPaged: true,
  },
  summarisePremiumNumbers: {
    method: 'GET',
    path: '/api/premium-numbers/summary',
    summary: 'Count under the filters, and the countries that occur.',
    access: 'numbersManagement',
    query: premiumQuery,
    response: z.object({
      count: z.int(),
      active: z.int(),
      countries: z.array(z.object({ country: z.string(), countryCode: z.string() })),
    }),
  },
  exportPremiumNumbers: {
    method: 'GET',
    path: '/api/premium-numbers/export',
    summary: 'The filtered numbers as CSV, in the form that the import takes.',
    access: 'numbersManagement',
    query: premiumQuery,
    stream: 'csv',
  },
  exportChosenPremiumNumbers: {
    method: 'POST',
    path: '/api/premium-numbers/export',
    summary: 'The chosen numbers as CSV, in the form that the import takes.',
    access: 'numbersManagement',
    body: chosenRowsSchema,
    stream: 'csv',
  },
  createPremiumNumber: {
    method: 'POST',
    path: '/api/premium-numbers',
    summary: 'Add a number without a price of its own.',
    access: 'numbersManagement',
    body: premiumNumberInputSchema,
    response: premiumNumberSchema,
    status: 201,
  },
  replacePremiumNumber: {
    method: 'PUT',
    path: '/api/premium-numbers/{id}',
    summary: 'Change a number.',
    access: 'numbersManagement',
    params: idParams,
    body: premiumNumberEditSchema,
    response: premiumNumberSchema,
  },
  deletePremiumNumber: {
    method: 'DELETE',
    path: '/api/premium-numbers/{id}',
    summary: 'Delete a number; messages to it are refused from now on, its records and bills stay.',
    access: 'numbersManagement',
    params: idParams,
    response: okSchema,
  },
  importPremiumNumbers: {
    method: 'POST',
    path: '/api/premium-numbers/import',
    summary: 'Import CSV text or a .csv, .xlsx or .xls file: all lines or none. `dryRun` only reports.',
    access: 'numbersManagement',
    query: z.object({ dryRun: z.enum(['true', 'false']).default('false') }),
    body: z.object({ data: z.string().max(20_000_000) }),
    upload: true,
    response: importReportSchema,
  },
  downloadTemplate: {
    method: 'GET',
    path: '/api/premium-numbers/template/{format}',
    summary: 'An empty import file with its header and an example.',
    access: 'numbersManagement',
    params: z.object({ format: z.enum(['csv', 'xlsx']) }),
    stream: 'file',
  },
  bulkSetNumberStatus: {
    method: 'POST',
    path: '/api/premium-numbers/status',
    summary: 'Set the status of several numbers at once.',
    access: 'numbersManagement',
    body: z.object({ ids: z.array(idSchema).min(1).max(500), status: z.enum(accountStatuses) }),
    response: z.object({ changed: z.int() }),
  },
})

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
  },
  exportInventory: {
    method: 'GET',
    path: '/api/number-inventory/export',
    summary: 'The filtered stock as CSV.',
    access: 'numbersManagement',
    query: inventoryQuery,
    stream: 'csv',
  },
  exportChosenInventory: {
    method: 'POST',
    path: '/api/number-inventory/export',
    summary: 'The chosen numbers of the stock as CSV.',
    access: 'numbersManagement',
    body: chosenRowsSchema,
    stream: 'csv',
  },
  createInventoryItem: {
    method: 'POST',
    path: '/api/number-inventory',
    summary: 'Add a number with its own price, or give an existing one a price.',
    access: 'numbersManagement',
    body: inventoryInputSchema,
    response: inventoryItemSchema,
    status: 201,
  },
  editInventoryItem: {
    method: 'PUT',
    path: '/api/number-inventory/{id}',
    summary: 'Change operator, country or price; an empty price returns the number to the weekly bill.',
    access: 'numbersManagement',
    params: idParams,
    body: z.object({
      countryCode: stockCountrySchema.optional(),
      operator: lineSchema(100).optional(),
      pricePerSms: z.union([z.literal(''), rateInputSchema]).optional(),
      version: versionSchema,
    }),
    response: inventoryItemSchema,
  },
  assignNumber: {
    method: 'PUT',
    path: '/api/number-inventory/{id}/assign',
    summary: 'Give an available number to a user from now; an admin may backdate with `from`.',
    access: 'numbersManagement',
    params: idParams,
    body: z.object({ userId: userIdSchema, from: instantSchema.optional() }),
    response: inventoryItemSchema,
  },
  unassignNumber: {
    method: 'PUT',
    path: '/api/number-inventory/{id}/unassign',
    summary: 'End the holding from now.',
    access: 'numbersManagement',
    params: idParams,
    response: inventoryItemSchema,
  },
  suspendNumber: {
    method: 'PUT',
    path: '/api/number-inventory/{id}/suspend',
    summary: 'Refuse messages to this number until it is resumed.',
    access: 'numbersManagement',
    params: idParams,
    response: inventoryItemSchema,
  },
  resumeNumber: {
    method: 'PUT',
    path: '/api/number-inventory/{id}/resume',
    summary: 'Take messages for this number again.',
    access: 'numbersManagement',
    params: idParams,
    response: inventoryItemSchema,
  },
  bulkAssignNumbers: {
    method: 'POST',
    path: '/api/number-inventory/assign',
    summary: 'Give several available numbers to one user: all or none.',
    access: 'numbersManagement',
    body: z.object({ ids: z.array(idSchema).min(1).max(500), userId: userIdSchema }),
    response: z.object({ changed: z.int() }),
  },
})

export const requestsRoutes = routes({
  listOwnRequests: {
    method: 'GET',
    path: '/api/number-requests',
    summary: "The viewer's own requests.",
    access: 'numberRequests',
    query: requestPageQuery,
    response: z.array(numberRequestSchema),
    isPaged: true,
  },
  summariseOwnRequests: {
    method: 'GET',
    path: '/api/number-requests/summary',
    summary: "The viewer's own requests by state; approved counts approved and assigned.",
    access: 'numberRequests',
    response: z.object({ pending: z.int(), approved: z.int(), rejected: z.int(), total: z.int() }),
  },
  createRequest: {
    method: 'POST',
    path: '/api/number-requests',
    summary: 'Ask for a number; an empty requestedNumber means any available one.',
    access: 'numberRequests',
    body: z.object({
      requestedNumber: z.union([z.literal(''), numberInputSchema]).default(''),
      preferredCountry: lineSchema(100).default(''),
      countryCode: z.union([z.literal(''), countryCodeSchema]).default(''),
      businessPurpose: lineSchema(2000).refine((text) => text !== '', 'Business purpose is required'),
      expectedVolume: z.enum(expectedVolumes, 'Choose the expected volume'),
    }),
    response: numberRequestSchema,
    status: 201,
  },
  listAllRequests: {
    method: 'GET',
    path: '/api/number-requests/all',
    summary: 'The queue of all requests, for support.',
    access: 'numbersManagement',
    query: requestPageQuery.extend(requestQuery.shape),
    response: z.array(numberRequestSchema),
    isPaged: true,
  },
  exportRequests: {
    method: 'GET',
    path: '/api/number-requests/all/export',
    summary: 'The filtered requests of all as CSV, newest first.',
    access: 'numbersManagement',
    query: requestQuery,
    stream: 'csv',
  },
  summariseAllRequests: {
    method: 'GET',
    path: '/api/number-requests/all/summary',
    summary: 'All requests by state.',
    access: 'numbersManagement',
    response: z.object({ pending: z.int(), approved: z.int(), rejected: z.int(), total: z.int() }),
  },
  offerNumbers: {
    method: 'GET',
    path: '/api/number-requests/{id}/offers',
    summary: 'Available numbers that fit the wish and the country, best first.',
    access: 'numbersManagement',
    params: idParams,
    response: z.array(inventoryItemSchema),
  },
  processRequest: {
    method: 'PUT',
    path: '/api/number-requests/{id}/process',
    summary: 'Approve, assign a number, or reject with a reason.',
    access: 'numbersManagement',
    params: idParams,
    body: z.object({
      action: z.enum(['approve', 'assign', 'reject']),
      assignedNumber: z.union([z.literal(''), numberInputSchema]).optional(),
      rejectionReason: lineSchema(1000).optional(),
    }),
    response: numberRequestSchema,
  },
})
