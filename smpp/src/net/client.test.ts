import { createServer, type Server } from 'node:net'
import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import { afterEach, expect, test } from 'vitest'
import type { IncomingRequest } from '../session/session-types.ts'
import { startTestSmsc, type TestSmsc } from '../testing/test-smsc.ts'
import { type SmppClientOptions, connect } from './client.ts'
import { keepConnected, type Link, type LinkState, retryPauseMs } from './reconnect.ts'

let gateway: TestSmsc | undefined
let silent: Server | undefined
let link: Link | undefined

afterEach(async () => {
  await link?.stop(500)
  await gateway?.server.stop(500)
  silent?.close()
  gateway = silent = link = undefined
})

async function options(more: Partial<SmppClientOptions> = {}): Promise<SmppClientOptions> {
  gateway ??= await startTestSmsc()
  const { port } = gateway.server
  return { host: '127.0.0.1', port, mode: 'transceiver', systemId: 'esme', password: 'secret', ...more }
}

test('binds, sends, receives and unbinds', async () => {
  const got: IncomingRequest[] = []
  const handlers: SmppClientOptions['handlers'] = {
    onRequest(session, request) {
      got.push(request)
      session.respond(request, 0)
    },
  }
  const outcome = await connect(await options({ handlers, interfaceVersion: 0x50, addrTon: 1 }))
  if (outcome.kind !== 'bound') throw new Error(outcome.kind)
  expect(outcome.peerSystemId).toBe('gate')
  const sent = await outcome.session.send('submit_sm', {
    destinationAddr: '49',
    shortMessage: Buffer.from('x'),
  })
  expect(sent).toMatchObject({ kind: 'answered', status: 0, messageId: 'id-1' })
  const back = await gateway!.bound().send('deliver_sm', { destinationAddr: '49', esmClass: 4 })
  expect(back).toMatchObject({ kind: 'answered', status: 0 })
  expect(got).toMatchObject([{ command: 'deliver_sm', body: { destinationAddr: '49', esmClass: 4 } }])
  await outcome.session.unbind()
  await expect.poll(() => gateway!.closes).toMatchObject([{ by: 'peer', cause: 'unbind' }])
})

test('a wrong password is refused with status 14', async () => {
  expect(await connect(await options({ password: 'wrong' }))).toEqual({ kind: 'refused', status: 14 })
})

test('a closed port, a silent peer and an aborted attempt are unreachable', async () => {
  const { port } = (await startAndStop()).server
  expect(await connect(await options({ port }))).toMatchObject({ kind: 'unreachable' })
  silent = createServer(() => undefined).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const silentPort = (silent.address() as AddressInfo).port
  const settings = { responseMs: 100 }
  const slow = await connect(await options({ port: silentPort, settings }))
  expect(slow).toEqual({ kind: 'unreachable', detail: 'bind-timeout: no answer to the bind' })
  const abort = new AbortController()
  setTimeout(() => abort.abort(), 50)
  expect(await connect(await options({ port: silentPort }), abort.signal)).toMatchObject({
    kind: 'unreachable',
  })
})

test('of several addresses the next one is tried when one does not answer, and the name is not looked up', async () => {
  const addresses = [
    { address: '127.0.0.2', family: 4 as const },
    { address: '127.0.0.1', family: 4 as const },
  ]
  const outcome = await connect(await options({ host: 'smsc.invalid', addresses }))
  expect(outcome).toMatchObject({ kind: 'bound', peerSystemId: 'gate' })
})

async function startAndStop(): Promise<TestSmsc> {
  const other = await startTestSmsc()
  await other.server.stop(100)
  return other
}

test('a link reconnects when the SMSC is back, restarts on demand and unbinds when stopped', async () => {
  const states: LinkState[] = []
  const current = await options()
  link = keepConnected({ options: () => current, onState: (state) => states.push(state), random: () => 0 })
  await expect.poll(() => link!.state.kind).toBe('connected')
  link.restart()
  await expect.poll(() => states.filter((state) => state.kind === 'connected')).toHaveLength(2)
  gateway!.bound().close('stop', 'test')
  await expect.poll(() => states.filter((state) => state.kind === 'connected')).toHaveLength(3)
  expect(states.map((state) => state.kind)).toContain('waiting')
  await link.stop()
  expect(link.state.kind).toBe('stopped')
  await expect.poll(() => gateway!.closes.at(-1)).toMatchObject({ by: 'peer', cause: 'unbind' })
})

test('a refused link waits with the status of the refusal, and restart does not wait', async () => {
  const current = await options({ password: 'wrong' })
  const states: LinkState[] = []
  // A pause of ten minutes.
  link = keepConnected({ options: () => current, onState: (state) => states.push(state), random: () => 600 })
  await expect.poll(() => link!.state).toMatchObject({ kind: 'waiting', status: 14, retryInMs: 600_000 })
  current.password = 'secret'
  link.restart()
  await expect.poll(() => link!.state.kind).toBe('connected')
})

test('a restart gives up an attempt under way and begins anew with the options of now, also twice', async () => {
  const accepted: number[] = []
  silent = createServer(() => accepted.push(1)).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const right = await options()
  const current = { ...right, port: (silent.address() as AddressInfo).port }
  const states: LinkState[] = []
  link = keepConnected({ options: () => ({ ...current }), onState: (state) => states.push(state) })
  await expect.poll(() => accepted).toHaveLength(1)
  link.restart()
  await expect.poll(() => accepted).toHaveLength(2)
  current.port = right.port
  link.restart()
  link.restart()
  await expect.poll(() => link!.state.kind).toBe('connected')
  expect(states.map((state) => ('attempt' in state ? `${state.kind} ${state.attempt}` : state.kind))).toEqual(
    ['connecting 1', 'connecting 1', 'connecting 1', 'connected'],
  )
})

test('pauses grow from 1 s to 60 s, to 300 s for refused credentials, with full jitter', () => {
  expect(retryPauseMs(0, undefined, 1)).toBe(1_000)
  expect(retryPauseMs(3, undefined, 1)).toBe(8_000)
  expect(retryPauseMs(50, undefined, 1)).toBe(60_000)
  expect(retryPauseMs(50, undefined, 0.5)).toBe(30_000)
  expect(retryPauseMs(50, 0x08, 1)).toBe(60_000)
  for (const status of [0x0d, 0x0e, 0x0f]) expect(retryPauseMs(50, status, 1)).toBe(300_000)
  expect(retryPauseMs(50, undefined, 0)).toBe(250)
})
