// Changes rates: always from now on, never for the past, because clients have seen what they earned.
import { Refusal } from '@tollgate/contract/errors.ts'
import { formatMicro, parseMicro, rateInputSchema } from '@tollgate/contract/money.ts'
import type { RateChange, UserRate } from '@tollgate/contract/rates/rates.ts'
import { faultOf } from '@tollgate/contract/schema-messages.ts'
import { settingFault } from '@tollgate/contract/settings/setting-names.ts'
import type { Audit } from '../audit/index.ts'
import { changeCatalog } from '../numbers/index.ts'
import type { Db } from '../platform/db.ts'
import type { Caller } from '../http/handlers.ts'
import { checkSeen } from '../platform/refusals.ts'
import { transaction } from '../platform/transaction.ts'
import type { RatesDeps } from './deps.ts'
import { refuseBeforeStart, scheduledRates, scheduleRate } from './schedule.ts'
import { appendRate, globalScope, latestRate, type RateRow, type RateScope } from './store.ts'
import { findUserRate, type UserRateRow } from './views.ts'

function rateText(micro: string | null | undefined): string {
  return micro == null ? '' : formatMicro(BigInt(micro), 2)
}

export function toUserRate(
  row: UserRateRow,
  globalMicro: string,
  scheduled: UserRate['scheduled'] = null,
): UserRate {
  return {
    id: row.id,
    username: row.username,
    fullName: `${row.first_name} ${row.last_name}`.trim(),
    email: row.email,
    role: row.role,
    status: row.status,
    customSmsRate: rateText(row.rate_micro),
    currentRate: rateText(row.rate_micro ?? globalMicro),
    scheduled,
  }
}

export function toRateChange(row: RateRow): RateChange {
  return {
    id: String(row.id),
    rate: rateText(row.rate_micro),
    validFrom: row.valid_from.toISOString(),
    setBy: row.set_by ?? '',
  }
}

/** The global rate in millionths of a USD, as text for people, and its start. */
interface GlobalRate {
  readonly rateMicro: string
  readonly text: string
  readonly validFrom: Date
  /** The login name; empty for the first one. */
  readonly setBy: string
}

export async function globalRate(db: Db): Promise<GlobalRate> {
  const latest = await latestRate(db, globalScope)
  if (latest === undefined || latest.rate_micro === null)
    throw new Error('No global rate is in force; the schema begins with one')
  const { rate_micro: rateMicro, valid_from: validFrom, set_by: setBy } = latest
  return { rateMicro, text: rateText(rateMicro), validFrom, setBy: setBy ?? '' }
}

/**
 * Sets the global rate from now on, or from `startsAt`. Throws Refusal invalid with `fields.settingValue` or
 * `fields.startsAt`, or stale.
 */
export async function setGlobalRate(
  db: Db,
  audit: Pick<Audit, 'record'>,
  {
    settingValue,
    seenValue,
    startsAt,
  }: { settingValue: string; seenValue?: string | undefined; startsAt?: string | undefined },
  { actor, ip }: Caller,
): Promise<void> {
  const parsed = rateInputSchema.safeParse(settingValue)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    const fault = issue === undefined ? 'Not a rate' : faultOf(issue)
    throw new Refusal('invalid', settingFault('global_sms_rate', fault), { fields: { settingValue: fault } })
  }
  const rateMicro = parseMicro(parsed.data) ?? 0n
  await transaction(db, async (tx) => {
    const change = await changeCatalog(tx)
    const before = await globalRate(tx)
    checkSeen(seenValue, before.text, 'settingValue')
    await refuseBeforeStart(tx, change.now, globalScope)
    if (startsAt !== undefined)
      await scheduleRate(tx, globalScope, { rateMicro, startsAt, now: change.now, setBy: actor.userId })
    else if (BigInt(before.rateMicro) !== rateMicro)
      await appendRate(tx, globalScope, { rateMicro, validFrom: change.now, setBy: actor.userId })
    await audit.record(tx, {
      actor,
      ip,
      action: 'rate.set_global',
      objectType: 'setting',
      objectId: 'global_sms_rate',
      before: { value: before.text },
      after: { value: formatMicro(rateMicro, 2), from: startsAt ?? change.now.toISOString() },
    })
  })
}

/**
 * Sets a user's own rate from now on, or from `startsAt`; an empty text removes it. Throws Refusal not_found, stale, invalid
 * with `fields.startsAt`, or forbidden for the caller's own account, and for one that is paid to an address of the caller.
 */
export async function setUserRate(
  { db, audit, refuseOwnAccount }: Pick<RatesDeps, 'db' | 'audit' | 'refuseOwnAccount'>,
  userId: number,
  {
    customSmsRate,
    seenRate,
    startsAt,
  }: { customSmsRate: string; seenRate?: string | undefined; startsAt?: string | undefined },
  { actor, ip }: Caller,
): Promise<UserRate> {
  const own: RateScope = { scope: 'user', userId }
  const rateMicro = customSmsRate === '' ? null : (parseMicro(customSmsRate) ?? null)
  return transaction(db, async (tx) => {
    await refuseOwnAccount(tx, [{ userId }], actor)
    const change = await changeCatalog(tx)
    const before = await findUserRate(tx, userId)
    if (before === undefined) throw unknownUser()
    checkSeen(seenRate, rateText(before.rate_micro), 'customSmsRate')
    await refuseBeforeStart(tx, change.now, own)
    const ownMicro = before.rate_micro === null ? null : BigInt(before.rate_micro)
    if (startsAt !== undefined)
      await scheduleRate(tx, own, { rateMicro, startsAt, now: change.now, setBy: actor.userId })
    else if (ownMicro !== rateMicro)
      await appendRate(tx, own, { rateMicro, validFrom: change.now, setBy: actor.userId })
    await audit.record(tx, {
      actor,
      ip,
      action: rateMicro === null ? 'rate.remove_custom' : 'rate.set_custom',
      objectType: 'user',
      objectId: String(userId),
      before: { customSmsRate: rateText(before.rate_micro) },
      after: {
        customSmsRate: rateMicro === null ? '' : formatMicro(rateMicro, 2),
        from: startsAt ?? change.now.toISOString(),
      },
    })
    const after = (await findUserRate(tx, userId)) ?? before
    const waiting = await scheduledRates(tx, [userId])
    return toUserRate(after, (await globalRate(tx)).rateMicro, waiting.get(userId))
  })
}

export const unknownUser = (): Refusal => new Refusal('not_found', 'There is no such user.')
