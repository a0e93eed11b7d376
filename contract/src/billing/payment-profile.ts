// Where a client is paid to, and what is known of an address. Spec §4.
import { z } from 'zod'
import { emailSchema, lineSchema, userIdSchema } from '../fields.ts'
import { walletAddressSchema } from './debts.ts'
import { routes } from '../route.ts'

const profileSchema = z.object({
  fullName: z.string(),
  /** In force now; empty while the profile has none. */
  usdtAddress: z.string(),
  email: z.string(),
  /** A changed address that is not in force yet, and from when it will be. */
  pendingUsdtAddress: z.string().nullable(),
  pendingFrom: z.string().nullable(),
  /** Whether this gateway is set up to send mail. */
  sendsMail: z.boolean(),
})
export type PaymentProfile = z.infer<typeof profileSchema>

export const profileInputSchema = z.object({
  fullName: lineSchema(200).refine((text) => text !== '', 'Full name is required'),
  // The server checks prefix and checksum: a mistyped address would lose the money.
  usdtAddress: walletAddressSchema.pipe(
    z.string().min(1, 'USDT TRC20 address is required').max(100, 'Not a TRC20 address'),
  ),
  email: z.union([z.literal(''), emailSchema]).optional(),
})

/** What is known about an address before money is sent to it. */
const addressCheckSchema = z.object({
  /** Prefix, length and checksum are right, and it is neither the zero address, nor USDT's contract, nor ours. */
  isValid: z.boolean(),
  /** Why it is not valid, as sentences; empty when it is. */
  problem: z.string(),
  /** Number of payments that this user received at the address. */
  paidCount: z.int(),
  firstPaidAt: z.string().nullable(),
  /** Compared with the user's profile: its address in force, its pending change, another address, or none there. */
  profile: z.enum(['same', 'waiting', 'other', 'none']),
  /** Known addresses with the same first and last characters, and their owners; '' for a wallet of our own. */
  lookAlikes: z.array(z.object({ address: z.string(), userName: z.string() })),
  /** Whether USDT's contract refuses it; null without a node, or when the node gave no clear answer. */
  isBlacklisted: z.boolean().nullable(),
})
export type AddressCheck = z.infer<typeof addressCheckSchema>

export const profileRoutes = routes({
  getProfile: {
    method: 'GET',
    path: '/api/user/profile',
    summary: "The caller's payment profile.",
    access: 'payment',
    response: profileSchema,
  },
  putProfile: {
    method: 'PUT',
    path: '/api/user/profile',
    summary: 'Save the payment profile. A changed address waits, and needs a recent sign-in.',
    access: 'payment',
    fresh: 'now',
    body: profileInputSchema,
    response: profileSchema,
  },
  checkAddress: {
    method: 'GET',
    path: '/api/payments/address-check',
    summary: 'What is known of an address before a payment to this user goes there.',
    access: 'paymentManagement',
    query: z.object({ userId: userIdSchema, address: z.string().trim().min(1).max(100) }),
    response: addressCheckSchema,
  },
})
