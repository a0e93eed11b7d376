import { afterEach, describe, expect, test, vi } from 'vitest'
import { startGateway, type TestGateway } from '../testing/gateway.ts'
import { lostStreams, rawHeader, spoiltSubmit } from '../testing/hostile.ts'
import { Peer } from '../testing/peer.ts'
import { encodeAlone } from '../pdu/encode.ts'
import { tags } from '../tlv/tags.ts'
import { findTlv, makeTlv } from '../tlv/tlv.ts'
import type { ServerOptions } from './server.ts'

let gateway: TestGateway
const peers: Peer[] = []

async function start(
  options: Partial<ServerOptions<string>> & { holdAnswers?: boolean } = {},
): Promise<void> {
  gateway = await startGateway(options)
}

async function dial(localAddress?: string): Promise<Peer> {
  const peer = await Peer.connect(gateway.server.port, localAddress)
  peers.push(peer)
  return peer
}

async function bound(mode: 'receiver' | 'transmitter' | 'transceiver' = 'transceiver'): Promise<Peer> {
  const peer = await dial()
  await peer.bind(mode)
  return peer
}

afterEach(async () => {
  for (const peer of peers.splice(0)) peer.destroy()
  await gateway.server.stop(200)
})

const message = { sourceAddr: '100', destAddrTon: 1, destAddrNpi: 1, destinationAddr: '4917012345' }

describe('framing', () => {
  test.each(lostStreams)('$name: generic_nack 0x02, then the socket closes', async ({ bytes, sequence }) => {
    await start()
    const peer = await dial()
    const startMs = Date.now()
    peer.write(bytes)
    const nack = await peer.next()
    expect(nack).toMatchObject({ command: 'generic_nack', status: 2, sequence })
    await peer.closed()
    expect(Date.now() - startMs).toBeLessThan(1_000)
    expect(gateway.faults).toContain('lost-framing')
  })

  test('bound, a PDU of the largest size is taken and one octet more loses the stream', async () => {
    await start({ settings: { pduOctetsBound: 2_000 } })
    const peer = await bound()
    const room = 2_000 - encodeAlone('submit_sm', 0, 1, message).length - 4
    peer.send('submit_sm', 2, { ...message, tlvs: [{ tag: 0x1400, value: Buffer.alloc(room) }] })
    expect(await peer.next()).toMatchObject({ command: 'submit_sm_resp', status: 0 })
    peer.send('submit_sm', 3, { ...message, tlvs: [{ tag: 0x1400, value: Buffer.alloc(room + 1) }] })
    expect(await peer.next()).toMatchObject({ command: 'generic_nack', status: 2, sequence: 3 })
    await peer.closed()
  })

  test('a header whose body never comes closes the socket when the read timer runs out', async () => {
    await start({ settings: { pduReadMs: 150 } })
    const peer = await bound()
    peer.write(rawHeader(40, 4, 0, 2))
    await peer.closed()
    await vi.waitFor(() => expect(gateway.closes[0]).toMatchObject({ by: 'us', cause: 'read-timeout' }))
  })

  test('500 PDUs in one segment are each answered once, in order, by few writes', async () => {
    await start()
    const peer = await bound()
    let chunkCount = 0
    peer.socket.on('data', () => (chunkCount += 1))
    const pdus = Array.from({ length: 500 }, (_, index) => encodeAlone('submit_sm', 0, index + 2, message))
    peer.write(Buffer.concat(pdus))
    const answers = await peer.take(500)
    expect(answers.map((answer) => answer.sequence)).toEqual(
      Array.from({ length: 500 }, (_, index) => index + 2),
    )
    expect(answers.every((answer) => answer.status === 0)).toBe(true)
    expect(chunkCount).toBeLessThan(20)
  })

  test('a submit_sm split at every offset is answered each time', async () => {
    await start()
    const peer = await bound()
    const bytes = encodeAlone('submit_sm', 0, 5, message)
    for (let cut = 1; cut < bytes.length; cut++) {
      peer.write(bytes.subarray(0, cut))
      await new Promise((settle) => setTimeout(settle, 1))
      peer.write(bytes.subarray(cut))
      expect(await peer.next()).toMatchObject({ command: 'submit_sm_resp', status: 0, sequence: 5 })
    }
  })

  test.each([0x0a, 0x1ff, 0x7fffffff])('unknown command %i: nack 0x03 and the session stays', async (id) => {
    await start()
    const peer = await bound()
    peer.write(rawHeader(16, id, 0, 44))
    expect(await peer.next()).toMatchObject({ command: 'generic_nack', status: 3, sequence: 44 })
    peer.send('enquire_link', 45)
    expect(await peer.next()).toMatchObject({ command: 'enquire_link_resp', sequence: 45 })
  })

  test('responses to nothing and unknown responses get no reply', async () => {
    await start()
    const peer = await bound()
    peer.write(rawHeader(16, 0x800000fe, 0, 44))
    peer.send('submit_sm_resp', 45, { messageId: 'x' })
    peer.send('generic_nack', 46)
    peer.send('enquire_link', 47)
    expect(await peer.next()).toMatchObject({ command: 'enquire_link_resp', sequence: 47 })
    expect(gateway.faults).toEqual(['unexpected-response', 'unexpected-response', 'unexpected-response'])
  })

  test('odd sequences and a status in the request are accepted and echoed', async () => {
    await start()
    const peer = await bound()
    for (const sequence of [0, 0x80000000, 0xffffffff]) {
      peer.send('submit_sm', sequence, message, 0x99)
      expect(await peer.next()).toMatchObject({ command: 'submit_sm_resp', status: 0, sequence })
    }
  })
})

describe('binding', () => {
  test.each([
    ['transmitter', 0x34, 0x34],
    ['receiver', 0x50, 0x34],
    ['transceiver', 0x35, 0x34],
    ['transceiver', 0x33, undefined],
    ['transmitter', 0x00, undefined],
  ] as const)('a %s with version %i sees SC_interface_version %s', async (mode, version, expected) => {
    await start()
    const peer = await dial()
    const response = await peer.bind(mode, version)
    expect(response).toMatchObject({ command: `bind_${mode}_resp`, status: 0, body: { systemId: 'gate' } })
    expect(findTlv(response.body.tlvs, tags.scInterfaceVersion)).toBe(expected)
    expect(gateway.bound()).toMatchObject({
      state: 'bound',
      mode,
      account: 'esme',
      interfaceVersion: version,
    })
  })

  test('a wrong password is refused with 0x0E, header-only, and the socket closes', async () => {
    await start()
    const peer = await dial()
    peer.send('bind_transceiver', 9, { systemId: 'esme', password: 'wrong' })
    expect(await peer.next()).toMatchObject({
      command: 'bind_transceiver_resp',
      status: 0x0e,
      sequence: 9,
      octets: 16,
    })
    await peer.closed(1_000)
    await vi.waitFor(() =>
      expect(gateway.closes).toEqual([{ by: 'us', cause: 'bind-refused', detail: 'status 0xe' }]),
    )
  })

  test('a bind handler that fails is answered 0x08', async () => {
    await start({ handlers: { onBind: () => Promise.reject(new Error('no database')) } })
    const peer = await dial()
    peer.send('bind_transceiver', 9, { systemId: 'esme' })
    expect(await peer.next()).toMatchObject({ status: 8 })
    await peer.closed()
  })

  test('a second bind gets 0x05 and the first stays', async () => {
    await start()
    const peer = await bound()
    peer.send('bind_receiver', 2, { systemId: 'esme', password: 'secret' })
    expect(await peer.next()).toMatchObject({ command: 'bind_receiver_resp', status: 5 })
    peer.send('submit_sm', 3, message)
    expect(await peer.next()).toMatchObject({ status: 0 })
  })

  test.each([
    [{ systemId: 'a'.repeat(15) }, 0],
    [{ password: 'p'.repeat(64) }, 0],
    [{ systemType: 't'.repeat(12) }, 0],
    [{ addressRange: 'r'.repeat(40) }, 0],
  ])('the longest fields fit: %o', async (field, status) => {
    await start({
      handlers: { onBind: (_s, bind) => ({ accept: true, account: bind.systemId, systemId: 'g' }) },
    })
    const peer = await dial()
    peer.send('bind_transceiver', 1, { systemId: 'esme', password: 'secret', ...field })
    expect(await peer.next()).toMatchObject({ status })
  })

  test.each([
    [['a'.repeat(16), 'p', '', ''], 0x0f],
    [['a', 'p'.repeat(65), '', ''], 0x0e],
    [['a', 'p', 't'.repeat(13), ''], 0x53],
    [['a', 'p', '', 'r'.repeat(41)], 0x0d],
  ])('fields too long are refused with their own status', async ([id, password, type, range], status) => {
    await start()
    const peer = await dial()
    const body = Buffer.from(`${id}\0${password}\0${type}\0\x34\0\0${range}\0`, 'latin1')
    peer.write(Buffer.concat([rawHeader(16 + body.length, 9, 0, 1), body]))
    expect(await peer.next()).toMatchObject({ command: 'bind_transceiver_resp', status, octets: 16 })
  })

  test('whoever never binds is closed when session_init runs out, enquire_link or not', async () => {
    await start({ settings: { sessionInitMs: 200 } })
    const peer = await dial()
    const startMs = Date.now()
    peer.send('enquire_link', 1)
    expect(await peer.next()).toMatchObject({ command: 'enquire_link_resp' })
    setTimeout(() => peer.send('enquire_link', 2), 120)
    await peer.closed()
    expect(Date.now() - startMs).toBeLessThan(600)
    await vi.waitFor(() => expect(gateway.closes[0]).toMatchObject({ cause: 'bind-timeout' }))
  })

  test('requests outside their bind get 0x04 and the session stays', async () => {
    await start()
    const early = await dial()
    early.send('submit_sm', 1, message)
    expect(await early.next()).toMatchObject({ command: 'submit_sm_resp', status: 4, octets: 16 })
    await early.bind('receiver')
    for (const command of ['submit_sm', 'query_sm', 'cancel_sm', 'replace_sm', 'data_sm'] as const) {
      early.send(command, 2)
      expect(await early.next()).toMatchObject({ command: `${command}_resp`, status: 4 })
    }
    early.send('outbind', 3)
    expect(await early.next()).toMatchObject({ command: 'generic_nack', status: 3 })
    early.send('deliver_sm', 4, message)
    expect(await early.next()).toMatchObject({ command: 'deliver_sm_resp', status: 4 })
  })

  test('a session that closes while its bind is judged is told once, with the account that was granted', async () => {
    let grant: (() => void) | undefined
    const closed: unknown[] = []
    await start({
      handlers: {
        onBind: () =>
          new Promise((settle) => {
            grant = () => settle({ accept: true, account: 'slot', systemId: 'g' })
          }),
        onClosed: (session) => closed.push(session.account),
      },
    })
    const peer = await dial()
    peer.send('bind_transceiver', 1, { systemId: 'esme' })
    await vi.waitFor(() => expect(grant).toBeDefined())
    peer.destroy()
    await new Promise((settle) => setTimeout(settle, 50))
    expect(closed).toEqual([])
    grant?.()
    await vi.waitFor(() => expect(closed).toEqual(['slot']))
  })
})

describe('what a submit_sm must satisfy', () => {
  const text = { shortMessage: Buffer.from('hello') }
  const tail = (bytes: Buffer, extra: number[]): Buffer => Buffer.concat([bytes, Buffer.from(extra)])
  const smLength = (length: number) => (bytes: Buffer) => {
    bytes[bytes.length - 6] = length
    return bytes
  }
  const rows: [string, object, (bytes: Buffer) => Buffer, number[]][] = [
    ['minimal', {}, (bytes) => bytes, [0]],
    ['254 octets of text', { shortMessage: Buffer.alloc(254) }, (bytes) => bytes, [0]],
    ['sm_length 255', text, (bytes) => Buffer.concat([smLength(255)(bytes), Buffer.alloc(250)]), [1]],
    ['sm_length above what is there', text, smLength(9), [1]],
    ['sm_length 1 of 5, the rest no TLV', text, smLength(1), [1, 2]],
    ['no NUL up to the end', {}, (bytes) => bytes.subarray(0, 21), [2]],
    ['one octet of garbage', text, (bytes) => tail(bytes, [7]), [0xc0]],
    ['three octets of garbage', text, (bytes) => tail(bytes, [4, 0x24, 0]), [0xc0]],
    ['a TLV past the end', text, (bytes) => tail(bytes, [0x14, 0, 0, 9, 1]), [0xc0]],
    ['a known TLV too short', text, (bytes) => tail(bytes, [2, 4, 0, 1, 1]), [0xc2]],
    ['a known TLV with a bad value', text, (bytes) => tail(bytes, [0x04, 0x26, 0, 1, 7]), [0xc4]],
    ['short_message and payload', text, (bytes) => tail(bytes, [4, 0x24, 0, 1, 65]), [0xc1]],
    ['source of 20', { sourceAddr: '1'.repeat(20) }, (bytes) => bytes, [0]],
    ['no destination', { destinationAddr: '' }, (bytes) => bytes, [0x0b]],
    ['source TON 7', { sourceAddrTon: 7 }, (bytes) => bytes, [0x48]],
    ['source NPI 2', { sourceAddrNpi: 2 }, (bytes) => bytes, [0x49]],
    ['destination TON 7', { destAddrTon: 7 }, (bytes) => bytes, [0x50]],
    ['destination NPI 255', { destAddrNpi: 255 }, (bytes) => bytes, [0x51]],
    ['priority 4', { priorityFlag: 4 }, (bytes) => bytes, [6]],
    ['replace_if_present 2', { replaceIfPresentFlag: 2 }, (bytes) => bytes, [0x54]],
    ['registered_delivery 3', { registeredDelivery: 3 }, (bytes) => bytes, [7]],
    ['reserved esm_class', { esmClass: 0x3c }, (bytes) => bytes, [0x43]],
    ['schedule that is no time', { scheduleDeliveryTime: 'tomorrow' }, (bytes) => bytes, [0x61]],
    ['past schedule', { scheduleDeliveryTime: '200101000000000+' }, (bytes) => bytes, [0x61]],
    ['past validity', { validityPeriod: '200101000000000+' }, (bytes) => bytes, [0x62]],
    ['relative validity', { validityPeriod: '000001000000000R' }, (bytes) => bytes, [0]],
    ['absolute validity', { validityPeriod: '990101000000000+' }, (bytes) => bytes, [0]],
    ['unknown data_coding', { dataCoding: 0xbf }, (bytes) => bytes, [0]],
  ]

  test.each(rows)('%s', async (_name, body, spoil, statuses) => {
    await start()
    const peer = await bound()
    peer.write(spoiltSubmit(7, body, spoil))
    const response = await peer.next()
    expect(response).toMatchObject({ command: 'submit_sm_resp', sequence: 7 })
    expect(statuses).toContain(response.status)
    if (response.status !== 0) expect(response.octets).toBe(16)
    peer.send('enquire_link', 8)
    expect(await peer.next()).toMatchObject({ command: 'enquire_link_resp', sequence: 8 })
  })

  test.each([
    ['serviceType', 6, 0x15],
    ['sourceAddr', 21, 0x0a],
    ['destinationAddr', 21, 0x0b],
  ])('a %s of %i characters gets 0x%s', async (field, length, status) => {
    await start()
    const peer = await bound()
    const part = (name: string): string =>
      name === field ? 'x'.repeat(length) : name === 'serviceType' ? '' : '1'
    const body = `${part('serviceType')}\0\0\0${part('sourceAddr')}\0\x01\x01${part('destinationAddr')}\0${'\0'.repeat(10)}`
    peer.write(Buffer.concat([rawHeader(16 + body.length, 4, 0, 2), Buffer.from(body, 'latin1')]))
    expect(await peer.next()).toMatchObject({ command: 'submit_sm_resp', status })
  })

  test('lenient, reserved values pass', async () => {
    await start({ settings: { isStrict: false } })
    const peer = await bound()
    peer.send('submit_sm', 2, {
      ...message,
      sourceAddrTon: 9,
      esmClass: 0x3c,
      priorityFlag: 9,
      registeredDelivery: 3,
    })
    expect(await peer.next()).toMatchObject({ status: 0 })
  })

  test('a payload of 64,000 octets and 50 unknown TLVs arrive whole; of duplicates the first counts', async () => {
    await start()
    const peer = await bound()
    const payload = makeTlv(tags.messagePayload, Buffer.alloc(64_000, 'x'))
    const others = Array.from({ length: 50 }, (_, index) => ({
      tag: 0x1400 + index,
      value: Buffer.from([index]),
    }))
    const again = makeTlv(tags.messagePayload, Buffer.from('second'))
    peer.send('submit_sm', 2, { ...message, tlvs: [...others, payload, again] })
    expect(await peer.next()).toMatchObject({ status: 0 })
    const [request] = gateway.requests
    expect(request!.duplicateTlvCount).toBe(1)
    expect(request!.body.tlvs).toHaveLength(51)
    expect(findTlv(request!.body.tlvs, tags.messagePayload)!.equals(payload.value)).toBe(true)
    expect(gateway.faults).toEqual(['duplicate-tlv'])
  })
})

describe('flow', () => {
  test('one request over the window gets 0x58 at once; answers in a batch leave together', async () => {
    await start({ holdAnswers: true, settings: { limits: { windowMax: 50, messagesPerSecond: 0 } } })
    const peer = await bound()
    let chunkCount = 0
    peer.write(
      Buffer.concat(
        Array.from({ length: 51 }, (_, index) => encodeAlone('submit_sm', 0, index + 2, message)),
      ),
    )
    expect(await peer.next(100)).toMatchObject({ status: 0x58, sequence: 52, octets: 16 })
    expect(gateway.bound().unansweredCount).toBe(50)
    peer.socket.on('data', () => (chunkCount += 1))
    for (const request of gateway.requests) expect(gateway.bound().respond(request, 0, 'late')).toBe(true)
    expect(gateway.bound().respond(gateway.requests[0]!, 0, 'twice')).toBe(false)
    expect((await peer.take(50)).every((pdu) => pdu.status === 0)).toBe(true)
    expect(chunkCount).toBe(1)
    expect(gateway.bound().unansweredCount).toBe(0)
  })

  test('the same sequence twice is two requests, the second flagged', async () => {
    await start({ holdAnswers: true })
    const peer = await bound()
    peer.send('submit_sm', 7, message)
    peer.send('submit_sm', 7, message)
    await vi.waitFor(() => expect(gateway.requests).toHaveLength(2))
    expect(gateway.requests.map((request) => request.isRepeatedSequence)).toEqual([false, true])
    for (const request of gateway.requests) gateway.bound().respond(request, 0, 'x')
    expect((await peer.take(2)).map((pdu) => pdu.sequence)).toEqual([7, 7])
  })

  test('a client that never reads is not read either, and others are served meanwhile', async () => {
    let servedCount = 0
    const longId = 'x'.repeat(64)
    await start({
      settings: { unsentOctetsMax: 384 * 1024 },
      handlers: {
        onRequest(session, request) {
          servedCount += 1
          session.respond(request, 0, longId)
        },
      },
    })
    const slow = await bound()
    slow.socket.pause()
    const burst = Buffer.concat(
      Array.from({ length: 500 }, (_, index) => encodeAlone('submit_sm', 0, index, message)),
    )
    for (let count = 0; count < 600; count++) slow.write(burst)
    let before = -1
    await vi.waitFor(
      () => {
        const isStill = servedCount > 0 && servedCount === before
        before = servedCount
        expect(isStill).toBe(true)
      },
      { timeout: 10_000, interval: 300 },
    )
    expect(servedCount).toBeLessThan(300_000)
    expect([...gateway.server.sessions][0]!.state).toBe('bound')
    const other = await bound()
    other.send('enquire_link', 9)
    expect(await other.next(1_000)).toMatchObject({ command: 'enquire_link_resp' })
    slow.socket.resume()
    await vi.waitFor(() => expect(servedCount).toBe(300_000), 10_000)
  }, 30_000)

  test('unbind: earlier submits are answered first, then unbind_resp, then we close', async () => {
    await start({ holdAnswers: true })
    const peer = await bound()
    peer.send('submit_sm', 2, message)
    peer.send('unbind', 3)
    peer.send('submit_sm', 4, message)
    expect(await peer.next()).toMatchObject({ sequence: 4, status: 4 })
    gateway.bound().respond(gateway.requests[0]!, 0, 'm')
    expect(await peer.next()).toMatchObject({ command: 'submit_sm_resp', sequence: 2, status: 0 })
    expect(await peer.next()).toMatchObject({ command: 'unbind_resp', sequence: 3 })
    await peer.closed()
    await vi.waitFor(() => expect(gateway.closes).toMatchObject([{ by: 'peer', cause: 'unbind' }]))
  })

  test('stop: no new socket, the open request answered, unbind sent, and its answer awaited', async () => {
    await start({ holdAnswers: true })
    const peer = await bound()
    peer.send('submit_sm', 2, message)
    await vi.waitFor(() => expect(gateway.requests).toHaveLength(1))
    const stopped = gateway.server.stop(5_000)
    await expect(Peer.connect(gateway.server.port)).rejects.toThrow('ECONNREFUSED')
    gateway.bound().respond(gateway.requests[0]!, 0, 'm')
    expect(await peer.next()).toMatchObject({ command: 'submit_sm_resp', status: 0 })
    const unbind = await peer.next()
    expect(unbind.command).toBe('unbind')
    peer.send('unbind_resp', unbind.sequence)
    await stopped
    await vi.waitFor(() => expect(gateway.closes).toMatchObject([{ by: 'us', cause: 'stop' }]))
  })

  test('deliver_sm: answered, refused, nacked, timed out and late, lost with the socket', async () => {
    const late: number[] = []
    await start({
      settings: { responseMs: 200, sendWindowMax: 2 },
      handlers: { onLateResponse: (_session, sequence) => late.push(sequence) },
    })
    const peer = await bound('receiver')
    const session = gateway.bound()
    const first = session.send('deliver_sm', message)
    const second = session.send('deliver_sm', message)
    const third = session.send('deliver_sm', message)
    const [one, two] = await peer.take(2)
    expect(session).toMatchObject({ inFlightCount: 2, queuedCount: 1 })
    peer.send('deliver_sm_resp', one!.sequence, {}, 0x64)
    expect(await first).toMatchObject({ kind: 'answered', status: 0x64 })
    peer.send('generic_nack', two!.sequence, {}, 3)
    expect(await second).toMatchObject({ kind: 'answered', status: 3 })
    const three = await peer.next()
    expect(await third).toEqual({ kind: 'timeout', sequence: three.sequence })
    peer.send('deliver_sm_resp', three.sequence)
    await vi.waitFor(() => expect(late).toEqual([three.sequence]))
    const fourth = session.send('deliver_sm', message)
    await peer.next()
    peer.socket.resetAndDestroy()
    expect(await fourth).toEqual({ kind: 'closed', wasSent: true })
    expect(await session.send('deliver_sm', message)).toMatchObject({ kind: 'refused', reason: 'not-bound' })
  })

  test('the tap sees every PDU but no password', async () => {
    const seen: string[] = []
    await start({
      handlers: {
        onBind: (session, bind) => {
          session.tap = (direction, header, raw) => seen.push(`${direction} ${header.id} ${raw.length}`)
          return { accept: true, account: bind.systemId, systemId: 'g' }
        },
      },
    })
    const peer = await bound()
    peer.send('enquire_link', 2)
    await peer.next()
    expect(seen).toEqual([`out ${0x80000009} 23`, 'in 21 16', `out ${0x80000015} 16`])
  })

  test('unhandled requests get the error of their kind', async () => {
    await start({ handlers: { onRequest: undefined as never } })
    const peer = await bound()
    for (const [command, status] of [
      ['query_sm', 0x67],
      ['cancel_sm', 0x11],
      ['replace_sm', 0x13],
    ] as const) {
      peer.send(command, 2)
      expect(await peer.next()).toMatchObject({ command: `${command}_resp`, status })
    }
  })
})

describe('caps on unbound sockets', () => {
  test('the 21st of an address takes the place of its oldest; other addresses are untouched', async () => {
    await start()
    const own = await Promise.all(Array.from({ length: 20 }, () => dial('127.0.0.2')))
    const other = await dial('127.0.0.3')
    const more = await dial('127.0.0.2')
    await vi.waitFor(() => expect(own.filter((peer) => peer.isClosed)).toHaveLength(1))
    expect(other.isClosed).toBe(false)
    await more.bind()
    await other.bind()
  })

  test('a bound socket does not count', async () => {
    await start({ unboundPerAddressMax: 2 })
    const first = await bound()
    const second = await bound()
    await bound()
    first.send('enquire_link', 5)
    second.send('enquire_link', 5)
    expect(await first.next()).toMatchObject({ command: 'enquire_link_resp' })
    expect(await second.next()).toMatchObject({ command: 'enquire_link_resp' })
  })
})
