import { Refusal } from '@tollgate/contract/errors.ts'
import type { z } from 'zod'
import type { Invitation, registerSchema } from '@tollgate/contract/users/users.ts'
import type { Role } from '@tollgate/contract/vocabulary.ts'
import { brokenConstraint, type Db } from '../../platform/db.ts'
import { refuseUnlessFresh } from '../../http/fresh.ts'
import type { Caller } from '../../http/handlers.ts'
import { networkOf } from '../../platform/addresses/network-of.ts'
import { transaction } from '../../platform/transaction.ts'
import { idHashOf, startLogin, type SignInOrigin } from '../login/session-life.ts'
import { deleteLogin } from '../login/store.ts'
import { recordSignUpFailure, refuseThrottledSignUp } from '../login/throttle.ts'
import type { SmppCredentials } from '../smpp/credentials.ts'
import { refuseName, taken } from '../accounts/names.ts'
import type { RegistrationSettings } from './registration.ts'
import type { HashTurn, Passwords } from '../accounts/passwords.ts'
import { randomText } from '../random-text.ts'
import { invite, type InviteParts } from '../recovery/invite.ts'
import { isStaff, refuseNewRole, refuseWeakPassword } from '../accounts/rules.ts'
import { refuseSpentBudget, signUpNetworkOf, spendBudget } from './sign-up-budget.ts'
import type { SignUpTurns } from './sign-up-turns.ts'
import { insertUser, lockNames, shareLockById, type NewUser, type UserRow } from '../accounts/store.ts'
import { aboutUser } from '../about-user.ts'

export interface RegisterParts extends RegistrationSettings, InviteParts {
  readonly db: Db
  readonly passwords: Passwords
  readonly smpp: SmppCredentials
  readonly signUpTurns: SignUpTurns
}

/** The password is empty or absent where staff let the person choose it. */
export type Registration = Omit<z.output<typeof registerSchema>, 'status' | 'customSmsRate'>

// Nobody ever knows the password of somebody who is invited.
const unknownPasswordLength = 40

// Spec §9: role user, no SMPP access, 5 connections.
const defaults = { role: 'user', smppAccess: false, maxConnections: 5 } as const

interface MadeForOther {
  readonly userId: number
  readonly invitation?: Invitation | undefined
}

/**
 * Makes an account for somebody else, with the fields that support and admins may set, and a link where they give no
 * password. `keep` does the work in a transaction. Throws Refusal taken, invalid, forbidden or reauthenticate. Spec §7.
 */
export async function createForOther<T>(
  parts: RegisterParts,
  input: Registration,
  { actor, ip }: Caller,
  keep: (store: (tx: Db) => Promise<MadeForOther>) => Promise<T>,
): Promise<T> {
  const role = input.role ?? defaults.role
  // The route is public, so only here is it known that an account is made for somebody else.
  refuseUnlessFresh(actor, parts.clock, isStaff(role) ? 'now' : 'hour')
  refuseNewRole(actor, role)
  const { smppAccess = defaults.smppAccess, maxConnections = defaults.maxConnections } = input
  const turn: HashTurn = { rank: 'known', network: networkOf(ip), account: actor.username }
  const isInvited = (input.password ?? '') === ''
  const password = isInvited ? randomText(unknownPasswordLength) : input.password
  const fields = { ...input, password, role, smppAccess, maxConnections, status: 'active' as const }
  // Its name is looked up in the transaction alone: a call that is sent again finds the account that it made.
  const user = await prepare(parts, fields, turn)
  return keep(async (tx) => {
    // Hashing takes time: the role may have been withdrawn meanwhile.
    const maker = await shareLockById(tx, actor.userId)
    if (maker?.status !== 'active' || !isStaff(maker.role))
      throw new Refusal('forbidden', "You don't have permission to do this.")
    refuseNewRole({ userId: maker.id, role: maker.role }, role)
    const made = await store(tx, user, maker.role)
    if (made.smpp_access) await parts.smpp.ensure(tx, made)
    await parts.audit.record(tx, { actor, ip, action: 'user.create', ...subjectOf(made) })
    return { userId: made.id, ...(isInvited && { invitation: await invite(parts, tx, made, { actor, ip }) }) }
  })
}

/**
 * Makes an account with the defaults, whatever the body contains. It is signed in unless an approval is needed: then there
 * is no cookie. Throws Refusal taken, invalid, registration_closed or too_many. Spec §7.
 */
export function signUp(
  parts: RegisterParts,
  input: Registration,
  earlierSession: string | undefined,
  origin: SignInOrigin,
): Promise<SignedUp> {
  return parts.signUpTurns.run(signUpNetworkOf(origin.ip), () =>
    signUpInTurn(parts, input, earlierSession, origin),
  )
}

interface SignedUp {
  readonly userId: number
  readonly cookie: string | undefined
}

async function signUpInTurn(
  parts: RegisterParts,
  input: Registration,
  earlierSession: string | undefined,
  origin: SignInOrigin,
): Promise<SignedUp> {
  const mode = await parts.registration.get(parts.db)
  if (mode === 'closed')
    throw new Refusal('registration_closed', 'Sign-up is closed. Ask support for an account.')
  await refuseThrottledSignUp(parts.db, parts.clock, origin.ip)
  const network = signUpNetworkOf(origin.ip)
  const perHour = await parts.registrationsPerHour.get(parts.db)
  await refuseSpentBudget(parts.db, network, perHour, parts.clock.now())
  const status = mode === 'approval' ? 'inactive' : 'active'
  try {
    const turn: HashTurn = {
      rank: 'signUp',
      network: networkOf(origin.ip),
      account: input.username.toLowerCase(),
    }
    const fields = { ...input, ...defaults, status, awaitsApproval: mode === 'approval' } as const
    // Checked before the costly hash, and again when the account is stored.
    await refuseName(parts.db, input.username, { role: undefined })
    const user = await prepare(parts, fields, turn)
    return await transaction(parts.db, async (tx) => {
      await spendBudget(tx, network, perHour, parts.clock.now())
      const made = await store(tx, user, undefined)
      const isSignedIn = made.status === 'active'
      if (isSignedIn && earlierSession !== undefined) await deleteLogin(tx, idHashOf(earlierSession))
      const cookie = isSignedIn ? await startLogin(tx, parts.clock, made.id, origin) : undefined
      await parts.audit.record(tx, {
        actor: { userId: made.id, username: made.username },
        ip: origin.ip,
        action: 'user.register',
        ...subjectOf(made),
      })
      return { userId: made.id, cookie }
    })
  } catch (error) {
    // Slows down callers who probe for usernames; successful sign-ups have a budget of their own.
    if (error instanceof Refusal && error.code === 'taken')
      await recordSignUpFailure(parts.db, parts.clock, origin.ip)
    throw error
  }
}

async function prepare(
  { passwords }: RegisterParts,
  input: Registration & Pick<NewUser, 'role' | 'smppAccess' | 'maxConnections' | 'status' | 'awaitsApproval'>,
  turn: HashTurn,
): Promise<NewUser> {
  const { password = '', ...fields } = input
  refuseWeakPassword(password, input.role, input.username, 'password')
  return { ...fields, passwordHash: await passwords.inTurn((hasher) => hasher.hash(password), turn) }
}

async function store(tx: Db, user: NewUser, makerRole: Role | undefined): Promise<UserRow> {
  await lockNames(tx)
  await refuseName(tx, user.username, { role: makerRole })
  try {
    return await insertUser(tx, user)
  } catch (error) {
    throw brokenConstraint(error) === 'users_username_key' ? taken() : error
  }
}

function subjectOf(user: UserRow) {
  const { username, email, role, status } = user
  return {
    ...aboutUser(user.id),
    after: {
      username,
      email,
      role,
      status,
      smppAccess: user.smpp_access,
      maxConnections: user.max_connections,
    },
  }
}
