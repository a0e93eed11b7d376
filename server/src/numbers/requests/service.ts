// Number requests: a user asks for a number; support approves, assigns one of the inventory, or rejects.
import { Refusal } from '@tollgate/contract/errors.ts'
import type { RefusedRow } from '@tollgate/contract/fields.ts'
import type { NumberRequest, RequestFields } from '@tollgate/contract/numbers/requests.ts'
import { sentence, messageFieldsOf } from '@tollgate/contract/sentences.ts'
import { requestTransitions, type RequestAction, type RequestStatus } from '@tollgate/contract/vocabulary.ts'
import { sql } from 'kysely'
import type { Db } from '../../platform/db.ts'
import { afterCommit, transaction } from '../../platform/transaction.ts'
import {
  changeChosen,
  type BulkKind,
  type BulkStep,
  type ChangedRow,
  type MatchingAct,
} from '../../http/lists/bulk-changes.ts'
import { manyObjects, type BulkSet } from '../bulk-set.ts'
import { changeCatalog } from '../change-catalog.ts'
import type { Caller } from '../../http/handlers.ts'
import { toReply } from '../../http/reply.ts'
import type { NumbersDeps } from '../deps.ts'
import { assignIn } from '../inventory/assign.ts'
import { lockNumberByDigits } from '../store.ts'
import { offersFor } from './offers.ts'
import { answeredAlready } from './refusals.ts'
import {
  insertRequest,
  lockRequest,
  reopenRequest,
  settleRequest,
  viewRequest,
  type RequestRow,
} from './store.ts'

export function toRequest({ processed_by: _by, username, email, ...request }: RequestRow): NumberRequest {
  return { ...toReply(request), userName: username, userEmail: email }
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

interface BulkDecision {
  readonly action: 'approve' | 'reject'
  readonly rejectionReason?: string | undefined
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
  decision: BulkDecision,
  by: Caller,
): Promise<{ done: NumberRequest[]; refused: RefusedRow[]; changeId: string | null }> {
  checkReason(decision)
  return transaction(deps.db, async (tx) => {
    let [done, refused]: [NumberRequest[], RefusedRow[]] = [[], []]
    const { changeId } = await changeChosen(tx, requestKind(deps), by, async (step) => {
      const decided = await decideEach(deps, tx, ids, decision, step)
      ;({ done, refused } = decided)
      return decided.changed
    })
    return { done, refused, changeId }
  })
}

/** Approves or rejects all requests that a filter of the queue matches. */
export function matchingDecision(
  deps: NumbersDeps,
  { filter, count, decision }: BulkSet & { readonly decision: BulkDecision },
): MatchingAct<undefined> {
  checkReason(decision)
  const open = [...requestTransitions[decision.action]]
  return {
    kind: requestKind(deps),
    count,
    matching: sql`select q.id, case when q.status <> all(${open}::text[]) then 'answered' end as left_out
      from number_requests q join users u on u.id = q.user_id where ${filter}`,
    change: async (tx, _, ids, step) => (await decideEach(deps, tx, ids.map(String), decision, step)).changed,
  }
}

const noScope = async () => undefined

/** Undone, the requests wait again as they did. The requesters' programs are told. */
export function requestKind(deps: NumbersDeps): BulkKind<undefined> {
  return {
    name: 'number_request.decide',
    begin: noScope,
    async restore(tx, _, requested, { by, changeId }) {
      const restored: NumberRequest[] = []
      for (const { id, before, mark } of requested) {
        const row = await lockRequest(tx, String(id))
        if (row === undefined || markOf(row) !== mark) continue
        await reopenRequest(tx, row.id, before)
        const after = toRequest(await findRequest(tx, row.id))
        await announceRequest(deps, tx, after)
        restored.push(after)
      }
      if (restored.length > 0)
        await deps.audit.record(tx, {
          ...by,
          ...manyObjects('number_request', 'requests', restored),
          action: 'number_request.reopen',
          after: { ...Object.fromEntries(restored.map(({ id, status }) => [id, status])), change: changeId },
        })
      return restored.map(({ id }) => Number(id))
    },
  }
}

const markOf = ({ status, processed_at }: Pick<RequestRow, 'status' | 'processed_at'>): string =>
  `${status} ${processed_at?.toISOString() ?? ''}`

async function decideEach(
  deps: NumbersDeps,
  tx: Db,
  ids: readonly string[],
  decision: BulkDecision,
  { changeId, by }: BulkStep,
): Promise<{ done: NumberRequest[]; refused: RefusedRow[]; changed: ChangedRow[] }> {
  const [done, changed, refused]: [NumberRequest[], ChangedRow[], RefusedRow[]] = [[], [], []]
  // In one order, so that two calls for the same requests cannot deadlock.
  for (const id of [...new Set(ids)].toSorted((a, b) => Number(a) - Number(b)))
    try {
      const { before, after } = await applyDecision(deps, tx, { id, decision, by }, async () => '')
      done.push(after)
      changed.push({
        id: Number(id),
        before: before.status,
        mark: `${after.status} ${after.processedAt ?? ''}`,
      })
    } catch (error) {
      // A refusal is thrown before anything is written, so the transaction can go on.
      if (!(error instanceof Refusal)) throw error
      refused.push({ id, ...messageFieldsOf(error.words ?? error.message) })
    }
  if (done.length > 0)
    await deps.audit.record(tx, {
      ...by,
      ...manyObjects('number_request', 'requests', done),
      action: `number_request.${decision.action}`,
      before: Object.fromEntries(changed.map(({ id, before }) => [id, before])),
      after: {
        status: statusAfter[decision.action],
        rejectionReason: decision.rejectionReason ?? '',
        change: changeId,
      },
    })
  return { done, refused, changed }
}

function checkReason({ action, rejectionReason = '' }: RequestDecision): void {
  if (action === 'reject' && rejectionReason === '')
    throw new Refusal('invalid', 'Enter the reason for the rejection.', {
      fields: { rejectionReason: 'The requester will read this' },
    })
}

interface RequestDecisionInput {
  readonly id: string
  readonly decision: RequestDecision
  readonly by: Caller
}

/** `assign` assigns a number to the requester and returns its digits, '' for none. Refusals come before any write. */
async function applyDecision(
  deps: NumbersDeps,
  tx: Db,
  { id, decision, by }: RequestDecisionInput,
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
  await announceRequest(deps, tx, after)
  return { before: toRequest(row), after }
}

/** Tells the requester's programs and screens of a request as it is now. */
async function announceRequest(
  { announce, publish }: NumbersDeps,
  tx: Db,
  { id, userId, status, assignedNumber, ...rest }: NumberRequest,
): Promise<void> {
  await announce?.(tx, 'request.updated', { id, userId, status, assignedNumber, ...rest })
  afterCommit(tx, () => publish({ requestId: id, userId, status, assignedNumber }))
}

function checkTransition(action: RequestAction, status: RequestStatus): void {
  const from: readonly RequestStatus[] = requestTransitions[action]
  if (!from.includes(status)) throw answeredAlready(status)
}

const notInStock = (digits: string): Refusal =>
  new Refusal(
    'invalid',
    sentence('{number} is not in stock. Choose one of the offered numbers.', { number: `+${digits}` }),
    {
      fields: { assignedNumber: 'Not in stock' },
    },
  )

/** The number that support chose, or else the best offer. */
async function chooseNumber(tx: Db, request: RequestRow, chosen: string): Promise<string> {
  if (chosen !== '') return chosen
  const [best] = await offersFor(tx, request)
  if (best === undefined)
    throw new Refusal('wrong_state', 'No available number fits this request. Add one to the stock first.')
  return best.number
}
