import { billingRoutes, type BillingPeriod } from '@tollgate/contract/billing/bills.ts'
import { Refusal } from '@tollgate/contract/errors.ts'
import { profileRoutes } from '@tollgate/contract/billing/payment-profile.ts'
import { paymentRoutes, type Payment } from '@tollgate/contract/billing/payments.ts'
import { payoutRoutes, type Payout } from '@tollgate/contract/billing/payouts.ts'
import { isPermitted } from '@tollgate/contract/vocabulary.ts'
import type { Db } from '../platform/db.ts'
import { bindRoutes, type Actor } from '../http/handlers.ts'
import { checkAddress } from './profile/address-check.ts'
import { createPayment } from './payments/unallocated-payment.ts'
import type { BillingDeps } from './deps.ts'
import { decidePayment } from './payments/decide.ts'
import { lookUpOldHash, replaceHash } from './payments/replace-hash.ts'
import { pay } from './payments/pay.ts'
import { exportOwnPeriods, exportPayments, exportPayouts, exportPeriods } from './export-lists.ts'
import { readTerms, summariseBilling } from './bills/overview.ts'
import { parsePeriodId } from './rules.ts'
import { readProfile, writeProfile } from './profile/save-profile.ts'
import { withSharedReceipts } from './payments/shared-hash.ts'
import { findPayment, findPayout, listPayments, listPayouts, sumPayouts } from './payments/payment-views.ts'
import { findPeriod, listPeriods } from './bills/period-views.ts'
import { listLines } from './bills/bill-lines.ts'

const noPeriod = () => new Refusal('not_found', 'There is no such billing period.')

function periodIdOf(text: string): { cycleId: number; userId: number } {
  const id = parsePeriodId(text)
  if (id === undefined) throw noPeriod()
  return id
}

function lookups({ db, clock }: BillingDeps) {
  async function period(
    id: { cycleId: number; userId: number; hasUnbilled?: boolean; asTold?: boolean },
    hasOwnOpen = false,
    tx: Db = db,
  ): Promise<BillingPeriod> {
    const found = await findPeriod(tx, { ...id, hasOwnOpen, now: clock.now() })
    if (found === undefined) throw noPeriod()
    return found
  }

  /** The caller's own period, or any period for people who may pay. Throws Refusal not_found for all others. */
  function visibleTo(actor: Actor, text: string): { cycleId: number; userId: number } {
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
    return { debtId: { kind: 'period', ...id } as const, id }
  }

  async function payout(id: string, tx: Db = db): Promise<Payout> {
    const found = await findPayout(tx, id)
    if (found === undefined) throw new Refusal('not_found', 'There is no such payout.')
    return found
  }

  return { period, visibleTo, billed, payout }
}

const bindProfileRoutes = (deps: BillingDeps) =>
  bindRoutes(profileRoutes, {
    getProfile: (_, { actor }) => readProfile(deps, actor.userId),
    putProfile: ({ body }, by) => writeProfile(deps, body, by),
    checkAddress: ({ query }) => checkAddress(deps, query.userId, query.address),
  })

function bindBillRoutes(deps: BillingDeps) {
  const { db, clock } = deps
  const { period, visibleTo, billed } = lookups(deps)
  return bindRoutes(billingRoutes, {
    listPeriods: ({ query }, { actor }) =>
      listPeriods(
        db,
        {
          userId: actor.userId,
          hasOwnOpen: true,
          asTold: true,
          hasUnbilled: query.unbilled === 'true',
          now: clock.now(),
        },
        query,
      ),
    listAllPeriods: ({ query }) => listPeriods(db, { ...query, now: clock.now() }, query),
    exportPeriods: async (_, { actor }) => exportOwnPeriods(db, actor.userId, clock.now()),
    exportAllPeriods: async ({ query }) => exportPeriods(db, { ...query, now: clock.now() }),
    async listPeriodLines({ params }, { actor }) {
      const id = visibleTo(actor, params.id)
      const { status } = await period({ ...id, hasUnbilled: true }, true)
      return listLines(db, {
        ...id,
        // The close writes lines only for bills.
        isBilled: status !== 'pending' && status !== 'no_bill',
        asTold: status === 'pending' && !isPermitted(actor.role, 'paymentManagement'),
      })
    },
    async getPeriod({ params }, { actor }) {
      const id = visibleTo(actor, params.id)
      const isClient = !isPermitted(actor.role, 'paymentManagement')
      return period({ ...id, hasUnbilled: true, asTold: isClient }, id.userId === actor.userId)
    },
    getBillingTerms: ({ query }, { actor }) => readTerms(deps, actor.userId, query.about),
    getBillingSummary: () => summariseBilling(db, clock.now()),
    async payPeriod({ params, body }, by) {
      const { debtId, id } = await billed(params.id)
      const { transactionHash: hash } = body
      return withSharedReceipts(deps, hash, (receipts) =>
        by.once(db, async (tx) => {
          await pay({ ...deps, db: tx }, { debtId, hash, by }, receipts)
          return period(id, false, tx)
        }),
      )
    },
    async decidePeriodPayment({ params, body }, by) {
      const { id } = await billed(params.id)
      await decidePayment(deps, (await period(id)).paymentId, body, by)
      return period(id)
    },
  })
}

function bindPaymentRoutes(deps: BillingDeps) {
  const { db } = deps
  return bindRoutes(paymentRoutes, {
    listPayments: ({ query }) => listPayments(db, query, query),
    exportPayments: async ({ query }) => exportPayments(db, query),
    createPayment: ({ body }, by) => by.once(db, (tx) => createPayment({ ...deps, db: tx }, body, by)),
    async decidePayment({ params, body }, by) {
      await decidePayment(deps, params.id, body, by)
      return paymentOf(db, params.id)
    },
    async replacePaymentHash({ params: { id }, body }, by) {
      const lookup = await lookUpOldHash(deps, id)
      const replacement = { paymentId: id, hash: body.transactionHash, reason: body.reason, by }
      return withSharedReceipts(deps, body.transactionHash, (receipts) =>
        by.once(db, async (tx) =>
          paymentOf(tx, await replaceHash({ ...deps, db: tx }, replacement, { receipts, lookup })),
        ),
      )
    },
  })
}

async function paymentOf(db: Db, id: string): Promise<Payment> {
  const found = await findPayment(db, id)
  if (found === undefined) throw new Refusal('not_found', 'There is no such payment.')
  return found
}

function bindPayoutRoutes(deps: BillingDeps) {
  const { db } = deps
  const { payout } = lookups(deps)
  return bindRoutes(payoutRoutes, {
    listOwnPayouts: ({ query }, { actor }) => listPayouts(db, { userId: actor.userId, isOwn: true }, query),
    exportOwnPayouts: async (_, { actor }) => exportPayouts(db, { userId: actor.userId, isOwn: true }),
    listPayouts: ({ query }) => listPayouts(db, query, query),
    exportPayouts: async ({ query }) => exportPayouts(db, query),
    getPayoutSummary: () => sumPayouts(db),
    async processPayout({ params, body }, by) {
      const hash = body?.transactionHash === '' ? undefined : body?.transactionHash
      return withSharedReceipts(deps, hash, (receipts) =>
        by.once(db, async (tx) => {
          const debtId = { kind: 'payout', id: params.id } as const
          await pay({ ...deps, db: tx }, { debtId, hash, reason: body?.reason, by }, receipts)
          return payout(params.id, tx)
        }),
      )
    },
    async decidePayoutPayment({ params, body }, by) {
      await decidePayment(deps, (await payout(params.id)).paymentId, body, by)
      return payout(params.id)
    },
  })
}

/** The routes of profiles, bills, payments and payouts, a table for each. */
export const bindBillingRoutes = [bindProfileRoutes, bindBillRoutes, bindPaymentRoutes, bindPayoutRoutes]
