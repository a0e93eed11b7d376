// The audit log as slices under test write to it.
import { createAudit, type Audit, type AuditDeps } from '../../src/audit/index.ts'
import { createSecrets } from '../../src/platform/security/secrets.ts'
import { silentLog } from '../environment/database.ts'

const secrets = createSecrets('key material for the audit log')

/** The slice over a test's database, with a key of its own; faults go nowhere. */
export function createTestAudit(deps: Pick<AuditDeps, 'db' | 'clock'>): Audit {
  return createAudit({ ...deps, secrets, log: silentLog })
}
