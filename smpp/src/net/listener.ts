// What the sockets of a server pass before there is a session: the balancer's header where one is due, the caps on the
// unbound, and the TLS handshake.
import { constants } from 'node:crypto'
import net from 'node:net'
import tls, { type SecureContextOptions } from 'node:tls'
import { readProxiedOrigin } from './proxied-socket.ts'
import { plainAddress } from './socket-transport.ts'

/** A connection as its session sees it. */
export interface Incoming {
  /** What the session reads and writes: the TCP socket, or the TLS socket over it. */
  readonly socket: net.Socket
  /** The TCP socket. */
  readonly raw: net.Socket
  /** The peer's own address, behind a balancer too. */
  readonly address: string
  readonly port: number
}

export interface ListenerParts {
  /** Present: TLS 1.2 and 1.3 only. */
  readonly tls: SecureContextOptions | undefined
  /** Whether a header of the PROXY protocol comes first on connections from this address. */
  readonly isProxy: (address: string) => boolean
  /** A TCP connection is there and its peer known; nothing else has been read. A destroyed one goes no further. */
  readonly admit: (raw: net.Socket, address: string) => void
  /** It may speak SMPP now. */
  readonly serve: (incoming: Incoming) => void
  /** A balancer's connection had no valid header and was closed. */
  readonly onProxyRefused: (address: string, reason: string) => void
}

export interface Listener {
  readonly server: net.Server
  /** For new handshakes; no effect on a plain listener. */
  setSecureContext(context: SecureContextOptions): void
  /** Cuts what has no session yet: it waits for a balancer's header or for the end of a handshake. */
  dropWaiting(): void
}

const handshakeMs = 10_000
// Balancers send the header at once, so few wait at a time; more are a balancer that has gone wrong.
const waitingMax = 1_000

/** Makes the listener; it listens once its `server` is told to. */
export function createListener(parts: ListenerParts): Listener {
  const { isProxy, admit, serve, onProxyRefused } = parts
  const secure = parts.tls === undefined ? undefined : secureServer(parts.tls, serve)
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
function secureServer(context: SecureContextOptions, serve: ListenerParts['serve']): SecureServer {
  const server = tls.createServer({ ...secureOptions(context), handshakeTimeout: handshakeMs })
  // node:tls hands over the TLS socket without the one it was made of; both ends of the connection tell which it was.
  const pending = new Map<string, Omit<Incoming, 'socket'>>()
  server.on('secureConnection', (socket) => {
    const incoming = pending.get(endsOf(socket))
    pending.delete(endsOf(socket))
    if (incoming === undefined) socket.destroy()
    else serve({ socket, ...incoming })
  })
  // A failed handshake concerns its own socket alone.
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
    // Each renegotiation of TLS 1.2 costs us far more than the peer that asks for it.
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
  }
}
