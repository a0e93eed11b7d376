import { amendmentRoutes } from '@tollgate/contract/amendments.ts'
import { Refusal } from '@tollgate/contract/errors.ts'
import { parseMicro } from '@tollgate/contract/money.ts'
import { isPermitted } from '@tollgate/contract/vocabulary.ts'
import type { Db } from '../platform/db.ts'
import { bindRoutes, type Actor, type BoundRoutes, type CallContext } from '../platform/http/handlers.ts'
import { amend, decideAmendment } from './amend/amend.ts'
import { findAmendment, type BillId } from './amend/amendment-store.ts'
import { listAmendments, toAmendment } from './amend/amendment-views.ts'
import type { AmendmentInput } from './amend/kinds.ts'
import { findPeriod } from './bills/period-views.ts'
import type { BillingDeps } from './deps.ts'
import { writeCreditNote } from './papers/write-paper.ts'
import { parsePeriodId } from './rules.ts'

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
  const { db, clock } = deps
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
    async getCreditNote({ params }, { actor }) {
      const note = await amendmentOf(db, params.id)
      const isSeen = note.user_id === actor.userId || mayManage(actor)
      if (!isSeen || note.kind !== 'credit_note' || note.status !== 'done')
        throw new Refusal('not_found', 'There is no such credit note.')
      const period = await findPeriod(db, {
        cycleId: note.cycle_id,
        userId: note.user_id,
        now: clock.now(),
      })
      if (period === undefined) throw new Error('The bill of the credit note is missing')
      const { periodStart: startsAt, periodEnd: endsAt, userName } = period
      return writeCreditNote(db, note, { startsAt, endsAt, userName })
    },
  })
}
