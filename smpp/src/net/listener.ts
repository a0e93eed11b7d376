// The steps of a server's socket before its session begins: the PROXY header of a balancer, the limits on unbound
// sockets, and the TLS handshake.
import { constants } from 'node:crypto'
import net from 'node:net'
import tls, { type SecureContextOptions } from 'node:tls'
import { readProxiedOrigin } from './proxied-socket.ts'
import { plainAddress } from './socket-transport.ts'

/** A connection as its session sees it. */
export interface IncomingConnection {
  /** The socket that the session uses: the TCP socket, or the TLS socket over it. */
  readonly socket: net.Socket
  /** The TCP socket. */
  readonly raw: net.Socket
  /** The peer's own address, also behind a balancer. */
  readonly address: string
  readonly port: number
}

interface ListenerOptions {
  /** Present: TLS 1.2 and 1.3 only. */
  readonly tls: SecureContextOptions | undefined
  /** Whether connections from this address begin with a PROXY header. */
  readonly isProxy: (address: string) => boolean
  /** A TCP connection is open and its peer is known. If this destroys the socket, nothing more is done with it. */
  readonly admit: (raw: net.Socket, address: string) => void
  /** It may speak SMPP now. */
  readonly serve: (incoming: IncomingConnection) => void
  /** A balancer's connection had no valid header and was closed. */
  readonly onProxyRefused: (address: string, reason: string) => void
}

interface Listener {
  readonly server: net.Server
  /** For new handshakes; no effect on a plain listener. */
  setSecureContext(context: SecureContextOptions): void
  /** Destroys sockets without a session: those that wait for a PROXY header or for the end of a handshake. */
  dropWaiting(): void
}

const handshakeMs = 10_000
// Balancers send the header at once, so few connections wait at a time; more mean that a balancer is broken.
const waitingMax = 1_000

/** Creates the listener; call `server.listen` to start it. */
export function createListener(options: ListenerOptions): Listener {
  const { isProxy, admit, serve, onProxyRefused } = options
  const secure = options.tls === undefined ? undefined : secureServer(options.tls, serve)
  const waiting = new Set<net.Socket>()
  const take = (raw: net.Socket, address: string, port: number): void => {
    admit(raw, address)
    if (raw.destroyed) return
    if (secure === undefined) serve({ socket: raw, raw, address, port })
    else secure.take(raw, address, port)
  }
  const server = net.createServer((raw) => {
    const address = plainAddress(raw.remoteAddress)
    const port = raw.remotePort ?? 0
    raw.on('error', () => raw.destroy())
    if (!isProxy(address)) return take(raw, address, port)
    if (waiting.size >= waitingMax) {
      raw.destroy()
      return onProxyRefused(address, `${waitingMax} connections wait for their header`)
    }
    waiting.add(raw)
    raw.on('close', () => waiting.delete(raw))
    readProxiedOrigin(
      raw,
      (origin) => {
        waiting.delete(raw)
        take(raw, origin?.address ?? address, origin?.port ?? port)
      },
      (reason) => onProxyRefused(address, reason),
    )
  })
  return {
    server,
    setSecureContext: (context) => secure?.setContext(context),
    dropWaiting() {
      for (const raw of waiting) raw.destroy()
      secure?.dropPending()
    },
  }
}

interface SecureServer {
  take(raw: net.Socket, address: string, port: number): void
  setContext(context: SecureContextOptions): void
  dropPending(): void
}

/** Does the handshakes on sockets it is handed; it never listens itself. */
function secureServer(context: SecureContextOptions, serve: ListenerOptions['serve']): SecureServer {
  const server = tls.createServer({ ...secureOptions(context), handshakeTimeout: handshakeMs })
  // node:tls emits the TLS socket without the TCP socket under it; the addresses of both ends identify that.
  const pending = new Map<string, Omit<IncomingConnection, 'socket'>>()
  server.on('secureConnection', (socket) => {
    const incoming = pending.get(endsOf(socket))
    pending.delete(endsOf(socket))
    if (incoming === undefined) socket.destroy()
    else serve({ socket, ...incoming })
  })
  // A failed handshake concerns only its own socket.
  server.on('tlsClientError', (_error, socket) => socket.destroy())
  return {
    take(raw, address, port) {
      const ends = endsOf(raw)
      const incoming = { raw, address, port }
      pending.set(ends, incoming)
      raw.on('close', () => {
        if (pending.get(ends) === incoming) pending.delete(ends)
      })
      server.emit('connection', raw)
    },
    setContext: (next) => server.setSecureContext(secureOptions(next)),
    dropPending() {
      for (const { raw } of pending.values()) raw.destroy()
    },
  }
}

function endsOf({ remoteAddress, remotePort, localAddress, localPort }: net.Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`
}

function secureOptions(context: SecureContextOptions): SecureContextOptions {
  return {
    ...context,
    minVersion: 'TLSv1.2',
    // A renegotiation of TLS 1.2 costs us far more than the peer that requests it.
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
  }
}
