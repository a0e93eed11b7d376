// Bodies and queries that are made to cost more than they are worth, over real sockets.
import { connect, type Socket } from 'node:net'
import { afterAll, afterEach, expect, test } from 'vitest'
import { z } from 'zod'
import { routes } from '@tollgate/contract/route.ts'
import { silentLog } from '../../test/environment/database.ts'
import { systemClock } from '../platform/clock.ts'
import { bindRoutes, type Actor } from './handlers.ts'
import { createHttpServer } from './server.ts'
import { createSecrets } from '../platform/security/secrets.ts'

const anything = z.object({}).loose()
const answer = z.object({ body: z.string() })
const table = routes({
  open: {
    method: 'POST',
    path: '/api/open',
    summary: 'Open to strangers.',
    access: 'public',
    body: anything,
    response: answer,
  },
  large: {
    method: 'POST',
    path: '/api/large',
    summary: 'Takes more than others.',
    access: 'signedIn',
    body: anything,
    bodyLimitBytes: 300_000,
    response: answer,
  },
  list: {
    method: 'GET',
    path: '/api/list',
    summary: 'Takes a query.',
    access: 'public',
    query: z.object({}).loose(),
    response: answer,
  },
})
const echo = async ({ body }: { body: unknown }) => ({ body: JSON.stringify(body) })
const bound = bindRoutes(table, { open: echo, large: echo, list: async () => ({ body: '' }) })
const person: Actor = { userId: 1, username: 'ada', role: 'admin' }
const server = await createHttpServer({
  secrets: createSecrets('key material for tests'),
  clock: systemClock,
  routes: [bound],
  findActor: async ({ session }) => (session === 'a'.repeat(32) ? person : undefined),
  log: silentLog,
  publicUrl: undefined,
  checks: {},
  anonymousBodies: { perAddress: 4, timeoutMs: 400 },
})
const port = await server.listen('127.0.0.1', 0)
afterAll(() => server.close())

const signedIn = `sid=${'a'.repeat(32)}`
const post = (path: string, payload: string) =>
  server.app.inject({
    method: 'POST',
    url: path,
    headers: { 'content-type': 'application/json', cookie: signedIn },
    payload,
  })

const nested = (open: string, close: string, bytes: number) => {
  const depth = Math.floor(bytes / (open.length + close.length))
  return open.repeat(depth) + close.repeat(depth)
}

test.each([
  ['lists', nested('[', ']', 16_000)],
  ['objects', `${nested('{"a":', '}', 16_000).replace('}', '1}')}`],
  ['lists that never close', '['.repeat(16_000)],
  ['lists in objects', nested('{"a":[', ']}', 16_000)],
  ['33 levels', nested('[', ']', 66)],
])('%s nested too deep are refused at once', async (_, payload) => {
  // The quickest of some: the first one compiles what the others use, and any may meet a pause that is none of ours.
  const quickestMs = { flat: Infinity, deep: Infinity }
  for (let turn = 0; turn < 9; turn += 1) {
    const startedAt = performance.now()
    await post('/api/large', JSON.stringify({ a: 'x'.repeat(payload.length) }))
    const betweenAt = performance.now()
    const answer = await post('/api/large', payload)
    quickestMs.flat = Math.min(quickestMs.flat, betweenAt - startedAt)
    quickestMs.deep = Math.min(quickestMs.deep, performance.now() - betweenAt)
    expect(answer.statusCode).toBe(400)
    expect(answer.json()).toMatchObject({
      code: 'invalid',
      fields: { body: 'At most 32 levels of nesting' },
    })
  }
  expect(quickestMs.deep).toBeLessThan(5 + 5 * quickestMs.flat)
})

test('32 levels pass, and brackets in a text are no levels', async () => {
  const inner = nested('[', ']', 62)
  expect((await post('/api/large', `{"a":${inner}}`)).json()).toEqual({ body: `{"a":${inner}}` })
  const text = JSON.stringify({ a: `\\"${'['.repeat(5_000)}` })
  expect((await post('/api/large', text)).json()).toEqual({ body: text })
})

test('more objects than any body of ours has are refused', async () => {
  const answer = await post('/api/large', `{"a":[${'{},'.repeat(30_000)}{}]}`)
  expect(answer.json()).toMatchObject({
    code: 'invalid',
    fields: { body: expect.stringContaining('20,000') },
  })
})

test('the character U+0000 is found wherever it hides, in time that grows with the body alone', async () => {
  const deep = await post('/api/large', `{"a":[[{"b":["x",{"c":"\\u0000"}]}]]}`)
  expect(deep.json().fields).toEqual({ 'a.0.0.b.1.c': 'The character U+0000 is not allowed' })
  const name = await post('/api/large', `{"a":[{"\\u0000":1}]}`)
  expect(name.json().fields).toEqual({ 'a.0.name': 'The character U+0000 is not allowed' })
  const wide = `{"a":[${'"x",'.repeat(60_000)}"\\u0000"]}`
  const startedAt = performance.now()
  expect((await post('/api/large', wide)).statusCode).toBe(400)
  // A walk that copies its way for each value takes a minute.
  expect(performance.now() - startedAt).toBeLessThan(30_000)
})

test('a route takes bodies up to its limit', async () => {
  const body = (bytes: number) => JSON.stringify({ a: 'x'.repeat(bytes - 8) })
  expect((await post('/api/open', body(16_384))).statusCode).toBe(200)
  expect((await post('/api/open', body(16_385))).json()).toMatchObject({ code: 'too_large' })
  expect((await post('/api/large', body(300_000))).statusCode).toBe(200)
  expect((await post('/api/large', body(300_001))).statusCode).toBe(413)
})

const open: Socket[] = []
afterEach(() => open.splice(0).forEach((socket) => socket.destroy()))

interface Conversation {
  readonly socket: Socket
  /** All that came until the other side closed, or until it matches. */
  readonly answer: (until?: RegExp) => Promise<string>
}

function converse(text: string, localAddress = '127.0.0.1'): Conversation {
  const socket = connect({ port, host: '127.0.0.1', localAddress })
  open.push(socket)
  let received = ''
  socket.on('error', () => undefined).on('data', (chunk) => (received += chunk.toString()))
  socket.write(text)
  const answer = (until = /(?!)/) =>
    new Promise<string>((resolve) => {
      const look = () => until.test(received) && resolve(received)
      look()
      socket.on('data', look).on('close', () => resolve(received))
    })
  return { socket, answer }
}

function head(path: string, ...lines: string[]): string {
  const all = [`POST ${path} HTTP/1.1`, 'host: a', 'content-type: application/json', ...lines]
  return `${all.join('\r\n')}\r\n\r\n`
}

test('a body that says it is too large is refused before it comes, and the connection ends', async () => {
  const answer = await converse(head('/api/open', 'content-length: 1000000000')).answer()
  expect(answer).toMatch(/^HTTP\/1\.1 413 /)
  expect(answer).toMatch(/connection: close/)
  expect(answer).toMatch(/"code":"too_large"/)
})

test('one that does not say is cut where it is too large', async () => {
  const { socket, answer } = converse(head('/api/open', 'transfer-encoding: chunked'))
  const writing = setInterval(() => socket.write(`1000\r\n${'x'.repeat(4_096)}\r\n`), 2)
  const text = await answer()
  clearInterval(writing)
  expect(text).toMatch(/^HTTP\/1\.1 413 /)
  expect(text).toMatch(/connection: close/)
})

test('a large body that nobody asked for is not read to its end', async () => {
  const guarded = await converse(head('/api/large', 'content-length: 200000')).answer()
  expect(guarded).toMatch(/^HTTP\/1\.1 401 /)
  const nowhere = await converse(head('/api/nowhere', 'transfer-encoding: chunked')).answer()
  expect(nowhere).toMatch(/^HTTP\/1\.1 404 /)
})

const half = head('/api/open', 'content-length: 10')

test('half-sent bodies of an address beyond its limit are refused; other addresses go on', async () => {
  const four = Array.from({ length: 4 }, () => converse(half))
  await expect
    .poll(async () => converse(half).answer(/\r\n\r\n.+}/))
    .toMatch(/^HTTP\/1\.1 429 [^]*retry-after: 1[^]*"code":"too_many"/)
  const elsewhere = converse(`${half}{"a":"bc"}`, '127.0.0.2')
  expect(await elsewhere.answer(/\r\n\r\n.+}/)).toMatch(/^HTTP\/1\.1 200 /)
  four[0]?.socket.write('{"a":"bc"}')
  expect(await four[0]?.answer(/\r\n\r\n.+}/)).toMatch(/^HTTP\/1\.1 200 /)
  expect(await converse(`${half}{"a":"bc"}`).answer(/\r\n\r\n.+}/)).toMatch(/^HTTP\/1\.1 200 /)
})

test('a body that does not come ends its connection, and its place is free again', async () => {
  const four = Array.from({ length: 4 }, () => converse(half))
  await Promise.all(four.map(({ answer }) => answer()))
  const next = await converse(`${half}{"a":"bc"}`).answer(/\r\n\r\n.+}/)
  expect(next).toMatch(/^HTTP\/1\.1 200 /)
})

test('whoever leaves halfway gives the place back', async () => {
  const many = Array.from({ length: 4 }, () => converse(half))
  await expect.poll(async () => converse(half).answer(/\r\n\r\n.+}/)).toMatch(/^HTTP\/1\.1 429 /)
  for (const { socket } of many) socket.destroy()
  await expect.poll(() => converse(`${half}{"a":"bc"}`).answer(/\r\n\r\n.+}/)).toMatch(/^HTTP\/1\.1 200 /)
})

test.each([
  ['4,096 characters', `/api/list?a=${'x'.repeat(5_000)}`],
  ['64 fields', `/api/list?${'a=1&'.repeat(70)}`],
])('a query of more than %s is refused', async (said, url) => {
  const answer = await server.app.inject(url)
  expect(answer.statusCode).toBe(400)
  expect(answer.json().fields).toEqual({ query: `At most ${said}` })
})
