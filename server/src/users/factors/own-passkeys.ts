// A person's own passkeys: adding, renaming and removing them.
import { randomBytes } from 'node:crypto'
import { Refusal } from '@tollgate/contract/errors.ts'
import type { Passkey, secondFactorRoutes } from '@tollgate/contract/users/second-factor.ts'
import type { RouteInput, RouteReply } from '@tollgate/contract/route.ts'
import { sentence } from '@tollgate/contract/sentences.ts'
import type { CallContext, Caller, OnceReply } from '../../http/handlers.ts'
import { toReply } from '../../http/reply.ts'
import { refuseWhereBroken, rowId } from '../../platform/refusals.ts'
import { transaction } from '../../platform/transaction.ts'
import {
  afterAdding,
  afterRemoving,
  lockOwn,
  refuseKnownPassword,
  type OwnFactorParts,
} from './factor-changes.ts'
import { noteChange } from './note-change.ts'
import {
  deletePasskey,
  findPasskeys,
  insertPasskey,
  updatePasskeyName,
  type PasskeyRow,
} from './passkey-store.ts'
import { challengeLifeMs, newChallenge, takeChallengeOf, webAuthn } from './passkeys.ts'
import type { RelyingParty } from './relying-party.ts'
import { aboutUser } from '../about-user.ts'

// More than anybody's devices.
const passkeysMax = 20
// EdDSA, ES256 and RS256; every authenticator supports one of them. Source: IANA, COSE algorithms.
const algorithms = [-8, -7, -257]

type Creation = RouteReply<typeof secondFactorRoutes.startPasskey>
type Attestation = RouteInput<typeof secondFactorRoutes.addPasskey>['body']

/** The browser's options for a new passkey that works without a username and verifies its user. */
export async function startPasskey(
  parts: OwnFactorParts,
  party: RelyingParty,
  caller: Caller,
): Promise<Creation> {
  const { userId, username } = caller.actor
  refuseKnownPassword(caller.actor)
  const existing = await findPasskeys(parts.db, userId)
  refuseMore(existing)
  const userHandle = existing[0]?.user_handle ?? randomBytes(32)
  return {
    rp: { id: party.id, name: 'Tollgate' },
    user: { id: userHandle.toString('base64url'), name: username, displayName: username },
    challenge: await newChallenge(parts, 'register', caller.ip, { userId, userHandle }),
    pubKeyCredParams: algorithms.map((alg) => ({ alg, type: 'public-key' as const })),
    timeout: challengeLifeMs,
    // A device with one of these makes no second one.
    excludeCredentials: existing.map(({ credential_id: id }) => ({
      id: id.toString('base64url'),
      type: 'public-key' as const,
    })),
    authenticatorSelection: {
      residentKey: 'required',
      requireResidentKey: true,
      userVerification: 'required',
    },
    attestation: 'none',
  }
}

/**
 * Adds the passkey that the browser made; answers with recovery codes when it is the first factor. An answer that is not
 * accepted uses its challenge up as well. Throws Refusal invalid.
 */
export async function addPasskey(
  parts: OwnFactorParts,
  party: RelyingParty,
  attestation: Attestation,
  call: Pick<CallContext, 'actor' | 'ip' | 'once'>,
): Promise<OnceReply<{ passkey: Passkey; recoveryCodes: string[] }>> {
  const { actor, ip } = call
  try {
    return await call.once(parts.db, (tx) =>
      storePasskey({ ...parts, db: tx }, party, attestation, { actor, ip }),
    )
  } finally {
    // What was refused is undone, and with it the taking of the challenge.
    await takeChallengeOf(parts, attestation.clientDataJSON, 'register', actor.userId)
  }
}

async function storePasskey(
  parts: OwnFactorParts,
  party: RelyingParty,
  attestation: Attestation,
  caller: Caller,
): Promise<{ passkey: Passkey; recoveryCodes: string[] }> {
  const { db: tx } = parts
  const { userId } = caller.actor
  const taken = await takeChallengeOf(parts, attestation.clientDataJSON, 'register', userId)
  const made = taken && (await madeBy(party, attestation, taken.challenge))
  if (made === undefined || taken?.user_handle == null)
    throw new Refusal('invalid', 'The passkey was not accepted. Try again.', {
      fields: { attestationObject: 'Not accepted' },
    })
  const { user_handle } = taken
  const user = await lockOwn(tx, caller.actor)
  refuseMore(await findPasskeys(tx, userId))
  const passkey = await refuseWhereBroken(
    'passkeys_credential_id_key',
    () => new Refusal('taken', 'This passkey belongs to an account already.'),
    () =>
      insertPasskey(tx, {
        user_id: userId,
        credential_id: made.credentialId,
        user_handle,
        public_key: made.publicKey,
        sign_count: made.signCount,
        transports: attestation.transports,
        name: attestation.name,
        created_at: parts.clock.now(),
      }),
  )
  const recoveryCodes = await afterAdding(tx, user, caller)
  await noteChange(parts, tx, 'passkey.add', userId, caller, { name: passkey.name })
  return { passkey: toPasskeyReply(passkey), recoveryCodes }
}

/** The key in a valid registration response, else undefined. Source: WebAuthn Level 3, 7.1. */
async function madeBy(party: RelyingParty, attestation: Attestation, challenge: string) {
  const { verifyRegistrationResponse } = await webAuthn()
  const { id, clientDataJSON, attestationObject } = attestation
  try {
    const { registrationInfo } = await verifyRegistrationResponse({
      response: {
        id,
        rawId: id,
        type: 'public-key',
        response: { clientDataJSON, attestationObject },
        clientExtensionResults: {},
      },
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: true,
      supportedAlgorithmIDs: algorithms,
    })
    if (registrationInfo === undefined) return undefined
    const { credential } = registrationInfo
    return {
      credentialId: Buffer.from(credential.id, 'base64url'),
      publicKey: Buffer.from(credential.publicKey),
      signCount: credential.counter,
    }
  } catch {
    // The library throws for every fault of the response; the caller only learns that it was not accepted.
    return undefined
  }
}

/** Renames one of the actor's own passkeys. Throws Refusal not_found. */
export async function renamePasskey(
  parts: OwnFactorParts,
  id: string,
  name: string,
  caller: Caller,
): Promise<Passkey> {
  return transaction(parts.db, async (tx) => {
    const passkey = await updatePasskeyName(tx, caller.actor.userId, rowId(id, missing), name)
    if (passkey === undefined) throw missing()
    await parts.audit.record(tx, {
      ...caller,
      action: 'passkey.rename',
      ...aboutUser(passkey.user_id),
      after: { name },
    })
    return toPasskeyReply(passkey)
  })
}

/** Removes one of the actor's own passkeys. Throws Refusal not_found, or wrong_state when the role needs it. */
export async function removePasskey(parts: OwnFactorParts, id: string, caller: Caller): Promise<void> {
  await transaction(parts.db, async (tx) => {
    const user = await lockOwn(tx, caller.actor)
    const gone = await deletePasskey(tx, user.id, rowId(id, missing))
    if (gone === undefined) throw missing()
    await afterRemoving(parts, tx, user)
    await noteChange(parts, tx, 'passkey.remove', user.id, caller, { name: gone.name })
  })
}

function refuseMore(existing: readonly PasskeyRow[]): void {
  if (existing.length >= passkeysMax)
    throw new Refusal(
      'wrong_state',
      sentence('You have {count} passkeys. Remove one you no longer need first.', { count: passkeysMax }),
    )
}

function missing(): Refusal {
  return new Refusal('not_found', 'There is no such passkey.')
}

/** A passkey as its owner sees it. */
export function toPasskeyReply({ id, name, created_at, last_used_at }: PasskeyRow): Passkey {
  return { id: String(id), ...toReply({ name, created_at, last_used_at }) }
}
