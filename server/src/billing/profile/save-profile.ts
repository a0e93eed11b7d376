// The payment profile. A changed address is used only after a wait, so that a thief with a stolen session cannot
// redirect the next payment.
import type { z } from 'zod'
import type { PaymentProfile, profileInputSchema } from '@tollgate/contract/billing.ts'
import { Refusal } from '@tollgate/contract/errors.ts'
import { transaction } from '../../platform/transaction.ts'
import { addressBytes } from '../../rates/index.ts'
import { mailProfileChange } from './mail-profile.ts'
import type { BillingDeps } from '../deps.ts'
import type { Caller } from '../../platform/http/handlers.ts'
import { isBlacklisted } from '../tron/tron-node.ts'
import { adoptAddress, findProfile, lockProfile, saveProfile, type ProfileRow } from './profile-store.ts'

/** The caller's profile as it is now; empty when nothing was saved. */
export async function readProfile({ db, clock, mail }: BillingDeps, userId: number): Promise<PaymentProfile> {
  const found = await findProfile(db, userId)
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
  const { db, clock, audit, settings, egress, tron, mail } = deps
  const address = input.usdtAddress
  const bytes = addressBytes(address)
  if (bytes === undefined || address === tron?.usdtContract)
    throw new Refusal('invalid', 'The USDT address is not a TRC20 address. Copy it again from the wallet.', {
      fields: { usdtAddress: 'Enter a TRC20 address: T and 33 more characters' },
    })
  // Before the transaction, because a node may take seconds. Without an answer the address is accepted.
  if (tron !== undefined && (await isBlacklisted(egress, tron, bytes)) === true)
    throw new Refusal(
      'invalid',
      "USDT's contract has frozen this address: what is sent there is lost. Take another.",
      {
        fields: { usdtAddress: "Frozen by USDT's contract" },
      },
    )
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

function withAddress(profile: ProfileRow, address: string, from: Date | undefined, now: Date): ProfileRow {
  // Entering the address in force again cancels a change that waits.
  if (profile.usdt_address === null || profile.usdt_address === address)
    return { ...profile, usdt_address: address, next_address: null, next_from: null }
  return from === undefined ? profile : profileAt({ ...profile, next_address: address, next_from: from }, now)
}
