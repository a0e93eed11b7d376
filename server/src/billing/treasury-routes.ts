import { Refusal } from '@tollgate/contract/errors.ts'
import { treasuryRoutes } from '@tollgate/contract/treasury.ts'
import { isPermitted } from '@tollgate/contract/vocabulary.ts'
import { bindRoutes, type BoundRoutes } from '../platform/http/handlers.ts'
import { rowId } from '../platform/refusals.ts'
import { fingerprintOf } from '../platform/security/signing.ts'
import { createAdjustment, decideAdjustment, toAdjustment } from './adjustments/adjust.ts'
import { listAdjustments } from './adjustments/adjustment-store.ts'
import { previewBackdating } from './adjustments/preview-backdating.ts'
import { exportAdjustments } from './export-lists.ts'
import type { BillingDeps } from './deps.ts'
import { allowClose } from './close/close-gate.ts'
import { listParks } from './watch/park-store.ts'
import { parsePeriodId } from './rules.ts'
import { whatIf } from './bills/what-if.ts'
import { readStatement } from './statement/read-statement.ts'

const unknownNumber = () => new Refusal('not_found', 'There is no such number. Reload the list.')

export function bindTreasuryRoutes(deps: BillingDeps): BoundRoutes {
  const { db, signer } = deps
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
    async allowClose({ body }, by) {
      await allowClose(deps, body, by)
      return undefined
    },
    async listParked() {
      return (await listParks(db)).parks.map(({ user_id, username, reason, words, parked_at }) => ({
        userId: user_id,
        userName: username,
        reason,
        words: [...words],
        parkedAt: parked_at.toISOString(),
      }))
    },
    async listAdjustments({ query }) {
      const page = await listAdjustments(db, query, query)
      return { items: page.rows.map(toAdjustment), next: page.next }
    },
    exportAdjustments: async ({ query }) => exportAdjustments(db, query),
    createAdjustment: ({ body }, by) => by.once(db, (tx) => createAdjustment({ ...deps, db: tx }, body, by)),
    previewBackdating: ({ query: { numberId, userId, from } }) =>
      previewBackdating(db, { numberId: rowId(numberId, unknownNumber), userId, from: new Date(from) }),
    decideAdjustment: ({ params, body }, by) => decideAdjustment(deps, params.id, body, by),
  })
}
