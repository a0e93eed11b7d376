// What an operator does through the API before something can be measured.

export const benchPassword = 'a-long-bench-password'

/** Calls the API as one person. */
export type Call = (method: string, path: string, body?: object) => Promise<unknown>

/** Signs the bench's admin in. */
export async function signInAsAdmin(url: string): Promise<Call> {
  let cookie = ''
  const call: Call = async (method, path, body) => {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { 'content-type': 'application/json', origin: url, cookie },
      ...(body && { body: JSON.stringify(body) }),
    })
    cookie = answer.headers.getSetCookie()[0]?.split(';')[0] ?? cookie
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
    return answer.json()
  }
  await call('POST', '/api/login', { username: 'bench-admin', password: benchPassword })
  return call
}

/** A supplier with SMPP access; gives what it binds with. */
export async function makeSupplier(call: Call): Promise<{ systemId: string; password: string }> {
  const supplier = (await call('POST', '/api/register', {
    // A database that is kept has those of earlier runs.
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
