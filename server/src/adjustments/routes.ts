import { adjustmentRoutes, type Adjustment } from '@tollgate/contract/adjustments/adjustments.ts'
import { Refusal } from '@tollgate/contract/errors.ts'
import type { BillingDeps } from '../billing/index.ts'
import { csvOfList, type CsvColumn, exportPageRows } from '../files/formats/csv.ts'
import { bindRoutes, type BoundRoutes, type StreamReply } from '../http/handlers.ts'
import type { Db } from '../platform/db.ts'
import { rowId } from '../platform/refusals.ts'
import { createAdjustment, decideAdjustment } from './adjust.ts'
import { listAdjustments, type AdjustmentFilter } from './adjustment-store.ts'
import { previewBackdating } from './preview-backdating.ts'

const unknownNumber = () => new Refusal('not_found', 'There is no such number. Reload the list.')

export function bindAdjustmentRoutes(deps: BillingDeps): BoundRoutes {
  const { db } = deps
  return bindRoutes(adjustmentRoutes, {
    listAdjustments: ({ query }) => listAdjustments(db, query, query),
    exportAdjustments: async ({ query }) => exportAdjustments(db, query),
    createAdjustment: ({ body }, by) => by.once(db, (tx) => createAdjustment({ ...deps, db: tx }, body, by)),
    previewBackdating: ({ query: { numberId, userId, from } }) =>
      previewBackdating(db, { numberId: rowId(numberId, unknownNumber), userId, from: new Date(from) }),
    decideAdjustment: ({ params, body }, by) => decideAdjustment(deps, params.id, body, by),
  })
}

const adjustmentColumns: readonly CsvColumn<Adjustment>[] = [
  ['Adjustment ID', ({ id }) => id],
  ['Date', ({ createdAt }) => createdAt],
  ['User', ({ userName }) => userName],
  ['Amount (USDT)', ({ amount }) => amount],
  ['Reason', ({ reason }) => reason],
  ['About', ({ reference }) => reference],
  ['Status', ({ status }) => status],
  ['Bill', ({ periodId }) => periodId ?? ''],
  ['Made by', ({ requestedBy }) => requestedBy],
  ['Decided by', ({ decidedBy }) => decidedBy],
  ['Decided', ({ decidedAt }) => decidedAt ?? ''],
  ['AdjustmentDecision', ({ decisionReason }) => decisionReason],
]

function exportAdjustments(db: Db, filter: AdjustmentFilter): StreamReply {
  return csvOfList('adjustments.csv', adjustmentColumns, (cursor) =>
    listAdjustments(db, filter, { sort: 'createdAt', order: 'desc', limit: exportPageRows, cursor }),
  )
}
