// What left our wallets on chain: the transfers, what they are for, how far they are read, and whether the ledger agrees.
import { z } from 'zod'
import { decisionSchema, reasonSchema } from '../billing/debts.ts'
import { idParams, idSchema, orderSchema, pageQuery, searchSchema } from '../fields.ts'
import { routes } from '../route.ts'
import { transferStates } from '../vocabulary.ts'

/** A bill (`3-17`) or a payout (`payout-5`), as an id. */
export const debtReferenceSchema = z
  .string()
  .trim()
  .regex(/^([1-9]\d{0,8}-[1-9]\d{0,8}|payout-[1-9]\d{0,17})$/, 'Enter a bill (3-17) or a payout (payout-5)')

/** Debts of one client that a transfer may have paid. */
const proposalSchema = z.object({
  userId: z.int(),
  userName: z.string(),
  references: z.array(z.string()),
  /** What they still wait for, together. */
  dueAmount: z.string(),
  /** exact: the transfer is of this amount. */
  fit: z.enum(['exact', 'less', 'more']),
  /** The payment run that asked for it; null without one. */
  runId: z.string().nullable(),
})
export type TransferProposal = z.infer<typeof proposalSchema>

const treasuryTransferSchema = z.object({
  id: idSchema,
  transactionHash: z.string(),
  /** Its place in the transaction's log. */
  logIndex: z.int(),
  fromAddress: z.string(),
  toAddress: z.string(),
  amount: z.string(),
  /** How much of it is booked on debts or as credit. */
  bookedAmount: z.string(),
  at: z.string(),
  state: z.enum(transferStates),
  /** The debts that it is booked on. */
  references: z.array(z.string()),
  /** Whom the money went to by what is booked; empty while nothing is. */
  userName: z.string(),
  /** What a person said of it, or asks for; null while nobody did. */
  decision: z
    .object({
      kind: z.enum(['match', 'explain']),
      references: z.array(z.string()),
      reason: z.string(),
      requestedBy: z.string(),
      requestedAt: z.string(),
      decidedBy: z.string(),
    })
    .nullable(),
  /** Best first; empty for one that is booked or explained. */
  proposals: z.array(proposalSchema),
  /** Known addresses that look like the receiver's: the money may have gone to a forged one. */
  lookAlikes: z.array(z.object({ address: z.string(), userName: z.string() })),
})
export type TreasuryTransfer = z.infer<typeof treasuryTransferSchema>

const proofSchema = z.object({
  provedFrom: z.string(),
  provedAt: z.string(),
  /** Of all our wallets together. */
  balance: z.string(),
  /** Left our wallets since `provedFrom`. */
  sent: z.string(),
  booked: z.string(),
  explained: z.string(),
  /** What the ledger says was paid since then. */
  ledgerPaid: z.string(),
  /** Sent, neither booked nor explained. */
  unbooked: z.string(),
  /** Paid by the ledger, without a transfer that was seen. */
  unseen: z.string(),
  /** By how much the balance fell beyond what was read. */
  unread: z.string(),
  /** Sent minus explained minus what the ledger says was paid. */
  difference: z.string(),
  isEqual: z.boolean(),
})
export type WalletProof = z.infer<typeof proofSchema>

const readerSchema = z.object({
  /** Whether a TRON node is configured. */
  isConfigured: z.boolean(),
  wallets: z.array(
    z.object({
      address: z.string(),
      readFrom: z.string(),
      /** When the end of its list was last seen; null before the first time. */
      readAt: z.string().nullable(),
      /** Why it cannot be read just now; empty when it can. */
      fault: z.string(),
      failingSince: z.string().nullable(),
    }),
  ),
  /** Transactions that the node lists, but does not show in an irreversible block yet. */
  waitingCount: z.int(),
  oldestWaitingAt: z.string().nullable(),
  /** Transfers that nobody knows a debt for. */
  open: z.object({ count: z.int(), amount: z.string() }),
  /** The newest proof; null before the first one. */
  proof: proofSchema.nullable(),
})
export type TreasuryReader = z.infer<typeof readerSchema>

const transferFilters = z.object({
  /** The first characters of the transaction's hash, or of the receiver's address. */
  search: searchSchema.optional(),
  state: z.enum(transferStates).optional(),
})
export const transferSorts = ['at', 'amount'] as const

export const treasuryTransferRoutes = routes({
  getTreasuryReader: {
    method: 'GET',
    path: '/api/treasury/reader',
    summary: 'How far the treasury is read on chain, and the newest proof that wallet and ledger agree.',
    access: 'paymentManagement',
    response: readerSchema,
  },
  listTreasuryTransfers: {
    method: 'GET',
    path: '/api/treasury/transfers',
    summary: 'What left our wallets on chain, with the debts each transfer may be for.',
    access: 'paymentManagement',
    query: pageQuery.extend({
      ...transferFilters.shape,
      sort: z.enum(transferSorts).default('at'),
      order: orderSchema,
    }),
    response: z.array(treasuryTransferSchema),
    isPaged: true,
  },
  exportTreasuryTransfers: {
    method: 'GET',
    path: '/api/treasury/transfers/export',
    summary: 'The same as CSV.',
    access: 'paymentManagement',
    query: transferFilters,
    stream: 'csv',
    isHeavy: true,
    onReplica: 'current',
  },
  matchTransfer: {
    method: 'PUT',
    path: '/api/treasury/transfers/{id}/match',
    summary: 'Book a transfer on debts of one client. Above the limit a second person accepts it.',
    access: 'paymentManagement',
    fresh: 'now',
    params: idParams,
    body: z.object({ references: z.array(debtReferenceSchema).min(1).max(200), reason: reasonSchema }),
    response: treasuryTransferSchema,
  },
  explainTransfer: {
    method: 'PUT',
    path: '/api/treasury/transfers/{id}/explain',
    summary: 'Say why a transfer pays no debt. Above the limit a second person accepts it.',
    access: 'paymentManagement',
    fresh: 'now',
    params: idParams,
    body: z.object({ reason: reasonSchema }),
    response: treasuryTransferSchema,
  },
  decideTransfer: {
    method: 'PUT',
    path: '/api/treasury/transfers/{id}/decide',
    summary: 'Accept or refuse what somebody else says of a transfer.',
    access: 'paymentManagement',
    fresh: 'now',
    params: idParams,
    body: decisionSchema,
    response: treasuryTransferSchema,
  },
})
