// Sends submit_sm one by one at a steady pace and polls /healthz, in a process of its own: what disturbs the gateway or the
// test that attacks it must not disturb the timing.
// `probe '{"port":2775,"systemId":"…","password":"…","digits":"…","url":"http://127.0.0.1:8080","everyMs":10}'` prints a
// line of JSON with the figures since the last one for each line of stdin, and ends with stdin.
import type net from 'node:net'
import { createInterface } from 'node:readline'
import { bindTransceiver, eachPdu, pdu, submitBody, submitSm, submitSmResp } from './wire.ts'

export interface ProbeOptions {
  readonly port: number
  readonly systemId: string
  readonly password: string
  readonly digits: string
  /** Where /healthz is. */
  readonly url: string
  /** From one message to the next. */
  readonly everyMs: number
}

/** Times count from when a message was due, so that a message that could not be sent counts too. */
export interface ProbeFigures {
  readonly sent: number
  /** Answered with another status than 0. */
  readonly refused: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** The longest, including messages without a response yet. */
  readonly maxMs: number
  readonly healthzMaxMs: number
  /** Calls of /healthz that failed. */
  readonly healthzFaults: number
}

const healthzEveryMs = 50

export async function probe(options: ProbeOptions): Promise<void> {
  const messages = new Messages(await bindTransceiver(options), options)
  const health = new Health(options.url)
  messages.start()
  health.start()
  for await (const _ of createInterface({ input: process.stdin }))
    process.stdout.write(`${JSON.stringify({ ...messages.take(), ...health.take() })}\n`)
}

class Messages {
  readonly #socket: net.Socket
  readonly #body: Buffer
  readonly #everyMs: number
  readonly #dueAtMs = new Map<number, number>()
  #rest: Buffer | undefined
  #sequence = 1
  #times: number[] = []
  #sent = 0
  #refused = 0

  constructor(socket: net.Socket, { digits, everyMs }: ProbeOptions) {
    this.#socket = socket
    this.#body = submitBody(digits)
    this.#everyMs = everyMs
    socket.on('data', (chunk: Buffer) => this.#read(chunk))
  }

  start(): void {
    let dueAtMs = performance.now()
    setInterval(() => {
      for (const nowMs = performance.now(); dueAtMs <= nowMs; dueAtMs += this.#everyMs) this.#send(dueAtMs)
    }, 1)
  }

  #send(dueAtMs: number): void {
    this.#sequence = this.#sequence >= 0x7ffffff0 ? 2 : this.#sequence + 1
    this.#dueAtMs.set(this.#sequence, dueAtMs)
    this.#sent += 1
    this.#socket.write(pdu(submitSm, this.#sequence, this.#body))
  }

  #read(chunk: Buffer): void {
    const nowMs = performance.now()
    const bytes = this.#rest === undefined ? chunk : Buffer.concat([this.#rest, chunk])
    this.#rest = eachPdu(bytes, (command, at) => {
      if (command === submitSmResp)
        this.#answered(bytes.readUInt32BE(at + 12), bytes.readUInt32BE(at + 8), nowMs)
    })
  }

  #answered(sequence: number, status: number, nowMs: number): void {
    const dueAtMs = this.#dueAtMs.get(sequence)
    if (dueAtMs === undefined) return
    this.#dueAtMs.delete(sequence)
    if (status !== 0) this.#refused += 1
    this.#times.push(nowMs - dueAtMs)
  }

  take() {
    const nowMs = performance.now()
    const waiting = [...this.#dueAtMs.values()].map((dueAtMs) => nowMs - dueAtMs)
    const sorted = [...this.#times, ...waiting].toSorted((a, b) => a - b)
    const at = (share: number) => sorted[Math.ceil(sorted.length * share) - 1] ?? 0
    const figures = {
      sent: this.#sent,
      refused: this.#refused,
      p50Ms: at(0.5),
      p99Ms: at(0.99),
      maxMs: at(1),
    }
    this.#times = []
    this.#sent = this.#refused = 0
    return figures
  }
}

class Health {
  readonly #address: string
  #slowestMs = 0
  #faults = 0
  #requestedAtMs: number | undefined

  constructor(url: string) {
    this.#address = `${url}/healthz`
  }

  start(): void {
    setInterval(() => {
      if (this.#requestedAtMs === undefined) void this.#ask()
    }, healthzEveryMs)
  }

  async #ask(): Promise<void> {
    const requestedAtMs = performance.now()
    this.#requestedAtMs = requestedAtMs
    try {
      const reply = await fetch(this.#address)
      await reply.text()
      if (!reply.ok) this.#faults += 1
    } catch {
      // Counted in the figures.
      this.#faults += 1
    }
    this.#slowestMs = Math.max(this.#slowestMs, performance.now() - requestedAtMs)
    this.#requestedAtMs = undefined
  }

  take() {
    const waitedMs = this.#requestedAtMs === undefined ? 0 : performance.now() - this.#requestedAtMs
    const figures = {
      healthzMaxMs: Math.max(this.#slowestMs, waitedMs),
      healthzFaults: this.#faults,
    }
    this.#slowestMs = this.#faults = 0
    return figures
  }
}
