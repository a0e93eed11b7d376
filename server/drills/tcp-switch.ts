// A TCP proxy that simulates network faults: delay, silence, reset, refusal.
import { createServer, connect, type Server, type Socket } from 'node:net'

/**
 * `pass`: transparent. `slow`: each chunk is delayed. `silent`: nothing arrives and no connection is closed, as with a
 * pulled cable. `reset`: existing and new connections are reset. `refuse`: nothing listens.
 */
export type LineState = 'pass' | 'slow' | 'silent' | 'reset' | 'refuse'

export class TcpSwitch {
  readonly #target: () => { readonly port: number } | { readonly path: string }
  readonly #pairs = new Set<SocketPair>()
  #server: Server | undefined
  #line: LineState = 'pass'
  #delayMs = 0
  port = 0

  constructor(target: () => { readonly port: number } | { readonly path: string }) {
    this.#target = target
  }

  async open(): Promise<void> {
    const server = createServer((socket) => this.#accept(socket))
    this.#server = server
    await new Promise<void>((settle, reject) => {
      server.once('error', reject)
      server.listen(this.port, '127.0.0.1', settle)
    })
    const address = server.address()
    this.port = typeof address === 'object' && address !== null ? address.port : 0
  }

  /** Switches existing and future connections. `delayMs` is for `slow`. */
  async turn(line: LineState, delayMs = 0): Promise<void> {
    const was = this.#line
    this.#line = line
    this.#delayMs = delayMs
    if (line === 'refuse') await this.close()
    else if (was === 'refuse') await this.open()
    for (const pair of this.#pairs)
      if (line === 'reset') pair.reset()
      else pair.turn(line, delayMs)
  }

  /** Resets existing connections; new ones pass. */
  resetAll(): void {
    for (const pair of this.#pairs) pair.reset()
  }

  async close(): Promise<void> {
    for (const pair of this.#pairs) pair.reset()
    const server = this.#server
    this.#server = undefined
    if (server !== undefined) await new Promise((settle) => server.close(settle))
  }

  #accept(near: Socket): void {
    if (this.#line === 'reset') {
      near.on('error', () => undefined)
      near.resetAndDestroy()
      return
    }
    const pair = new SocketPair(near, connect(this.#target()), () => this.#pairs.delete(pair))
    this.#pairs.add(pair)
    pair.turn(this.#line, this.#delayMs)
  }
}

class SocketPair {
  readonly #near: Socket
  readonly #far: Socket
  #line: LineState = 'pass'
  #delayMs = 0

  constructor(near: Socket, far: Socket, onClose: () => void) {
    this.#near = near
    this.#far = far
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.setNoDelay(true)
      from.on('data', (bytes: Buffer) => this.#pass(to, bytes))
      from.on('error', () => from.destroy())
      // A silent line does not pass on the end of a connection either.
      from.on('close', () => {
        if (this.#line === 'silent') return
        to.destroy()
        onClose()
      })
    }
  }

  turn(line: LineState, delayMs: number): void {
    this.#line = line
    this.#delayMs = delayMs
    for (const socket of [this.#near, this.#far])
      if (line === 'silent') socket.pause()
      else socket.resume()
  }

  reset(): void {
    this.#near.resetAndDestroy()
    // This may be a Unix socket, which has no reset.
    this.#far.destroy()
  }

  #pass(to: Socket, bytes: Buffer): void {
    if (this.#line !== 'slow') to.write(bytes)
    else setTimeout(() => to.writable && to.write(bytes), this.#delayMs)
  }
}
