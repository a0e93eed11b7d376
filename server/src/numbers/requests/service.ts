// Number requests: a user asks for a number; support approves, assigns one of the inventory, or rejects.
import { Refusal } from '@tollgate/contract/errors.ts'
import type { RefusedRow } from '@tollgate/contract/fields.ts'
import type { NumberRequest } from '@tollgate/contract/number-requests.ts'
import { requestTransitions, type RequestAction, type RequestStatus } from '@tollgate/contract/vocabulary.ts'
import type { Db } from '../../platform/db.ts'
import { afterCommit, transaction } from '../../platform/transaction.ts'
import { changeCatalog } from '../change-catalog.ts'
import type { Caller } from '../../platform/http/handlers.ts'
import type { NumbersDeps } from '../deps.ts'
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

export const unknownRequest = (): Refusal => new Refusal('not_found', 'There is no such number request.')

/** The request as support sees it. Throws Refusal not_found. */
export async function findRequest(db: Db, id: string): Promise<RequestRow> {
  const request = await viewRequest(db, id)
  if (request === undefined) throw unknownRequest()
  return request
}

export async function createRequest(
  { db, audit, announce }: NumbersDeps,
  fields: RequestFields,
  by: Caller,
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
    await announce?.(tx, 'request.created', after)
    return after
  })
}

const statusAfter: Record<RequestAction, RequestStatus> = {
  approve: 'approved',
  assign: 'assigned',
  reject: 'rejected',
}

interface RequestDecision {
  readonly action: RequestAction
  readonly assignedNumber?: string | undefined
  readonly rejectionReason?: string | undefined
}

/** Decides a request; the same decision cannot be made twice. */
export async function processRequest(
  deps: NumbersDeps,
  id: string,
  decision: RequestDecision,
  by: Caller,
): Promise<NumberRequest> {
  checkReason(decision)
  return transaction(deps.db, async (tx) => {
    // The traffic gate comes before any row lock, as everywhere, so that two transactions cannot deadlock.
    const change = decision.action === 'assign' ? await changeCatalog(tx) : undefined
    const { before, after } = await applyDecision(deps, tx, { id, decision, by }, async (row) => {
      if (change === undefined) return ''
      const digits = await chooseNumber(tx, row, decision.assignedNumber ?? '')
      const number = await lockNumberByDigits(tx, digits)
      if (number === undefined) throw notInStock(digits)
      await assignIn(deps, tx, change, [number], { userId: row.user_id }, by)
      return digits
    })
    await deps.audit.record(tx, {
      ...by,
      action: `number_request.${decision.action}`,
      objectType: 'number_request',
      objectId: id,
      before,
      after,
    })
    return after
  })
}

/** Approves or rejects each request by itself. A request that was decided meanwhile is left unchanged and reported. */
export async function processRequests(
  deps: NumbersDeps,
  ids: readonly string[],
  decision: { readonly action: 'approve' | 'reject'; readonly rejectionReason?: string | undefined },
  by: Caller,
): Promise<{ done: NumberRequest[]; refused: RefusedRow[] }> {
  checkReason(decision)
  return transaction(deps.db, async (tx) => {
    const [done, before, refused]: [NumberRequest[], NumberRequest[], RefusedRow[]] = [[], [], []]
    // In one order, so that two calls for the same requests cannot deadlock.
    for (const id of [...new Set(ids)].toSorted((a, b) => Number(a) - Number(b)))
      try {
        const step = await applyDecision(deps, tx, { id, decision, by }, async () => '')
        done.push(step.after)
        before.push(step.before)
      } catch (error) {
        // A refusal is thrown before anything is written, so the transaction can go on.
        if (!(error instanceof Refusal)) throw error
        refused.push({ id, message: error.message })
      }
    if (done.length > 0)
      await deps.audit.record(tx, {
        ...by,
        action: `number_request.${decision.action}`,
        objectType: 'number_request',
        // One click makes one entry, which contains all the requests.
        objectId: done.length === 1 ? (done[0]?.id ?? '') : `${done.length} requests`,
        before: Object.fromEntries(before.map((request) => [request.id, request.status])),
        after: { status: statusAfter[decision.action], rejectionReason: decision.rejectionReason ?? '' },
      })
    return { done, refused }
  })
}

function checkReason({ action, rejectionReason = '' }: RequestDecision): void {
  if (action === 'reject' && rejectionReason === '')
    throw new Refusal('invalid', 'Give the reason for the rejection.', {
      fields: { rejectionReason: 'The requester will read this' },
    })
}

interface DecisionInput {
  readonly id: string
  readonly decision: RequestDecision
  readonly by: Caller
}

/** `assign` assigns a number to the requester and returns its digits, '' for none. Refusals come before any write. */
async function applyDecision(
  deps: NumbersDeps,
  tx: Db,
  { id, decision, by }: DecisionInput,
  assign: (row: RequestRow) => Promise<string>,
): Promise<{ before: NumberRequest; after: NumberRequest }> {
  const row = await lockRequest(tx, id)
  if (row === undefined) throw unknownRequest()
  checkTransition(decision.action, row.status)
  const assignedNumber = await assign(row)
  const status = statusAfter[decision.action]
  await settleRequest(tx, id, {
    status,
    assignedNumber,
    rejectionReason: decision.action === 'reject' ? (decision.rejectionReason ?? '') : '',
    processedBy: by.actor.userId,
  })
  const after = toRequest(await findRequest(tx, id))
  await deps.announce?.(tx, 'request.updated', after)
  afterCommit(tx, () => deps.publish({ requestId: id, userId: row.user_id, status, assignedNumber }))
  return { before: toRequest(row), after }
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

/** The number that support chose, or else the best offer. */
async function chooseNumber(tx: Db, request: RequestRow, chosen: string): Promise<string> {
  if (chosen !== '') return chosen
  const [best] = await offersFor(tx, request)
  if (best === undefined)
    throw new Refusal('wrong_state', 'No available number fits this request. Add one to the stock first.')
  return best.number
}
