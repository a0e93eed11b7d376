// A load generator for SMPP: keeps a window of submit_sm open on each bind, counts and times the responses. PDUs are built
// by hand and only headers of responses are read, so that it takes little of the processor that it measures.
// `load '{"port":2775,"systemId":"…","password":"…","digits":[…],"binds":10,"window":50,"seconds":3,"perSecond":0}'`
import type net from 'node:net'
import {
  bindTransceiver,
  eachPdu,
  pdu,
  submitBody,
  submitSm,
  submitSmResp,
} from '@tollgate/server/test/traffic/wire.ts'

const pduOctetsMax = 256

export interface LoadOptions {
  readonly port: number
  readonly systemId: string
  readonly password: string
  /** Destination addresses, used at random. */
  readonly digits: readonly string[]
  readonly binds: number
  readonly window: number
  readonly seconds: number
  /** Offered rate over all binds; 0 sends as fast as the windows allow. */
  readonly perSecond: number
  /** From so many different senders, each to one of the numbers; by default from one. */
  readonly senders?: number
}

export interface LoadResult {
  readonly answered: number
  readonly refused: number
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly maxMs: number
}

/** Response times in a histogram of 0.1 ms steps up to 10 s. */
class TimeHistogram {
  readonly #counts = new Uint32Array(100_001)
  #count = 0
  #maxMs = 0
  add(ms: number): void {
    const step = Math.min(100_000, Math.round(ms * 10))
    this.#counts[step] = (this.#counts[step] ?? 0) + 1
    this.#count += 1
    if (ms > this.#maxMs) this.#maxMs = ms
  }
  at(share: number): number {
    let left = this.#count * share
    const step = this.#counts.findIndex((count) => (left -= count) <= 0)
    return step / 10
  }
  get maxMs(): number {
    return this.#maxMs
  }
  clear(): void {
    this.#counts.fill(0)
    this.#count = 0
    this.#maxMs = 0
  }
}

/** Encoded messages that lack only their sequence numbers. */
function submits(digits: readonly string[], senders: number | undefined): Buffer[] {
  if (senders === undefined)
    return digits.slice(0, 5_000).map((destination) => pdu(submitSm, 0, submitBody(destination)))
  return Array.from({ length: senders }, (_, nth) => {
    const source = `4477${String(Math.floor(Math.random() * 100_000_000)).padStart(8, '0')}`
    return pdu(submitSm, 0, submitBody(digits[nth % digits.length] ?? '', source))
  })
}

class LoadLink {
  readonly #socket: net.Socket
  readonly #submits: readonly Buffer[]
  readonly #times: TimeHistogram
  readonly #sentAt = new Float64Array(65_536)
  #out = Buffer.alloc(0)
  #rest: Buffer | undefined
  #sequence = 1
  inFlight = 0
  answered = 0
  refused = 0
  refill: () => void = () => undefined

  constructor(socket: net.Socket, submits: readonly Buffer[], times: TimeHistogram) {
    this.#socket = socket
    this.#submits = submits
    this.#times = times
    socket.on('data', (chunk: Buffer) => this.#read(chunk))
  }

  /** Sends so many messages in one write. Response times count from `dueAt`, when the messages were due. */
  send(count: number, dueAt: number): void {
    if (count <= 0) return
    const octets = count * pduOctetsMax
    // The buffer cannot be reused while the socket still has bytes of it to write.
    if (this.#out.length < octets || this.#socket.writableLength > 0)
      this.#out = Buffer.allocUnsafeSlow(octets)
    const out = this.#out
    let end = 0
    for (let made = 0; made < count; made += 1) {
      this.#sequence = this.#sequence >= 0x7ffffff0 ? 2 : this.#sequence + 1
      const submit = this.#submits[Math.floor(Math.random() * this.#submits.length)]
      if (submit === undefined) throw new Error('There is no number to send to')
      out.set(submit, end)
      out.writeUInt32BE(this.#sequence, end + 12)
      end += submit.length
      this.#sentAt[this.#sequence & 0xffff] = dueAt
    }
    this.inFlight += count
    this.#socket.write(out.subarray(0, end))
  }

  #read(chunk: Buffer): void {
    const bytes = this.#rest === undefined ? chunk : Buffer.concat([this.#rest, chunk])
    const now = performance.now()
    this.#rest = eachPdu(bytes, (command, at) => {
      if (command !== submitSmResp) return
      this.inFlight -= 1
      if (bytes.readUInt32BE(at + 8) === 0) this.answered += 1
      else this.refused += 1
      this.#times.add(now - (this.#sentAt[bytes.readUInt32BE(at + 12) & 0xffff] ?? now))
    })
    this.refill()
  }

  end(): void {
    this.#socket.destroy()
  }
}

// In its first second the process compiles its code on the processors that it measures; this second is not counted.
export const warmSeconds = 1

/** Runs the load. Rate and times leave out the first second, the other counts include it. */
export async function runLoad(options: LoadOptions): Promise<LoadResult> {
  const times = new TimeHistogram()
  const messages = submits(options.digits, options.senders)
  const links: LoadLink[] = []
  for (let made = 0; made < options.binds; made += 1)
    links.push(new LoadLink(await bindTransceiver(options), messages, times))
  const endsAt = performance.now() + (warmSeconds + options.seconds) * 1_000
  const stopPacing = options.perSecond > 0 ? pace(links, options, endsAt) : saturate(links, options, endsAt)
  const answered = () => links.reduce((sum, link) => sum + link.answered, 0)
  await new Promise((settle) => setTimeout(settle, warmSeconds * 1_000))
  const [startedAt, before] = [performance.now(), answered()]
  times.clear()
  await new Promise((settle) => setTimeout(settle, options.seconds * 1_000))
  stopPacing()
  const answeredInTime = answered() - before
  const elapsedMs = performance.now() - startedAt
  // Messages in flight get their responses, so that the counts can be compared with the database.
  const patienceEnds = performance.now() + 15_000
  while (links.some(({ inFlight }) => inFlight > 0) && performance.now() < patienceEnds)
    await new Promise((settle) => setTimeout(settle, 20))
  const result = {
    answered: answered(),
    refused: links.reduce((sum, link) => sum + link.refused, 0),
    perSecond: (answeredInTime * 1_000) / elapsedMs,
    p50Ms: times.at(0.5),
    p99Ms: times.at(0.99),
    maxMs: times.maxMs,
  }
  for (const link of links) link.end()
  return result
}

function saturate(links: readonly LoadLink[], { window }: LoadOptions, endsAt: number): () => void {
  for (const link of links) {
    link.refill = () => {
      const now = performance.now()
      if (now < endsAt) link.send(window - link.inFlight, now)
    }
    link.refill()
  }
  return () => {
    for (const link of links) link.refill = () => undefined
  }
}

/** Open loop: messages are sent when they are due even if responses are late, as far as the windows allow. */
function pace(links: readonly LoadLink[], { window, perSecond }: LoadOptions, endsAt: number): () => void {
  const startedAt = performance.now()
  let offered = 0
  const timer = setInterval(() => {
    const now = performance.now()
    if (now >= endsAt) return
    let due = Math.floor(((now - startedAt) * perSecond) / 1_000) - offered
    for (const link of links) {
      const share = Math.min(Math.ceil(due / links.length), window - link.inFlight, due)
      if (share <= 0) continue
      link.send(share, now)
      offered += share
      due -= share
    }
  }, 1)
  return () => clearInterval(timer)
}
