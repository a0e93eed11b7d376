import { holdRoutes, type Hold } from '@tollgate/contract/integrity.ts'
import { Refusal } from '@tollgate/contract/errors.ts'
import type { HoldAction } from '@tollgate/contract/vocabulary.ts'
import type { Db } from '../platform/db.ts'
import { bindRoutes, type BoundRoutes, type CallContext } from '../platform/http/handlers.ts'
import { onceForKey } from '../platform/http/idempotency.ts'
import { decideHolds, type Decision, type HoldParts } from './service.ts'
import { exportHolds, listHolds } from './views.ts'

export interface HoldRouteParts extends HoldParts {
  readonly db: Db
  /** The pool for heavy calls; `db` by default. */
  readonly heavyDb?: Db | undefined
  /** Updates the screens of reviewers and of the client. */
  readonly publish: (event: {
    readonly holdId: string
    readonly userId: number
    readonly status: string
  }) => void
}

export function bindHoldRoutes(parts: HoldRouteParts): BoundRoutes {
  const { db } = parts

  async function decide(decision: Decision, by: CallContext): Promise<Hold[]> {
    const call = { userId: by.actor.userId, key: by.header('idempotency-key'), request: decision }
    const holds = await onceForKey(db, call, async (tx) => {
      await decideHolds(tx, parts, decision, by)
      const { ids } = decision
      return (await listHolds(tx, { ids }, { sort: 'createdAt', order: 'desc', limit: ids.length })).items
    })
    for (const { id, userId, status } of holds) parts.publish({ holdId: id, userId, status })
    return holds
  }

  async function decideOne(id: string, action: HoldAction, reason: string, by: CallContext): Promise<Hold> {
    const [hold] = await decide({ ids: [id], action, reason }, by)
    if (hold === undefined) throw new Refusal('not_found', 'There is no such hold.')
    return hold
  }

  return bindRoutes(holdRoutes, {
    listHolds: ({ query }) => listHolds(db, query, query),
    exportHolds: async ({ query }) => exportHolds(db, query),
    releaseHold: ({ params, body }, by) => decideOne(params.id, 'release', body.reason, by),
    confirmHold: ({ params, body }, by) => decideOne(params.id, 'confirm', body.reason, by),
    decideHolds: ({ body }, by) => decide(body, by),
  })
}
