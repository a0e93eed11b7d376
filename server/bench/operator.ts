// What an operator does through the API before something can be measured.

export const benchPassword = 'a-long-bench-password'

/** Calls the API as one person. */
export type Call = (method: string, path: string, body?: object) => Promise<unknown>

/** Signs the bench's admin in. */
export function signInAsAdmin(url: string): Promise<Call> {
  return signInAs(url, 'bench-admin')
}

/** Signs somebody in; everybody has the bench's password. */
export async function signInAs(url: string, username: string): Promise<Call> {
  let cookie = ''
  const call: Call = async (method, path, body) => {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { 'content-type': 'application/json', origin: url, cookie },
      ...(body && { body: JSON.stringify(body) }),
    })
    cookie = answer.headers.getSetCookie()[0]?.split(';')[0] ?? cookie
    if (answer.ok) return answer.json()
    const text = await answer.text()
    if (!text.includes('"reauthenticate"')) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
    // A measurement lasts longer than a fresh sign-in.
    await call('POST', '/api/user/reauthenticate', { password: benchPassword })
    return call(method, path, body)
  }
  await call('POST', '/api/login', { username, password: benchPassword })
  return call
}

/** Makes an account of a client; gives its id. */
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
