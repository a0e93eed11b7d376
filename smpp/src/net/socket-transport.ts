// Adapts a socket, plain or TLS, to a session's transport, and passes the socket's events to the session.
import type { Socket } from 'node:net'
import type { LiveSession } from '../session/live-session.ts'
import type { Transport } from '../session/transport.ts'

/** Makes a transport of a connected socket. */
export function socketTransport(socket: Socket): Transport {
  // The session has collected its answers already; Nagle's algorithm would only add delay.
  socket.setNoDelay(true)
  // Lets the kernel find a peer that vanished while neither side sends.
  socket.setKeepAlive(true, 60_000)
  return {
    write(bytes) {
      if (!socket.writable) return true
      socket.write(bytes)
      // Zero: the kernel has all of it. A socket keeps a reference only to what it could not write.
      return socket.writableLength === 0
    },
    get unsentOctets() {
      return socket.writableLength
    },
    pause: () => socket.pause(),
    resume: () => socket.resume(),
    end: () => socket.end(),
    destroy: () => socket.destroy(),
  }
}

/** Feeds a session from its socket until it closes. */
export function attach<Account>(socket: Socket, session: LiveSession<Account>): void {
  let failure: string | undefined
  socket.on('data', (chunk: Buffer) => session.receive(chunk))
  socket.on('drain', () => session.drained())
  socket.on('end', () => session.transportEnded())
  socket.on('error', (error) => {
    failure = error.message
  })
  socket.on('close', () => session.transportClosed(failure))
}

/** The address, without the IPv6 prefix of a mapped IPv4 address. */
export function plainAddress(address: string | undefined): string {
  return (address ?? '').replace(/^::ffff:(?=\d+\.)/i, '')
}
