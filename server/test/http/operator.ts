// API calls that prepare a measurement or a drill.
import { signIn, type Call } from './session.ts'

export type { Call } from './session.ts'

export const benchPassword = 'a-long-bench-password'

/** Signs the bench's admin in. */
export const signInAsAdmin = (url: string): Promise<Call> => signIn(url, 'bench-admin', benchPassword)

/** Makes a client's account; returns its id. */
export async function makeClient(call: Call, username: string): Promise<number> {
  const client = (await call('POST', '/api/register', {
    username,
    password: benchPassword,
    email: `${username}@example.org`,
    firstName: 'Bench',
    lastName: 'Client',
    role: 'user',
  })) as { id: number }
  return client.id
}

/** Makes a supplier with SMPP access; returns its credentials. */
export async function makeSupplier(call: Call): Promise<{ systemId: string; password: string }> {
  const supplier = (await call('POST', '/api/register', {
    // A kept database has the suppliers of earlier runs.
    username: `benchsupplier${Date.now()}`,
    password: benchPassword,
    email: 'bench@example.org',
    firstName: 'Bench',
    lastName: 'Supplier',
    role: 'user',
    smppAccess: true,
    maxConnections: 100,
  })) as { id: number }
  return (await call('GET', `/api/users/${supplier.id}/smpp-credentials`)) as {
    systemId: string
    password: string
  }
}
