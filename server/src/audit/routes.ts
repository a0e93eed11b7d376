import { auditRoutes, type AuditState } from '@tollgate/contract/audit/audit.ts'
import type { Db } from '../platform/db.ts'
import { bindRoutes, type BoundRoutes } from '../http/handlers.ts'
import { fingerprintOf } from '../platform/security/signing.ts'
import { acknowledge } from './acknowledge.ts'
import { exportChain } from './chain-file.ts'
import { findHeads } from './head-line.ts'
import { lastHead } from './head-store.ts'
import type { AuditKeys } from './keys.ts'
import { exportEntries, type AuditRecord } from './service.ts'
import { actions, listEntries } from './store.ts'
import type { Watch } from './watch.ts'

export interface AuditRouteDeps {
  readonly db: Db
  readonly keys: AuditKeys
  readonly watch: Watch
  readonly record: (tx: Db, entry: AuditRecord) => Promise<void>
}

export function bindAuditRoutes({ db, keys, watch, record }: AuditRouteDeps): BoundRoutes {
  const state = () => showState(db, watch)
  return bindRoutes(auditRoutes, {
    listAuditEntries: ({ query }) => listEntries(db, query),
    exportAuditEntries: async ({ query }) => exportEntries(db, query),
    listAuditActions: () => actions(db),
    verifyAudit: () => watch.verify(db),
    getAuditState: state,
    exportAuditChain: async () => exportChain(db),
    acknowledgeAuditBreak: async ({ body }, { actor, ip }) => {
      await acknowledge(db, keys, record, { ...body, actor, ip })
      return state()
    },
  })
}

async function showState(db: Db, watch: Watch): Promise<AuditState> {
  const [{ broken, checkedAt, roundEndedAt, tail }, published] = [await watch.state(db), await lastHead(db)]
  const [head] = findHeads(published?.line ?? '')
  return {
    broken: broken ?? null,
    checkedAt: checkedAt ?? null,
    wholeCheckedAt: roundEndedAt ?? null,
    checkedCount: tail.entryCount,
    head:
      published === undefined || head === undefined
        ? null
        : {
            line: published.line,
            entryId: published.entry_id,
            publishedAt: published.published_at.toISOString(),
            fingerprint: fingerprintOf(head.publicKey),
          },
  }
}
