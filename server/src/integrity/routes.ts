import {
  caseRoutes,
  holdRoutes,
  type Hold,
  type IntegrityCase,
} from '@tollgate/contract/integrity/integrity.ts'
import { Refusal } from '@tollgate/contract/errors.ts'
import type { HoldAction } from '@tollgate/contract/vocabulary.ts'
import type { Db } from '../platform/db.ts'
import { bindRoutes, type BoundRoutes, type CallContext, type OnceReply } from '../http/handlers.ts'
import { afterCommit, transaction } from '../platform/transaction.ts'
import { exportReport, reportCases, viewCase } from './case-evidence.ts'
import { findCase, listCases, listCaseSenders } from './case-views.ts'
import { decideCase, extendCase, takeCase } from './decide-case.ts'
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

  async function decide(tx: Db, decision: Decision, by: CallContext): Promise<Hold[]> {
    await decideHolds(tx, parts, decision, by)
    const { ids } = decision
    const { items } = await listHolds(tx, { ids }, { sort: 'createdAt', order: 'desc', limit: ids.length })
    for (const { id, userId, status } of items)
      afterCommit(tx, () => parts.publish({ holdId: id, userId, status }))
    return items
  }

  function decideOne(
    id: string,
    action: HoldAction,
    reason: string,
    by: CallContext,
  ): Promise<OnceReply<Hold>> {
    return by.once(db, async (tx) => {
      const [hold] = await decide(tx, { ids: [id], action, reason }, by)
      if (hold === undefined) throw new Refusal('not_found', 'There is no such hold.')
      return hold
    })
  }

  return bindRoutes(holdRoutes, {
    listHolds: ({ query }) => listHolds(db, query, query),
    exportHolds: async ({ query }) => exportHolds(db, query),
    releaseHold: ({ params, body }, by) => decideOne(params.id, 'release', body.reason, by),
    confirmHold: ({ params, body }, by) => decideOne(params.id, 'confirm', body.reason, by),
    decideHolds: ({ body }, by) => by.once(db, (tx) => decide(tx, body, by)),
  })
}

export function bindCaseRoutes(parts: HoldRouteParts): BoundRoutes {
  const { db } = parts

  function act(id: string, work: (tx: Db) => Promise<unknown>): Promise<IntegrityCase> {
    return transaction(db, async (tx) => {
      await work(tx)
      return findCase(tx, id)
    })
  }

  return bindRoutes(caseRoutes, {
    listCases: ({ query }) => listCases(db, query, query),
    listCaseSenders: ({ params }) => listCaseSenders(db, params.id),
    getCase: ({ params }) => viewCase(db, params.id),
    decideCase: ({ params, body }, by) =>
      by.once(db, async (tx) => {
        await decideCase(tx, parts, params.id, body, by)
        return findCase(tx, params.id)
      }),
    takeCase: ({ params }, by) => act(params.id, (tx) => takeCase(tx, parts, params.id, by)),
    extendCase: ({ params, body }, by) =>
      act(params.id, (tx) => extendCase(tx, parts, params.id, body.reason, by)),
    reportCases: () => reportCases(db),
    exportCaseReport: async () => exportReport(db),
  })
}
