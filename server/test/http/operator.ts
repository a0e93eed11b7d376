// API calls that prepare a measurement or a drill.

export const benchPassword = 'a-long-bench-password'

/** An API call as one signed-in person: gives the JSON of the answer, or the text of a file. */
export type Call = (method: string, path: string, body?: object) => Promise<unknown>

/** Signs the bench's admin in. */
export function signInAsAdmin(url: string): Promise<Call> {
  return signInAs(url, 'bench-admin')
}

/** Signs a person in with {@link benchPassword}. */
export async function signInAs(url: string, username: string): Promise<Call> {
  let cookie = ''
  const call: Call = async (method, path, body) => {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { 'content-type': 'application/json', origin: url, cookie },
      ...(body && { body: JSON.stringify(body) }),
    })
    cookie = answer.headers.getSetCookie()[0]?.split(';')[0] ?? cookie
    if (answer.ok)
      return answer.headers.get('content-type')?.startsWith('application/json') === true
        ? answer.json()
        : answer.text()
    const text = await answer.text()
    if (!text.includes('"reauthenticate"')) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
    // A measurement lasts longer than a reauthentication is valid.
    await call('POST', '/api/user/reauthenticate', { password: benchPassword })
    return call(method, path, body)
  }
  await call('POST', '/api/login', { username, password: benchPassword })
  return call
}

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
