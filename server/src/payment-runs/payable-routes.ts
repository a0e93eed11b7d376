import { payableRoutes } from '@tollgate/contract/payment-runs/payables.ts'
import { bindRoutes, type BoundRoutes } from '../http/handlers.ts'
import type { BillingDeps } from '../billing/index.ts'
import { exportPayables, listPayables, sumOwnDue, sumPayables } from './payables.ts'

export function bindPayableRoutes({ db, clock }: BillingDeps): BoundRoutes {
  return bindRoutes(payableRoutes, {
    listPayables: ({ query }) => listPayables(db, { ...query, now: clock.now() }, query),
    getOwnDue: (_, { actor }) => sumOwnDue(db, actor.userId, clock.now()),
    getPayablesSummary: ({ query }) => sumPayables(db, { ...query, now: clock.now() }),
    exportPayables: async ({ query }) => exportPayables(db, { ...query, now: clock.now() }),
  })
}
