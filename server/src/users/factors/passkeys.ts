// Checks passkeys: they prove the device with the key and, by its check of finger, face or PIN, the person.
import { randomBytes } from 'node:crypto'
import { Refusal } from '@tollgate/contract/errors.ts'
import type { passkeyAssertionSchema } from '@tollgate/contract/users/users.ts'
import type { z } from 'zod'
import { networkOf } from '../../platform/addresses/network-of.ts'
import { transaction } from '../../platform/transaction.ts'
import { findById } from '../accounts/store.ts'
import type { FactorParts } from './check-code.ts'
import {
  countUse,
  findPasskey,
  insertChallenge,
  takeChallenge,
  type ChallengePurpose,
  type ChallengeRow,
  type PasskeyRow,
} from './passkey-store.ts'
import type { RelyingParty } from './relying-party.ts'
import { aboutUser } from '../about-user.ts'

export type Assertion = z.infer<typeof passkeyAssertionSchema>

/** How long a person may take. */
export const challengeLifeMs = 5 * 60_000
// More than people sign in from one network within five minutes.
const networkChallengesMax = 100

/** The library takes 30 MB and a fifth of a second, so it is loaded with the first passkey. */
export const webAuthn = () => import('@simplewebauthn/server')

/** Makes a challenge in base64url, valid once within 5 minutes, on any node. */
export async function newChallenge(
  { db, clock }: FactorParts,
  purpose: ChallengePurpose,
  ip: string,
  owner?: { readonly userId: number; readonly userHandle?: Buffer },
): Promise<string> {
  const challenge = randomBytes(32)
  const expiresAt = new Date(clock.now().getTime() + challengeLifeMs)
  const { userId, userHandle } = owner ?? {}
  await insertChallenge(
    db,
    { challenge, purpose, userId, ...(userHandle && { userHandle }), network: networkOf(ip), expiresAt },
    networkChallengesMax,
  )
  return challenge.toString('base64url')
}

/** The browser's options to request a passkey. */
export function requestOptions(party: RelyingParty, challenge: string) {
  return { challenge, rpId: party.id, timeout: challengeLifeMs, userVerification: 'required' as const }
}

/** Removes and returns the challenge that a browser's response answers; undefined when there is none. */
export async function takeChallengeOf(
  { db, clock }: FactorParts,
  clientDataJSON: string,
  purpose: ChallengePurpose,
  userId: number | undefined,
): Promise<(ChallengeRow & { readonly challenge: string }) | undefined> {
  const challenge = challengeIn(clientDataJSON)
  if (challenge === undefined) return undefined
  const bytes = Buffer.from(challenge, 'base64url')
  const taken = await takeChallenge(db, bytes, purpose, userId, clock.now())
  return taken && { ...taken, challenge }
}

function challengeIn(clientDataJSON: string): string | undefined {
  try {
    const { challenge } = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString('utf8')) as {
      challenge?: unknown
    }
    return typeof challenge === 'string' && /^[\w-]{43}$/.test(challenge) ? challenge : undefined
  } catch {
    // Not JSON, so not from a browser: the caller refuses it.
    return undefined
  }
}

/**
 * The passkey that signed the challenge for this relying party, with its user verified; undefined when anything is wrong.
 * Source: WebAuthn Level 3, 7.2. Throws Refusal wrong_credentials when its counter went back, which is audited.
 */
export async function checkAssertion(
  parts: FactorParts,
  party: RelyingParty,
  assertion: Assertion,
  purpose: 'sign_in' | 'confirm',
  userId: number | undefined,
  ip: string,
): Promise<PasskeyRow | undefined> {
  const taken = await takeChallengeOf(parts, assertion.clientDataJSON, purpose, userId)
  if (taken === undefined) return undefined
  const passkey = await findPasskey(parts.db, Buffer.from(assertion.id, 'base64url'))
  if (passkey === undefined || (userId !== undefined && passkey.user_id !== userId)) return undefined
  if (passkey.user_handle.toString('base64url') !== assertion.userHandle) return undefined
  const signCount = await signedCount(party, assertion, taken.challenge, passkey)
  if (signCount === undefined) return undefined
  if (await countUse(parts.db, passkey.id, signCount, parts.clock.now())) return passkey
  await noteCopy(parts, passkey, ip)
  throw new Refusal(
    'wrong_credentials',
    'This passkey seems to exist twice and is refused. Sign in another way, remove it and make a new one.',
  )
}

/** The counter in a valid response, else undefined. */
async function signedCount(
  party: RelyingParty,
  assertion: Assertion,
  challenge: string,
  passkey: PasskeyRow,
): Promise<number | undefined> {
  const { verifyAuthenticationResponse } = await webAuthn()
  const { id, ...response } = assertion
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: { id, rawId: id, type: 'public-key', response, clientExtensionResults: {} },
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: true,
      // 0, so that the library does not compare counters: the database does, for all nodes.
      credential: { id, publicKey: new Uint8Array(passkey.public_key), counter: 0 },
    })
    return verified ? authenticationInfo.newCounter : undefined
  } catch {
    // The library throws for every fault of the response; the caller only learns that it was not accepted.
    return undefined
  }
}

async function noteCopy({ db, audit }: FactorParts, passkey: PasskeyRow, ip: string): Promise<void> {
  const owner = await findById(db, passkey.user_id)
  await transaction(db, (tx) =>
    audit.record(tx, {
      actor: { userId: passkey.user_id, username: owner?.username ?? '' },
      ip,
      action: 'passkey.counter-went-back',
      ...aboutUser(passkey.user_id),
      after: { name: passkey.name },
    }),
  )
}
