// Whose word on the caller's address counts, with and without proxies.
import { expect, onTestFinished, test, vi } from 'vitest'
import { z } from 'zod'
import { okSchema } from '@tollgate/contract/fields.ts'
import { routes } from '@tollgate/contract/route.ts'
import { silentLog } from '../../test/environment/database.ts'
import { systemClock } from '../platform/clock.ts'
import { bindRoutes, type Actor } from './handlers.ts'
import { createHttpServer } from './server.ts'
import { createSecrets } from '../platform/security/secrets.ts'

const table = routes({
  address: {
    method: 'GET',
    path: '/api/address',
    summary: 'Where the caller is.',
    access: 'public',
    response: z.object({ ip: z.string() }),
  },
  touch: { method: 'POST', path: '/api/touch', summary: 'Writes.', access: 'signedIn', response: okSchema },
})
const bound = bindRoutes(table, {
  address: async (_, { ip }) => ({ ip }),
  touch: async () => ({}),
})
const person: Actor = { userId: 1, username: 'ada', role: 'admin' }

async function serve(trustedProxies?: readonly string[], publicUrl?: string) {
  const seen: string[] = []
  const { app } = await createHttpServer({
    secrets: createSecrets('key material for tests'),
    routes: [bound],
    clock: systemClock,
    findActor: async ({ ip }) => {
      seen.push(ip)
      return person
    },
    log: silentLog,
    publicUrl: publicUrl === undefined ? undefined : new URL(publicUrl),
    checks: {},
    trustedProxies,
  })
  return { app, seen }
}

type Served = Awaited<ReturnType<typeof serve>>

async function addressOf({ app }: Served, remoteAddress: string, forwarded?: string): Promise<string> {
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }
  return (await app.inject({ url: '/api/address', remoteAddress, headers })).json().ip
}

const plain = await serve()
const https = await serve(undefined, 'https://gateway.example.com')
const behind = await serve(['10.0.0.0/8', '2001:db8:1::/48', '192.0.2.7'])

test.each([
  ['nobody is trusted by default', plain, '127.0.0.1', '203.0.113.9', '127.0.0.1'],
  ['with an https address a proxy on this machine is', https, '127.0.0.1', '203.0.113.9', '203.0.113.9'],
  ['and over IPv6', https, '::1', '203.0.113.9', '203.0.113.9'],
  ['but none elsewhere', https, '198.51.100.1', '203.0.113.9', '198.51.100.1'],
  ['a proxy of the list is', behind, '10.1.2.3', '203.0.113.9', '203.0.113.9'],
  ['a single address of the list too', behind, '192.0.2.7', '203.0.113.9', '203.0.113.9'],
  ['one that is not on the list is not', behind, '203.0.113.66', '198.51.100.1', '203.0.113.66'],
  ['this machine neither, once there is a list', behind, '127.0.0.1', '203.0.113.9', '127.0.0.1'],
  ['without the header the proxy itself calls', behind, '10.1.2.3', undefined, '10.1.2.3'],
  [
    'of a chain the nearest that is no proxy',
    behind,
    '10.1.2.3',
    '1.1.1.1, 203.0.113.9, 10.9.9.9',
    '203.0.113.9',
  ],
  [
    'what a caller wrote before it is not read',
    behind,
    '10.1.2.3',
    'spoofed, 1.2.3.4, 203.0.113.9',
    '203.0.113.9',
  ],
  ['a chain of proxies alone ends at its farthest', behind, '10.1.2.3', '10.4.4.4, 192.0.2.7', '10.4.4.4'],
  ['IPv6 through IPv6', behind, '2001:db8:1::5', '2001:db8:ffff::1', '2001:db8:ffff::1'],
  ['IPv6 that is not on the list', behind, '2001:db8:2::5', '203.0.113.9', '2001:db8:2::5'],
  ['a proxy that is seen as mapped', behind, '::ffff:10.1.2.3', '::ffff:203.0.113.9', '203.0.113.9'],
  ['a port behind the address', behind, '10.1.2.3', '203.0.113.9:51234', '203.0.113.9'],
  ['a port behind an IPv6 address', behind, '10.1.2.3', '[2001:db8::9]:51234', '2001:db8::9'],
  ['a proxy that hides the caller', behind, '10.1.2.3', 'unknown', '10.1.2.3'],
] as const)('%s', async (_, served, remoteAddress, forwarded, expected) => {
  expect(await addressOf(served, remoteAddress, forwarded)).toBe(expected)
})

test('whoever signs in is looked up under the same address', async () => {
  behind.seen.length = 0
  const headers = { cookie: `sid=${'a'.repeat(32)}`, 'x-forwarded-for': '203.0.113.9' }
  await behind.app.inject({ url: '/api/address', remoteAddress: '10.1.2.3', headers })
  await behind.app.inject({ url: '/api/address', remoteAddress: '203.0.113.66', headers })
  expect(behind.seen).toEqual(['203.0.113.9', '203.0.113.66'])
})

test('the limit of calls is that of the address behind the proxy, an IPv6 network counting as one', async () => {
  // All calls are of one moment, however busy the machine is.
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const served = await serve(['10.0.0.0/8'])
  const statuses = async (count: number, remoteAddress: string, forwarded: (nth: number) => string) => {
    const call = (_: unknown, nth: number) =>
      served.app.inject({
        url: '/api/address',
        remoteAddress,
        headers: { 'x-forwarded-for': forwarded(nth) },
      })
    const answers = await Promise.all(Array.from({ length: count }, call))
    return new Set(answers.map(({ statusCode }) => statusCode))
  }
  expect(await statuses(450, '10.1.2.3', (nth) => `203.0.113.${nth % 250}`)).toEqual(new Set([200]))
  expect(await statuses(900, '10.1.2.3', () => '198.51.100.1')).toContain(429)
  expect(await statuses(900, '10.1.2.3', (nth) => `2001:db8::${nth.toString(16)}`)).toContain(429)
  expect(await statuses(900, '203.0.113.66', (nth) => `198.51.100.${nth % 250}`)).toContain(429)
})

test('a page may write from the address that a trusted proxy says it has, and from no other', async () => {
  const write = ({ app }: Served, remoteAddress: string, origin: string) =>
    app.inject({
      method: 'POST',
      url: '/api/touch',
      remoteAddress,
      headers: {
        cookie: `sid=${'a'.repeat(32)}`,
        origin,
        host: 'inside:8080',
        'x-forwarded-proto': 'https',
        'x-forwarded-host': 'console.example.com',
      },
    })
  const outside = 'https://console.example.com'
  expect((await write(behind, '10.1.2.3', outside)).statusCode).toBe(200)
  expect((await write(behind, '10.1.2.3', 'http://console.example.com')).statusCode).toBe(403)
  expect((await write(behind, '203.0.113.66', outside)).statusCode).toBe(403)
  expect((await write(plain, '127.0.0.1', outside)).statusCode).toBe(403)
  expect((await write(plain, '127.0.0.1', 'http://inside:8080')).statusCode).toBe(200)
})
