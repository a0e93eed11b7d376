// Number requests: users ask, support approves, assigns from stock or rejects (design.md 11).
import { Refusal } from '@tollgate/contract/errors.ts'
import type { NumberRequest } from '@tollgate/contract/number-requests.ts'
import { requestTransitions, type RequestAction, type RequestStatus } from '@tollgate/contract/vocabulary.ts'
import type { Db } from '../../platform/db.ts'
import { afterCommit, transaction } from '../../platform/transaction.ts'
import { changeCatalog } from '../change-catalog.ts'
import type { By, NumbersDeps } from '../deps.ts'
import { assignIn } from '../inventory/assign.ts'
import { lockNumberByDigits } from '../store.ts'
import { offersFor } from './offers.ts'
import {
  insertRequest,
  lockRequest,
  settleRequest,
  viewRequest,
  type RequestFields,
  type RequestRow,
} from './store.ts'

export function toRequest(row: RequestRow): NumberRequest {
  return {
    id: row.id,
    userId: row.user_id,
    userName: row.username,
    userEmail: row.email,
    requestedNumber: row.requested_number,
    preferredCountry: row.preferred_country,
    countryCode: row.country_code,
    businessPurpose: row.business_purpose,
    expectedVolume: row.expected_volume,
    status: row.status,
    assignedNumber: row.assigned_number,
    processedAt: row.processed_at?.toISOString() ?? null,
    rejectionReason: row.rejection_reason,
    createdAt: row.created_at.toISOString(),
  }
}

const unknownRequest = (): Refusal => new Refusal('not_found', 'There is no such number request.')

/** The request as support sees it. Throws Refusal not_found. */
export async function findRequest(db: Db, id: string): Promise<RequestRow> {
  const request = await viewRequest(db, id)
  if (request === undefined) throw unknownRequest()
  return request
}

export async function createRequest(
  { db, audit }: NumbersDeps,
  fields: RequestFields,
  by: By,
): Promise<NumberRequest> {
  return transaction(db, async (tx) => {
    const id = await insertRequest(tx, by.actor.userId, fields)
    const after = toRequest(await findRequest(tx, id))
    await audit.record(tx, {
      ...by,
      action: 'number_request.create',
      objectType: 'number_request',
      objectId: id,
      after,
    })
    return after
  })
}

const outcomes: Record<RequestAction, RequestStatus> = {
  approve: 'approved',
  assign: 'assigned',
  reject: 'rejected',
}

export interface Decision {
  readonly action: RequestAction
  readonly assignedNumber?: string | undefined
  readonly rejectionReason?: string | undefined
}

/** Takes one step of a request; two people cannot take two. */
export async function processRequest(
  deps: NumbersDeps,
  id: string,
  decision: Decision,
  by: By,
): Promise<NumberRequest> {
  const { action, rejectionReason = '' } = decision
  if (action === 'reject' && rejectionReason === '')
    throw new Refusal('invalid', 'Give the reason for the rejection.', {
      fields: { rejectionReason: 'The requester will read this' },
    })
  return transaction(deps.db, async (tx) => {
    // The gate comes before any row lock, as everywhere, so that two transactions cannot wait for each other.
    const change = action === 'assign' ? await changeCatalog(tx) : undefined
    const row = await lockRequest(tx, id)
    if (row === undefined) throw unknownRequest()
    checkTransition(action, row.status)
    let assignedNumber = ''
    if (change !== undefined) {
      assignedNumber = await chooseNumber(tx, row, decision.assignedNumber ?? '')
      const number = await lockNumberByDigits(tx, assignedNumber)
      if (number === undefined) throw notInStock(assignedNumber)
      await assignIn(deps, tx, change, [number], { userId: row.user_id }, by)
    }
    const status = outcomes[action]
    await settleRequest(tx, id, {
      status,
      assignedNumber,
      rejectionReason: action === 'reject' ? rejectionReason : '',
      processedBy: by.actor.userId,
    })
    const before = toRequest(row)
    const after = toRequest(await findRequest(tx, id))
    await deps.audit.record(tx, {
      ...by,
      action: `number_request.${action}`,
      objectType: 'number_request',
      objectId: id,
      before,
      after,
    })
    afterCommit(tx, () => deps.publish({ requestId: id, userId: row.user_id, status, assignedNumber }))
    return after
  })
}

function checkTransition(action: RequestAction, status: RequestStatus): void {
  const from: readonly RequestStatus[] = requestTransitions[action]
  if (!from.includes(status))
    throw new Refusal('wrong_state', `This request is already ${status}. Reload the list.`)
}

const notInStock = (digits: string): Refusal =>
  new Refusal('invalid', `+${digits} is not in stock. Choose one of the offered numbers.`, {
    fields: { assignedNumber: 'Not in stock' },
  })

/** The number that support chose, else the best that fits. */
async function chooseNumber(tx: Db, request: RequestRow, chosen: string): Promise<string> {
  if (chosen !== '') return chosen
  const [best] = await offersFor(tx, request)
  if (best === undefined)
    throw new Refusal('wrong_state', 'No available number fits this request. Add one to the stock first.')
  return best.number
}
