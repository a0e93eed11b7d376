// Checks the second factor at a sign-in: a code of an authenticator app, or a recovery code.
import { Refusal } from '@tollgate/contract/errors.ts'
import { sentence } from '@tollgate/contract/sentences.ts'
import type { Audit } from '../../audit/index.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db.ts'
import { lockItem } from '../../platform/locks/locks.ts'
import type { Secrets } from '../../platform/security/secrets.ts'
import { transaction } from '../../platform/transaction.ts'
import { noteFailure } from '../login/failures.ts'
import { delayMs, failure, sourceOf, recordFailure, type SignInAttempt } from '../login/throttle.ts'
import { addUses, clearUses, usesSince } from '../../platform/load/rate-uses.ts'
import { findPasskeys } from './passkey-store.ts'
import { hashOfRecoveryCode, readRecoveryCode } from './recovery-codes.ts'
import { countRecoveryCodes, findTotp, takeRecoveryCode, takeStep, type TotpRow } from './store.ts'
import { stepOfCode } from './totp.ts'
import { aboutUser } from '../about-user.ts'

export interface FactorParts {
  readonly db: Db
  readonly clock: Clock
  readonly audit: Pick<Audit, 'record'>
  readonly secrets: Secrets
}

/** The account and origin of a code. The password was right. */
export interface CodeAttempt extends SignInAttempt {
  readonly userId: number
}

export type CodeKind = 'totp' | 'recovery_code'

// The same window as for passwords. A guess at 6 digits is right once in 500,000, and the window allows 100 a day at most.
const windowMs = 15 * 60_000

/** The context that an authenticator app's secret is encrypted for. */
export function totpContext(id: number): string {
  return `totp_factors.encrypted_secret:${id}`
}

/**
 * Uses a code up and returns its kind. Throws Refusal `code` with `fields.code` (and `fields.passkey` where the account has
 * one) when it is missing or wrong, and too_many during the delay after wrong codes. The delay holds for all addresses,
 * since only somebody with the right password can cause it. Recovery codes have no delay: they are too long to guess.
 */
export async function requireCode(
  parts: FactorParts,
  attempt: CodeAttempt,
  entered: string | undefined,
  code: 'second_factor' | 'invalid',
): Promise<CodeKind> {
  if (entered === undefined || entered === '') throw await refusalOf(parts.db, attempt.userId, code)
  const kind = await transaction(parts.db, (tx) => takeCode(parts, tx, attempt, entered))
  if (kind !== undefined) return kind
  await recordFailure(parts.db, parts.clock, await sourceOf(parts.db, parts.clock, attempt))
  await noteFailure(parts, attempt, 'wrong_code')
  await audited(parts, attempt, 'second-factor.failure')
  throw new Refusal(
    code,
    'The code is wrong, or was used before. Enter the one that the app shows now; the clock of its device must be right.',
    { fields: { code: 'Wrong, or used before' } },
  )
}

async function takeCode(
  parts: FactorParts,
  tx: Db,
  attempt: CodeAttempt,
  entered: string,
): Promise<CodeKind | undefined> {
  const { userId } = attempt
  // Serialised on all nodes, so that codes sent at the same time are all counted.
  await lockItem(tx, 'secondFactor', userId)
  const recoveryCode = readRecoveryCode(entered)
  if (recoveryCode !== undefined) return takeRecovery(parts, tx, attempt, recoveryCode)
  const subject = `code:${userId}`
  const now = parts.clock.now()
  const failures = await usesSince(tx, failure, subject, new Date(now.getTime() - windowMs))
  refuseHasty(failures.count, (failures.lastAt?.getTime() ?? 0) + delayMs(failures.count) - now.getTime())
  const isRight = await takeTotp(parts, tx, userId, entered)
  if (isRight) await clearUses(tx, failure, subject)
  else await addUses(tx, failure, [subject], now)
  return isRight ? 'totp' : undefined
}

function refuseHasty(count: number, waitMs: number): void {
  if (delayMs(count) === 0 || waitMs <= 0) return
  const seconds = Math.ceil(waitMs / 1_000)
  throw new Refusal(
    'too_many',
    sentence(
      'Too many wrong codes for this account. Try again in {count} seconds, or use a passkey or a recovery code.',
      { count: seconds },
    ),
    { retryAfterSeconds: seconds },
  )
}

async function takeTotp({ clock, secrets }: FactorParts, tx: Db, userId: number, code: string) {
  const app = await findTotp(tx, userId)
  if (app === undefined) return false
  const secret = openSecret(secrets, app)
  const step = secret && stepOfCode(secret, code, clock.now())
  return step !== undefined && (await takeStep(tx, app.id, step))
}

/** Undefined when SECRET_KEY was lost: app codes are then wrong, but recovery codes and passkeys still work. */
function openSecret(secrets: Secrets, app: TotpRow): Buffer | undefined {
  try {
    return secrets.decrypt(app.encrypted_secret, totpContext(app.id))
  } catch {
    return undefined
  }
}

async function takeRecovery(
  { clock, audit }: FactorParts,
  tx: Db,
  { userId, username, ip }: CodeAttempt,
  code: string,
): Promise<CodeKind | undefined> {
  if (!(await takeRecoveryCode(tx, userId, hashOfRecoveryCode(userId, code), clock.now()))) return undefined
  await audit.record(tx, {
    actor: { userId, username },
    ip,
    action: 'recovery-code.use',
    ...aboutUser(userId),
    after: { left: await countRecoveryCodes(tx, userId) },
  })
  return 'recovery_code'
}

async function refusalOf(db: Db, userId: number, code: 'second_factor' | 'invalid'): Promise<Refusal> {
  const hasApp = (await findTotp(db, userId)) !== undefined
  const hasPasskey = (await findPasskeys(db, userId)).length > 0
  const hint = hasApp ? 'Enter the code from your authenticator app' : 'Enter a recovery code'
  const message = hasApp
    ? hasPasskey
      ? 'Use your passkey, or enter the code from your authenticator app.'
      : 'Enter the code from your authenticator app.'
    : hasPasskey
      ? 'Use your passkey, or enter a recovery code.'
      : 'Enter a recovery code.'
  return new Refusal(code, message, {
    fields: { code: hint, ...(hasPasskey ? { passkey: 'Use your passkey' } : {}) },
  })
}

function audited(
  { db, audit }: FactorParts,
  { userId, username, ip }: CodeAttempt,
  action: string,
): Promise<void> {
  return transaction(db, (tx) =>
    audit.record(tx, { actor: { userId, username }, ip, action, ...aboutUser(userId) }),
  )
}
