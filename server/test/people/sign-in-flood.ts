// Strangers of many addresses who make the gateway hash passwords: guesses at accounts, and sign-ups.
import { Agent, request } from 'node:http'

export interface FloodCall {
  readonly path: string
  readonly body: object
  /** The loopback address to call from. */
  readonly from: string
  readonly cookie?: string
}

export interface FloodAnswer {
  readonly status: number
  readonly cookies: readonly string[]
  readonly tookMs: number
}

/** Calls a gateway on this machine from a loopback address of the caller's choice. */
export function floodCaller(url: string): (call: FloodCall) => Promise<FloodAnswer> {
  const agent = new Agent({ keepAlive: true })
  return ({ path, body, from, cookie }) =>
    new Promise((resolve, reject) => {
      const begunMs = performance.now()
      const headers = {
        'content-type': 'application/json',
        origin: url,
        ...(cookie === undefined ? {} : { cookie }),
      }
      const call = request(
        `${url}${path}`,
        { method: 'POST', agent, localAddress: from, headers },
        (answer) => {
          answer.resume().on('end', () =>
            resolve({
              status: answer.statusCode ?? 0,
              cookies: answer.headers['set-cookie'] ?? [],
              tookMs: performance.now() - begunMs,
            }),
          )
        },
      )
      call.on('error', reject).end(JSON.stringify(body))
    })
}

export interface FloodCounts {
  evaluated: number
  made: number
}

let address = 0

/** A loopback address that nobody has called from. */
export function newLoopback(): string {
  address += 1
  return `127.9.${Math.floor(address / 250)}.${(address % 250) + 1}`
}

/**
 * Four guess without end, each at one name after the other, and four sign up from `signUpFrom`, until it is over. Each waits
 * for its answer, and takes another address when it is refused.
 */
export async function floodSignIns(
  url: string,
  { isOver, signUpFrom, counts }: { isOver: AbortSignal; signUpFrom: string; counts: FloodCounts },
): Promise<void> {
  const call = floodCaller(url)
  const guess = async (nth: number) => {
    let from = newLoopback()
    for (let tries = 0; tries < 10_000 && !isOver.aborted; tries += 1) {
      const body = { username: `nobody${nth}-${tries}`, password: 'a guess' }
      const { status } = await call({ path: '/api/login', body, from })
      if (status === 401) counts.evaluated += 1
      else from = newLoopback()
    }
  }
  const signUp = async (nth: number) => {
    const person = { password: 'correct horse', email: 'f@example.org', firstName: 'F', lastName: 'F' }
    for (let tries = 0; tries < 10_000 && !isOver.aborted; tries += 1) {
      const username = `flood-${nth}-${tries}-${Date.now().toString(36)}`
      const { status } = await call({
        path: '/api/register',
        body: { username, ...person },
        from: signUpFrom,
      })
      if (status === 201) counts.made += 1
      // A refusal is quick, and so many of them would measure this process.
      else await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  await Promise.all([0, 1, 2, 3].flatMap((nth) => [guess(nth), signUp(nth)]))
}
