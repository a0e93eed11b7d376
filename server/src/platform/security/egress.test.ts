import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { asOutsideFault, createEgress, EgressRefused, OutsideFault, type OutgoingCall } from './egress.ts'

let server: Server
let base = ''
let hits = 0

beforeAll(async () => {
  server = createServer((request, response) => {
    hits += 1
    if (request.url === '/redirect') response.writeHead(302, { location: `${base}/` }).end()
    else if (request.url === '/large') response.end(Buffer.alloc(200_000))
    else if (request.url?.startsWith('/streams') === true)
      response.writeHead(request.url === '/streams' ? 200 : 500).write('ok')
    else if (request.url !== '/silent') response.end(`hello ${request.headers.host}`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})

afterAll(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

const limits = { timeoutMs: 2_000, limitBytes: 100_000 }
const get = (egress = createEgress([]), url = `${base}/`, more: Partial<OutgoingCall> = {}) =>
  egress.call({ url, ...limits, ...more })
const lab = () => createEgress(['127.0.0.0/8'])
const port = () => new URL(base).port

test.each([
  'http://127.0.0.1',
  'http://127.1',
  'http://0x7f000001',
  'http://2130706433',
  'http://[::1]',
  'http://[::]',
  'http://[::ffff:127.0.0.1]',
  'http://[::ffff:7f00:1]',
  'http://[::127.0.0.1]',
  'http://[64:ff9b::7f00:1]',
  'http://[fe80::1]',
  'http://[fd00::1]',
  'http://10.1.2.3',
  'http://172.31.255.255',
  'http://192.168.0.1',
  'http://169.254.169.254/latest/meta-data',
  'http://100.64.0.1',
  'http://0.0.0.0',
  'http://localhost.',
  'file:///etc/passwd',
  'gopher://127.0.0.1/',
  'nonsense',
])('%s is refused', async (url) => {
  const egress = createEgress([], async () => [{ address: '127.0.0.1', family: 4 }])
  await expect(get(egress, url)).rejects.toThrow(EgressRefused)
})

test('an allowed range is reached, and the Host header keeps the name', async () => {
  const egress = createEgress(['127.0.0.1'], async () => [{ address: '127.0.0.1', family: 4 }])
  const answer = await get(egress, `http://gateway.test:${port()}/`)
  expect(answer.status).toBe(200)
  expect(answer.body.toString()).toBe(`hello gateway.test:${port()}`)
})

test('a name that leads elsewhere at the second look-up cannot slip through', async () => {
  let turn = 0
  const rebinding = async () => [{ address: turn++ === 0 ? '93.184.216.34' : '127.0.0.1', family: 4 }]
  const egress = createEgress([], rebinding)
  expect(await egress.resolve('rebind.test')).toEqual([{ address: '93.184.216.34', family: 4 }])
  const before = hits
  await expect(get(egress, `http://rebind.test:${port()}/`)).rejects.toThrow(EgressRefused)
  expect(hits).toBe(before)
})

test('of several addresses only one that is allowed is connected to', async () => {
  const egress = createEgress(['127.0.0.0/8'], async () => [
    { address: '10.0.0.1', family: 4 },
    { address: '127.0.0.1', family: 4 },
  ])
  expect((await get(egress, `http://mixed.test:${port()}/`)).status).toBe(200)
  expect(await egress.resolve('mixed.test')).toMatchObject([{ address: '127.0.0.1', family: 4 }])
})

test('when the first address of a host does not answer, the next one is tried, and one that may not be called never', async () => {
  const dead = createServer()
  await new Promise<void>((resolve) => dead.listen(0, '127.0.0.2', resolve))
  await new Promise((resolve) => dead.close(resolve))
  const addresses =
    (...list: string[]) =>
    async () =>
      list.map((address) => ({ address, family: 4 }))
  const both = createEgress(['127.0.0.0/8'], addresses('127.0.0.2', '127.0.0.1'))
  expect((await get(both, `http://two.test:${port()}/`)).status).toBe(200)
  const before = hits
  const one = createEgress(['127.0.0.2'], addresses('127.0.0.2', '127.0.0.1'))
  await expect(get(one, `http://two.test:${port()}/`)).rejects.toThrow('cannot be reached')
  expect(hits).toBe(before)
})

test('a success counts by its head when its body goes on until the deadline, another status does not', async () => {
  const unread = { isBodyUnread: true, refusalBytes: 100, timeoutMs: 300 }
  expect(await get(lab(), `${base}/streams`, unread)).toMatchObject({ status: 200 })
  await expect(get(lab(), `${base}/streams/500`, unread)).rejects.toThrow('did not answer in time')
})

test('a redirect is given back, not followed', async () => {
  const before = hits
  expect(await get(lab(), `${base}/redirect`)).toMatchObject({ status: 302 })
  expect(hits).toBe(before + 1)
})

test('an answer beyond the limit is cut off', async () => {
  await expect(get(lab(), `${base}/large`)).rejects.toThrow(/larger than 98 KiB/)
})

test('a silent address ends in time, and so does a caller who gives up', async () => {
  await expect(get(lab(), `${base}/silent`, { timeoutMs: 200 })).rejects.toThrow('did not answer in time')
  await expect(get(lab(), `${base}/silent`, { signal: AbortSignal.timeout(100) })).rejects.toThrow(
    OutsideFault,
  )
})

const unsaid =
  'The address cannot be reached, or its answer is not valid HTTP. Which of the two is not said of an address within the network.'

test('a closed port and a refused protocol give the same text', async () => {
  const closed = await get(lab(), 'http://127.0.0.1:1/').catch((error: Error) => error.message)
  const notHttp = createServer()
  notHttp.on('connection', (socket) => socket.end('SSH-2.0\r\n'))
  await new Promise<void>((resolve) => notHttp.listen(0, '127.0.0.1', resolve))
  const open = await get(lab(), `http://127.0.0.1:${(notHttp.address() as AddressInfo).port}/`).catch(
    (error: Error) => error.message,
  )
  notHttp.close()
  expect(open).toBe(closed)
  expect(open).toBe(unsaid)
})

const coded = (code: string, cause?: Error) => Object.assign(new Error('call', { cause }), { code })

test.each([
  ['ECONNREFUSED', 'Nothing listens on this port: the connection was refused.'],
  ['UND_ERR_CONNECT_TIMEOUT', 'The address cannot be reached: nobody took the connection in time.'],
  ['ETIMEDOUT', 'The address cannot be reached: nobody took the connection in time.'],
  ['EHOSTUNREACH', 'The address cannot be reached: no network leads to it.'],
  ['HPE_INVALID_CONSTANT', 'Something answers at this address, but not in valid HTTP.'],
  ['UND_ERR_HEADERS_OVERFLOW', 'Something answers at this address, but not in valid HTTP.'],
  ['UND_ERR_SOCKET', 'The address closed the connection before its answer was complete.'],
  ['CERT_HAS_EXPIRED', 'The certificate of the address has expired.'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'The certificate of the address is not trusted.'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'Something answers at this address, but not in valid TLS.'],
  ['ENEW', 'The request could not be made.'],
])('of a public address %s is said in a sentence of its own; within the network it is not', (code, text) => {
  expect(asOutsideFault(coded(code), false, true).message).toBe(text)
  expect(asOutsideFault(new Error('fetch', { cause: coded(code) }), false, true).message).toBe(text)
  expect(asOutsideFault(coded(code), false).message).toBe(unsaid)
})

test('of several addresses the one that refused is named', () => {
  const several = new AggregateError([coded('ENETUNREACH'), coded('ECONNREFUSED')])
  expect(asOutsideFault(several, false, true).message).toMatch(/^Nothing listens on this port/)
})

test('on real sockets: nothing listens, or what answers does not speak HTTP, or it hangs up', async () => {
  const said = (url: string) =>
    get(createEgress([]), url, { isConfigured: true }).catch((error: Error) => error.message)
  const answering = async (answer: string) => {
    const other = createServer()
    other.on('connection', (socket) => socket.end(answer))
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    try {
      return await said(`http://127.0.0.1:${(other.address() as AddressInfo).port}/`)
    } finally {
      other.close()
    }
  }
  expect(await said('http://127.0.0.1:1/')).toBe('Nothing listens on this port: the connection was refused.')
  expect(await answering('SSH-2.0\r\n')).toBe('Something answers at this address, but not in valid HTTP.')
  expect(await answering('')).toBe('The address closed the connection before its answer was complete.')
  expect(await said(`https://127.0.0.1:${port()}/`)).toBe(
    'Something answers at this address, but not in valid TLS.',
  )
})

test('a name that once led into the network says no cause, wherever it leads next', async () => {
  let address = '127.0.0.1'
  const egress = createEgress(['127.0.0.0/8'], () => Promise.resolve([{ address, family: 4 }]))
  await get(egress, `http://turns.test:${port()}/`)
  address = '192.0.2.1'
  const closed = get(egress, 'http://turns.test:1/')
  await expect(closed).rejects.toThrow(EgressRefused)
  address = '127.0.0.1'
  await expect(get(egress, 'http://turns.test:1/')).rejects.toThrow(unsaid)
})

test('that a public address refuses the connection is said, of one within the network it is not', () => {
  const refused = (address: string) =>
    Object.assign(new Error('connect'), { code: 'ECONNREFUSED', address, port: 443 })
  const said = (...addresses: string[]) =>
    asOutsideFault(new AggregateError(addresses.map(refused)), false).message
  const closed = 'Nothing listens on this port: the connection was refused.'
  expect(asOutsideFault(new Error('fetch', { cause: refused('8.8.8.8') }), false).message).toBe(closed)
  expect(said('8.8.8.8', '2606:4700::1111')).toBe(closed)
  for (const addresses of [['10.0.0.7'], ['8.8.8.8', '10.0.0.7'], ['::ffff:10.0.0.7'], []])
    expect(said(...addresses)).toBe(unsaid)
})

test("the operator's own node may be anywhere", async () => {
  expect((await get(createEgress([]), `${base}/`, { isConfigured: true })).status).toBe(200)
})

test('an unknown name is a fault, not a refusal', async () => {
  const egress = createEgress([], () => Promise.reject(new Error('ENOTFOUND')))
  await expect(egress.resolve('nowhere.test')).rejects.toThrow(OutsideFault)
  await expect(get(egress, 'http://nowhere.test/')).rejects.toThrow('cannot be resolved')
})
