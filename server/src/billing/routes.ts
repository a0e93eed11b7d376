import { billingRoutes, type BillingPeriod, type Payout } from '@tollgate/contract/billing.ts'
import { Refusal } from '@tollgate/contract/errors.ts'
import { isPermitted } from '@tollgate/contract/vocabulary.ts'
import type { Db } from '../platform/db.ts'
import { bindRoutes, type BoundRoutes } from '../platform/http/handlers.ts'
import { createPayment, decidePayment } from './create-payment.ts'
import { keyed } from './keyed.ts'
import type { BillingParts } from './parts.ts'
import { decide, pay } from './pay.ts'
import { parsePeriodId } from './rules.ts'
import { readProfile, writeProfile } from './save-profile.ts'
import { listLines, listPayments, listPayouts, listPeriods, sumPayouts } from './views.ts'

const noPeriod = () => new Refusal('not_found', 'There is no such billing period.')

function periodIdOf(text: string): { cycleId: number; userId: number } {
  const id = parsePeriodId(text)
  if (id === undefined) throw noPeriod()
  return id
}

export function bindBillingRoutes(parts: BillingParts): BoundRoutes {
  const { db, clock } = parts

  async function period(
    id: { cycleId: number; userId: number },
    hasOwnOpen = false,
    within: Db = db,
  ): Promise<BillingPeriod> {
    const [found] = (await listPeriods(within, { ...id, hasOwnOpen, now: clock.now() }, { limit: 1 })).items
    if (found === undefined) throw noPeriod()
    return found
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
    const [found] = (await listPayouts(within, { id }, { limit: 1 })).items
    if (found === undefined) throw new Refusal('not_found', 'There is no such payout.')
    return found
  }

  return bindRoutes(billingRoutes, {
    getProfile: (_, { actor }) => readProfile(db, actor.userId, clock.now()),
    putProfile: ({ body }, by) => writeProfile(parts, body, by),
    listPeriods: ({ query }, { actor }) =>
      listPeriods(db, { userId: actor.userId, hasOwnOpen: true, now: clock.now() }, query),
    listAllPeriods: ({ query }) => listPeriods(db, { ...query, now: clock.now() }, query),
    async listPeriodLines({ params }, { actor }) {
      const { cycleId, userId } = periodIdOf(params.id)
      if (userId !== actor.userId && !isPermitted(actor.role, 'paymentManagement')) throw noPeriod()
      const { status } = await period({ cycleId, userId }, true)
      return listLines(db, cycleId, userId, status === 'pending')
    },
    async payPeriod({ params, body }, by) {
      const { target, id } = await billed(params.id)
      return keyed(parts, by, ['payPeriod', params, body], async (within) => {
        await pay(within, target, body.transactionHash, by)
        return period(id, false, within.db)
      })
    },
    async decidePeriodPayment({ params, body }, by) {
      const { target, id } = await billed(params.id)
      await decide(parts, target, body, by)
      return period(id)
    },
    listPayments: ({ query }) => listPayments(db, query, query),
    createPayment: ({ body }, by) =>
      keyed(parts, by, ['createPayment', body], (within) => createPayment(within, body, by)),
    decidePayment: ({ params, body }, by) => decidePayment(parts, params.id, body, by),
    listPayouts: ({ query }) => listPayouts(db, query, query),
    getPayoutSummary: () => sumPayouts(db),
    processPayout: ({ params, body }, by) =>
      keyed(parts, by, ['processPayout', params, body], async (within) => {
        const hash = body?.transactionHash
        await pay(within, { kind: 'payout', id: params.id }, hash === '' ? undefined : hash, by)
        return payout(params.id, within.db)
      }),
    async decidePayoutPayment({ params, body }, by) {
      await decide(parts, { kind: 'payout', id: params.id }, body, by)
      return payout(params.id)
    },
  })
}
