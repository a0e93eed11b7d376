// Cuts the sockets that the caps on unbound ones say must go, with the session they may have.
import type { Socket } from 'node:net'
import { UnboundSockets, type UnboundLimits } from './unbound-sockets.ts'

// While there are too many; the limit on silence is some seconds.
const sweepEveryMs = 250

export class UnboundGate {
  readonly #sockets: UnboundSockets
  readonly #cut: (socket: Socket) => void
  #timer: NodeJS.Timeout | undefined

  /** `cut` ends a socket that must go, and whatever hangs on it. */
  constructor(limits: UnboundLimits, cut: (socket: Socket) => void) {
    this.#sockets = new UnboundSockets(limits)
    this.#cut = cut
  }

  /** A socket of this peer is there. */
  enter(socket: Socket, address: string): void {
    socket.on('close', () => this.leave(socket))
    const oldest = this.#sockets.add(socket, address, performance.now())
    if (oldest !== undefined) this.#cut(oldest)
    if (this.#timer === undefined && this.#sockets.isCrowded) this.#timer = this.#later()
  }

  /** Its bind has arrived, or it closed. */
  leave(socket: Socket): void {
    this.#sockets.remove(socket)
  }

  #later(): NodeJS.Timeout {
    // After what has arrived was read: if this process was held up, what looks silent is only unread.
    const timer = setTimeout(() => setImmediate(() => this.#sweep()), sweepEveryMs)
    timer.unref()
    return timer
  }

  #sweep(): void {
    for (const socket of this.#sockets.sweep(performance.now())) this.#cut(socket)
    this.#timer = this.#sockets.isCrowded ? this.#later() : undefined
  }
}
