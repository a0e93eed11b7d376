import { auditRoutes } from '@tollgate/contract/audit.ts'
import type { Db } from '../platform/db.ts'
import { bindRoutes, type BoundRoutes } from '../platform/http/handlers.ts'
import { exportEntries, listEntries, verifyChain } from './service.ts'
import { actions } from './store.ts'

export function bindAuditRoutes(db: Db): BoundRoutes {
  return bindRoutes(auditRoutes, {
    listAuditEntries: ({ query }) => listEntries(db, query),
    exportAuditEntries: async ({ query }) => exportEntries(db, query),
    listAuditActions: () => actions(db),
    verifyAudit: () => verifyChain(db),
  })
}
