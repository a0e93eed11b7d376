// The audit log as slices under test write to it.
import { createAudit, type Audit, type AuditDeps } from '../../src/audit/index.ts'
import { createSecrets } from '../../src/platform/security/secrets.ts'
import { createUsers, type Users, type UsersParts } from '../../src/users/index.ts'
import { silentLog } from '../environment/database.ts'

const secrets = createSecrets('key material for the audit log')

/** The slice over a test's database, with a key of its own; faults go nowhere. */
export function createTestAudit(deps: Pick<AuditDeps, 'db' | 'clock'>): Audit {
  return createAudit({ ...deps, secrets, log: silentLog })
}

/** The people over a test's database, without mail unless it is given. */
export const createTestUsers = (
  deps: Pick<UsersParts, 'db' | 'clock' | 'audit'> & Partial<UsersParts>,
): Users =>
  createUsers({
    secrets: createSecrets('key material for tests'),
    smppAddress: () => ({ host: '127.0.0.1', port: 2775 }),
    ...deps,
  })
