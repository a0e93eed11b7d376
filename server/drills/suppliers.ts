// Suppliers for drills: they bind again when a link breaks, send refused messages again, and keep a journal of what the
// gateway acknowledged. The checker compares the journal with the database.
import type net from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  bindTransceiver,
  eachPdu,
  enquireLink,
  pdu,
  responseBit,
  submitBody,
  submitSm,
  submitSmResp,
  unbind,
} from '../test/traffic/wire.ts'
import type { Random } from './random.ts'
import { RunningClock } from './running-clock.ts'

export interface SuppliersOptions {
  readonly systemId: string
  readonly password: string
  /** The SMPP ports that binds are spread over. */
  readonly ports: readonly number[]
  /** Destination addresses. */
  readonly digits: readonly string[]
  readonly binds: number
  readonly window: number
  /** Offered rate over all binds; 0 sends as fast as the windows allow. */
  readonly perSecond: number
  /** The share of messages without a response that is sent again, as suppliers do that must not lose one. */
  readonly repeatShare: number
  readonly random: Random
  /** How long a supplier waits for a response before it ends its link. */
  readonly patienceMs?: number
}

/** What the suppliers know, independently of the database. */
export interface Journal {
  /** The message id of each acknowledgement, and at the same index the key of its message. */
  readonly acknowledgedIds: string[]
  readonly acknowledgedKeys: number[]
  /** How often each message was sent, by its key; each has its own source address, see {@link sourceAddressOf}. */
  readonly tries: Map<number, number>
  /** Messages whose link broke before the response. */
  unanswered: number
  /** Those of them whose link the supplier ended itself, because a response was late. */
  outOfPatience: number
  /** Responses other than success, by status. */
  readonly refused: Map<number, number>
}

const perTick = 2
const retryFirstMs = 50
const retryMaxMs = 400
const busyPauseMs = 100
// A usual response_timer of suppliers (SMPP 3.4 §7.2). The time of a stalled machine does not count: nobody could read.
const standardPatienceMs = 10_000

/** The source address of a message, unique within a drill. */
export const sourceAddressOf = (key: number): string => `99${String(key).padStart(11, '0')}`

interface PendingSubmit {
  readonly key: number
  readonly sentAtMs: number
  /** By the running clock. */
  readonly patientFromMs: number
}

export class Suppliers {
  readonly journal: Journal = {
    acknowledgedIds: [],
    acknowledgedKeys: [],
    tries: new Map(),
    unanswered: 0,
    outOfPatience: 0,
    refused: new Map(),
  }
  /** performance.now() of the last acknowledgement. */
  lastAcknowledgedAtMs = 0
  /** The longest time that a message waited for a response of any kind. */
  longestAnswerMs = 0
  /** The longest time without an acknowledgement since {@link restartPauses}. */
  longestPauseMs = 0
  readonly #options: SuppliersOptions
  readonly #links = new Set<SupplierLink>()
  readonly #again: number[] = []
  #key: number
  #isSending = false
  #isOver = false
  #timer: NodeJS.Timeout | undefined
  #offered = 0
  #startedAtMs = 0
  #refusedAtMs = 0
  readonly #clock = new RunningClock(performance.now())
  readonly #binding: Promise<void>[] = []

  /** `firstKey` separates the messages of several `Suppliers` in one drill. */
  constructor(options: SuppliersOptions, firstKey = 1) {
    this.#options = options
    this.#key = firstKey
  }

  get acknowledged(): number {
    return this.journal.acknowledgedIds.length
  }

  get boundCount(): number {
    return this.#links.size
  }

  /** How many binds are on this port, without those that are leaving it. */
  boundTo(port: number): number {
    return [...this.#links].filter((link) => link.port === port && !link.isLeaving).length
  }

  /** How long the machine did not let the suppliers run while they were sending, in milliseconds. */
  get stalledMs(): number {
    return this.#clock.stalledMs
  }

  /** The key of the next new message. */
  get nextKey(): number {
    return this.#key
  }

  /** Binds and sends until {@link pause} or {@link stop}. */
  start(): void {
    this.#isOver = false
    for (let made = 0; made < this.#options.binds; made += 1) this.#binding.push(this.#keepBound(made))
    this.resume()
  }

  resume(): void {
    if (this.#isSending) return
    this.#isSending = true
    this.#startedAtMs = performance.now()
    this.#offered = 0
    this.#clock.resume(this.#startedAtMs)
    this.restartPauses()
    this.#timer = setInterval(() => this.#tick(), perTick)
  }

  /** Stops sending; messages in flight may still be answered. */
  pause(): void {
    this.#isSending = false
    clearInterval(this.#timer)
  }

  restartPauses(): void {
    this.longestPauseMs = 0
    this.lastAcknowledgedAtMs = performance.now()
  }

  /** Waits until no message is in flight, at most `timeoutMs`; returns how many still are. */
  async drain(timeoutMs: number): Promise<number> {
    const endsAtMs = performance.now() + timeoutMs
    const inFlight = () => [...this.#links].reduce((sum, link) => sum + link.inFlight.size, 0)
    while (inFlight() > 0 && performance.now() < endsAtMs) await sleep(10)
    return inFlight()
  }

  /** The state, for the message of a failure. */
  describe(): string {
    const inFlight = [...this.#links].map((link) => link.inFlight.size)
    const refused = [...this.journal.refused].map(([status, count]) => `0x${status.toString(16)} ${count}`)
    return `senders: ${this.acknowledged} acknowledged, ${this.boundCount} bound with ${inFlight.join('+')} under way, ${this.#again.length} to repeat, refused so far: ${refused.join(', ')}`
  }

  /** What links that broke left without an answer, by whose doing, for the verdict. */
  describeUnanswered(): string {
    const { unanswered, outOfPatience } = this.journal
    const stalled = (this.stalledMs / 1_000).toFixed(1)
    return `${unanswered} left without an answer by a link that broke, ${outOfPatience} of them given up by their suppliers; the machine stalled for ${stalled} s, which are no part of their patience`
  }

  /** Half of the links unbind as soon as nothing is under way on them, and bind at their next port. */
  moveHalf(): void {
    const links = [...this.#links]
    for (const link of links.slice(0, links.length / 2)) link.leave()
  }

  /** Ends all links for good. */
  async stop(): Promise<void> {
    this.pause()
    this.#isOver = true
    for (const link of this.#links) link.end()
    await Promise.all(this.#binding)
  }

  async #keepBound(place: number): Promise<void> {
    const { ports, systemId, password } = this.#options
    let pauseMs = retryFirstMs
    for (let turn = place; !this.#isOver; turn += 1) {
      const port = ports[turn % ports.length] ?? 0
      try {
        const socket = await withinMs(bindTransceiver({ port, systemId, password }), 5_000)
        pauseMs = retryFirstMs
        // A stop may have come meanwhile.
        if (this.#isOver) socket.destroy()
        else await this.#serve(new SupplierLink(socket, port))
      } catch {
        await sleep(pauseMs)
        pauseMs = Math.min(retryMaxMs, pauseMs * 2)
      }
    }
  }

  /** Until the link breaks. */
  async #serve(link: SupplierLink): Promise<void> {
    this.#links.add(link)
    await link.run((inFlight, status, messageId) => this.#note(inFlight, status, messageId))
    this.#links.delete(link)
    for (const { key } of link.inFlight.values()) {
      this.journal.unanswered += 1
      if (link.isGivenUp) this.journal.outOfPatience += 1
      if (this.#options.random.chance(this.#options.repeatShare)) this.#again.push(key)
    }
  }

  #note({ key, sentAtMs }: PendingSubmit, status: number, messageId: string): void {
    const nowMs = performance.now()
    this.longestAnswerMs = Math.max(this.longestAnswerMs, nowMs - sentAtMs)
    if (status === 0) {
      this.longestPauseMs = Math.max(this.longestPauseMs, nowMs - this.lastAcknowledgedAtMs)
      this.lastAcknowledgedAtMs = nowMs
      this.journal.acknowledgedIds.push(messageId)
      this.journal.acknowledgedKeys.push(key)
      return
    }
    this.journal.refused.set(status, (this.journal.refused.get(status) ?? 0) + 1)
    this.#refusedAtMs = nowMs
    this.#again.push(key)
  }

  #tick(): void {
    const { perSecond, window, patienceMs = standardPatienceMs } = this.#options
    const nowMs = performance.now()
    this.#clock.turn(nowMs)
    // After a temporary error a supplier waits a moment before it repeats.
    const isResting = nowMs - this.#refusedAtMs < busyPauseMs
    const due =
      perSecond === 0
        ? Infinity
        : Math.floor(((nowMs - this.#startedAtMs) * perSecond) / 1_000) - this.#offered
    let left = due
    for (const link of this.#links) {
      if (this.#clock.nowMs - link.patientFromMs > patienceMs) link.giveUp()
      if (link.isLeaving) continue
      const fair = perSecond === 0 ? window : Math.ceil(due / this.#links.size)
      const count = Math.min(fair, left, window - link.inFlight.size)
      for (let made = 0; made < count; made += 1) {
        const isRepeated = !isResting && this.#again.length > 0
        link.send(
          isRepeated ? (this.#again.shift() ?? 0) : this.#newKey(),
          { sentAtMs: nowMs, patientFromMs: this.#clock.nowMs },
          this.#options,
          this.journal,
        )
      }
      if (count > 0) left -= count
    }
    if (perSecond > 0) this.#offered += due - left
  }

  #newKey(): number {
    return this.#key++
  }
}

type OnResponse = (inFlight: PendingSubmit, status: number, messageId: string) => void

class SupplierLink {
  readonly #socket: net.Socket
  readonly port: number
  readonly inFlight = new Map<number, PendingSubmit>()
  #sequence = 1
  #rest: Buffer | undefined
  #isGivenUp = false
  #isLeaving = false

  constructor(socket: net.Socket, port: number) {
    this.#socket = socket
    this.port = port
  }

  /** The running clock when the oldest unanswered message was sent; Infinity when there is none. */
  get patientFromMs(): number {
    for (const { patientFromMs } of this.inFlight.values()) return patientFromMs
    return Infinity
  }

  /** Whether it takes no more messages, because it moves to another port. */
  get isLeaving(): boolean {
    return this.#isLeaving
  }

  /** Whether the supplier ended it because a response was late. */
  get isGivenUp(): boolean {
    return this.#isGivenUp
  }

  /** Reads responses until the link breaks. */
  run(onResponse: OnResponse): Promise<void> {
    return new Promise((settle) => {
      this.#socket.on('data', (chunk: Buffer) => this.#read(chunk, onResponse))
      // Drills break links; `close` follows.
      this.#socket.on('error', () => this.#socket.destroy())
      this.#socket.once('close', () => settle())
      if (this.#socket.destroyed) settle()
    })
  }

  send(
    key: number,
    at: Omit<PendingSubmit, 'key'>,
    { digits, random }: SuppliersOptions,
    { tries }: Journal,
  ): void {
    if (this.#socket.destroyed || this.#socket.writableEnded) return
    this.#sequence += 1
    this.inFlight.set(this.#sequence, { key, ...at })
    tries.set(key, (tries.get(key) ?? 0) + 1)
    // A repeated message has the same destination.
    const destination = digits[key % digits.length] ?? random.pick(digits)
    this.#socket.write(pdu(submitSm, this.#sequence, submitBody(destination, sourceAddressOf(key))))
  }

  end(): void {
    this.#socket.destroy()
  }

  /** Unbinds as soon as nothing is under way. */
  leave(): void {
    this.#isLeaving = true
    if (this.inFlight.size > 0) return
    this.#sequence += 1
    this.#socket.end(pdu(unbind, this.#sequence, Buffer.alloc(0)))
  }

  giveUp(): void {
    // What broke before was not given up.
    this.#isGivenUp ||= !this.#socket.destroyed
    this.end()
  }

  #read(chunk: Buffer, onResponse: OnResponse): void {
    const bytes = this.#rest === undefined ? chunk : Buffer.concat([this.#rest, chunk])
    this.#rest = eachPdu(bytes, (command, at) => {
      if (command === enquireLink || command === unbind) {
        this.#socket.write(pdu(command + responseBit, bytes.readUInt32BE(at + 12), Buffer.alloc(0)))
        // On unbind a peer closes its link and binds again.
        if (command === unbind) this.#socket.end()
        return
      }
      if (command !== submitSmResp) return
      const sequence = bytes.readUInt32BE(at + 12)
      const answered = this.inFlight.get(sequence)
      if (answered === undefined) return
      this.inFlight.delete(sequence)
      const bodyAt = at + 16
      const end = bytes.indexOf(0, bodyAt)
      const status = bytes.readUInt32BE(at + 8)
      if (this.#isLeaving) this.leave()
      onResponse(answered, status, status === 0 ? bytes.toString('latin1', bodyAt, end) : '')
    })
  }
}

async function withinMs<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  const ending = new AbortController()
  const late = sleep(timeoutMs, undefined, { signal: ending.signal }).then(() => {
    throw new Error('There was no answer in time')
  })
  late.catch(() => undefined)
  try {
    return await Promise.race([work, late])
  } finally {
    ending.abort()
  }
}
