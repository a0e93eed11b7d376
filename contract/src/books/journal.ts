// The journal of the ledger for an accountant's program: its accounts there, rates of the day, and the export.
import { z } from 'zod'
import { daySchema, lineSchema, orderSchema, pageQuery, wholeNumber } from '../fields.ts'
import { routes } from '../route.ts'
import { journalForms, ledgerAccounts } from '../vocabulary.ts'

/** The longest export. */
export const journalDaysMax = 366

const codeSchema = z.union([
  z.literal(''),
  z
    .string()
    .trim()
    .regex(/^[0-9A-Za-z./-]{1,20}$/, 'Enter up to 20 letters, digits, dots, slashes or dashes'),
])

const setupFields = {
  /** USDT, or a currency that rates of the day exist for. */
  currency: z.union([
    z.literal('USDT'),
    z.string().regex(/^[A-Z]{3}$/, 'Enter USDT or three capitals such as EUR'),
  ]),
  /** The month in which the fiscal year begins, on its first day. */
  fiscalMonth: wholeNumber(1, 12),
  /** DATEV's number of the tax consultant, and of the client there; null: no DATEV export. */
  datevConsultant: wholeNumber(1001, 9_999_999).nullable(),
  datevClient: wholeNumber(1, 99_999).nullable(),
  /** Digits of general accounts in DATEV. */
  datevDigits: wholeNumber(4, 8),
  /** The tax rate of Xero for lines without tax, by its name there. */
  xeroTaxRate: lineSchema(50).refine((text) => text !== '', 'Enter the name of the tax rate'),
  /** The number of each ledger account in the accountant's program; empty: none yet. */
  accounts: z
    .array(z.object({ account: z.enum(ledgerAccounts), code: codeSchema }))
    .max(ledgerAccounts.length),
}
const setupSchema = z.object({
  ...setupFields,
  /** Empty and null before the first save. */
  updatedBy: z.string(),
  updatedAt: z.string().nullable(),
})
export type BookSetup = z.infer<typeof setupSchema>
const bookSetupInputSchema = z.object(setupFields)

export const dayRateInputSchema = z.object({
  day: daySchema,
  /** What one USDT is worth: above 0, with at most 8 decimals. */
  rate: z
    .string()
    .trim()
    .regex(/^\d{1,6}(\.\d{1,8})?$/, 'Enter a rate with at most 8 decimals')
    .refine((text) => /[1-9]/.test(text), 'Enter a rate above 0'),
})

const dayRateSchema = z.object({
  day: z.string(),
  rate: z.string(),
  enteredBy: z.string(),
  enteredAt: z.string(),
})
export type DayRate = z.infer<typeof dayRateSchema>

const spanQuery = z.object({ from: daySchema, to: daySchema })

const problemsSchema = z.object({
  /** The accounts of these days that have no number yet. */
  unmapped: z.array(z.enum(ledgerAccounts)),
  /** Days with entries and without a rate; at most 31 of them. */
  daysWithoutRate: z.array(z.string()),
  dayWithoutRateCount: z.int(),
})
export type JournalProblems = z.infer<typeof problemsSchema>

export const journalRoutes = routes({
  getBookSetup: {
    method: 'GET',
    path: '/api/books/setup',
    summary: 'How the journal is exported: currency, account numbers, and what DATEV and Xero need.',
    access: 'paymentManagement',
    response: setupSchema,
  },
  putBookSetup: {
    method: 'PUT',
    path: '/api/books/setup',
    summary: 'Save how the journal is exported.',
    access: 'adminSettings',
    isFresh: true,
    body: bookSetupInputSchema,
    response: setupSchema,
  },
  listDayRates: {
    method: 'GET',
    path: '/api/books/day-rates',
    summary: 'The rates of the day in the currency of the books, newest first unless said.',
    access: 'paymentManagement',
    query: pageQuery.extend({ order: orderSchema }),
    response: z.array(dayRateSchema),
    isPaged: true,
  },
  putDayRate: {
    method: 'PUT',
    path: '/api/books/day-rates',
    summary: 'Enter the rate of a day, or mend it.',
    access: 'adminSettings',
    isFresh: true,
    body: dayRateInputSchema,
    response: dayRateSchema,
  },
  importDayRates: {
    method: 'POST',
    path: '/api/books/day-rates/import',
    summary: 'Import rates of days: a CSV with the columns day and rate. Either every line is taken or none.',
    access: 'adminSettings',
    isFresh: true,
    body: z.object({ data: z.string().max(200_000) }).optional(),
    bodyLimitBytes: 512 * 1024,
    upload: true,
    isHeavy: true,
    response: z.object({ rateCount: z.int() }),
  },
  checkJournal: {
    method: 'GET',
    path: '/api/books/journal/check',
    summary: 'What is missing for the export of these days.',
    access: 'paymentManagement',
    query: spanQuery,
    response: problemsSchema,
    isHeavy: true,
  },
  exportJournal: {
    method: 'GET',
    path: '/api/books/journal',
    summary: 'The journal of some days (UTC, both included): as CSV, for DATEV, or for Xero.',
    access: 'paymentManagement',
    query: spanQuery.extend({ form: z.enum(journalForms).default('csv') }),
    stream: 'file',
    isHeavy: true,
  },
})
