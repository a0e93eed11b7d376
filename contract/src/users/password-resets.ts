// Reset links for people who have forgotten their password. Each link is good for one new password.
import { z } from 'zod'
import { okSchema, userIdParams } from '../fields.ts'
import { routes } from '../route.ts'
import { apiKeySchema, passwordSchema, withdrawSchema } from './users.ts'

/** waiting: for a second admin. open: it can be used. The others are final. */
const resetLinkStates = ['waiting', 'open', 'used', 'revoked', 'expired'] as const

const resetLinkWays = ['admin', 'mail', 'invitation'] as const
export type ResetLinkWay = (typeof resetLinkWays)[number]

const resetLinkSchema = z.object({
  id: z.int(),
  /** admin: made by an admin; mail: requested by its owner; invitation: made with the account. */
  way: z.enum(resetLinkWays),
  state: z.enum(resetLinkStates),
  /** Username; empty for a link by mail. */
  requestedBy: z.string(),
  requestedAt: z.string(),
  /** The second admin, of a link into an admin's account. */
  approvedBy: z.string(),
  expiresAt: z.string(),
})
export type ResetLink = z.infer<typeof resetLinkSchema>

const madeLinkSchema = resetLinkSchema.extend({
  /** The path to open in the console; only this answer has it. Null while a second admin has to approve. */
  path: z.string().nullable(),
})

/** 256 bits in Base64url. It is sent in bodies only, never in a URL that a server would log. */
const tokenSchema = z.string().min(1, 'The link is not whole').max(100)

// Anybody may send these bodies: the longest password and fifty keys fit.
const bodyLimitBytes = 4 * 1024

const linkParams = userIdParams.extend({ linkId: z.coerce.number().int().min(1).max(2_147_483_647) })

export const passwordResetRoutes = routes({
  readSignInOptions: {
    method: 'GET',
    path: '/api/sign-in-options',
    summary: 'What the sign-in page offers.',
    access: 'public',
    response: z.object({
      /** Whether a forgotten password can be replaced by a link that is mailed. */
      canResetByMail: z.boolean(),
    }),
  },
  requestPasswordReset: {
    method: 'POST',
    path: '/api/password-reset',
    summary:
      'Have a link mailed to the account with this username or e-mail address; the answer is the same whether the account exists.',
    access: 'public',
    bodyLimitBytes,
    body: z.object({ account: z.string().trim().min(1, 'Enter your username or email').max(254) }),
    response: okSchema,
  },
  openResetLink: {
    method: 'POST',
    path: '/api/password-reset/open',
    summary: 'Whose password a link replaces, and what else opens that account; the link stays good.',
    access: 'public',
    bodyLimitBytes,
    body: z.object({ token: tokenSchema }),
    response: z.object({
      username: z.string(),
      /** Whether it is the first password of a new account. */
      isFirst: z.boolean(),
      expiresAt: z.string(),
      passwordLengthMin: z.int(),
      keys: z.array(apiKeySchema),
      hasSmppAccess: z.boolean(),
    }),
  },
  useResetLink: {
    method: 'POST',
    path: '/api/password-reset/use',
    summary: 'Choose a new password by a link, once; sessions end, and the person signs in with it.',
    access: 'public',
    bodyLimitBytes,
    body: withdrawSchema.extend({ token: tokenSchema, newPassword: passwordSchema }),
    response: z.object({ username: z.string() }),
  },
  listResetLinks: {
    method: 'GET',
    path: '/api/users/{id}/reset-links',
    summary: "An account's newest links, without their secrets.",
    access: 'userManagement',
    params: userIdParams,
    response: z.array(resetLinkSchema),
  },
  createResetLink: {
    method: 'POST',
    path: '/api/users/{id}/reset-links',
    summary: "Make a link for another person; for an admin's account it waits for a second admin.",
    access: 'adminSettings',
    fresh: 'now',
    params: userIdParams,
    response: madeLinkSchema,
    status: 201,
    isIdempotent: true,
  },
  approveResetLink: {
    method: 'PUT',
    path: '/api/users/{id}/reset-links/{linkId}/approve',
    summary: 'Approve a link that another admin requested; only this answer has the link.',
    access: 'adminSettings',
    fresh: 'now',
    params: linkParams,
    response: madeLinkSchema,
  },
  revokeResetLink: {
    method: 'DELETE',
    path: '/api/users/{id}/reset-links/{linkId}',
    summary: 'Take a link back.',
    access: 'userManagement',
    params: linkParams,
    response: okSchema,
  },
})
