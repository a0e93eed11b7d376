// What a client may do, and when it is paid: terms that follow trust, set by people.
import { z } from 'zod'
import { decimalInputSchema, parseMicro } from '../money.ts'
import { userIdParams, wholeNumber } from '../fields.ts'
import { routes } from '../route.ts'
import { settingChangeActions } from '../vocabulary.ts'

/** With this many bills a client is a newcomer no more. */
export const newcomerBills = 3

const termsSchema = z.object({
  /** Null: as many as there are. */
  numbersMax: z.int().nullable(),
  /** A day of UTC; null: no limit. Nothing above it is refused: the bill waits for a person. */
  smsPerDayMax: z.int().nullable(),
  /** USDT that a billing period may earn before its bill waits for a person; null: no limit. */
  valuePerCycleMax: z.string().nullable(),
  /** Days between the close of a period and the day on which its bill and payouts may be paid. */
  payableAfterDays: z.int(),
  /** How many hundredths of what a period earned are kept; 0: no reserve. */
  reservePercent: z.int(),
  /** How long they are kept. */
  reserveDays: z.int(),
})
export type Terms = z.infer<typeof termsSchema>

const ownTermsSchema = termsSchema.extend({
  /** Whether people set terms for this client; else it has those of all newcomers, or of all others. */
  isOwn: z.boolean(),
  isNewcomer: z.boolean(),
  /** How much of the limits is used now. */
  used: z.object({ numbers: z.int(), smsToday: z.int(), valueThisCycle: z.string() }),
})
export type OwnTerms = z.infer<typeof ownTermsSchema>

const clientTermsSchema = ownTermsSchema.extend({
  /** Looser terms that wait for a second admin; null for none. */
  pending: z
    .object({
      terms: termsSchema,
      requestedBy: z.string(),
      requestedAt: z.string(),
      /** Empty until a second admin has approved them. */
      approvedBy: z.string(),
      /** The earliest time. */
      beginsAt: z.string(),
      /** There is no second admin: they begin without one, after a longer wait. */
      isAlone: z.boolean(),
    })
    .nullable(),
  /** Newest first, at most 100. */
  history: z.array(
    z.object({
      id: z.string(),
      terms: termsSchema,
      setBy: z.string(),
      /** The second admin; empty where the terms became stricter. */
      approvedBy: z.string(),
      beginsAt: z.string(),
    }),
  ),
})
export type ClientTerms = z.infer<typeof clientTermsSchema>

const limitSchema = (max: number) => z.union([wholeNumber(0, max), z.null()])

export const termsInputSchema = z.object({
  numbersMax: limitSchema(1_000_000),
  smsPerDayMax: limitSchema(1_000_000_000),
  valuePerCycleMax: z.union([
    decimalInputSchema.refine(
      (text) => (parseMicro(text) ?? -1n) >= 0n,
      'Enter an amount with at most 6 decimals',
    ),
    z.null(),
  ]),
  payableAfterDays: wholeNumber(0, 365),
  reservePercent: wholeNumber(0, 100),
  reserveDays: wholeNumber(1, 730),
})

export const termsRoutes = routes({
  getOwnTerms: {
    method: 'GET',
    path: '/api/user/terms',
    summary: "The caller's own terms, and how much of their limits is used.",
    access: 'payment',
    response: ownTermsSchema,
  },
  getTerms: {
    method: 'GET',
    path: '/api/users/{id}/terms',
    summary: "A client's terms, a change that waits, and all terms before.",
    access: 'paymentManagement',
    params: userIdParams,
    response: clientTermsSchema,
  },
  putTerms: {
    method: 'PUT',
    path: '/api/users/{id}/terms',
    summary:
      'Set the terms of a client. Terms that are at least as strict in everything begin at once; looser ones wait as `pending`, and a second admin approves them by the same values. Nobody sets his own.',
    access: 'adminSettings',
    fresh: 'now',
    params: userIdParams,
    body: termsInputSchema,
    response: clientTermsSchema,
  },
  decideTermsChange: {
    method: 'PUT',
    path: '/api/users/{id}/terms/change',
    summary: 'A second admin approves looser terms that wait, or any admin cancels them.',
    access: 'adminSettings',
    fresh: 'now',
    params: userIdParams,
    body: z.object({ action: z.enum(settingChangeActions) }),
    response: clientTermsSchema,
  },
})
