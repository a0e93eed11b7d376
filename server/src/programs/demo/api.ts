// A client of the console's API for the demo: over HTTP as a signed-in person, with all checks.
import { setTimeout as sleep } from 'node:timers/promises'

export class ApiFailure extends Error {
  readonly status: number

  constructor(status: number, call: string, message: string) {
    super(`${call}: ${status} ${message}`)
    this.status = status
  }
}

export interface Api {
  /** Makes a call and returns the response's body; throws ApiFailure when it is refused. */
  call<T>(method: 'GET' | 'POST' | 'PUT', path: string, body?: unknown): Promise<T>
}

/** Signs in. Throws ApiFailure 401 when the password is not the account's. */
export async function signIn(base: string, username: string, password: string): Promise<Api> {
  let cookie = ''
  const call = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    for (;;) {
      const answer = await fetch(`${base}${path}`, {
        method,
        headers: {
          ...(cookie === '' ? {} : { cookie }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(30_000),
      })
      cookie = answer.headers.getSetCookie()[0]?.split(';')[0] ?? cookie
      if (answer.status === 429) {
        await answer.arrayBuffer()
        await sleep(1_000 * Math.max(1, Number(answer.headers.get('retry-after') ?? 1)))
        continue
      }
      const text = await answer.text()
      if (!answer.ok) throw new ApiFailure(answer.status, `${method} ${path}`, messageOf(text))
      return (text === '' ? undefined : JSON.parse(text)) as T
    }
  }
  await call('POST', '/api/login', { username, password })
  return { call }
}

function messageOf(text: string): string {
  try {
    const { message } = JSON.parse(text) as { message?: unknown }
    return typeof message === 'string' ? message : ''
  } catch {
    return text.slice(0, 200)
  }
}
