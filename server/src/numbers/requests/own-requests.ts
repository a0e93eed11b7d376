// What the requester may still do about a number request: change it, or withdraw it.
import type { NumberRequest, RequestFields } from '@tollgate/contract/numbers/requests.ts'
import { ownRequestTransitions, type RequestStatus } from '@tollgate/contract/vocabulary.ts'
import type { Db } from '../../platform/db.ts'
import type { Caller } from '../../http/handlers.ts'
import { afterCommit, transaction } from '../../platform/transaction.ts'
import type { NumbersDeps } from '../deps.ts'
import { tooLate } from './refusals.ts'
import { findRequest, toRequest, unknownRequest } from './service.ts'
import { lockRequest, settleRequest, updateRequest, type RequestRow } from './store.ts'

/** Changes a pending request; whoever decides meanwhile comes before or after it. */
export function editRequest(
  deps: NumbersDeps,
  id: string,
  fields: RequestFields,
  by: Caller,
): Promise<NumberRequest> {
  return change(deps, { id, act: 'edit', by }, (tx) => updateRequest(tx, id, fields))
}

/** Ends a request that no number was assigned for. The row stays, as withdrawn. */
export function withdrawRequest(deps: NumbersDeps, id: string, by: Caller): Promise<NumberRequest> {
  return change(deps, { id, act: 'withdraw', by }, (tx) =>
    settleRequest(tx, id, {
      status: 'withdrawn',
      assignedNumber: '',
      rejectionReason: '',
      processedBy: by.actor.userId,
    }),
  )
}

interface OwnChange {
  readonly id: string
  readonly act: keyof typeof ownRequestTransitions
  readonly by: Caller
}

async function change(
  deps: NumbersDeps,
  { id, act, by }: OwnChange,
  write: (tx: Db) => Promise<void>,
): Promise<NumberRequest> {
  return transaction(deps.db, async (tx) => {
    const row = await lockRequest(tx, id)
    if (row === undefined || row.user_id !== by.actor.userId) throw unknownRequest()
    checkOpen(row, act)
    await write(tx)
    const after = toRequest(await findRequest(tx, id))
    await deps.audit.record(tx, {
      ...by,
      action: `number_request.${act}`,
      objectType: 'number_request',
      objectId: id,
      before: toRequest(row),
      after,
    })
    await deps.announce?.(tx, 'request.updated', after)
    const { status, assignedNumber, userId } = after
    afterCommit(tx, () => deps.publish({ requestId: id, userId, status, assignedNumber }))
    return after
  })
}

function checkOpen({ status }: RequestRow, act: OwnChange['act']): void {
  const open: readonly RequestStatus[] = ownRequestTransitions[act]
  if (!open.includes(status)) throw tooLate(act, status)
}
