import { billingRoutes, type BillingPeriod, type Payout } from '@tollgate/contract/billing.ts'
import { Refusal } from '@tollgate/contract/errors.ts'
import { isPermitted } from '@tollgate/contract/vocabulary.ts'
import type { Db } from '../platform/db.ts'
import { bindRoutes, type Actor, type BoundRoutes, type Handlers } from '../platform/http/handlers.ts'
import { checkAddress } from './address-check.ts'
import { createPayment, decidePayment } from './create-payment.ts'
import { keyed } from './keyed.ts'
import type { BillingParts } from './parts.ts'
import { decide, pay } from './pay.ts'
import { exportOwnPeriods, exportPayments, exportPayouts, exportPeriods } from './export-lists.ts'
import { readTerms, summariseBilling } from './overview.ts'
import { parsePeriodId } from './rules.ts'
import { readProfile, writeProfile } from './save-profile.ts'
import { readShared } from './share-hash.ts'
import { writeStatement } from './statement-pdf.ts'
import { findPayout, listPayments, listPayouts, sumPayouts } from './payment-views.ts'
import { findPeriod, listPeriods } from './period-views.ts'
import { listLines } from './views.ts'

const noPeriod = () => new Refusal('not_found', 'There is no such billing period.')

function periodIdOf(text: string): { cycleId: number; userId: number } {
  const id = parsePeriodId(text)
  if (id === undefined) throw noPeriod()
  return id
}

function lookups({ db, clock }: BillingParts) {
  async function period(
    id: { cycleId: number; userId: number; hasUnbilled?: boolean },
    hasOwnOpen = false,
    within: Db = db,
  ): Promise<BillingPeriod> {
    const found = await findPeriod(within, { ...id, hasOwnOpen, now: clock.now() })
    if (found === undefined) throw noPeriod()
    return found
  }

  /** A period of the caller's own, or anybody's for those who pay. */
  function seenBy(actor: Actor, text: string): { cycleId: number; userId: number } {
    const id = periodIdOf(text)
    if (id.userId !== actor.userId && !isPermitted(actor.role, 'paymentManagement')) throw noPeriod()
    return id
  }

  /** Throws Refusal wrong_state for an open period: it has no bill yet. */
  async function billed(text: string) {
    const id = periodIdOf(text)
    if ((await period(id)).status === 'pending')
      throw new Refusal(
        'wrong_state',
        'This period is still open. It can be paid once it is closed and billed.',
      )
    return { target: { kind: 'period', ...id } as const, id }
  }

  async function payout(id: string, within: Db = db): Promise<Payout> {
    const found = await findPayout(within, id)
    if (found === undefined) throw new Refusal('not_found', 'There is no such payout.')
    return found
  }

  return { period, seenBy, billed, payout }
}

/** The lists, page by page and as CSV. */
function listsOf({ db, clock }: BillingParts) {
  return {
    listPeriods: ({ query }, { actor }) =>
      listPeriods(
        db,
        {
          userId: actor.userId,
          hasOwnOpen: true,
          hasUnbilled: query.unbilled === 'true',
          now: clock.now(),
        },
        query,
      ),
    listAllPeriods: ({ query }) => listPeriods(db, { ...query, now: clock.now() }, query),
    listOwnPayouts: ({ query }, { actor }) => listPayouts(db, { userId: actor.userId }, query),
    listPayments: ({ query }) => listPayments(db, query, query),
    listPayouts: ({ query }) => listPayouts(db, query, query),
    exportPeriods: async (_, { actor }) => exportOwnPeriods(db, actor.userId, clock.now()),
    exportAllPeriods: async ({ query }) => exportPeriods(db, { ...query, now: clock.now() }),
    exportOwnPayouts: async (_, { actor }) => exportPayouts(db, { userId: actor.userId }),
    exportPayments: async ({ query }) => exportPayments(db, query),
    exportPayouts: async ({ query }) => exportPayouts(db, query),
  } satisfies Partial<Handlers<typeof billingRoutes>>
}

export function bindBillingRoutes(parts: BillingParts): BoundRoutes {
  const { db, clock } = parts
  const { period, seenBy, billed, payout } = lookups(parts)
  return bindRoutes(billingRoutes, {
    ...listsOf(parts),
    getProfile: (_, { actor }) => readProfile(parts, actor.userId),
    putProfile: ({ body }, by) => writeProfile(parts, body, by),
    async listPeriodLines({ params }, { actor }) {
      const id = seenBy(actor, params.id)
      const { status } = await period({ ...id, hasUnbilled: true }, true)
      // Without a bill, no lines were written at the close.
      return listLines(db, id.cycleId, id.userId, status === 'pending' || status === 'no_bill')
    },
    async getStatement({ params }, { actor }) {
      const id = seenBy(actor, params.id)
      const bill = await period(id, true)
      if (bill.status === 'pending')
        throw new Refusal(
          'wrong_state',
          'This period is still open. Its statement is made when it is closed.',
        )
      return writeStatement(bill, await listLines(db, id.cycleId, id.userId, false), clock.now())
    },
    getBillingTerms: () => readTerms(parts),
    getBillingSummary: () => summariseBilling(db, clock.now()),
    checkAddress: ({ query }) => checkAddress(parts, query.userId, query.address),
    async payPeriod({ params, body }, by) {
      const { target, id } = await billed(params.id)
      const receipts = await readShared(parts, [body.transactionHash])
      return keyed(parts, by, ['payPeriod', params, body], async (within) => {
        await pay(within, target, body.transactionHash, by, receipts)
        return period(id, false, within.db)
      })
    },
    async decidePeriodPayment({ params, body }, by) {
      const { target, id } = await billed(params.id)
      await decide(parts, target, body, by)
      return period(id)
    },
    createPayment: ({ body }, by) =>
      keyed(parts, by, ['createPayment', body], (within) => createPayment(within, body, by)),
    decidePayment: ({ params, body }, by) => decidePayment(parts, params.id, body, by),
    getPayoutSummary: () => sumPayouts(db),
    async processPayout({ params, body }, by) {
      const hash = body?.transactionHash === '' ? undefined : body?.transactionHash
      const receipts = await readShared(parts, hash === undefined ? [] : [hash])
      return keyed(parts, by, ['processPayout', params, body], async (within) => {
        await pay(within, { kind: 'payout', id: params.id }, hash, by, receipts)
        return payout(params.id, within.db)
      })
    },
    async decidePayoutPayment({ params, body }, by) {
      await decide(parts, { kind: 'payout', id: params.id }, body, by)
      return payout(params.id)
    },
  })
}
