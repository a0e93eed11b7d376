// Behind HAProxy and nginx, configured as docs/proxy/ shows, peers and people keep their own addresses.
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import net from 'node:net'
import { join } from 'node:path'
import tls from 'node:tls'
import { expect, inject, test } from 'vitest'
import { firstCertificate } from '@tollgate/smpp/testing/certificates.ts'
import { Peer } from '@tollgate/smpp/testing/peer.ts'
import { startBalancer, type Balancer } from '../test/stand-ins/balancers.ts'
import { freePort } from '../test/environment/free-port.ts'
import { openTestDatabase } from '../test/environment/database.ts'
import { onTestDatabase, startProgram, temporaryFolder } from '../test/environment/program.ts'

const adminPassword = 'correct horse battery'
const publicHost = 'gateway.example.com'
const number = '449098790142'

/** Calls the console's API over TLS as a browser at this address would. */
class Browser {
  readonly #port: number
  readonly #localAddress: string
  #cookie = ''

  constructor({ https }: Balancer, localAddress: string) {
    this.#port = https
    this.#localAddress = localAddress
  }

  async open(method: string, path: string, body?: object): Promise<IncomingMessage> {
    const call = request({
      host: '127.0.0.1',
      port: this.#port,
      localAddress: this.#localAddress,
      rejectUnauthorized: false,
      servername: publicHost,
      method,
      path,
      headers: {
        host: publicHost,
        origin: `https://${publicHost}`,
        cookie: this.#cookie,
        'content-type': 'application/json',
        // What anybody may claim of himself.
        'x-forwarded-for': '203.0.113.66',
      },
    })
    call.end(body && JSON.stringify(body))
    const [answer] = (await once(call, 'response')) as [IncomingMessage]
    const cookies = (answer.headers['set-cookie'] ?? []).map((cookie) => cookie.split(';')[0])
    if (cookies.length > 0) this.#cookie = cookies.join('; ')
    return answer
  }

  async call<T>(method: string, path: string, body?: object): Promise<T> {
    const answer = await this.open(method, path, body)
    const text = Buffer.concat(await answer.toArray()).toString()
    if (answer.statusCode !== 200 && answer.statusCode !== 201)
      throw new Error(`${method} ${path}: ${answer.statusCode} ${text}`)
    return JSON.parse(text) as T
  }

  signIn(): Promise<unknown> {
    return this.call('POST', '/api/login', { username: 'admin', password: adminPassword })
  }
}

interface Pair {
  readonly systemId: string
  readonly password: string
}

async function tryBind(peer: Peer, { systemId, password }: Pair): Promise<number> {
  peer.send('bind_transceiver', 1, { systemId, password, interfaceVersion: 0x34 })
  return (await peer.next()).status
}

async function throughTls(port: number, localAddress: string): Promise<Peer> {
  const raw = net.connect({ host: '127.0.0.1', port, localAddress })
  const socket = tls.connect({ socket: raw, ca: firstCertificate.cert, servername: 'localhost' })
  socket.on('error', () => undefined)
  await once(socket, 'secureConnect')
  return new Peer(socket)
}

if (process.platform === 'darwin') {
  console.warn('!! NOT TESTED: HAProxy and nginx before the gateway. Run this on Debian.')
  test.skip('HAProxy and nginx are started from Debian’s packages', () => undefined)
} else {
  const folder = await temporaryFolder()
  await writeFile(join(folder, 'cert.pem'), firstCertificate.cert)
  await writeFile(join(folder, 'key.pem'), firstCertificate.key)
  const { address } = await openTestDatabase()
  const node = { smpp: await freePort(), smppTls: await freePort(), http: await freePort() }
  const program = await startProgram('main', {
    ...(await onTestDatabase(address.database, inject('postgresHost'), {
      username: 'admin',
      password: adminPassword,
    })),
    HTTP_PORT: String(node.http),
    SMPP_PORT: String(node.smpp),
    SMPP_TLS_PORT: String(node.smppTls),
    TLS_CERT: join(folder, 'cert.pem'),
    TLS_KEY: join(folder, 'key.pem'),
    SMPP_PROXIES: '127.0.0.1/32',
    TRUSTED_PROXIES: '127.0.0.1/32',
    PUBLIC_URL: `https://${publicHost}`,
  })
  await program.ready

  test.each(['haproxy', 'nginx'] as const)(
    '%s hands on SMPP, SMPP over TLS and the console, each with the caller’s own address',
    async (name) => {
      const balancer = await startBalancer(name, node)
      const admin = new Browser(balancer, '127.0.0.41')
      await admin.signIn()
      const [session] = await admin.call<{ address: string; isCurrent: boolean }[]>(
        'GET',
        '/api/user/sessions',
      )
      expect(session).toMatchObject({ address: '127.0.0.41', isCurrent: true })
      expect((await admin.open('GET', '/metrics')).statusCode).toBe(404)

      const { id } = await admin.call<{ id: number }>('POST', '/api/register', {
        username: `via.${name}`,
        password: adminPassword,
        email: 'p@example.com',
        firstName: 'P',
        lastName: 'P',
        role: 'user',
        smppAccess: true,
      })
      const pair = await admin.call<Pair>('GET', `/api/users/${id}/smpp-credentials`)
      await admin.call('PUT', `/api/users/${id}/smpp-profile`, { allowedCidrs: ['127.0.0.42/32'] })
      const plain = await Peer.connect(balancer.smpp, '127.0.0.42')
      expect(await tryBind(plain, pair)).toBe(0)
      const secure = await throughTls(balancer.smppTls, '127.0.0.42')
      expect(await tryBind(secure, pair)).toBe(0)
      const stranger = await Peer.connect(balancer.smpp, '127.0.0.43')
      expect(await tryBind(stranger, pair)).toBe(0x0d)
      const binds = await admin.call<{ systemId: string; remoteAddress: string; isTls: boolean }[]>(
        'GET',
        '/api/smpp/binds',
      )
      expect(
        binds
          .filter(({ systemId }) => systemId === pair.systemId)
          .map(({ remoteAddress, isTls }) => `${remoteAddress} ${isTls}`)
          .toSorted(),
      ).toEqual(['127.0.0.42 false', '127.0.0.42 true'])

      // The stream of events is not held back: a message that comes now shows at once.
      await admin
        .open('POST', '/api/premium-numbers', { number, rate: '1.50' })
        .then((answer) => answer.resume())
      const events = await admin.open('GET', '/api/events')
      expect(events.headers['content-type']).toMatch(/^text\/event-stream/)
      let received = ''
      events.setEncoding('utf8').on('data', (text: string) => (received += text))
      await expect
        .poll(
          async () => {
            plain.send('submit_sm', 7, { sourceAddr: '1', destAddrTon: 1, destinationAddr: number })
            await plain.next()
            return received
          },
          { interval: 200 },
        )
        .toContain('event: record')
      events.destroy()
      for (const peer of [plain, secure, stranger]) peer.destroy()
    },
  )

  test('from the balancer nothing without a header is taken, and from anybody else no header', async () => {
    const bare = await Peer.connect(node.smpp, '127.0.0.1')
    bare.send('enquire_link', 1)
    await bare.closed()
    expect(bare.received).toEqual([])
    const forger = await Peer.connect(node.smpp, '127.0.0.44')
    forger.write('PROXY TCP4 127.0.0.42 127.0.0.1 1 2\r\n')
    expect(await forger.next()).toMatchObject({ command: 'generic_nack', status: 2 })
    await forger.closed()
  })
}
