// People: signing in and up, accounts, their SMPP credentials, API keys and profile. Spec §3 User, §7.
import { z } from 'zod'
import {
  base64urlSchema,
  bulkAnswerSchema,
  chosenRowsBytes,
  chosenRowsSchema,
  emailSchema,
  lineSchema,
  okSchema,
  orderSchema,
  pageQuery,
  searchSchema,
  userIdParams,
  userIdSchema,
  versionSchema,
  wholeNumber,
} from '../fields.ts'
import { routes } from '../route.ts'
import {
  accountStatuses,
  keyScopes,
  registrationModes,
  restrictions,
  roles,
  type Role,
} from '../vocabulary.ts'

const userSchema = z.object({
  id: z.int(),
  username: z.string(),
  email: z.string(),
  firstName: z.string(),
  lastName: z.string(),
  fullName: z.string(),
  role: z.enum(roles),
  status: z.enum(accountStatuses),
  /** It was made by a sign-up, and staff must make it active first. */
  awaitsApproval: z.boolean(),
  smppAccess: z.boolean(),
  maxConnections: z.int(),
  createdAt: z.string(),
  /** USD per SMS; empty means the global rate applies. */
  customSmsRate: z.string(),
  usdtAddress: z.string(),
  /** Whether signing in also requires an authenticator app or a passkey. */
  hasSecondFactor: z.boolean(),
  /** Grows with each change; send it back with an edit, so that a save on an old version is refused. */
  version: z.int(),
})
export type User = z.infer<typeof userSchema>

/** The signed-in person. */
export const signedInUserSchema = userSchema.extend({
  /** What this session must do before any other route opens to it; absent for nothing. */
  restriction: z.enum(restrictions).optional(),
  /** It may bind and has never held a number: it sends messages to the numbers of others. Absent for everybody else. */
  isSupplier: z.literal(true).optional(),
})
export type SignedInUser = z.infer<typeof signedInUserSchema>

const usernameSchema = z
  .string()
  .trim()
  .min(3, 'Username must be at least 3 characters')
  .max(64, 'At most 64 characters')
  .regex(/^[\p{L}\p{N}._@-]+$/u, 'Use letters, digits, dots, dashes and underscores')
/**
 * The minimum length of a password of this role. OWASP requires 8 characters and advises 15; Spec §5 says 6. Accounts
 * that can reach other people's money need 12.
 */
export function passwordLengthMin(role: Role): number {
  return role === 'support' || role === 'admin' ? 12 : 6
}

/** The minimum of all roles; the server checks the minimum of the person's role. */
export const passwordSchema = z
  .string()
  .min(6, 'Password must be at least 6 characters')
  .max(256, 'At most 256 characters')
/** Of an account that staff make: empty or absent, the person chooses one by a one-time link. */
const firstPasswordSchema = z
  .string()
  .max(256, 'At most 256 characters')
  .refine((text) => text === '' || text.length >= 6, 'Password must be at least 6 characters')
const firstNameSchema = lineSchema(100).refine((text) => text.length > 0, 'First name is required')
const lastNameSchema = lineSchema(100).refine((text) => text.length > 0, 'Last name is required')
const maxConnectionsSchema = wholeNumber(
  1,
  100,
  'Enter a number from 1 to 100',
  'Enter a number from 1 to 100',
)

export const loginSchema = z.object({
  username: z.string().min(1, 'Enter your username').max(254),
  password: z.string().min(1, 'Enter your password').max(256),
  /**
   * Required after 401 `second_factor`. Its `fields` name what the account has: `code` when a code is accepted, `passkey`
   * when POST /api/login/passkey can be used.
   */
  code: z.string().trim().max(40).optional(),
})

/** A code of an authenticator app (6 digits) or a recovery code (16 letters and digits); spaces and dashes do not count. */
export const secondFactorCodeSchema = z
  .string()
  .trim()
  .min(1, 'Enter the code')
  .max(40, 'At most 40 characters')

/** What the browser's `navigator.credentials.get` gave for a passkey, by its own names, in base64url. */
export const passkeyAssertionSchema = z.object({
  id: base64urlSchema(1_400),
  clientDataJSON: base64urlSchema(4_000),
  authenticatorData: base64urlSchema(2_000),
  signature: base64urlSchema(2_000),
  /** Whose passkey it is; browsers send it for passkeys, which are found without a username. */
  userHandle: base64urlSchema(100),
})

/** Public sign-up and the Add User form share this path; only staff may use the fields after the names. Spec §7. */
export const registerSchema = z.object({
  username: usernameSchema,
  password: firstPasswordSchema.optional(),
  email: emailSchema,
  firstName: firstNameSchema,
  lastName: lastNameSchema,
  role: z.enum(roles).optional(),
  smppAccess: z.boolean().optional(),
  maxConnections: maxConnectionsSchema.optional(),
  // Known and without effect: a new account begins active and without a rate of its own.
  status: z.enum(accountStatuses).optional(),
  customSmsRate: z.string().max(40).optional(),
})

/** What people who sign up by themselves must give. */
export const signUpSchema = registerSchema
  .pick({ username: true, email: true, firstName: true, lastName: true })
  .extend({ password: passwordSchema })

/** The one-time link by which a person chooses the first password; only this answer has it. */
const invitationSchema = z.object({
  /** The path to open in the console. */
  path: z.string(),
  expiresAt: z.string(),
  /** Whether it goes to the person's e-mail address, too. */
  isMailed: z.boolean(),
})
export type Invitation = z.infer<typeof invitationSchema>

export const editUserSchema = z.object({
  username: usernameSchema.optional(),
  email: emailSchema.optional(),
  firstName: firstNameSchema.optional(),
  lastName: lastNameSchema.optional(),
  role: z.enum(roles).optional(),
  status: z.enum(accountStatuses).optional(),
  smppAccess: z.boolean().optional(),
  maxConnections: maxConnectionsSchema.optional(),
  version: versionSchema,
})

export const userSorts = ['username', 'createdAt', 'role', 'status', 'smppAccess', 'maxConnections'] as const

/** The filters of the list. */
export const userFilters = z.object({
  search: searchSchema.optional(),
  role: z.enum(roles).optional(),
  status: z.enum(accountStatuses).optional(),
  /** Whether the account has a second factor. */
  secondFactor: z.enum(['with', 'without']).optional(),
  /** Whether the account may bind. */
  smppAccess: z.enum(['with', 'without']).optional(),
  /** Only accounts that wait for approval. */
  approval: z.literal('waiting').optional(),
})

const bindAddressSchema = z.object({ systemId: z.string(), host: z.string(), port: z.int() })

const bindDetailsSchema = bindAddressSchema.extend({
  /** Takes the first message of a peer, in digits; empty while the operator has set none aside. */
  testNumber: z.string(),
})

const smppCredentialsSchema = bindAddressSchema.extend({ password: z.string() })

export const apiKeySchema = z.object({
  id: z.string(),
  name: z.string(),
  scopes: z.array(z.enum(keyScopes)),
  /** The first characters, to tell keys apart. */
  prefix: z.string(),
  createdAt: z.string(),
  /** Exact to a minute, like what follows; null for never. */
  lastUsedAt: z.string().nullable(),
  lastUsedAddress: z.string().nullable(),
  /** What the program called itself. */
  lastUsedBy: z.string().nullable(),
})

/** Limit in bytes of a body that anybody may send or that contains passwords: the longest of both fit. */
const signInBytes = 4 * 1024

/** What is withdrawn together with a password, because the thief of one may have the others. */
export const withdrawSchema = z.object({
  /** API keys to withdraw, by their ids; those of others are left alone. */
  withdrawKeys: z.array(z.string().max(40)).max(50).default([]),
  /** Whether to replace the SMPP password, too; bound sessions are put out within 5 s. */
  renewSmppCredentials: z.boolean().default(false),
})

/** One's own password. */
export const changePasswordSchema = withdrawSchema.extend({
  /** May be left out by who has just signed in and must change it. */
  currentPassword: z.string().max(256).optional(),
  newPassword: passwordSchema,
})

export const usersRoutes = routes({
  currentUser: {
    method: 'GET',
    path: '/api/user',
    summary: 'The signed-in person; 401 when nobody is.',
    access: 'signedIn',
    isOpenToRestricted: true,
    response: signedInUserSchema,
  },
  login: {
    method: 'POST',
    path: '/api/login',
    summary: 'Sign in with username and password; sets the session cookie.',
    access: 'public',
    body: loginSchema,
    bodyLimitBytes: signInBytes,
    response: signedInUserSchema,
  },
  getRegistration: {
    method: 'GET',
    path: '/api/registration',
    summary: 'Who may sign up: open, approval (staff approve each account) or closed.',
    access: 'public',
    response: z.object({ mode: z.enum(registrationModes) }),
  },
  register: {
    method: 'POST',
    path: '/api/register',
    summary:
      'Sign up; called by support or an admin it makes an account with the fields they may set, and without a password a link by which the person chooses one.',
    access: 'public',
    body: registerSchema,
    bodyLimitBytes: signInBytes,
    response: signedInUserSchema.extend({
      /** Where staff gave no password. */
      invitation: invitationSchema.optional(),
    }),
    status: 201,
    isIdempotent: true,
  },
  logout: {
    method: 'POST',
    path: '/api/logout',
    summary: 'End this session.',
    access: 'public',
    response: okSchema,
  },
  changePassword: {
    method: 'PUT',
    path: '/api/user/password',
    summary: "Change one's own password; the other sessions end, and keys that are named are withdrawn.",
    access: 'signedIn',
    isOpenToRestricted: true,
    body: changePasswordSchema,
    bodyLimitBytes: signInBytes,
    response: okSchema,
  },
  reauthenticate: {
    method: 'POST',
    path: '/api/user/reauthenticate',
    summary:
      'Confirm who this session is, for acts that ask for it after 5 minutes: by the password, with a code where the account has a second factor, or by a passkey alone.',
    access: 'signedIn',
    isOpenToRestricted: true,
    body: z.object({
      password: z.string().max(256).optional(),
      code: z.string().trim().max(40).optional(),
      passkey: passkeyAssertionSchema.optional(),
    }),
    response: okSchema,
  },
  listUsers: {
    method: 'GET',
    path: '/api/users',
    summary: 'All accounts, a page at a time.',
    access: 'userManagement',
    query: pageQuery.extend({
      ...userFilters.shape,
      sort: z.enum(userSorts).default('createdAt'),
      order: orderSchema,
    }),
    response: z.array(userSchema),
    isPaged: true,
    onReplica: 'current',
  },
  summariseUsers: {
    method: 'GET',
    path: '/api/users/summary',
    summary: 'How many accounts the filters match.',
    access: 'userManagement',
    query: userFilters,
    response: z.object({ count: z.int(), active: z.int(), withSmppAccess: z.int() }),
  },
  exportUsers: {
    method: 'GET',
    path: '/api/users/export',
    summary: 'The filtered accounts as CSV, newest first.',
    access: 'userManagement',
    query: userFilters,
    stream: 'csv',
    isHeavy: true,
    onReplica: 'current',
  },
  exportChosenUsers: {
    method: 'POST',
    path: '/api/users/export',
    summary: 'The chosen accounts as CSV.',
    access: 'userManagement',
    body: chosenRowsSchema,
    bodyLimitBytes: chosenRowsBytes,
    stream: 'csv',
    isHeavy: true,
    onReplica: 'current',
  },
  bulkSetUserStatus: {
    method: 'PUT',
    path: '/api/users/status',
    summary: 'Activate, deactivate or suspend several accounts: all or none.',
    access: 'userManagement',
    fresh: 'hour',
    body: z.object({ ids: z.array(userIdSchema).min(1).max(500), status: z.enum(accountStatuses) }),
    response: bulkAnswerSchema,
  },
  getUser: {
    method: 'GET',
    path: '/api/users/{id}',
    summary: 'One account.',
    access: 'userManagement',
    params: userIdParams,
    response: userSchema,
  },
  editUser: {
    method: 'PATCH',
    path: '/api/users/{id}',
    summary: 'Change an account.',
    access: 'userManagement',
    fresh: 'now',
    params: userIdParams,
    body: editUserSchema,
    response: userSchema,
  },
  setUserRole: {
    method: 'PUT',
    path: '/api/users/{id}/role',
    summary: "Change an account's role.",
    access: 'adminSettings',
    fresh: 'now',
    params: userIdParams,
    body: z.object({ role: z.enum(roles) }),
    response: userSchema,
  },
  setSmppAccess: {
    method: 'PUT',
    path: '/api/users/{id}/smpp-access',
    summary: 'Grant or withdraw SMPP access; bound sessions are put out within 5 s.',
    access: 'userManagement',
    fresh: 'now',
    params: userIdParams,
    body: z.object({ smppAccess: z.boolean() }),
    response: userSchema,
  },
  setUserStatus: {
    method: 'PUT',
    path: '/api/users/{id}/status',
    summary: 'Activate, deactivate or suspend an account.',
    access: 'userManagement',
    fresh: 'hour',
    params: userIdParams,
    body: z.object({ status: z.enum(accountStatuses) }),
    response: userSchema,
  },
  getBindDetails: {
    method: 'GET',
    path: '/api/users/{id}/bind-details',
    summary: 'Where an account binds and as whom, without its password; for that user, support and admin.',
    access: 'signedIn',
    params: userIdParams,
    response: bindDetailsSchema,
  },
  getSmppCredentials: {
    method: 'GET',
    path: '/api/users/{id}/smpp-credentials',
    summary: "A user's SMPP system_id and password, for that user, support and admin.",
    access: 'signedIn',
    fresh: 'now',
    params: userIdParams,
    response: smppCredentialsSchema,
  },
  renewSmppCredentials: {
    method: 'POST',
    path: '/api/users/{id}/smpp-credentials',
    summary: 'Make a new pair; bound sessions are put out within 5 s.',
    access: 'signedIn',
    fresh: 'now',
    params: userIdParams,
    response: smppCredentialsSchema,
    isIdempotent: true,
  },
  listKeys: {
    method: 'GET',
    path: '/api/keys',
    summary: "One's own API keys; the secret is never shown again.",
    access: 'apiKeys',
    isOpenToRestricted: true,
    response: z.array(apiKeySchema),
  },
  createKey: {
    method: 'POST',
    path: '/api/keys',
    summary: 'Make an API key; `key` is in this answer alone.',
    access: 'apiKeys',
    fresh: 'now',
    body: z.object({
      name: lineSchema(100).default(''),
      scopes: z.array(z.enum(keyScopes)).min(1, 'Choose at least one scope').max(keyScopes.length),
    }),
    response: apiKeySchema.extend({ key: z.string() }),
    status: 201,
    isIdempotent: true,
  },
  deleteKey: {
    method: 'DELETE',
    path: '/api/keys/{id}',
    summary: 'Withdraw an API key.',
    access: 'apiKeys',
    params: z.object({ id: z.string().max(40) }),
    response: okSchema,
  },
})
