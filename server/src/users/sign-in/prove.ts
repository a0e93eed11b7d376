// Signing in with a passkey, and reauthenticating a session.
import { Refusal } from '@tollgate/contract/errors.ts'
import type { usersRoutes } from '@tollgate/contract/users/users.ts'
import type { RouteInput } from '@tollgate/contract/route.ts'
import { transaction } from '../../platform/transaction.ts'
import { shareLockById } from '../accounts/store.ts'
import { idHashOf, type SignInOrigin } from '../login/session-life.ts'
import { reauthenticateByPassword, enter, type SignInParts } from './sign-in.ts'
import { markReauthenticated } from '../login/store.ts'
import { requireCode } from '../factors/check-code.ts'
import type { Caller } from '../../http/handlers.ts'
import { findPasskey } from '../factors/passkey-store.ts'
import { checkAssertion, type Assertion } from '../factors/passkeys.ts'
import { requireRelyingParty, type RelyingParty } from '../factors/relying-party.ts'

/**
 * Signs in with a passkey alone: the device is one factor, its check of finger, face or PIN the other. Returns the account's
 * id and the new cookie. Throws Refusal wrong_credentials or forbidden (account not active).
 */
export async function signInWithPasskey(
  parts: SignInParts,
  party: RelyingParty,
  assertion: Assertion,
  origin: SignInOrigin,
  earlierSession: string | undefined,
): Promise<{ userId: number; cookie: string }> {
  const shown = await checkAssertion(parts, party, assertion, 'sign_in', undefined, origin.ip)
  if (shown === undefined) throw notAccepted()
  return transaction(parts.db, async (tx) => {
    // Locked, so that a suspension or a removal of the passkey at the same moment is either seen here or ends this session.
    const user = await shareLockById(tx, shown.user_id)
    if (user === undefined || (await findPasskey(tx, shown.credential_id)) === undefined) throw notAccepted()
    return enter(parts, tx, user, { origin, earlierSession, factor: 'passkey' })
  })
}

function notAccepted(): Refusal {
  return new Refusal(
    'wrong_credentials',
    'The passkey was not accepted. It may have been removed here: sign in with your password, or try again.',
  )
}

/**
 * Renews the five minutes in which routes marked `fresh` need no reauthentication: by password, with a code where the
 * account has a second factor, or by a passkey alone. Throws Refusal invalid, naming the wrong or missing field, or
 * too_many.
 */
export async function reauthenticate(
  parts: SignInParts,
  input: RouteInput<typeof usersRoutes.reauthenticate>['body'],
  party: RelyingParty | undefined,
  { actor, ip }: Caller,
): Promise<void> {
  if (input.passkey === undefined) {
    const user = await reauthenticateByPassword(parts, actor, ip, passwordOf(input.password), 'password')
    const attempt = { userId: user.id, username: user.username, ip, session: actor.sessionId }
    if (user.has_second_factor) await requireCode(parts, attempt, input.code, 'invalid')
  } else {
    const shown = await checkAssertion(
      parts,
      requireRelyingParty(party),
      input.passkey,
      'confirm',
      actor.userId,
      ip,
    )
    if (shown === undefined)
      throw new Refusal('invalid', 'The passkey was not accepted. Try again, or give password and code.', {
        fields: { passkey: 'Not accepted' },
      })
  }
  if (actor.sessionId !== undefined)
    await markReauthenticated(parts.db, idHashOf(actor.sessionId), parts.clock.now())
}

function passwordOf(entered: string | undefined): string {
  if (entered !== undefined && entered !== '') return entered
  throw new Refusal('invalid', 'Enter your password.', { fields: { password: 'Enter your password' } })
}
