// A plain socket to the SMSC under test: sends any octets, and waits for what comes within a bound.
import net from 'node:net'
import tls from 'node:tls'
import { FrameReader } from '../frames.ts'
import { decodePdu, isProblem } from '../pdu/decode.ts'
import { encodeAlone } from '../pdu/encode.ts'
import type { AnyPdu, PduBody } from '../pdu/registry.ts'
import type { CommandName } from '../values/command-id.ts'
import { statusText } from '../values/command-status.ts'

/** Whom to check, and as whom. */
export interface ConformanceTarget {
  readonly host: string
  readonly port: number
  readonly tls?: tls.ConnectionOptions | undefined
  readonly systemId: string
  readonly password: string
  /** Sender and recipient of the test messages: the SMSC must accept messages between them. */
  readonly from: string
  readonly to: string
}

/** What a row found wrong, in words for the report. */
export class RowFailed extends Error {
  override readonly name = 'RowFailed'
}

/** Fails the row unless it is true. */
export function require(isTrue: boolean, fault: string): asserts isTrue {
  if (!isTrue) throw new RowFailed(fault)
}

export const hex = (value: number) => `0x${value.toString(16).toUpperCase().padStart(2, '0')}`

/** How long an answer may take. Every wait of a row ends. */
const answerMs = 5_000

export type BoundAs = 'transmitter' | 'receiver' | 'transceiver'

/** One connection to the target. The SMSC's own requests are answered with success, and kept. */
export class ProbeSocket {
  readonly socket: net.Socket
  readonly requests: AnyPdu[] = []
  isClosed = false
  readonly #answers: AnyPdu[] = []
  #wake: () => void = () => undefined

  constructor(socket: net.Socket) {
    this.socket = socket
    const frames = new FrameReader(200_000, (bytes, start, end) => {
      // Kept longer than the chunk.
      const copy = Buffer.from(bytes.subarray(start, end))
      const pdu = decodePdu(copy, 0, copy.length, false, Date.now())
      if (!isProblem(pdu)) this.#take(pdu)
    })
    socket.on('data', (chunk: Buffer) => {
      frames.push(chunk)
      this.#wake()
    })
    socket.on('error', () => undefined)
    socket.on('close', () => {
      this.isClosed = true
      this.#wake()
    })
  }

  static connect(target: ConformanceTarget): Promise<ProbeSocket> {
    const where = { host: target.host, port: target.port }
    return new Promise((resolve, reject) => {
      const socket = target.tls === undefined ? net.connect(where) : tls.connect({ ...target.tls, ...where })
      const failed = (detail: string): void => {
        clearTimeout(timer)
        socket.destroy()
        reject(new RowFailed(`no connection: ${detail}`))
      }
      const timer = setTimeout(() => failed('no answer in time'), answerMs)
      socket.once('error', (error) => failed(error.message))
      socket.once(target.tls === undefined ? 'connect' : 'secureConnect', () => {
        clearTimeout(timer)
        resolve(new ProbeSocket(socket))
      })
    })
  }

  static async bound(
    target: ConformanceTarget,
    as: BoundAs = 'transceiver',
    version = 0x34,
  ): Promise<ProbeSocket> {
    const probe = await ProbeSocket.connect(target)
    const response = await probe.bind(target, as, version)
    if (response.status === 0) return probe
    probe.destroy()
    throw new RowFailed(`the bind as ${as} was refused: ${statusText(response.status)}`)
  }

  /** Sends a bind and waits for its answer. */
  bind(
    { systemId, password }: Pick<ConformanceTarget, 'systemId' | 'password'>,
    as: BoundAs = 'transceiver',
    interfaceVersion = 0x34,
    more: Partial<PduBody<'bind_transceiver'>> = {},
  ): Promise<AnyPdu> {
    return this.ask(`bind_${as}`, 1, { systemId, password, interfaceVersion, ...more })
  }

  write(octets: Buffer): void {
    this.socket.write(octets)
  }

  /** Sends a request and waits for what answers its sequence number. */
  ask<Name extends CommandName>(
    command: Name,
    sequence: number,
    body: Partial<PduBody<Name>> = {},
  ): Promise<AnyPdu> {
    this.write(encodeAlone(command, 0, sequence, body))
    return this.answerTo(sequence)
  }

  /** Waits for the answer to a sequence number. */
  async answerTo(sequence: number, ms = answerMs): Promise<AnyPdu> {
    const find = () => this.#answers.findIndex((pdu) => pdu.sequence === sequence)
    await this.#until(() => find() >= 0, ms, `no answer to the PDU with sequence ${sequence}`)
    const [pdu] = this.#answers.splice(find(), 1)
    if (pdu === undefined) throw new RowFailed('no answer')
    return pdu
  }

  /** Waits for a request of the SMSC that fits; it has been answered already. */
  async request(isIt: (pdu: AnyPdu) => boolean, ms: number, what: string): Promise<AnyPdu> {
    await this.#until(() => this.requests.some(isIt), ms, `no ${what} came`)
    return this.requests.find(isIt) ?? this.requests[0] ?? this.#never()
  }

  /** Waits until the SMSC closes the socket; returns after how many ms. */
  async closed(ms: number): Promise<number> {
    const startedAtMs = performance.now()
    await this.#until(() => this.isClosed, ms, 'the socket stayed open', true)
    return performance.now() - startedAtMs
  }

  /** The session works still: an enquire_link is answered. Answers that nothing waits for are returned. */
  async stays(): Promise<readonly AnyPdu[]> {
    const pdu = await this.ask('enquire_link', 0x7000_0001)
    require(pdu.command === 'enquire_link_resp', `enquire_link was answered by ${pdu.command}`)
    return this.#answers.splice(0)
  }

  destroy(): void {
    this.socket.destroy()
  }

  #never(): never {
    throw new RowFailed('no request')
  }

  #take(pdu: AnyPdu): void {
    if (pdu.id >= 0x8000_0000) this.#answers.push(pdu)
    else {
      this.requests.push(pdu)
      const header = Buffer.alloc(16)
      for (const [at, value] of [16, pdu.id + 0x8000_0000, 0, pdu.sequence].entries())
        header.writeUInt32BE(value, at * 4)
      // A message_id of one NUL.
      const isMessage = pdu.command === 'deliver_sm' || pdu.command === 'data_sm'
      if (isMessage) header.writeUInt32BE(17, 0)
      this.socket.write(isMessage ? Buffer.concat([header, Buffer.of(0)]) : header)
    }
  }

  async #until(isThere: () => boolean, ms: number, fault: string, mayClose = false): Promise<void> {
    const untilMs = performance.now() + ms
    while (!isThere()) {
      if (this.isClosed && !mayClose) throw new RowFailed(`${fault}: the SMSC closed the socket`)
      const leftMs = untilMs - performance.now()
      if (leftMs <= 0) throw new RowFailed(`${fault} within ${ms / 1_000} s`)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, leftMs)
        this.#wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
  }
}
