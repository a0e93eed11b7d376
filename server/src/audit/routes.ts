import { auditRoutes } from '@tollgate/contract/audit.ts'
import type { Db } from '../platform/db.ts'
import { bindRoutes, type BoundRoutes } from '../platform/http/handlers.ts'
import type { AuditKeys } from './keys.ts'
import { exportEntries, listEntries } from './service.ts'
import { actions } from './store.ts'
import { verifyChain } from './verify.ts'

export function bindAuditRoutes(db: Db, keys: AuditKeys): BoundRoutes {
  return bindRoutes(auditRoutes, {
    listAuditEntries: ({ query }) => listEntries(db, query),
    exportAuditEntries: async ({ query }) => exportEntries(db, query),
    listAuditActions: () => actions(db),
    verifyAudit: () => verifyChain(db, keys),
  })
}
