import { paymentRunRoutes, type RunDetail } from '@tollgate/contract/payment-runs/payment-runs.ts'
import { Refusal } from '@tollgate/contract/errors.ts'
import { formatMicro } from '@tollgate/contract/money.ts'
import type { Db } from '../platform/db.ts'
import { bindRoutes, type BoundRoutes } from '../http/handlers.ts'
import type { BillingDeps } from '../billing/index.ts'
import { readAging } from './aging.ts'
import { approveRun, cancelRun, closeRun, createRun, exportRun } from './change-run.ts'
import { draftPayees, isBundling, isNetting, isPayable, payeesOf, toDraftLine } from './draft-run.ts'
import { importHashes } from './import-hashes.ts'
import { readHashes } from './read-hashes.ts'
import { writeRunFile } from './run-file.ts'
import { findRun, listRuns } from './run-views.ts'

export function bindRunRoutes(deps: BillingDeps): BoundRoutes {
  const { db, settings } = deps

  /** Throws Refusal not_found. */
  async function find(id: string, tx: Db = db): Promise<RunDetail> {
    const found = await findRun(tx, id)
    if (found === undefined) throw new Refusal('not_found', 'There is no such payment run.')
    return found
  }

  return bindRoutes(paymentRunRoutes, {
    async draftRun({ query }) {
      const payees = await draftPayees(deps, query.references?.split(','))
      const ready = payees.filter(isPayable)
      const sum = ready.reduce((total, { amountMicro }) => total + amountMicro, 0n)
      return {
        lines: payees.map(toDraftLine),
        readyCount: ready.length,
        readyAmount: formatMicro(sum, 2),
        minimum: formatMicro(await settings.runMinimumMicro.get(db), 2),
        isBundled: await isBundling(deps),
        isNetted: await isNetting(deps),
      }
    },
    async createRun({ body }, by) {
      const payees = await payeesOf(deps, body.references)
      return by.once(db, async (tx) =>
        find(await createRun({ ...deps, db: tx }, { payees, ...body }, by), tx),
      )
    },
    listRuns: ({ query }) => listRuns(db, query, query),
    getRun: ({ params }) => find(params.id),
    async approveRun({ params }, by) {
      await approveRun(deps, params.id, by)
      return find(params.id)
    },
    async cancelRun({ params, body }, by) {
      await cancelRun(deps, params.id, body.reason, by)
      return find(params.id)
    },
    async exportRun({ params }, by) {
      await exportRun(deps, params.id, by)
      return find(params.id)
    },
    getRunFile: ({ params, query }) => writeRunFile(deps, params.id, query.form),
    async importRunHashes({ params, query, body }, by) {
      const content = by.file?.content ?? Buffer.from(body?.data ?? '')
      const lines = await readHashes(deps.tables, content, { userId: by.actor.userId, signal: by.signal })
      const input = { runId: params.id, lines, isTrial: query.dryRun === 'true', by }
      return by.once(db, (tx) => importHashes({ ...deps, db: tx }, input))
    },
    async closeRun({ params, body }, by) {
      await closeRun(deps, params.id, body.reason, by)
      return find(params.id)
    },
    getAging: () => readAging(deps),
  })
}
