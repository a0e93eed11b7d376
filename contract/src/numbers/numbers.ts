// Numbers as staff keep them (premium number) and as clients see them (account number). Spec §2, §3, §7.
// The third view of the same row, as stock with a price, is inventory.ts.
import { z } from 'zod'
import {
  bulkAnswerSchema,
  changedRowsMax,
  chosenRowsBytes,
  chosenRowsSchema,
  countryCodeSchema,
  idParams,
  idSchema,
  lineSchema,
  numberInputSchema,
  okSchema,
  orderSchema,
  pageQuery,
  searchSchema,
  userIdSchema,
  versionSchema,
  wholeNumber,
} from '../fields.ts'
import { tariffInputSchema } from '../money.ts'
import { routes } from '../route.ts'
import { messageFields } from '../sentences.ts'
import { scheduledRateSchema } from '../rates/rates.ts'
import { accountStatuses, numberTypes } from '../vocabulary.ts'

/** A tariff in shekels; empty leaves it to the range that contains the number. */
const ownTariffSchema = z.union([tariffInputSchema, z.literal('')])

const accountNumberSchema = z.object({
  id: idSchema,
  /** Set when the number is first assigned; empty before. */
  accountNumber: z.string(),
  clientName: z.string(),
  phoneNumber: z.string(),
  type: z.enum(numberTypes),
  rate: z.string(),
  /** What its holder earns per SMS now, in USD; empty when nobody holds it, and for the test role. */
  usdPerSms: z.string(),
  /** The number's own price that starts later; an empty rate ends it then. Null where `usdPerSms` is empty. */
  scheduled: scheduledRateSchema,
  /** What it earned its holder in the open cycle, in USD; empty when nobody holds it, and for the test role. */
  earned: z.string(),
  status: z.enum(accountStatuses),
  description: z.string(),
  createdAt: z.string(),
})
export type AccountNumber = z.infer<typeof accountNumberSchema>

/** One number with all that its page shows. */
const numberDetailSchema = accountNumberSchema.extend({
  /** What one SMS earns now, or would at the global rate; empty for the test role. */
  usdPerSmsNow: z.string(),
  country: z.string(),
  countryCode: z.string(),
  operator: z.string(),
  /** USD per SMS of the number itself; empty when it settles in the weekly bill. */
  pricePerSms: z.string(),
  /** The range that it counts to; null for none. */
  range: z.object({ id: idSchema, rangeNumber: z.string() }).nullable(),
  /** Who holds it now; null when nobody does. */
  holder: z.object({ id: z.int(), username: z.string(), since: z.string() }).nullable(),
  /** Who held it when, newest first; a client sees its own times. */
  holdings: z.array(
    z.object({ userId: z.int(), username: z.string(), from: z.string(), to: z.string().nullable() }),
  ),
  version: z.int(),
})
export type NumberDetail = z.infer<typeof numberDetailSchema>

/** A price of a number, and where it comes from: its own, its holder's or the global rate. */
const numberPriceSchema = z.object({
  usdPerSms: z.string(),
  from: z.enum(['number', 'client', 'global']),
  validFrom: z.string(),
  /** Null for the last one. */
  validTo: z.string().nullable(),
})
export type NumberPrice = z.infer<typeof numberPriceSchema>

const premiumNumberSchema = z.object({
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

export const premiumNumberFields = z.object({
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
const premiumNumberEditSchema = premiumNumberFields.partial()

/** The largest file that an import takes. OWASP ASVS 5.2.1. */
export const importBytesMax = 5 * 1024 * 1024

/** The longest file name of an import that is kept. */
export const fileNameMax = 255

/** The columns of an import file. Only the first must be there; the last one assigns the number to the client of that username. */
export const importColumns = [
  'Number',
  'Description',
  'Rate',
  'Status',
  'Country',
  'Country Code',
  'Client',
] as const
export type ImportColumn = (typeof importColumns)[number]

/** Lines of one import that may name a client. */
export const assignedLinesMax = changedRowsMax

/** What each column of a file is, in its order: names with commas between them, empty for a column to skip. */
const columnsSchema = z
  .string()
  .max(2_000)
  .transform((text, context) => {
    const names = text.split(',').map((name) => name.trim())
    const known = names.map((name) => importColumns.find((each) => each.toLowerCase() === name.toLowerCase()))
    const named = known.filter((name) => name !== undefined)
    if (
      named.length === names.filter((name) => name !== '').length &&
      named.includes('Number') &&
      new Set(named).size === named.length
    )
      return known
    context.addIssue('Name each column once, and say which one is Number')
    return z.NEVER
  })

/** The line of a header, below a title perhaps. One further down would be a table of its own. */
export const headerLineSchema = wholeNumber(0, 1_000)

/** How an import file is sent. */
export const importUpload = {
  body: z.object({
    data: z.string().max(20_000_000),
    /** Of the file that the text is from; empty for pasted text. */
    fileName: lineSchema(fileNameMax).default(''),
  }),
  upload: true,
  // Large enough for the text of a file as a JSON string (line ends take two bytes), or for a multipart form.
  bodyLimitBytes: importBytesMax + 1024 * 1024,
} as const

/** One line of an import. */
const importLineSchema = z.object({
  line: z.int(),
  number: z.string(),
  problems: z.array(z.object({ field: z.string(), ...messageFields })),
})
const importReportSchema = z.object({
  /** Lines read, the header not counted. */
  lineCount: z.int(),
  validCount: z.int(),
  importedCount: z.int(),
  isDryRun: z.boolean(),
  /** Names the import for undoing it; null when nothing was added. */
  importId: idSchema.nullable(),
  /** The first lines as they were read. */
  preview: z.array(
    premiumNumberSchema.omit({ id: true, createdAt: true, version: true }).extend({
      /** The username of who gets the number; empty for nobody. */
      client: z.string(),
    }),
  ),
  /** Every faulty line, at most 1,000 of them. */
  faults: z.array(importLineSchema),
  faultCount: z.int(),
  /** Lines that are imported although their country is not that of their digits: the first 200. */
  warnings: z.array(z.object({ line: z.int(), number: z.string(), ...messageFields })),
  warningCount: z.int(),
})
export type ImportReport = z.infer<typeof importReportSchema>

const statusQuery = z.object({
  search: searchSchema.optional(),
  status: z.enum([...accountStatuses, 'all']).optional(),
})
const accountNumberQuery = statusQuery.extend({
  type: z.enum([...numberTypes, 'all']).optional(),
  /** Those that this person holds. */
  holderId: userIdSchema.optional(),
  /** Those inside this range. */
  rangeId: idSchema.optional(),
})
export const premiumQuery = statusQuery.extend({ country: z.string().max(100).optional() })
/** Sort orders of the lists. */
export const accountNumberSorts = ['createdAt', 'phoneNumber', 'accountNumber', 'clientName'] as const
export const premiumNumberSorts = ['createdAt', 'number', 'country'] as const
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
    onReplica: 'current',
  },
  getAccountNumber: {
    method: 'GET',
    path: '/api/numbers/{id}',
    summary: 'One number with its range, price and holders. One’s own numbers; staff see all.',
    access: 'accountNumbers',
    params: idParams,
    response: numberDetailSchema,
  },
  listNumberPrices: {
    method: 'GET',
    path: '/api/numbers/{id}/prices',
    summary:
      'What a number has earned its holder per SMS since they have it, and from when; newest first. One’s own numbers; staff see all.',
    access: 'numberRequests',
    params: idParams,
    response: z.array(numberPriceSchema),
  },
  summariseAccountNumbers: {
    method: 'GET',
    path: '/api/numbers/summary',
    summary: 'Totals under the same filters.',
    access: 'accountNumbers',
    query: accountNumberQuery,
    response: z.object({ count: z.int(), active: z.int(), premium: z.int() }),
    onReplica: 'current',
  },
  exportAccountNumbers: {
    method: 'GET',
    path: '/api/numbers/export',
    summary: 'The filtered account numbers as CSV.',
    access: 'accountNumbers',
    query: accountNumberQuery,
    stream: 'csv',
    isHeavy: true,
    onReplica: 'current',
  },
  exportChosenAccountNumbers: {
    method: 'POST',
    path: '/api/numbers/export',
    summary: 'The chosen account numbers as CSV.',
    access: 'accountNumbers',
    body: chosenRowsSchema,
    bodyLimitBytes: chosenRowsBytes,
    stream: 'csv',
    isHeavy: true,
    onReplica: 'current',
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
    onReplica: 'current',
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
    onReplica: 'current',
  },
  exportPremiumNumbers: {
    method: 'GET',
    path: '/api/premium-numbers/export',
    summary: 'The filtered numbers as CSV, in the form that the import takes.',
    access: 'numbersManagement',
    query: premiumQuery,
    stream: 'csv',
    isHeavy: true,
    onReplica: 'current',
  },
  exportChosenPremiumNumbers: {
    method: 'POST',
    path: '/api/premium-numbers/export',
    summary: 'The chosen numbers as CSV, in the form that the import takes.',
    access: 'numbersManagement',
    body: chosenRowsSchema,
    bodyLimitBytes: chosenRowsBytes,
    stream: 'csv',
    isHeavy: true,
    onReplica: 'current',
  },
  createPremiumNumber: {
    method: 'POST',
    path: '/api/premium-numbers',
    summary: 'Add a number without a price of its own.',
    access: 'numbersManagement',
    fresh: 'hour',
    body: premiumNumberInputSchema,
    response: premiumNumberSchema,
    status: 201,
    isIdempotent: true,
  },
  replacePremiumNumber: {
    method: 'PUT',
    path: '/api/premium-numbers/{id}',
    summary: 'Change a number.',
    access: 'numbersManagement',
    fresh: 'hour',
    params: idParams,
    body: premiumNumberEditSchema,
    response: premiumNumberSchema,
  },
  deletePremiumNumber: {
    method: 'DELETE',
    path: '/api/premium-numbers/{id}',
    summary: 'Delete a number; messages to it are refused from now on, its records and bills stay.',
    access: 'numbersManagement',
    fresh: 'hour',
    params: idParams,
    response: okSchema,
  },
  importPremiumNumbers: {
    method: 'POST',
    path: '/api/premium-numbers/import',
    summary:
      'Import CSV text or a .csv, .xlsx or .xls file: all lines or none. `dryRun` only reports. `columns` says what the columns are, where the first line does not.',
    access: 'numbersManagement',
    fresh: 'hour',
    hasDryRun: true,
    query: z.object({
      dryRun: z.enum(['true', 'false']).default('false'),
      columns: columnsSchema.optional(),
      /** The line that names the columns, those above it are not read; 0 when none does. With `columns` only. */
      headerLine: headerLineSchema.default(1),
    }),
    ...importUpload,
    isLong: true,
    response: importReportSchema,
    isIdempotent: true,
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
    fresh: 'hour',
    body: z.object({ ids: z.array(idSchema).min(1).max(changedRowsMax), status: z.enum(accountStatuses) }),
    response: bulkAnswerSchema,
  },
})
