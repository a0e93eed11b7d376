// A socket, plain or TLS, as a session's transport, and the socket's news as the session's.
import type { Socket } from 'node:net'
import type { LiveSession } from '../session/live-session.ts'
import type { Transport } from '../session/transport.ts'

/** Makes a transport of a connected socket. */
export function socketTransport(socket: Socket): Transport {
  // Answers are gathered already; waiting for more of them would only add delay.
  socket.setNoDelay(true)
  // A peer that vanished without a word while nothing is due is found by the kernel.
  socket.setKeepAlive(true, 60_000)
  return {
    write(bytes) {
      if (!socket.writable) return true
      socket.write(bytes)
      // Zero means that the kernel has it all: a socket keeps a reference only to what it could not write.
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

/** The address without the prefix of an IPv4 address in IPv6 clothes. */
export function plainAddress(address: string | undefined): string {
  return (address ?? '').replace(/^::ffff:(?=\d+\.)/i, '')
}
