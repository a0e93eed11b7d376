// How an account may bind and send over SMPP; staff sets it.
import { Refusal } from '@tollgate/contract/errors.ts'
import { sentence } from '@tollgate/contract/sentences.ts'
import type { editSmppProfileSchema, SmppProfile } from '@tollgate/contract/users/smpp-profile.ts'
import type { z } from 'zod'
import type { Db } from '../../platform/db.ts'
import type { Actor } from '../../http/handlers.ts'
import { isNetwork } from '../../platform/addresses/networks.ts'
import { checkVersion, withoutUndefined } from '../../platform/refusals.ts'
import { transaction } from '../../platform/transaction.ts'
import { refuseAdminTarget } from '../accounts/rules.ts'
import { findById, lockById } from '../accounts/store.ts'
import { findProfile, isSystemIdTaken, updateProfile, updateSystemId } from './profile-store.ts'
import { isReservedSystemId } from './reserved-system-ids.ts'
import { lockSystemIds } from './store.ts'
import type { ShowParts } from './show-credentials.ts'
import { aboutUser } from '../about-user.ts'
import { changedFields } from '../changed-fields.ts'

type SmppProfileChange = z.output<typeof editSmppProfileSchema>

/** Throws Refusal not_found, or forbidden (an admin's is not for support). */
export async function showProfile(db: Db, userId: number, actor: Actor): Promise<SmppProfile> {
  const user = await findById(db, userId)
  if (user === undefined) throw noAccount()
  refuseAdminTarget(actor, user)
  return profileOf(db, userId)
}

/**
 * Changes a profile. Binds that no longer fit are closed within 5 s, all of them when the system_id changes. Throws
 * Refusal not_found, forbidden, stale, taken, invalid (a reserved system_id) or wrong_state (no credentials yet).
 */
export async function editProfile(
  parts: ShowParts,
  userId: number,
  change: SmppProfileChange,
  actor: Actor,
  ip: string,
): Promise<SmppProfile> {
  return transaction(parts.db, async (tx) => {
    const user = await lockById(tx, userId)
    if (user === undefined) throw noAccount()
    refuseAdminTarget(actor, user)
    checkVersion(change.version, user.version)
    const before = await profileOf(tx, userId)
    const after = profileAfter(before, change)
    const { was, is } = changedFields(before, after)
    if (Object.keys(is).length === 0) return before
    if (after.systemId !== before.systemId) await moveSystemId(tx, userId, before.systemId, after.systemId)
    await updateProfile(tx, userId, after)
    await parts.accountEvents.announce(tx, userId)
    await parts.audit.record(tx, {
      actor,
      ip,
      action: 'smpp-profile.edit',
      ...aboutUser(userId),
      before: was,
      after: is,
    })
    return profileOf(tx, userId)
  })
}

type SmppProfileFields = Omit<SmppProfile, 'version'>

function profileAfter(before: SmppProfile, change: SmppProfileChange): SmppProfileFields {
  const cidrs = change.allowedCidrs?.map((cidr) => cidr.trim())
  // The contract has checked it already; but if the two parsers differed, nobody could bind.
  const bad = cidrs?.find((cidr) => !isNetwork(cidr))
  if (bad !== undefined)
    throw new Refusal('invalid', sentence('“{bad}” is no network.', { bad }), {
      fields: { allowedCidrs: sentence('“{bad}” is no network', { bad }) },
    })
  return {
    ...before,
    ...withoutUndefined(change),
    allowedCidrs: [...new Set(cidrs ?? before.allowedCidrs)],
  }
}

async function moveSystemId(tx: Db, userId: number, before: string, systemId: string): Promise<void> {
  if (before === '')
    throw new Refusal('wrong_state', 'This account has no SMPP credentials yet. Grant SMPP access first.')
  if (isReservedSystemId(systemId))
    throw new Refusal(
      'invalid',
      sentence('The system id {systemId} is reserved. Choose another one.', { systemId }),
      {
        fields: { systemId: 'This system id is reserved' },
      },
    )
  await lockSystemIds(tx)
  if (await isSystemIdTaken(tx, systemId, userId))
    throw new Refusal(
      'taken',
      sentence('The system id {systemId} belongs to another account. Choose another one.', { systemId }),
      {
        fields: { systemId: 'This system id belongs to another account' },
      },
    )
  await updateSystemId(tx, userId, systemId)
}

async function profileOf(db: Db, userId: number): Promise<SmppProfile> {
  const found = await findProfile(db, userId)
  if (found === undefined) throw noAccount()
  return found
}

function noAccount(): Refusal {
  return new Refusal('not_found', 'There is no such account.')
}
