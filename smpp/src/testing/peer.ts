// A peer made of a plain socket: sends any bytes and waits for the answers.
import { once } from 'node:events'
import net from 'node:net'
import { FrameReader } from '../frames.ts'
import { decodePdu, isProblem } from '../pdu/decode.ts'
import { encodeAlone } from '../pdu/encode.ts'
import type { AnyPdu, PduBody } from '../pdu/registry.ts'
import type { CommandName } from '../values/command-id.ts'

/** Ends a test that hangs. A test of a duration measures it or passes its own time-out. */
const patienceMs = 30_000

export class Peer {
  readonly socket: net.Socket
  readonly received: AnyPdu[] = []
  isClosed = false
  closedAtMs = 0
  #wake: () => void = () => undefined

  constructor(socket: net.Socket) {
    this.socket = socket
    const frames = new FrameReader(1_000_000, (bytes, start, end) => {
      const pdu = decodePdu(bytes, start, end, false, 0)
      if (isProblem(pdu)) throw new Error(`the other side sent a bad PDU: ${pdu.reason}`)
      this.received.push(pdu)
    })
    socket.on('data', (chunk: Buffer) => {
      frames.push(chunk)
      this.#wake()
    })
    socket.on('error', () => undefined)
    socket.on('close', () => {
      this.isClosed = true
      this.closedAtMs = Date.now()
      this.#wake()
    })
  }

  /** Connects to a port of this machine; `localAddress` picks one of its loopback addresses. */
  static async connect(port: number, localAddress?: string): Promise<Peer> {
    const where = { host: '127.0.0.1', port }
    const socket = net.connect(localAddress === undefined ? where : { ...where, localAddress })
    await once(socket, 'connect')
    return new Peer(socket)
  }

  write(bytes: Buffer | string): void {
    this.socket.write(bytes)
  }

  send<Name extends CommandName>(
    command: Name,
    sequence: number,
    body: Partial<PduBody<Name>> = {},
    status = 0,
  ): void {
    this.write(encodeAlone(command, status, sequence, body))
  }

  /** Takes the next PDU off what was received; fails after `timeoutMs` or when the socket closes. */
  async next(timeoutMs = patienceMs): Promise<AnyPdu> {
    const untilMs = Date.now() + timeoutMs
    while (this.received.length === 0) {
      if (this.isClosed) throw new Error('the other side closed the socket')
      await this.#change(untilMs, 'no PDU came')
    }
    const [pdu] = this.received.splice(0, 1)
    if (pdu === undefined) throw new Error('no PDU')
    return pdu
  }

  /** Waits for this many PDUs and takes them. */
  async take(count: number, timeoutMs = patienceMs): Promise<AnyPdu[]> {
    const untilMs = Date.now() + timeoutMs
    while (this.received.length < count)
      await this.#change(untilMs, `${this.received.length} of ${count} PDUs came`)
    return this.received.splice(0, count)
  }

  async closed(timeoutMs = patienceMs): Promise<void> {
    const untilMs = Date.now() + timeoutMs
    while (!this.isClosed) await this.#change(untilMs, 'the socket stayed open')
  }

  /** Binds and expects success. */
  async bind(
    mode: 'receiver' | 'transmitter' | 'transceiver' = 'transceiver',
    version = 0x34,
  ): Promise<AnyPdu> {
    this.send(`bind_${mode}`, 1, { systemId: 'esme', password: 'secret', interfaceVersion: version })
    const response = await this.next()
    if (response.status !== 0) throw new Error(`the bind was refused with ${response.status}`)
    return response
  }

  destroy(): void {
    this.socket.destroy()
  }

  async #change(untilMs: number, fault: string): Promise<void> {
    const leftMs = untilMs - Date.now()
    if (leftMs <= 0) throw new Error(fault)
    await new Promise<void>((settle) => {
      const timer = setTimeout(settle, leftMs)
      this.#wake = () => {
        clearTimeout(timer)
        settle()
      }
    })
  }
}
