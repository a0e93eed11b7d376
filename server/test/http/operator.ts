// API calls that prepare a measurement or a drill.
import { signIn, type Call } from './session.ts'

export type { Call } from './session.ts'

export const benchPassword = 'a-long-bench-password'

/** Signs the bench's admin in. */
export const signInAsAdmin = (url: string): Promise<Call> => signIn(url, 'bench-admin', benchPassword)

async function register(call: Call, username: string, more: object): Promise<number> {
  const person = { username, password: benchPassword, email: 'bench@example.org', firstName: 'Bench' }
  const body = { ...person, role: 'user', ...more }
  return (await call<{ id: number }>('POST', '/api/register', body)).id
}

/** Makes a client's account; returns its id. */
export const makeClient = (call: Call, username: string): Promise<number> =>
  register(call, username, { lastName: 'Client' })

/** Makes a supplier with SMPP access; returns its credentials. */
export async function makeSupplier(call: Call): Promise<{ systemId: string; password: string }> {
  // A kept database has the suppliers of earlier runs.
  const username = `benchsupplier${Date.now()}`
  const id = await register(call, username, { lastName: 'Supplier', smppAccess: true, maxConnections: 100 })
  return call('GET', `/api/users/${id}/smpp-credentials`)
}
