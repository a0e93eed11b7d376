import { formatMicro, parseMicro } from '@tollgate/contract/money.ts'
import { Refusal } from '@tollgate/contract/errors.ts'
import { treasuryRoutes } from '@tollgate/contract/treasury.ts'
import { isPermitted } from '@tollgate/contract/vocabulary.ts'
import { bindRoutes, type BoundRoutes } from '../platform/http/handlers.ts'
import { fingerprintOf } from '../platform/security/signing.ts'
import { createAdjustment, decideAdjustment, toAdjustment } from './adjust.ts'
import { listAdjustments } from './adjustment-store.ts'
import { exportBatch, listBatch } from './export-batch.ts'
import { exportAdjustments } from './export-lists.ts'
import { importBatch, readBatchReceipts } from './import-batch.ts'
import { keyed } from './keyed.ts'
import type { BillingParts } from './parts.ts'
import { readBatch } from './read-batch.ts'
import { listParks } from './park-store.ts'
import { parsePeriodId } from './rules.ts'
import { whatIf } from './what-if.ts'
import { readStatement } from './statement/read-statement.ts'

export function bindTreasuryRoutes(parts: BillingParts): BoundRoutes {
  const { db, signer } = parts
  return bindRoutes(treasuryRoutes, {
    async readStatement({ params }, { actor }) {
      const id = parsePeriodId(params.id)
      const isSeen = id?.userId === actor.userId || isPermitted(actor.role, 'paymentManagement')
      if (id === undefined || !isSeen) throw new Refusal('not_found', 'There is no such billing period.')
      return readStatement(db, id.cycleId, id.userId)
    },
    async getStatementKey() {
      const { publicKey } = signer
      return { algorithm: 'Ed25519' as const, publicKey, fingerprint: fingerprintOf(publicKey) }
    },
    whatIf: ({ query }) => whatIf(db, query),
    async listBatch() {
      const found = await listBatch(parts)
      const ready = found.filter(({ problem }) => problem === '')
      const sum = ready.reduce((total, { amount }) => total + (parseMicro(amount) ?? 0n), 0n)
      return { rows: found, readyCount: ready.length, readyAmount: formatMicro(sum, 2) }
    },
    exportBatch: () => exportBatch(parts),
    async importBatch({ query, body }, by) {
      const content = by.file?.content ?? Buffer.from(body?.data ?? '')
      const isTrial = query.dryRun === 'true'
      const wanted = await readBatch(parts.tables, content, { userId: by.actor.userId, signal: by.signal })
      const batch = { wanted, receipts: await readBatchReceipts(parts, wanted), by }
      return keyed(parts, by, ['importBatch', query, wanted], (within) => importBatch(within, batch, isTrial))
    },
    async listParked() {
      return (await listParks(db)).map(({ user_id, username, reason, parked_at }) => ({
        userId: user_id,
        userName: username,
        reason,
        parkedAt: parked_at.toISOString(),
      }))
    },
    async listAdjustments({ query }) {
      const page = await listAdjustments(db, query, query)
      return { items: page.rows.map(toAdjustment), next: page.next }
    },
    exportAdjustments: async ({ query }) => exportAdjustments(db, query),
    createAdjustment: ({ body }, by) =>
      keyed(parts, by, ['createAdjustment', body], (within) => createAdjustment(within, body, by)),
    decideAdjustment: ({ params, body }, by) => decideAdjustment(parts, params.id, body, by),
  })
}
