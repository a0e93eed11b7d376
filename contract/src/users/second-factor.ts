// The second factor of an account: an authenticator app, passkeys, recovery codes; and how another's is removed.
import { z } from 'zod'
import { base64urlSchema, idParams, lineSchema, okSchema, userIdParams } from '../fields.ts'
import { routes } from '../route.ts'
import { signedInUserSchema, passkeyAssertionSchema, secondFactorCodeSchema } from './users.ts'

const base = '/api/user/second-factor'

const passkeyNameSchema = lineSchema(60).refine((name) => name.length > 0, 'Give the passkey a name')

const passkeySchema = z.object({
  id: z.string(),
  name: z.string(),
  createdAt: z.string(),
  lastUsedAt: z.string().nullable(),
})
export type Passkey = z.infer<typeof passkeySchema>

/** One's own factors. No secret is in it. */
const secondFactorSchema = z.object({
  /** When the authenticator app was set up; null without one. */
  totpSince: z.string().nullable(),
  passkeys: z.array(passkeySchema),
  recoveryCodesLeft: z.int(),
  /** Whether the account's role must have one: the last factor cannot be removed then. */
  isRequired: z.boolean(),
  /** Whether this address of the console can have passkeys; see docs/operating.md. */
  hasPasskeyAddress: z.boolean(),
})
export type SecondFactor = z.infer<typeof secondFactorSchema>

/** Recovery codes in clear, in this answer alone; empty where the account kept the ones it has. */
const recoveryCodesSchema = z.array(z.string())

/** What the browser's `navigator.credentials.create` gave, by its own names. */
const attestationSchema = z.object({
  id: base64urlSchema(1_400),
  clientDataJSON: base64urlSchema(4_000),
  attestationObject: base64urlSchema(8_000),
  transports: z.array(z.string().max(30)).max(10).default([]),
})

const credentialsSchema = z.array(z.object({ id: z.string(), type: z.literal('public-key') }))

/** What `navigator.credentials.get` takes. Source: WebAuthn Level 3, 5.5. */
const passkeyRequestSchema = z.object({
  challenge: z.string(),
  rpId: z.string(),
  timeout: z.int(),
  userVerification: z.literal('required'),
})

/** What `navigator.credentials.create` takes. Source: WebAuthn Level 3, 5.4. */
const passkeyCreationSchema = z.object({
  rp: z.object({ id: z.string(), name: z.string() }),
  user: z.object({ id: z.string(), name: z.string(), displayName: z.string() }),
  challenge: z.string(),
  pubKeyCredParams: z.array(z.object({ alg: z.int(), type: z.literal('public-key') })),
  timeout: z.int(),
  excludeCredentials: credentialsSchema,
  authenticatorSelection: z.object({
    residentKey: z.literal('required'),
    requireResidentKey: z.boolean(),
    userVerification: z.literal('required'),
  }),
  attestation: z.literal('none'),
})

/** An admin's wish to remove the second factor of another admin, which a third admin approves. */
const factorResetSchema = z.object({
  userId: z.int(),
  username: z.string(),
  requestedById: z.int(),
  requestedBy: z.string(),
  requestedAt: z.string(),
})
export type FactorReset = z.infer<typeof factorResetSchema>

export const secondFactorRoutes = routes({
  startPasskeyLogin: {
    method: 'POST',
    path: '/api/login/passkey/options',
    summary: 'What the browser needs to sign in with a passkey: a challenge that holds for 5 minutes, once.',
    access: 'public',
    bodyLimitBytes: 1_024,
    response: passkeyRequestSchema,
  },
  loginWithPasskey: {
    method: 'POST',
    path: '/api/login/passkey',
    summary: 'Sign in with a passkey alone: it proves the device and its owner. Sets the session cookie.',
    access: 'public',
    body: passkeyAssertionSchema,
    response: signedInUserSchema,
  },
  startPasskeyConfirmation: {
    method: 'POST',
    path: '/api/user/reauthenticate/options',
    summary: 'What the browser needs to confirm this session with a passkey.',
    access: 'signedIn',
    isOpenToRestricted: true,
    response: passkeyRequestSchema,
  },
  getSecondFactor: {
    method: 'GET',
    path: base,
    summary: "One's own second factors.",
    access: 'signedIn',
    isOpenToRestricted: true,
    response: secondFactorSchema,
  },
  startTotp: {
    method: 'POST',
    path: `${base}/totp`,
    summary: 'Make the secret of an authenticator app. It counts once a code of it has confirmed it.',
    access: 'signedIn',
    fresh: 'now',
    isOpenToRestricted: true,
    response: z.object({
      /** Base32, to type in where no camera is. */
      secret: z.string(),
      /** `otpauth://totp/…`, for a QR code. */
      uri: z.string(),
    }),
  },
  confirmTotp: {
    method: 'PUT',
    path: `${base}/totp`,
    summary:
      'Confirm the authenticator app with a code; it takes the place of an earlier one. The other sessions end.',
    access: 'signedIn',
    fresh: 'now',
    isOpenToRestricted: true,
    body: z.object({ code: secondFactorCodeSchema }),
    response: z.object({ recoveryCodes: recoveryCodesSchema }),
  },
  removeTotp: {
    method: 'DELETE',
    path: `${base}/totp`,
    summary: 'Remove the authenticator app.',
    access: 'signedIn',
    fresh: 'now',
    response: okSchema,
  },
  startPasskey: {
    method: 'POST',
    path: `${base}/passkeys/options`,
    summary: 'What the browser needs to make a passkey.',
    access: 'signedIn',
    fresh: 'now',
    isOpenToRestricted: true,
    response: passkeyCreationSchema,
  },
  addPasskey: {
    method: 'POST',
    path: `${base}/passkeys`,
    summary: 'Add the passkey that the browser made. The other sessions end.',
    access: 'signedIn',
    fresh: 'now',
    isOpenToRestricted: true,
    body: attestationSchema.extend({ name: passkeyNameSchema }),
    response: z.object({ passkey: passkeySchema, recoveryCodes: recoveryCodesSchema }),
    isIdempotent: true,
    status: 201,
  },
  renamePasskey: {
    method: 'PATCH',
    path: `${base}/passkeys/{id}`,
    summary: 'Rename a passkey.',
    access: 'signedIn',
    params: idParams,
    body: z.object({ name: passkeyNameSchema }),
    response: passkeySchema,
  },
  removePasskey: {
    method: 'DELETE',
    path: `${base}/passkeys/{id}`,
    summary: 'Remove a passkey.',
    access: 'signedIn',
    fresh: 'now',
    params: idParams,
    response: okSchema,
  },
  renewRecoveryCodes: {
    method: 'POST',
    path: `${base}/recovery-codes`,
    summary: 'Make ten new recovery codes, in this answer alone; the earlier ones end.',
    access: 'signedIn',
    fresh: 'now',
    response: z.object({ recoveryCodes: recoveryCodesSchema }),
  },
  listFactorResets: {
    method: 'GET',
    path: '/api/users/second-factor-resets',
    summary: "Admins' second factors whose removal waits for another admin.",
    access: 'adminSettings',
    response: z.array(factorResetSchema),
  },
  removeSecondFactorOf: {
    method: 'DELETE',
    path: '/api/users/{id}/second-factor',
    summary:
      "Remove all second factors of an account, which ends its sessions. An admin's are removed when a second admin makes the same call within 24 hours.",
    access: 'adminSettings',
    fresh: 'now',
    params: userIdParams,
    response: z.object({ outcome: z.enum(['removed', 'awaiting_second_admin']) }),
  },
  withdrawFactorReset: {
    method: 'DELETE',
    path: '/api/users/{id}/second-factor/request',
    summary: "Refuse or take back the request to remove an admin's second factors.",
    access: 'adminSettings',
    fresh: 'now',
    params: userIdParams,
    response: okSchema,
  },
})
