import { amendmentRoutes } from '@tollgate/contract/amendments/amendments.ts'
import { Refusal } from '@tollgate/contract/errors.ts'
import { parseMicro } from '@tollgate/contract/money.ts'
import { isPermitted } from '@tollgate/contract/vocabulary.ts'
import type { Db } from '../platform/db.ts'
import { bindRoutes, type Actor, type BoundRoutes, type CallContext } from '../http/handlers.ts'
import { amend, decideAmendment } from './amend.ts'
import { findAmendment } from './amendment-store.ts'
import { listAmendments, toAmendment } from './amendment-views.ts'
import type { AmendmentInput } from './kinds.ts'
import { type BillingDeps, parsePeriodId, type BillId } from '../billing/index.ts'

const mayManage = ({ role }: Actor) => isPermitted(role, 'paymentManagement')

function billOf(text: string): BillId {
  const bill = parsePeriodId(text)
  if (bill === undefined) throw new Refusal('not_found', 'There is no such bill.')
  return bill
}

async function amendmentOf(db: Db, id: string) {
  const found = await findAmendment(db, id)
  if (found === undefined) throw new Refusal('not_found', 'There is no such amendment.')
  return found
}

/** What a credit note is, beside its reasons. */
interface CreditInput {
  readonly amount?: string | undefined
  readonly messageIds?: readonly string[] | undefined
}

export function bindAmendmentRoutes(deps: BillingDeps): BoundRoutes {
  const { db } = deps
  type Reasons = Pick<AmendmentInput, 'reason' | 'clientReason'>
  const doing =
    (kind: AmendmentInput['kind']) =>
    ({ params, body }: { params: { id: string }; body: Reasons & CreditInput }, by: CallContext) =>
      by.once(db, async (tx) => {
        const { reason, clientReason, amount, messageIds } = body
        const amountMicro = amount === undefined ? undefined : parseMicro(amount)
        const input = { kind, reason, clientReason, amountMicro, messageIds }
        const id = await amend({ ...deps, db: tx }, billOf(params.id), input, by)
        return toAmendment(await amendmentOf(tx, id))
      })
  return bindRoutes(amendmentRoutes, {
    async listAmendments({ params }, { actor }) {
      const bill = billOf(params.id)
      if (bill.userId !== actor.userId && !mayManage(actor))
        throw new Refusal('not_found', 'There is no such bill.')
      return listAmendments(db, bill, mayManage(actor))
    },
    withholdPeriod: doing('withhold'),
    resumePeriod: doing('resume'),
    readdressPeriod: doing('readdress'),
    voidPeriod: doing('void'),
    createCreditNote: doing('credit_note'),
    async decideAmendment({ params, body }, by) {
      await decideAmendment(deps, params.id, body, by)
      return toAmendment(await amendmentOf(db, params.id))
    },
  })
}
