// A person's own second factors: the authenticator app and the recovery codes. Passkeys are in own-passkeys.ts.
import { Refusal } from '@tollgate/contract/errors.ts'
import type { SecondFactor } from '@tollgate/contract/users/second-factor.ts'
import type { Actor, Caller } from '../../http/handlers.ts'
import { transaction } from '../../platform/transaction.ts'
import { isStaff } from '../accounts/rules.ts'
import { totpContext } from './check-code.ts'
import {
  afterAdding,
  afterRemoving,
  lockOwn,
  writeRecoveryCodes,
  type OwnFactorParts,
} from './factor-changes.ts'
import { toPasskeyReply } from './own-passkeys.ts'
import { noteChange } from './note-change.ts'
import { findPasskeys } from './passkey-store.ts'
import {
  confirmTotp,
  countRecoveryCodes,
  deleteTotp,
  findTotp,
  findWaitingTotp,
  insertWaitingTotp,
  takeStep,
} from './store.ts'
import { base32Of, newTotpSecret, otpauthUri, stepOfCode } from './totp.ts'

// A secret that is shown and not confirmed within this time expires.
const waitingMs = 15 * 60_000

/** The actor's own factors; the caller adds `hasPasskeyAddress`. */
export async function viewFactors(
  { db, secondFactorRule }: OwnFactorParts,
  actor: Actor,
): Promise<Omit<SecondFactor, 'hasPasskeyAddress'>> {
  return {
    totpSince: (await findTotp(db, actor.userId))?.confirmed_at?.toISOString() ?? null,
    passkeys: (await findPasskeys(db, actor.userId)).map(toPasskeyReply),
    recoveryCodesLeft: await countRecoveryCodes(db, actor.userId),
    isRequired: isStaff(actor.role) && (await secondFactorRule.get(db)) === 'staff',
  }
}

/** Makes the secret of a new app; it is valid once {@link confirmApp} has checked a code of it. */
export async function startApp(
  { db, clock, secrets }: OwnFactorParts,
  { actor }: Caller,
): Promise<{ secret: string; uri: string }> {
  const secret = newTotpSecret()
  await transaction(db, async (tx) => {
    await lockOwn(tx, actor)
    await insertWaitingTotp(tx, actor.userId, clock.now(), (id) =>
      secrets.encrypt(Buffer.from(secret), totpContext(id)),
    )
  })
  return { secret: base32Of(secret), uri: otpauthUri(secret, actor.username) }
}

/**
 * Activates the new app in place of an earlier one. Returns recovery codes when it is the first factor. Throws Refusal
 * invalid for a wrong code, wrong_state when no app waits.
 */
export async function confirmApp(parts: OwnFactorParts, code: string, caller: Caller): Promise<string[]> {
  const { db, clock, secrets } = parts
  const { userId } = caller.actor
  return transaction(db, async (tx) => {
    const user = await lockOwn(tx, caller.actor)
    const now = clock.now()
    const waiting = await findWaitingTotp(tx, userId, new Date(now.getTime() - waitingMs))
    if (waiting === undefined)
      throw new Refusal('wrong_state', 'The QR code is too old. Begin again with a new one.')
    const step = stepOfCode(secrets.decrypt(waiting.encrypted_secret, totpContext(waiting.id)), code, now)
    if (step === undefined)
      throw new Refusal(
        'invalid',
        'The code is wrong. Enter the one that the app shows now; the clock of its device must be right.',
        { fields: { code: 'Wrong code' } },
      )
    await confirmTotp(tx, userId, waiting.id, now)
    // This code is used up: it cannot also sign in.
    await takeStep(tx, waiting.id, step)
    const recoveryCodes = await afterAdding(tx, user, caller)
    await noteChange(parts, tx, 'totp.add', userId, caller)
    return recoveryCodes
  })
}

/** Removes the actor's authenticator app. Throws Refusal not_found, or wrong_state when the role needs it. */
export async function removeApp(parts: OwnFactorParts, caller: Caller): Promise<void> {
  const { userId } = caller.actor
  await transaction(parts.db, async (tx) => {
    const user = await lockOwn(tx, caller.actor)
    if ((await deleteTotp(tx, userId)) === 0)
      throw new Refusal('not_found', 'There is no authenticator app to remove.')
    await afterRemoving(parts, tx, user)
    await noteChange(parts, tx, 'totp.remove', userId, caller)
  })
}

/** Makes ten new recovery codes. Throws Refusal wrong_state without a second factor. */
export async function renewRecoveryCodes(parts: OwnFactorParts, caller: Caller): Promise<string[]> {
  const { userId } = caller.actor
  return transaction(parts.db, async (tx) => {
    const user = await lockOwn(tx, caller.actor)
    if (!user.has_second_factor)
      throw new Refusal('wrong_state', 'Set up an authenticator app or a passkey first.')
    const codes = await writeRecoveryCodes(tx, userId)
    await noteChange(parts, tx, 'recovery-code.renew', userId, caller)
    return codes
  })
}
