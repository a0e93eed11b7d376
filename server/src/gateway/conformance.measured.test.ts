// What the conformance table promises and no peer can see: memory, descriptors, full speed, what is stored and charged.
// What a peer can see of the whole gateway is checked by server/src/conformance.program.test.ts.
import { readdirSync } from 'node:fs'
import net from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { encodeAlone } from '@tollgate/smpp/pdu/encode.ts'
import type { SendBody } from '@tollgate/smpp/session/session-types.ts'
import { withManyLoopbacks } from '@tollgate/smpp/testing/loopback.ts'
import type { Peer } from '@tollgate/smpp/testing/peer.ts'
import { tags } from '@tollgate/smpp/tlv/tags.ts'
import { makeTlv } from '@tollgate/smpp/tlv/tlv.ts'
import { openTestApi } from '../../test/http/api.ts'
import { eventually } from '../../test/environment/eventually.ts'
import { openTestGateway, secrets, type TestAccount } from '../../test/traffic/gateway.ts'
import { createTestAudit } from '../../test/people/audit.ts'
import { systemClock } from '../platform/clock.ts'
import { rows } from '../platform/db.ts'
import { composeReads } from '../compose-reads.ts'
import { parseMessageId, readBody } from '../ingest/index.ts'
import { sessionFaults } from './metrics.ts'

const environment = await openTestGateway({ settings: { sessionInitMs: 2_000 } })
const { node } = environment
const reads = composeReads({
  db: environment.db,
  clock: systemClock,
  secrets,
  audit: createTestAudit({ db: environment.db, clock: systemClock }),
  currentActor: async (actor) => actor,
  onFault: (error) => expect.unreachable(error.message),
})
const api = await openTestApi(reads.routes)
const admin = api.signIn({ userId: (await environment.account()).userId, username: 'admin', role: 'admin' })

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** What is held, in bytes, in the heap and in buffers beside it. Garbage that nobody has collected yet is not counted. */
function heldBytes(): number {
  collect()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

const submitSm = (sequence: number, destinationAddr: string) =>
  encodeAlone('submit_sm', 0, sequence, {
    sourceAddr: '4915112345678',
    destinationAddr,
    shortMessage: Buffer.from('x'),
  })

test('a peer that does not read its answers is not read from and costs little memory (conformance 64)', async () => {
  const peer = await node.bound(await environment.account())
  peer.socket.pause()
  const before = heldBytes()
  // Far more than the kernel's buffers contain. Refused messages are answered at once, so their answers accumulate.
  const flood = Buffer.concat(Array.from({ length: 2_000 }, (_, at) => submitSm(10 + at, '0')))
  let isBlocked = false
  for (let written = 0; written < 400 && !isBlocked; written += 1) {
    peer.socket.write(flood)
    await new Promise((done) => setTimeout(done, 10))
    isBlocked = peer.socket.writableLength > 4_000_000
  }
  // The gateway has stopped reading: the peer's send buffer is full.
  expect(isBlocked).toBe(true)
  expect(heldBytes() - before).toBeLessThan(16 * 1024 * 1024)
  peer.destroy()
})

// Each idle socket takes two descriptors here, its own and the gateway's.
const openFilesMax = readOpenFilesMax()
const idleCount = openFilesMax >= 12_000 ? 5_000 : 600
if (idleCount < 5_000)
  console.warn(
    `!! ONLY ${idleCount} IDLE SOCKETS: this machine allows ${openFilesMax} open files, 12,000 are needed`,
  )

await withManyLoopbacks('thousands of idle sockets', () => {
  test('with thousands of idle sockets a bind takes less than a second, and the idle ones are closed in time and their descriptors freed (conformance 65)', async () => {
    const account = await environment.account()
    const filesBefore = openFileCount()
    const endsBefore = await idleEnds()
    const sockets: net.Socket[] = []
    // A few hundred at a time: the listen queue has room for 1,024 sockets.
    for (let from = 0; from < idleCount; from += 250)
      sockets.push(
        ...(await Promise.all(
          Array.from({ length: 250 }, (_, at) => idle(node.port, `127.1.${1 + ((from + at) % 250)}.1`)),
        )),
      )
    // The other ends of the idle sockets are in this process too, and closing them may delay a bind.
    await eventually(async () => {
      const startedAt = performance.now()
      ;(await node.bound(account)).destroy()
      expect(performance.now() - startedAt).toBeLessThan(1_000)
    })
    // Above a thousand unbound sockets the oldest are already closed; the others close when they have not bound in time.
    await expect.poll(() => sockets.filter((socket) => !socket.destroyed).length).toBe(0)
    await expect.poll(() => openFileCount() - filesBefore).toBeLessThan(20)
    // The gateway counts an end when its own socket has closed, a moment after the other end has.
    await expect.poll(async () => (await idleEnds()) - endsBefore).toBe(idleCount)
  })
})

test('enquire_link is answered within a second while peers send as fast as they can (conformance 31)', async () => {
  const account = await environment.account()
  const digits = await environment.number()
  const peers = await Promise.all(Array.from({ length: 4 }, () => node.bound(account)))
  let waitsMs: number[] = []
  let untilMs = 0
  const burst = async (peer: Peer) => {
    for (let first = 1; performance.now() < untilMs || waitsMs.length <= 20; first += 50) {
      const requestedAtMs = performance.now()
      peer.write(
        Buffer.concat([
          ...Array.from({ length: 50 }, (_, at) => submitSm(first + at, digits)),
          encodeAlone('enquire_link', 0, 0x7000_0000, {}),
        ]),
      )
      for (let open = 51; open > 0; open -= 1) {
        const { command, status } = await peer.next(10_000)
        expect(status).toBe(0)
        if (command === 'enquire_link_resp') waitsMs.push(performance.now() - requestedAtMs)
      }
    }
  }
  await eventually(async () => {
    waitsMs = []
    untilMs = performance.now() + 2_000
    await Promise.all(peers.map(burst))
    const p99 = waitsMs.toSorted((one, other) => one - other)[Math.floor(waitsMs.length * 0.99)]
    expect(p99).toBeLessThan(1_000)
  })
  for (const peer of peers) peer.destroy()
})

test('a message is readable by REST the moment it is answered (conformance 37)', async () => {
  const digits = await environment.number()
  const { messageId } = await send(digits, { shortMessage: Buffer.from('hello') })
  expect(messageId).toMatch(/^[0-9A-Z]{26}$/)
  const { status, body } = await api.call('GET', `/api/records/${messageId}`, { cookie: admin })
  expect([status, body.messageId, body.phoneNumber]).toEqual([200, messageId, digits])
})

test.each([
  ['data_coding 0', 0x00, Buffer.from('Gr\u007esse @'.replace('@', '\0'), 'latin1'), 'Grüsse @', []],
  ['the extension table and a lone escape', 0x00, Buffer.of(0x1b, 0x65, 0x41, 0x1b), '€A ', 1],
  ['data_coding 1', 0x01, Buffer.from('@[x]'), '@[x]', []],
  ['data_coding 3', 0x03, Buffer.from('é', 'latin1'), 'é', []],
  ['data_coding 4', 0x04, Buffer.of(0, 255), '00ff', []],
  ['data_coding 8', 0x08, Buffer.from('05d0d83dde00', 'hex'), 'א😀', []],
  ['message class 1', 0xf1, Buffer.from('class'), 'class', []],
  ['a byte order mark', 0x08, Buffer.from('feff05d0', 'hex'), 'א', 1],
  ['an odd number of octets', 0x08, Buffer.from('004100', 'hex'), 'A\ufffd', 1],
  ['half a surrogate pair', 0x08, Buffer.from('d83d0041', 'hex'), '\ufffdA', 1],
  ['UTF-8 sent as data_coding 0', 0x00, Buffer.from('שלום'), 'שלום', 1],
  ['an unknown data_coding', 0xbf, Buffer.of(0xde, 0xad), 'dead', 1],
] as const)(
  '%s is stored as it came and shown decoded (conformance 48, 53, 54)',
  async (_, dataCoding, octets, text, flags) => {
    const { messageId, recordId } = await send(await environment.number(), {
      dataCoding,
      shortMessage: octets,
    })
    const read = await api.call('GET', `/api/records/${messageId}/text`, { cookie: admin })
    expect(read.body).toMatchObject({ text })
    expect(read.body.flags).toHaveLength(typeof flags === 'number' ? flags : 0)
    // The history says what the text's own view says.
    const record = await api.call('GET', `/api/records/${messageId}`, { cookie: admin })
    expect(record.body.flags).toEqual(read.body.flags)
    const decoded = record.body.timeline.find(({ step }: { step: string }) => step === 'decoded')
    expect(decoded.status).toBe(read.body.flags.length === 0 ? 'ok' : 'warn')
    const kept = await readBody(environment.db, secrets, recordId)
    expect(kept).toMatchObject({ dataCoding })
    expect(Buffer.from(kept?.body ?? [])).toEqual(octets)
  },
)

test('each part of a long message is a record and a charge of its own, whatever its header says (conformance 55)', async () => {
  const digits = await environment.number('active', await environment.account())
  const header = (hex: string) => Buffer.concat([Buffer.from(hex, 'hex'), Buffer.from('x')])
  const parts = [
    ...['050003010303', '050003010301', '050003010301'].map(header),
    ...['0608040001020201'.slice(0, 14), '050003020300', '050003020305'].map(header),
    header('7f00'),
  ]
  for (const shortMessage of parts) await send(digits, { esmClass: 0x40, shortMessage })
  const charged = await rows<{ amount: string }>(
    environment.db,
    sql`select r.amount_micro as amount from records r join numbers n on n.id = r.number_id where n.number = ${digits}`,
  )
  expect(charged).toHaveLength(parts.length)
  expect(new Set(charged.map(({ amount }) => amount)).size).toBe(1)
  expect(Number(charged[0]?.amount)).toBeGreaterThan(0)
})

test('the parts of a long message are read as one text, whatever their order (conformance 55, 56)', async () => {
  const supplier = await environment.account()
  const digits = await environment.number('active', await environment.account())
  const part = (reference: number, place: number, text: string) => ({
    esmClass: 0x40,
    shortMessage: Buffer.concat([Buffer.of(5, 0, 3, reference, 3, place), Buffer.from(text)]),
  })
  await send(digits, part(8, 1, 'of another '), supplier)
  await send(digits, part(7, 3, 'message'), supplier)
  await send(digits, part(7, 1, 'one '), supplier)
  await send(digits, part(7, 1, 'from another peer '))
  const { messageId } = await send(digits, part(7, 2, 'long '), supplier)
  const text = async (id: string) =>
    (await api.call('GET', `/api/records/${id}/text`, { cookie: admin })).body
  expect(await text(messageId)).toMatchObject({
    text: 'long ',
    whole: { text: 'one long message', parts: 3, total: 3 },
  })
  const sar = (place: number) => [
    makeTlv(tags.sarMsgRefNum, 900),
    makeTlv(tags.sarTotalSegments, 2),
    makeTlv(tags.sarSegmentSeqnum, place),
  ]
  const lone = await send(digits, { shortMessage: Buffer.from('half'), tlvs: sar(2) }, supplier)
  expect(await text(lone.messageId)).toMatchObject({ whole: { text: '[…]half', parts: 1, total: 2 } })
})

/** Submits one message on a bind of its own; returns its message id. */
async function send(destinationAddr: string, fields: SendBody<'submit_sm'>, supplier?: TestAccount) {
  const peer = await node.bound(supplier ?? (await environment.account()))
  peer.send('submit_sm', 5, {
    sourceAddr: '4915112345678',
    destAddrTon: 1,
    destAddrNpi: 1,
    destinationAddr,
    ...fields,
  })
  const answer = await peer.next()
  expect(answer).toMatchObject({ command: 'submit_sm_resp', status: 0 })
  peer.destroy()
  const { messageId } = answer.body as { messageId: string }
  return { messageId, recordId: BigInt(parseMessageId(messageId)?.recordId ?? 0) }
}

/** A socket that connects and sends nothing. */
async function idle(port: number, localAddress: string): Promise<net.Socket> {
  const socket = net.connect({ host: '127.0.0.1', port, localAddress })
  socket.on('error', () => socket.destroy())
  socket.resume()
  await new Promise((done) => socket.once('connect', done).once('close', done))
  return socket
}

/** How many files the process may have open; infinite without a limit. */
function readOpenFilesMax(): number {
  const { userLimits } = process.report.getReport() as {
    userLimits?: { open_files: { soft: number | string } }
  }
  const soft = Number(userLimits?.open_files.soft)
  return Number.isNaN(soft) ? Infinity : soft
}

/** How many sessions ended unbound, because of the bind time-out or of too many others. */
async function idleEnds(): Promise<number> {
  const { values } = await sessionFaults.get()
  const ends = values.filter(({ labels }) => labels.kind === 'bind-timeout' || labels.kind === 'limit')
  return ends.reduce((sum, { value }) => sum + value, 0)
}

const openFileCount = () => readdirSync('/dev/fd').length
