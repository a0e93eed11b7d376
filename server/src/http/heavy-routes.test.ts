// Heavy calls over real sockets: how many, for how long, and from which database.
import { connect } from 'node:net'
import { afterAll, expect, test } from 'vitest'
import { z } from 'zod'
import { routes } from '@tollgate/contract/route.ts'
import { silentLog } from '../../test/environment/database.ts'
import { systemClock } from '../platform/clock.ts'
import type { Db } from '../platform/db.ts'
import { bindOn, bindRoutes, type Actor, type OnDatabase } from './handlers.ts'
import { createHttpServer } from './server.ts'
import { createSecrets } from '../platform/security/secrets.ts'

const which = z.object({ from: z.string() })
const table = routes({
  report: {
    method: 'GET',
    path: '/api/report',
    summary: 'Takes long.',
    access: 'signedIn',
    response: which,
    isHeavy: true,
  },
  page: { method: 'GET', path: '/api/page', summary: 'Quick.', access: 'signedIn', response: which },
  search: {
    method: 'GET',
    path: '/api/search',
    summary: 'Takes its time.',
    access: 'signedIn',
    response: which,
  },
  change: {
    method: 'GET',
    path: '/api/change',
    summary: 'Works through many rows.',
    access: 'signedIn',
    response: which,
    isLong: true,
  },
  export: {
    method: 'GET',
    path: '/api/export',
    summary: 'Without an end.',
    access: 'signedIn',
    stream: 'csv',
    isHeavy: true,
  },
})

let release: () => void = () => undefined
let gate = Promise.resolve()
const hold = () => {
  gate = new Promise((resolve) => (release = resolve))
}
let searchCount = 0
let changeCount = 0
let partCount = 0
let endCount = 0

async function* parts(): AsyncGenerator<string> {
  try {
    for (;;) {
      partCount += 1
      yield 'x'.repeat(65_536)
    }
  } finally {
    endCount += 1
  }
}

const nameOf = (db: Db) => (db as unknown as { name: string }).name
const bind = ({ db }: OnDatabase) =>
  bindRoutes(table, {
    report: async () => {
      await gate
      return { from: nameOf(db) }
    },
    search: async () => {
      searchCount += 1
      await gate
      return { from: nameOf(db) }
    },
    change: async () => {
      changeCount += 1
      await gate
      return { from: nameOf(db) }
    },
    page: async () => ({ from: nameOf(db) }),
    export: async () => ({ contentType: 'text/csv; charset=utf-8', fileName: 'all.csv', stream: parts() }),
  })
const named = (name: string) => ({ name }) as unknown as Db
const people: Record<string, Actor> = {
  ada: { userId: 1, username: 'ada', role: 'user' },
  bo: { userId: 2, username: 'bo', role: 'user' },
}
const server = await createHttpServer({
  secrets: createSecrets('key material for tests'),
  routes: [bindOn({ db: named('pages'), heavyDb: named('heavy') }, bind)],
  clock: systemClock,
  findActor: async ({ session }) => people[session?.replace(/-+$/, '') ?? ''],
  log: silentLog,
  publicUrl: undefined,
  checks: {},
  heavyLimits: { waitingPerPerson: 1, stallMs: 300, turns: 8 },
})
const port = await server.listen('127.0.0.1', 0)
afterAll(() => server.close())

const cookieOf = (name: string) => `sid=${name.padEnd(32, '-')}`
const call = (name: string, path: string) =>
  server.app.inject({ url: path, headers: { cookie: cookieOf(name) } })

/** Asks for the export and reads nothing. */
function ask(name: string) {
  const socket = connect(port, '127.0.0.1')
  socket.pause().on('error', () => undefined)
  socket.write(`GET /api/export HTTP/1.1\r\nhost: a\r\ncookie: ${cookieOf(name)}\r\n\r\n`)
  return socket
}

test('heavy routes read from connections of their own, all others from those of the pages', async () => {
  expect((await call('ada', '/api/report')).json()).toEqual({ from: 'heavy' })
  expect((await call('ada', '/api/page')).json()).toEqual({ from: 'pages' })
})

test('a person has two reports at work and one that waits; more are refused with a time to come again', async () => {
  hold()
  const four = ['ada', 'ada', 'ada', 'ada'].map((name) => call(name, '/api/report'))
  const refused = await Promise.race(four)
  expect(refused.statusCode).toBe(429)
  expect(refused.headers['retry-after']).toBe('5')
  expect(refused.json()).toMatchObject({ code: 'too_many', message: expect.stringMatching(/under way/) })
  expect((await call('ada', '/api/page')).statusCode).toBe(200)
  const others = call('bo', '/api/report')
  release()
  const statuses = (await Promise.all([...four, others])).map(({ statusCode }) => statusCode)
  expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 200, 200, 200, 429])
})

test('of one person eight calls are at work, the others wait in line and are answered, and nobody else waits', async () => {
  hold()
  const own = Array.from({ length: 30 }, () => call('ada', '/api/search'))
  await expect.poll(() => searchCount).toBe(8)
  expect((await call('bo', '/api/page')).statusCode).toBe(200)
  expect(searchCount).toBe(8)
  release()
  expect((await Promise.all(own)).map(({ statusCode }) => statusCode)).toEqual(Array(30).fill(200))
  expect(searchCount).toBe(30)
})

test('of one person two changes of many rows are at work and four wait; more are refused a second later', async () => {
  hold()
  const begunAtMs = performance.now()
  const own = Array.from({ length: 7 }, () => call('ada', '/api/change'))
  const refused = await Promise.race(own)
  expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '5'])
  expect(performance.now() - begunAtMs).toBeGreaterThan(900)
  expect(changeCount).toBe(2)
  const others = call('bo', '/api/change')
  await expect.poll(() => changeCount).toBe(3)
  release()
  const statuses = (await Promise.all([...own, others])).map(({ statusCode }) => statusCode)
  expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 200, 200, 200, 200, 200, 200, 429])
})

test('a download that nobody reads is made no further, is cut, and gives its place back', async () => {
  const before = { partCount, endCount }
  ask('ada')
  ask('ada')
  await expect.poll(() => partCount - before.partCount).toBeGreaterThan(2)
  // What the sockets' buffers take, and no more: a few megabytes each.
  await expect.poll(() => endCount - before.endCount).toBe(2)
  expect(partCount - before.partCount).toBeLessThan(1_000)
  expect((await call('ada', '/api/report')).statusCode).toBe(200)
})

test('a reader who leaves gives the place back at once', async () => {
  const before = { partCount, endCount }
  const two = [ask('ada'), ask('ada')]
  await expect.poll(() => partCount - before.partCount).toBeGreaterThan(2)
  for (const socket of two) socket.destroy()
  await expect.poll(() => endCount - before.endCount).toBe(2)
  expect((await call('ada', '/api/report')).statusCode).toBe(200)
})
