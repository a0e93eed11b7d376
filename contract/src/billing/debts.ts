// What bills and payouts share: both are debts to a client, settled by payments. Spec §2, §7.
import { z } from 'zod'
import { lineSchema } from '../fields.ts'
import { withoutInvisible } from '../plain-text.ts'
import { decimalInputSchema, parseMicro } from '../money.ts'
import { paymentDifferences } from '../vocabulary.ts'

// As wallets and explorers show it: alone, behind 0x, or in the address of its page.
const hashForms = /^(?:0x)?([0-9a-f]{64})$|^https?:\/\/\S*[/#=]([0-9a-f]{64})(?:[/?#&]\S*)?$/i

/** A transaction id on TRON: 64 hexadecimal digits in any case, kept in lower case; also from the address of an explorer's page. */
export const transactionHashSchema = z.string().transform((text, context) => {
  const [, alone, ofPage] = hashForms.exec(withoutInvisible(text).trim()) ?? []
  const hash = alone ?? ofPage
  if (hash !== undefined) return hash.toLowerCase()
  context.addIssue('Enter the 64 hexadecimal digits of the transaction hash')
  return z.NEVER
})

/** A wallet's address as a person pastes it; the server checks prefix and checksum. */
export const walletAddressSchema = z.string().transform((text) => withoutInvisible(text).trim())

export const amountInputSchema = decimalInputSchema.refine(
  (text) => (parseMicro(text) ?? 0n) > 0n,
  'Enter an amount above 0 with at most 6 decimals',
)

/** Who requested a payment above the limit; a second person has to approve it. Clients do not read who. */
export const approvalSchema = z.object({ requestedBy: z.string(), requestedAt: z.string() })

/** What is done with a debt: a bill or a payout. */
export const debtFields = {
  /** What arrived for it; without a node, what was entered as paid. */
  receivedAmount: z.string(),
  /** What is still to be paid. */
  dueAmount: z.string(),
  /** The part that the client's credit or debts settled. */
  setOffAmount: z.string(),
  /** The part that was waived or taken off by a credit note. */
  reducedAmount: z.string(),
  /** The newest payment of it. */
  paymentId: z.string().nullable(),
}

export const reasonSchema = lineSchema(500).refine((text) => text !== '', 'Enter the reason')
export const decisionSchema = z.object({ action: z.enum(['accept', 'reject']), reason: reasonSchema })

/** Without a difference, an accepted rest stays due and an accepted surplus becomes credit. */
export const paymentDecisionSchema = decisionSchema.extend({
  difference: z.enum(paymentDifferences).optional(),
})
