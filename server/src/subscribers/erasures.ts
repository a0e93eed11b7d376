// Erasures as people ask for them, agree to them and see them.
import type { Erasure } from '@tollgate/contract/subscribers/subscribers.ts'
import { Refusal } from '@tollgate/contract/errors.ts'
import type { SettingChangeAction } from '@tollgate/contract/vocabulary.ts'
import type { Audit } from '../audit/index.ts'
import { maskNumber } from '../files/formats/mask-number.ts'
import type { Caller } from '../http/handlers.ts'
import type { Clock } from '../platform/clock.ts'
import type { Db } from '../platform/db.ts'
import {
  approveErasure,
  cancelErasure,
  findErasure,
  insertErasure,
  listErasures,
  lockErasure,
  type ErasureRow,
} from './erasure-store.ts'
import { pseudonymOf, standsIn } from './written.ts'

export interface ErasureParts {
  readonly clock: Clock
  readonly audit: Pick<Audit, 'record'>
}

const shownMax = 20
/** What people write between the digits of a number. */
const separators = /(?<=\d)[\s()./-]+(?=\d)/g

/** The newest erasures. */
export async function readErasures(db: Db): Promise<Erasure[]> {
  return (await listErasures(db, shownMax)).map(toErasure)
}

/** Asks for an erasure. Throws Refusal wrong_state when one waits or runs for the number. */
export async function requestErasure(
  tx: Db,
  parts: ErasureParts,
  { number, reason }: { readonly number: string; readonly reason: string },
  by: Caller,
): Promise<Erasure> {
  // The reason stays when the number has gone, here and in the audit log.
  if (standsIn(number).test(reason.replaceAll(separators, '')))
    throw new Refusal('invalid', 'The reason must not have the number in it: it is kept.', {
      fields: { reason: 'Leave the number out' },
    })
  const masked = maskNumber(number)
  const made = { number, masked, reason, requested_by: by.actor.userId, requested_at: parts.clock.now() }
  const id = await insertErasure(tx, made)
  if (id === undefined) throw new Refusal('wrong_state', 'An erasure of this number is under way already.')
  return recorded(tx, parts, id, 'subscriber.request_erasure', by)
}

/** A second admin approves it, or any admin cancels it. Throws Refusal not_found or wrong_state. */
export async function decideErasure(
  tx: Db,
  parts: ErasureParts,
  id: number,
  action: SettingChangeAction,
  by: Caller,
): Promise<Erasure> {
  const found = await lockErasure(tx, id)
  if (found === undefined) throw new Refusal('not_found', 'There is no such erasure.')
  if (found.number === null || found.approved_at !== null)
    throw new Refusal('wrong_state', 'This erasure waits for nobody any more.')
  if (action === 'cancel') {
    await cancelErasure(tx, id, by.actor.userId, parts.clock.now())
    return recorded(tx, parts, id, 'subscriber.cancel_erasure', by)
  }
  if (found.requested_by === by.actor.userId)
    throw new Refusal('wrong_state', 'You asked for this erasure. A second admin must approve it.')
  if (!found.is_requester_admin)
    throw new Refusal('wrong_state', 'Who asked for it is no admin any more. Cancel it and ask anew.')
  await approveErasure(tx, id, by.actor.userId)
  return recorded(tx, parts, id, 'subscriber.approve_erasure', by)
}

async function recorded(
  tx: Db,
  { audit }: ErasureParts,
  id: number,
  action: string,
  by: Caller,
): Promise<Erasure> {
  const found = await findErasure(tx, id)
  if (found === undefined) throw new Error(`Erasure ${id} is gone`)
  await audit.record(tx, {
    ...by,
    action,
    objectType: 'subscriber',
    objectId: found.masked,
    after: { erasure: id, reason: found.reason, requestedBy: found.requester },
  })
  return toErasure(found)
}

const toErasure = (row: ErasureRow): Erasure => ({
  id: String(row.id),
  // Who approves must see whose number it is; afterwards nobody does.
  number: row.number ?? row.masked,
  reason: row.reason,
  state: stateOf(row),
  waitsFor: row.number === null ? null : row.waits_for,
  requestedBy: row.requester,
  requestedAt: row.requested_at.toISOString(),
  approvedBy: row.approver ?? '',
  pseudonym: row.approved_at === null ? '' : pseudonymOf(row.id),
  doneAt: row.done_at?.toISOString() ?? null,
  recordCount: Number(row.record_count),
  otherCount: Number(row.row_count),
})

function stateOf({ done_at, canceller, approved_at }: ErasureRow): Erasure['state'] {
  if (done_at !== null) return 'done'
  if (canceller !== null) return 'cancelled'
  return approved_at === null ? 'requested' : 'running'
}
