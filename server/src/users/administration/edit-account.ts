import { Refusal } from '@tollgate/contract/errors.ts'
import type { z } from 'zod'
import type { editUserSchema } from '@tollgate/contract/users/users.ts'
import type { AccountStatus } from '@tollgate/contract/vocabulary.ts'
import type { Audit } from '../../audit/index.ts'
import { brokenConstraint, type Db } from '../../platform/db.ts'
import type { Actor, Caller } from '../../http/handlers.ts'
import { checkVersion } from '../../platform/refusals.ts'
import { transaction } from '../../platform/transaction.ts'
import type { AccountEvents } from '../account-events.ts'
import { deleteLoginsOf, demandRenewal } from '../login/store.ts'
import type { SmppCredentials } from '../smpp/credentials.ts'
import { refuseName, taken } from '../accounts/names.ts'
import { isStaff, refuseAdminTarget, refuseRoleChange, type StaffMember } from '../accounts/rules.ts'
import {
  countActiveAdmins,
  findById,
  lockById,
  lockNames,
  lockRoles,
  updateUser,
  type UserFields,
  type UserRow,
} from '../accounts/store.ts'

import { aboutUser } from '../about-user.ts'
import { changedFields } from '../changed-fields.ts'

export interface EditParts {
  readonly db: Db
  readonly audit: Pick<Audit, 'record'>
  readonly accountEvents: AccountEvents
  readonly smpp: SmppCredentials
}

/** The fields to change; a missing one stays. */
export type AccountChange = z.output<typeof editUserSchema> & {
  /** Puts an inactive account back into the queue of sign-ups, when its approval is undone. */
  readonly awaitsApproval?: boolean
}

/**
 * Changes an account as support or an admin. An account that is no longer active loses its sessions at once; a changed
 * role holds from the next call and gets a new session id. Throws Refusal not_found, forbidden, wrong_state (the last
 * active admin), stale or taken.
 */
export async function editAccount(
  parts: EditParts,
  userId: number,
  change: AccountChange,
  actor: Actor,
  ip: string,
): Promise<void> {
  await transaction(parts.db, async (tx) => {
    if (change.role !== undefined || change.status !== undefined) await lockRoles(tx)
    await editLocked(parts, tx, userId, change, { by: { actor, ip } })
  })
}

/**
 * Changes an account in a transaction that has locked the roles if role or status change. Returns the account before and
 * after; undefined when nothing changed. Throws what {@link editAccount} throws, before anything is written.
 */
export async function editLocked(
  parts: EditParts,
  tx: Db,
  userId: number,
  change: AccountChange,
  { changeId, by: { actor, ip } }: { readonly changeId?: string; readonly by: Caller },
): Promise<{ before: UserRow; after: UserRow } | undefined> {
  const before = await lockById(tx, userId)
  if (before === undefined) throw new Refusal('not_found', 'There is no such account.')
  const after = fieldsAfter(before, change)
  await refuseEdit(tx, actor, before, after)
  checkVersion(change.version, before.version)
  const { was, is } = changedFields<UserFields>(before, after)
  if (Object.keys(is).length === 0) return undefined
  if (is.username !== undefined) {
    await lockNames(tx)
    await refuseName(tx, is.username, { role: actor.role, ownId: userId })
  }
  const updated = await write(tx, userId, after, change.awaitsApproval)
  await apply(parts, tx, before, updated)
  await parts.audit.record(tx, {
    actor,
    ip,
    action: actionOf(Object.keys(is), after.status),
    ...aboutUser(userId),
    before: was,
    after: { ...is, ...(changeId !== undefined && { change: changeId }) },
  })
  return { before, after: updated }
}

function fieldsAfter(before: UserRow, change: AccountChange): UserFields {
  return {
    username: change.username?.normalize('NFC') ?? before.username,
    email: change.email ?? before.email,
    first_name: change.firstName ?? before.first_name,
    last_name: change.lastName ?? before.last_name,
    role: change.role ?? before.role,
    status: change.status ?? before.status,
    smpp_access: change.smppAccess ?? before.smpp_access,
    max_connections: change.maxConnections ?? before.max_connections,
  }
}

async function refuseEdit(tx: Db, actor: Actor, before: UserRow, after: UserFields): Promise<void> {
  const person = await stillStaff(tx, actor)
  refuseAdminTarget(person, before)
  if (after.role !== before.role || after.status !== before.status)
    refuseRoleChange(person, before, after, await countActiveAdmins(tx))
}

/** The actor with the role in the database: one who was demoted or suspended a moment ago may do nothing. */
async function stillStaff(tx: Db, actor: Actor): Promise<StaffMember> {
  const user = await findById(tx, actor.userId)
  if (user?.status !== 'active' || !isStaff(user.role))
    throw new Refusal('forbidden', "You don't have permission to do this.")
  return { userId: user.id, role: user.role }
}

async function write(tx: Db, userId: number, fields: UserFields, awaitsApproval?: boolean): Promise<UserRow> {
  try {
    return await updateUser(tx, userId, fields, awaitsApproval)
  } catch (error) {
    throw brokenConstraint(error) === 'users_username_key' ? taken() : error
  }
}

async function apply(
  { accountEvents, smpp }: EditParts,
  tx: Db,
  before: UserRow,
  after: UserRow,
): Promise<void> {
  if (after.status !== 'active') await deleteLoginsOf(tx, after.id)
  else if (after.role !== before.role) await demandRenewal(tx, after.id)
  if (after.smpp_access && !before.smpp_access) await smpp.ensure(tx, after)
  await accountEvents.announce(tx, after.id)
}

const statusActions: Record<AccountStatus, string> = {
  active: 'user.activate',
  inactive: 'user.deactivate',
  suspended: 'user.suspend',
}

function actionOf(keys: readonly string[], status: AccountStatus): string {
  if (keys.length > 1) return 'user.edit'
  if (keys[0] === 'status') return statusActions[status]
  if (keys[0] === 'role') return 'user.role'
  return keys[0] === 'smpp_access' ? 'user.smpp-access' : 'user.edit'
}
