// The status of many accounts at once.
import { sql } from 'kysely'
import { Refusal } from '@tollgate/contract/errors.ts'
import { accountStatuses, type AccountStatus } from '@tollgate/contract/vocabulary.ts'
import type { Actor, Caller } from '../../http/handlers.ts'
import { transaction } from '../../platform/transaction.ts'
import {
  changeChosen,
  type BulkKind,
  type ChangedRow,
  type MatchingAct,
} from '../../http/lists/bulk-changes.ts'
import { lockById, lockRoles, type UserRow } from '../accounts/store.ts'
import { matching, type UserFilter } from '../accounts/views.ts'
import { editLocked, type EditParts } from './edit-account.ts'

// What a sign-up was before it was decided: inactive, and in the queue.
const waiting = 'waiting'

/** Undone, each account has its former status, and a sign-up waits again. A login session that ended stays ended. */
export function userStatusKind(parts: EditParts): BulkKind<void> {
  return {
    name: 'user.status',
    begin: lockRoles,
    async restore(tx, _, requested, step) {
      const restored: number[] = []
      for (const { id, before, mark } of requested) {
        const awaitsApproval = before === waiting
        const status = awaitsApproval ? 'inactive' : accountStatuses.find((each) => each === before)
        if (status === undefined || String((await lockById(tx, id))?.version) !== mark) continue
        const change = { status, ...(awaitsApproval && { awaitsApproval }) }
        const edited = await unlessRefused(() => editLocked(parts, tx, id, change, step))
        if (edited !== undefined) restored.push(id)
      }
      return restored
    },
  }
}

interface MatchingUsers {
  readonly filter: UserFilter
  readonly count: number
  readonly status: AccountStatus
}

/** Sets the status of all accounts that a filter matches, except those that the person may not change. */
export function matchingUserStatus(
  parts: EditParts,
  { filter, count, status }: MatchingUsers,
  actor: Pick<Actor, 'userId' | 'role'>,
): MatchingAct<void> {
  return {
    kind: userStatusKind(parts),
    count,
    matching: sql`select u.id, case when u.status = ${status} then 'same'
        when u.id = ${actor.userId} then 'ownAccount'
        when u.role = 'admin' and ${actor.role} <> 'admin' then 'adminAccount' end as left_out
      from users u where ${sql.join(matching(filter), sql` and `)}`,
    change: (tx, _, ids, step) =>
      setEach(ids, (id) => unlessRefused(() => editLocked(parts, tx, id, { status }, step))),
  }
}

/**
 * Sets the status of several accounts, all or none. Each has its own audit entry. Throws what `editAccount` throws.
 */
export async function setStatusOfChosen(
  parts: EditParts,
  { ids: requested, status }: { readonly ids: readonly number[]; readonly status: AccountStatus },
  by: Caller,
): Promise<{ changed: number; changeId: string | null }> {
  // Locked in one order, so that two such calls cannot deadlock.
  const ids = [...new Set(requested)].toSorted((a, b) => a - b)
  return transaction(parts.db, async (tx) => {
    await lockRoles(tx)
    return changeChosen(tx, userStatusKind(parts), by, (step) =>
      setEach(ids, (id) => editLocked(parts, tx, id, { status }, step)),
    )
  })
}

/** Changes one account after the other. Returns those that were changed. */
async function setEach(
  ids: readonly number[],
  edit: (id: number) => Promise<{ before: UserRow; after: UserRow } | undefined>,
): Promise<ChangedRow[]> {
  const changed: ChangedRow[] = []
  for (const id of ids) {
    const edited = await edit(id)
    if (edited === undefined) continue
    const { before, after } = edited
    changed.push({
      id,
      before: before.awaits_approval ? waiting : before.status,
      mark: String(after.version),
    })
  }
  return changed
}

/** The edit's result; undefined when it is refused, which it is before anything is written. */
async function unlessRefused<T>(edit: () => Promise<T>): Promise<T | undefined> {
  try {
    return await edit()
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return undefined
  }
}
