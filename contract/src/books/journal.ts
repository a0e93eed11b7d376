// The journal of the ledger for an accountant's program: the numbers of its accounts there, and the export.
import { z } from 'zod'
import { daySchema } from '../fields.ts'
import { routes } from '../route.ts'
import { ledgerAccounts } from '../vocabulary.ts'

/** The longest export. */
export const journalDaysMax = 366

const codeSchema = z.union([
  z.literal(''),
  z
    .string()
    .trim()
    .regex(/^[0-9A-Za-z./-]{1,20}$/, 'Enter up to 20 letters, digits, dots, slashes or dashes'),
])

const bookSetupInputSchema = z.object({
  /** The number of each ledger account in the accountant's program; empty: none yet. */
  accounts: z
    .array(z.object({ account: z.enum(ledgerAccounts), code: codeSchema }))
    .max(ledgerAccounts.length),
})
const setupSchema = bookSetupInputSchema.extend({
  /** Empty and null while no account has a number. */
  updatedBy: z.string(),
  updatedAt: z.string().nullable(),
})
export type BookSetup = z.infer<typeof setupSchema>

const spanQuery = z.object({ from: daySchema, to: daySchema })

const problemsSchema = z.object({
  /** The accounts of these days that have no number yet. */
  unmapped: z.array(z.enum(ledgerAccounts)),
})
export type JournalProblems = z.infer<typeof problemsSchema>

export const journalRoutes = routes({
  getBookSetup: {
    method: 'GET',
    path: '/api/books/setup',
    summary: "The numbers of the ledger's accounts in the accountant's program.",
    access: 'paymentManagement',
    response: setupSchema,
  },
  putBookSetup: {
    method: 'PUT',
    path: '/api/books/setup',
    summary: "Save the numbers of the ledger's accounts.",
    access: 'adminSettings',
    fresh: 'hour',
    body: bookSetupInputSchema,
    response: setupSchema,
  },
  checkJournal: {
    method: 'GET',
    path: '/api/books/journal/check',
    summary: 'What is missing for the export of these days.',
    access: 'paymentManagement',
    query: spanQuery,
    response: problemsSchema,
    isHeavy: true,
    onReplica: 'current',
  },
  exportJournal: {
    method: 'GET',
    path: '/api/books/journal',
    summary: 'The journal of some days (UTC, both included) as CSV, with account and counter-account.',
    access: 'paymentManagement',
    query: spanQuery,
    stream: 'csv',
    isHeavy: true,
    onReplica: 'current',
  },
})
