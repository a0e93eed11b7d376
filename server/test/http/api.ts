// The API as programs see it: the real HTTP server over a slice's routes, called without a socket.
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { fillPath, type HttpMethod, type Route } from '@tollgate/contract/route.ts'
import { isPermitted, restrictions, roles } from '@tollgate/contract/vocabulary.ts'
import { systemClock, type Clock } from '../../src/platform/clock.ts'
import { refuseUnlessAllowed, type FindActor } from '../../src/http/authorize.ts'
import type { Actor, BoundRoutes } from '../../src/http/handlers.ts'
import { createHttpServer } from '../../src/http/server.ts'
import { createSecrets } from '../../src/platform/security/secrets.ts'
import { afterUse, silentLog } from '../environment/database.ts'

export interface TestCall {
  readonly body?: unknown
  /** A body as it is, with its content type: for uploads. */
  readonly raw?: { readonly contentType: string; readonly payload: Buffer }
  /** The session cookie's value, from {@link TestApi.signIn} or from an earlier answer. */
  readonly cookie?: string | undefined
  readonly key?: string
  readonly ip?: string
  readonly headers?: Record<string, string>
}

export interface TestAnswer {
  readonly status: number
  // oxlint-disable-next-line typescript/no-explicit-any -- each test knows what it asked for
  readonly body: any
  readonly text: string
  readonly rawPayload: Buffer
  readonly headers: Record<string, string | string[] | number | undefined>
  /** The session cookie it sets; '' when it takes the cookie away. */
  readonly cookie: string | undefined
  /** The address of the next page. */
  readonly next: string | undefined
}

export interface TestApi {
  call(method: HttpMethod, path: string, request?: TestCall): Promise<TestAnswer>
  /**
   * Gives a cookie that signs `actor` in, without a password or a row in the database. Unless it says when, the person
   * has always signed in just now.
   */
  signIn(actor: Actor): string
  /** Calls as this person. */
  as(actor: Actor): PersonCall
}

type PersonCall = (method: HttpMethod, path: string, body?: unknown) => Promise<TestAnswer>

/** Serves the routes until the test file ends. Without `findActor` only {@link TestApi.signIn} signs anybody in. */
export async function openTestApi(
  routes: readonly BoundRoutes[],
  findActor?: FindActor,
  clock: Clock = systemClock,
): Promise<TestApi> {
  const actors = new Map<string, Actor>()
  const server = await createHttpServer({
    routes,
    clock,
    async findActor(credentials) {
      const actor = actors.get(credentials.session ?? '')
      if (actor === undefined) return findActor?.(credentials)
      return actor.scopes === undefined ? { authenticatedAt: clock.now(), ...actor } : actor
    },
    log: silentLog,
    publicUrl: undefined,
    secrets: createSecrets('key material for tests'),
    checks: {},
  })
  afterUse(() => server.close())
  const api: TestApi = {
    as(actor) {
      const cookie = api.signIn(actor)
      return (method, path, body) => api.call(method, path, { cookie, body })
    },
    signIn(actor) {
      const cookie = `test-actor-${String(actors.size).padStart(10, '0')}`
      actors.set(cookie, actor)
      return cookie
    },
    async call(method, path, { body, raw, cookie, key, ip, headers } = {}) {
      const ask = () =>
        server.app.inject({
          method,
          url: path,
          remoteAddress: ip ?? '192.0.2.1',
          headers: {
            ...(cookie === undefined ? {} : { cookie: `sid=${cookie}` }),
            ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
            ...(body === undefined ? {} : { 'content-type': 'application/json' }),
            ...(raw === undefined ? {} : { 'content-type': raw.contentType }),
            // The console sends one with each change.
            ...(cookie === undefined || method === 'GET' ? {} : { 'idempotency-key': randomUUID() }),
            ...headers,
          },
          ...(raw === undefined ? {} : { payload: raw.payload }),
          ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
        })
      let answer = await ask()
      // A test reads many pages, and a quick machine reads a hundred in a second: it waits then, as a program should.
      while (answer.statusCode === 429 && answer.body.includes('Too many calls.')) {
        await sleep(100)
        answer = await ask()
      }
      const isJson = String(answer.headers['content-type']).startsWith('application/json')
      return {
        status: answer.statusCode,
        body: isJson ? answer.json() : undefined,
        text: answer.body,
        rawPayload: answer.rawPayload,
        headers: answer.headers,
        cookie: answer.cookies.find(({ name }) => name === 'sid')?.value,
        next: /<(.+)>; rel="next"/.exec(String(answer.headers['link'] ?? ''))?.[1],
      }
    },
  }
  return api
}

let strangerId = 2_000_000_000

// A fresh sign-in is five minutes or an hour old.
const staleMs = { now: 6 * 60_000, hour: 61 * 60_000 } as const

/**
 * Declares one test for each route: nobody gets 401; every role that the permission map denies, and a key without the
 * route's scope, gets 403; of those permitted, a sign-in that is too old for a fresh route is refused with
 * `reauthenticate`, and one of six minutes ago only by those that always ask; and a session that must do something first
 * is refused by all that are not open to it. `compose.test.ts` does so for all of them.
 */
export function testRefusals(routes: readonly BoundRoutes[], api: TestApi): void {
  const guarded = routes
    .flatMap(({ table }) => Object.values(table))
    .filter(({ access }) => access !== 'public')
  test.each(guarded.map((route) => [`${route.method} ${route.path}`, route] as const))(
    '%s refuses nobody, whom the permission map denies, and a sign-in too old for it or held back',
    async (_, route) => {
      expect((await callAs(api, route, undefined)).status).toBe(401)
      for (const role of roles) {
        // Each call is somebody else's, or the limit of calls per second would answer before the permission map.
        const userId = (strangerId += 1)
        const authenticatedAt = new Date(Date.now() - staleMs[route.fresh ?? 'hour'])
        const person = { userId, username: 'someone', role, authenticatedAt }
        const isDenied = route.access !== 'public' && !isPermitted(role, route.access)
        const code = isDenied || route.fresh !== undefined ? await refusalOf(api, route, person) : 'none'
        if (isDenied) expect.soft([role, code]).toEqual([role, 'forbidden'])
        else if (route.fresh !== undefined) expect.soft([role, code]).toEqual([role, 'reauthenticate'])
        // Not called: it would do what it is for.
        if (!isDenied && route.fresh !== 'now') {
          const lately = { ...person, authenticatedAt: new Date(Date.now() - staleMs.now) }
          expect.soft(() => refuseUnlessAllowed(route, lately, systemClock)).not.toThrow()
        }
        for (const restriction of isDenied || route.isOpenToRestricted === true ? [] : restrictions) {
          const held = { ...person, userId: (strangerId += 1), restriction }
          expect.soft([role, await refusalOf(api, route, held)]).toEqual([role, `${restriction}_required`])
        }
        const program = { ...person, scopes: [] }
        expect.soft([role, 'key', (await callAs(api, route, program)).status]).toEqual([role, 'key', 403])
      }
    },
  )
}

/** The code of a 403. */
async function refusalOf(api: TestApi, route: Route, actor: Actor): Promise<unknown> {
  const { status, body } = await callAs(api, route, actor)
  return status === 403 ? body.code : status
}

function callAs(api: TestApi, route: Route, actor: Actor | undefined): Promise<TestAnswer> {
  const path = fillPath(route.path, new Proxy({}, { get: () => '1' }))
  return api.call(route.method, path, { cookie: actor === undefined ? undefined : api.signIn(actor) })
}
