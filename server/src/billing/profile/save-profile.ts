// The payment profile. A changed address is used only after a wait, so that a thief with a stolen session cannot
// redirect the next payment.
import type { z } from 'zod'
import type { PaymentProfile, profileInputSchema } from '@tollgate/contract/billing/payment-profile.ts'
import { Refusal } from '@tollgate/contract/errors.ts'
import { transaction } from '../../platform/transaction.ts'
import { addressBytes } from '../../rates/index.ts'
import { mailProfileChange } from './mail-profile.ts'
import type { BillingDeps } from '../deps.ts'
import type { Caller } from '../../http/handlers.ts'
import { isTokenContract, isBlacklisted } from '../../tron/index.ts'
import { refusedAddress } from './refused-address.ts'
import {
  adoptAddress,
  findPaymentProfile,
  lockProfile,
  saveProfile,
  type ProfileRow,
} from './profile-store.ts'

/** The caller's profile as it is now; empty when nothing was saved. */
export async function readProfile({ db, clock, mail }: BillingDeps, userId: number): Promise<PaymentProfile> {
  const found = await findPaymentProfile(db, userId)
  const profile = found ?? {
    full_name: '',
    email: '',
    usdt_address: null,
    next_address: null,
    next_from: null,
  }
  return { ...toProfile(profileAt(profile, clock.now())), sendsMail: mail !== undefined }
}

function toProfile(profile: ProfileRow): Omit<PaymentProfile, 'sendsMail'> {
  return {
    fullName: profile.full_name,
    usdtAddress: profile.usdt_address ?? '',
    email: profile.email,
    pendingUsdtAddress: profile.next_address,
    pendingFrom: profile.next_from?.toISOString() ?? null,
  }
}

/** The profile as it is at `now`: a changed address whose wait has ended is the address. */
function profileAt(profile: ProfileRow, now: Date): ProfileRow {
  return profile.next_from !== null && profile.next_from <= now
    ? { ...profile, usdt_address: profile.next_address, next_address: null, next_from: null }
    : profile
}

/** Saves the profile. Throws Refusal invalid for a bad address. */
export async function writeProfile(
  deps: BillingDeps,
  input: z.output<typeof profileInputSchema>,
  { actor, ip }: Caller,
): Promise<PaymentProfile> {
  const { db, clock, audit, settings, mail } = deps
  const address = input.usdtAddress
  // Before the transaction, because a node may take seconds.
  await refuseAddress(deps, address)
  return transaction(db, async (tx) => {
    const now = clock.now()
    const before = profileAt(await lockProfile(tx, actor.userId), now)
    const named = { ...before, full_name: input.fullName, email: input.email ?? before.email }
    const isFirst = before.usdt_address === null
    const isChange = !isFirst && before.usdt_address !== address && before.next_address !== address
    const waitMs = (await settings.addressWaitHours.get(tx)) * 3_600_000
    const after = withAddress(named, address, isChange ? new Date(now.getTime() + waitMs) : undefined, now)
    await saveProfile(tx, actor.userId, after)
    if (isFirst) await adoptAddress(tx, actor.userId, address)
    await audit.record(tx, {
      actor,
      ip,
      action: isFirst || isChange ? 'profile.change_address' : 'profile.change',
      objectType: 'user',
      objectId: String(actor.userId),
      before: toProfile(before),
      after: toProfile(after),
    })
    await mailProfileChange(tx, deps, { userId: actor.userId, username: actor.username, before, after })
    return { ...toProfile(after), sendsMail: mail !== undefined }
  })
}

/** Throws Refusal invalid. What only a node knows counts when it answers. */
async function refuseAddress(deps: BillingDeps, address: string): Promise<void> {
  const refuse = (reason: string) => new Refusal('invalid', reason, { fields: { usdtAddress: reason } })
  const reason = await refusedAddress(deps, deps.db, address)
  if (reason !== undefined) throw refuse(reason)
  const { egress, tron } = deps
  const account = addressBytes(address) ?? ''
  if (tron === undefined) return
  const [isFrozen, isToken] = await Promise.all([
    isBlacklisted(egress, tron, account),
    isTokenContract(egress, tron, account),
  ])
  if (isFrozen === true)
    throw refuse("USDT's contract has frozen this address: what is sent there is lost. Take another.")
  if (isToken) throw refuse("This is a token's contract, not a wallet: what is sent there is lost.")
}

function withAddress(profile: ProfileRow, address: string, from: Date | undefined, now: Date): ProfileRow {
  // Entering the address in force again cancels a change that waits.
  if (profile.usdt_address === null || profile.usdt_address === address)
    return { ...profile, usdt_address: address, next_address: null, next_from: null }
  return from === undefined ? profile : profileAt({ ...profile, next_address: address, next_from: from }, now)
}
