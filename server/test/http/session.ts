// A person signed in at a started gateway, as the console or a program of an operator would be.

/** Calls the API as one person: gives the JSON of the answer, or the text of a file; throws on a refusal. */
export interface Call {
  <T = unknown>(method: string, path: string, body?: object): Promise<T>
}

export interface Session {
  readonly call: Call
  /** For calls that read something else than JSON. */
  readonly cookie: () => string
  /** Uploads a file as the console does; `gone` ends the call when the caller goes. */
  readonly upload: (
    path: string,
    fileName: string,
    content: Buffer,
    gone?: AbortSignal,
  ) => Promise<{ status: number; message: string }>
}

/** Signs a person in; throws when that is refused. */
export async function openSession(url: string, username: string, password: string): Promise<Session> {
  let cookie = ''
  const ask = async (method: string, path: string, body?: object): Promise<Response> => {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { 'content-type': 'application/json', origin: url, cookie },
      ...(body && { body: JSON.stringify(body) }),
    })
    cookie = answer.headers.getSetCookie()[0]?.split(';')[0] ?? cookie
    return answer
  }
  async function call<T>(method: string, path: string, body?: object): Promise<T> {
    const answer = await ask(method, path, body)
    const isJson = answer.headers.get('content-type')?.startsWith('application/json') === true
    if (answer.ok) return (isJson ? await answer.json() : await answer.text()) as T
    const text = await answer.text()
    if (!text.includes('"reauthenticate"')) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
    // What lasts long signed in a while ago.
    await call('POST', '/api/user/reauthenticate', { password })
    return call(method, path, body)
  }
  await call('POST', '/api/login', { username, password })
  return {
    call,
    cookie: () => cookie,
    async upload(path, fileName, content, gone) {
      const form = new FormData()
      form.append('file', new Blob([new Uint8Array(content)]), fileName)
      const answer = await fetch(`${url}${path}`, {
        method: 'POST',
        headers: { origin: url, cookie },
        body: form,
        ...(gone && { signal: gone }),
      })
      const { message = '' } = (await answer.json()) as { message?: string }
      return { status: answer.status, message }
    },
  }
}

/** The same for who only calls. */
export const signIn = async (url: string, username: string, password: string): Promise<Call> =>
  (await openSession(url, username, password)).call
