// Closes the sockets that exceed the limits on unbound sockets.
import type { Socket } from 'node:net'
import { UnboundSockets, type UnboundLimits } from './unbound-sockets.ts'

// Checked at this interval while there are too many sockets; `silentMs` is some seconds.
const sweepEveryMs = 250

export class UnboundGate {
  readonly #sockets: UnboundSockets
  readonly #cut: (socket: Socket) => void
  #timer: NodeJS.Timeout | undefined

  /** `cut` closes a socket and the session on it. */
  constructor(limits: UnboundLimits, cut: (socket: Socket) => void) {
    this.#sockets = new UnboundSockets(limits)
    this.#cut = cut
  }

  /** A socket was opened from this address. */
  enter(socket: Socket, address: string): void {
    socket.on('close', () => this.leave(socket))
    const oldest = this.#sockets.add(socket, address, performance.now())
    if (oldest !== undefined) this.#cut(oldest)
    if (this.#timer === undefined && this.#sockets.isCrowded) this.#timer = this.#later()
  }

  /** The socket's bind has arrived, or the socket closed. */
  leave(socket: Socket): void {
    this.#sockets.remove(socket)
  }

  #later(): NodeJS.Timeout {
    // setImmediate, so that waiting bytes are read first: after a delay of this process a socket may only look silent.
    const timer = setTimeout(() => setImmediate(() => this.#sweep()), sweepEveryMs)
    timer.unref()
    return timer
  }

  #sweep(): void {
    for (const socket of this.#sockets.sweep(performance.now())) this.#cut(socket)
    this.#timer = this.#sockets.isCrowded ? this.#later() : undefined
  }
}
