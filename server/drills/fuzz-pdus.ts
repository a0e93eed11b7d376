// Sends malformed PDUs to a whole gateway from many sessions at once: before and after a bind, glued and cut, in the wrong
// state, with wrong lengths. A normal supplier sends beside them and must not be disturbed.
import net from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { FrameReader } from '@tollgate/smpp/frames.ts'
import { decodePdu, isProblem } from '@tollgate/smpp/pdu/decode.ts'
import { cutRandomly, fuzzLostFrame, fuzzPdu } from '@tollgate/smpp/testing/fuzz.ts'
import { bindTransceiver, type BindCredentials } from '../test/traffic/wire.ts'
import { residentMb } from '../test/environment/children.ts'
import { addSupplier } from './business.ts'
import { defineDrill } from './define.ts'
import { makeEmbeddedTestbed } from './embedded-testbed.ts'
import type { Random } from './random.ts'
import { Suppliers } from './suppliers.ts'

const supplierCount = 12
// Each account's limits slow it down, so several send at once.
const sessionsPerSupplier = 2
const noteEveryMs = 10_000

interface FuzzCounts {
  /** Malformed responses, by their fault. */
  readonly badAnswers: Map<string, number>
  answers: number
  sessions: number
}

export const fuzzPdus = defineDrill({
  name: 'fuzz-pdus',
  summary: 'random and spoilt PDUs to a gateway; --count is how many it reads, --minutes how long at most',
  options: { count: 1_000_000, minutes: 60 },
  short: { count: 5_000, minutes: 4 },
  async run({ options, random, note, onEnd }) {
    const testbed = await makeEmbeddedTestbed({ onEnd })
    const gateway = await testbed.start()
    const peers: BindCredentials[] = []
    for (let at = 0; at < supplierCount; at += 1)
      peers.push({ port: testbed.smppPort, ...(await addSupplier(testbed.url)) })
    const steady = new Suppliers({
      ...(await addSupplier(testbed.url)),
      ports: [testbed.smppPort],
      digits: testbed.digits,
      binds: 1,
      window: 10,
      perSecond: 50,
      repeatShare: 0,
      random,
    })
    onEnd(() => steady.stop())
    steady.start()
    const found: FuzzCounts = { badAnswers: new Map(), answers: 0, sessions: 0 }
    const over = new AbortController()
    onEnd(async () => over.abort())
    const startedMb = residentMb(gateway.pid)
    const attacks = peers.flatMap((peer) =>
      Array.from({ length: sessionsPerSupplier }, () => attack(peer, random, found, over.signal)),
    )
    const untilMs = performance.now() + options.minutes * 60_000
    let read = 0
    let notedAtMs = performance.now()
    while (read < options.count && performance.now() < untilMs) {
      await sleep(200)
      read = await countOf(testbed.url, /^tollgate_smpp_pdus_total\{[^}]*direction="in"[^}]*\} (\d+)/gm)
      if (performance.now() - notedAtMs < noteEveryMs) continue
      notedAtMs = performance.now()
      note(`${read} PDUs read in ${found.sessions} sessions, ${residentMb(gateway.pid)} MB`)
    }
    over.abort()
    await Promise.all(attacks)
    steady.pause()
    const left = await steady.drain(15_000)
    const failed = await countOf(testbed.url, /^tollgate_smpp_faults_total\{kind="handler-failed"\} (\d+)/gm)
    const isAlive = await fetch(`${testbed.url}/healthz`).then(({ ok }) => ok)
    const lostLinks = steady.journal.unanswered
    for (const [reason, count] of found.badAnswers) note(`${count} answers: ${reason}`)
    const badCount = [...found.badAnswers.values()].reduce((sum, count) => sum + count, 0)
    return {
      isPassed:
        isAlive && read >= options.count && failed === 0 && badCount === 0 && left === 0 && lostLinks === 0,
      figures: [
        `crashes ${isAlive ? 0 : 1}`,
        `${read} PDUs read in ${found.sessions} sessions`,
        `${found.answers} answers, ${badCount} of them bad`,
        `failed handlers ${failed}`,
        `the steady supplier: ${steady.acknowledged} acknowledged, ${left + lostLinks} without an answer`,
        `${startedMb} MB before, ${residentMb(gateway.pid)} MB after`,
      ],
    }
  },
})

/** Opens one session after another until the drill is over. The gateway may refuse and close them. */
async function attack(
  peer: BindCredentials,
  random: Random,
  found: FuzzCounts,
  isOver: AbortSignal,
): Promise<void> {
  while (!isOver.aborted) {
    found.sessions += 1
    const socket = await openSession(peer, random).catch(() => undefined)
    if (socket === undefined) {
      await sleep(100)
      continue
    }
    readAnswers(socket, found)
    const pduCount = random.between(1, 2_000)
    for (let sent = 0; sent < pduCount && !socket.destroyed && !isOver.aborted;) {
      const batch = Array.from({ length: random.between(1, 100) }, () => fuzzPdu(random))
      sent += batch.length
      if (random.chance(0.01)) batch.push(fuzzLostFrame(random))
      for (const piece of cutRandomly(Buffer.concat(batch), random))
        if (!socket.write(piece)) await drained(socket, isOver)
      await sleep(0)
    }
    // Mostly waits until the gateway has read what was sent; sometimes closes at once.
    if (random.chance(0.8)) await sleep(50)
    if (random.chance(0.5)) socket.resetAndDestroy()
    else socket.destroy()
  }
}

/** Opens a session, mostly bound; some begin with garbage instead. */
async function openSession(peer: BindCredentials, random: Random): Promise<net.Socket> {
  if (random.chance(0.9)) {
    const socket = await bindTransceiver(peer)
    return socket.on('error', () => undefined)
  }
  const socket = net.connect({ host: '127.0.0.1', port: peer.port, noDelay: true })
  return socket.on('error', () => undefined)
}

/** Checks that every octet of the responses belongs to a valid PDU. */
function readAnswers(socket: net.Socket, found: FuzzCounts): void {
  const frames = new FrameReader(1_000_000, (bytes, start, end) => {
    const pdu = decodePdu(bytes, start, end, false, 0)
    found.answers += 1
    if (isProblem(pdu)) found.badAnswers.set(pdu.reason, (found.badAnswers.get(pdu.reason) ?? 0) + 1)
  })
  socket.on('data', (chunk: Buffer) => {
    if (frames.push(chunk).kind === 'lost')
      found.badAnswers.set('a stream that is lost', (found.badAnswers.get('a stream that is lost') ?? 0) + 1)
  })
}

/** Waits while the gateway applies back-pressure, at most as long as it keeps such a session open. */
async function drained(socket: net.Socket, isOver: AbortSignal): Promise<void> {
  const untilMs = performance.now() + 15_000
  while (socket.writableNeedDrain && !socket.destroyed && !isOver.aborted && performance.now() < untilMs)
    await sleep(20)
  if (socket.writableNeedDrain) socket.destroy()
}

async function countOf(url: string, line: RegExp): Promise<number> {
  const text = await fetch(`${url}/metrics`).then((answer) => answer.text())
  return [...text.matchAll(line)].reduce((sum, [, count]) => sum + Number(count), 0)
}
