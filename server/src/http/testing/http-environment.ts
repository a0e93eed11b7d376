// A server of http with routes of every kind, for its tests.
import { Readable } from 'node:stream'
import { afterAll, beforeEach } from 'vitest'
import { z } from 'zod'
import { Refusal } from '@tollgate/contract/errors.ts'
import { okSchema, pageQuery, userIdParams } from '@tollgate/contract/fields.ts'
import { routes } from '@tollgate/contract/route.ts'
import { silentLog } from '../../../test/environment/database.ts'
import { systemClock } from '../../platform/clock.ts'
import type { Logger } from '../../platform/log.ts'
import { bindRoutes, type Actor } from '../handlers.ts'
import { createHttpServer, type HttpServer } from '../server.ts'
import { createSecrets } from '../../platform/security/secrets.ts'

const table = routes({
  greet: {
    method: 'GET',
    path: '/api/greet',
    summary: 'Says hello.',
    access: 'public',
    response: z.object({ hello: z.string() }),
  },
  read: {
    method: 'GET',
    path: '/api/things/{id}',
    summary: 'One thing.',
    access: 'signedIn',
    scope: 'records:read',
    params: userIdParams,
    response: z.object({ id: z.int(), by: z.string() }),
  },
  list: {
    method: 'GET',
    path: '/api/things',
    summary: 'All things.',
    access: 'signedIn',
    query: pageQuery.extend({ search: z.string().optional() }),
    response: z.array(z.object({ id: z.int() })),
    isPaged: true,
  },
  create: {
    method: 'POST',
    path: '/api/things',
    summary: 'Make a thing.',
    access: 'adminSettings',
    body: z.object({ name: z.string().min(2), size: z.int().optional() }),
    response: z.object({ name: z.string() }),
    status: 201,
  },
  touch: { method: 'POST', path: '/api/touch', summary: 'No body.', access: 'signedIn', response: okSchema },
  remove: {
    method: 'DELETE',
    path: '/api/things/{id}',
    summary: 'Remove.',
    access: 'signedIn',
    params: userIdParams,
  },
  upload: {
    method: 'POST',
    path: '/api/upload',
    summary: 'A file or data.',
    access: 'signedIn',
    upload: true,
    body: z.object({ data: z.string() }),
    bodyLimitBytes: 6_000_000,
    response: z.object({ size: z.int() }),
  },
  export: { method: 'GET', path: '/api/export', summary: 'CSV.', access: 'signedIn', stream: 'csv' },
  broken: { method: 'GET', path: '/api/broken', summary: 'CSV.', access: 'signedIn', stream: 'csv' },
  cut: { method: 'GET', path: '/api/cut', summary: 'CSV.', access: 'signedIn', stream: 'csv' },
  feed: { method: 'GET', path: '/api/feed', summary: 'Events.', access: 'signedIn', stream: 'events' },
  fail: {
    method: 'GET',
    path: '/api/fail/{id}',
    summary: 'Fails in every way.',
    access: 'public',
    params: z.object({ id: z.string() }),
    response: z.object({ fine: z.string() }),
  },
  login: { method: 'POST', path: '/api/login', summary: 'Signs in.', access: 'public', response: okSchema },
})

const secret = 'select * from users where password = hunter2'
const failures: Record<string, () => unknown> = {
  bug: () => {
    throw new Error(secret)
  },
  refused: () => {
    throw new Refusal('too_many', 'Later.', { retryAfterSeconds: 7 })
  },
  away: () => {
    throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED', syscall: 'connect' })
  },
  mismatch: () => ({ fine: 12, password: secret }),
  string: () => {
    // oxlint-disable-next-line typescript/only-throw-error
    throw secret
  },
}

/** What the routes that write were called with, in this test. */
export const calls: string[] = []
beforeEach(() => void calls.splice(0))

const bound = bindRoutes(table, {
  greet: async () => ({ hello: 'you', extra: 'stripped' }) as { hello: string },
  read: async ({ params }, { actor }) => ({ id: params.id, by: actor.username }),
  list: async ({ query }) => ({
    items: [{ id: query.limit }],
    next: query.cursor === undefined ? 'n+1' : undefined,
  }),
  create: async ({ body }) => {
    calls.push(`create ${body.name}`)
    return body
  },
  touch: async () => {
    calls.push('touch')
    return {}
  },
  remove: async () => undefined,
  upload: async ({ body }, { file }) => ({ size: file?.content.length ?? body.data.length }),
  export: async () => ({
    contentType: 'text/csv; charset=utf-8',
    fileName: 'a "b"\r\n.csv',
    stream: Readable.from(['id\r\n', '1\r\n'.repeat(1_000)]),
  }),
  cut: async () => ({
    contentType: 'text/csv; charset=utf-8',
    fileName: 'cut.csv',
    stream: (async function* () {
      yield 'id\r\n'
      throw new Error('cut')
    })(),
  }),
  broken: async () => ({
    contentType: 'text/csv; charset=utf-8',
    fileName: 'broken.csv',
    stream: new Readable({
      read() {
        this.destroy(new Refusal('unavailable', 'Not now.'))
      },
    }),
  }),
  feed: async () => ({ contentType: 'text/event-stream', stream: new Readable({ read: () => undefined }) }),
  fail: async ({ params }) => failures[params.id]?.() as { fine: string },
  login: async (_, call) => {
    call.setSessionCookie('s'.repeat(32))
    return {}
  },
})

const people: Record<string, Actor> = {
  admin: { userId: 1, username: 'ada', role: 'admin' },
  user: { userId: 2, username: 'uli', role: 'user' },
  busy: { userId: 3, username: 'bo', role: 'user' },
  key: { userId: 2, username: 'uli', role: 'user', scopes: ['records:read'] },
}

const open: HttpServer[] = []
export async function serve(
  publicUrl?: string,
  consoleFolder?: string,
  log: Logger = silentLog,
): Promise<HttpServer> {
  const server = await createHttpServer({
    secrets: createSecrets('key material for tests'),
    clock: systemClock,
    routes: [bound],
    // The session id of each is their name, filled up to a session id's length.
    findActor: async ({ session, key }) => people[session?.replace(/-+$/, '') ?? key ?? ''],
    log,
    publicUrl: publicUrl === undefined ? undefined : new URL(publicUrl),
    checks: { well: () => true, slow: () => new Promise(() => undefined) },
    ...(consoleFolder === undefined ? {} : { consoleFolder }),
  })
  open.push(server)
  return server
}
afterAll(() => Promise.all(open.map((server) => server.close())))

export const { app } = await serve()
export const secure = (await serve('https://gateway.example.com')).app
export const as = (name: string) => ({ cookie: `sid=${name.padEnd(32, '-')}` })
export const json = { 'content-type': 'application/json' }
