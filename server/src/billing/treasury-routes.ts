import { treasuryRoutes } from '@tollgate/contract/treasury.ts'
import { bindRoutes, type BoundRoutes } from '../platform/http/handlers.ts'
import { createAdjustment, decideAdjustment, toAdjustment } from './adjust.ts'
import { listAdjustments } from './adjustment-store.ts'
import { keyed } from './keyed.ts'
import type { BillingParts } from './parts.ts'

export function bindTreasuryRoutes(parts: BillingParts): BoundRoutes {
  const { db } = parts
  return bindRoutes(treasuryRoutes, {
    async listAdjustments({ query }) {
      const page = await listAdjustments(db, query, query)
      return { items: page.rows.map(toAdjustment), next: page.next }
    },
    createAdjustment: ({ body }, by) =>
      keyed(parts, by, ['createAdjustment', body], (within) => createAdjustment(within, body, by)),
    decideAdjustment: ({ params, body }, by) => decideAdjustment(parts, params.id, body, by),
  })
}
