// The SMSC side on sockets: listen, cap the unbound, rotate certificates, stop in order.
import { constants } from 'node:crypto'
import net from 'node:net'
import tls, { type SecureContextOptions } from 'node:tls'
import { systemClock } from '../session/clock.ts'
import { defaultSettings, type SessionHandlers, type SessionSettings } from '../session/handlers.ts'
import { LiveSession } from '../session/live-session.ts'
import type { Session } from '../session/session.ts'
import { attach, plainAddress, socketTransport } from './socket-transport.ts'
import { UnboundSockets } from './unbound-sockets.ts'

/** Where and how to listen. Port 0 takes a free one. */
export interface ServerOptions<Account> {
  host: string
  port: number
  /** Present: this listener speaks TLS 1.2 and 1.3 only. */
  tls?: SecureContextOptions
  handlers: SessionHandlers<Account>
  /** What differs from `defaultSettings`. */
  settings?: Partial<SessionSettings>
  /** Sockets not yet bound, in all (1,000) and per address (20); beyond it the oldest goes. */
  unboundMax?: number
  unboundPerAddressMax?: number
}

export interface SmppServer<Account> {
  /** The port in use. */
  readonly port: number
  /** All sessions with an open socket, bound or not. */
  readonly sessions: ReadonlySet<Session<Account>>
  /** New handshakes use this certificate; open sessions keep theirs. No effect on a plain listener. */
  setSecureContext(tls: SecureContextOptions): void
  /** Closes the listener, lets open requests be answered, unbinds every session and waits up to `timeoutMs`. */
  stop(timeoutMs: number): Promise<void>
}

const handshakeMs = 10_000

/** Starts a server; resolves once it listens, rejects with the socket's error when it cannot. */
export function startServer<Account>(options: ServerOptions<Account>): Promise<SmppServer<Account>> {
  const sessions = new Set<LiveSession<Account>>()
  const sessionOf = new WeakMap<net.Socket, LiveSession<Account>>()
  const unbound = new UnboundSockets(options.unboundMax ?? 1_000, options.unboundPerAddressMax ?? 20)
  const settings = { ...defaultSettings, ...options.settings }
  let isStopping = false

  // The raw socket counts against the caps from its first moment, before any TLS handshake.
  const admit = (raw: net.Socket): void => {
    if (isStopping) raw.destroy()
    if (raw.destroyed) return
    for (const oldest of unbound.add(raw, plainAddress(raw.remoteAddress))) {
      sessionOf.get(oldest)?.close('limit', 'too many sockets that have not bound')
      oldest.destroy()
    }
    raw.on('close', () => unbound.remove(raw))
    raw.on('error', () => raw.destroy())
  }
  const serve = (socket: net.Socket, raw: net.Socket): void => {
    if (socket.destroyed) return
    const session: LiveSession<Account> = new LiveSession<Account>({
      side: 'smsc',
      transport: socketTransport(socket),
      clock: systemClock,
      settings,
      handlers: watched(options.handlers, () => unbound.remove(raw)),
      remoteAddress: plainAddress(raw.remoteAddress),
      remotePort: raw.remotePort ?? 0,
      isSecure: socket !== raw,
    })
    sessions.add(session)
    sessionOf.set(raw, session)
    socket.on('close', () => sessions.delete(session))
    attach(socket, session)
  }

  const listener =
    options.tls === undefined ? plainListener(admit, serve) : tlsListener(options.tls, admit, serve)
  const server = (port: number): SmppServer<Account> => ({
    port,
    sessions,
    setSecureContext(context) {
      if (listener instanceof tls.Server) listener.setSecureContext(secureOptions(context))
    },
    async stop(timeoutMs) {
      isStopping = true
      const closed = new Promise<void>((settle) => listener.close(() => settle()))
      await Promise.all([...sessions].map((session) => session.unbind(timeoutMs, 'stop')))
      await closed
    },
  })
  return new Promise((resolve, reject) => {
    listener.once('error', reject)
    listener.listen({ host: options.host, port: options.port, backlog: 1_024 }, () => {
      listener.off('error', reject)
      // Accepting can fail for want of file descriptors; the sessions there are must live on.
      listener.on('error', () => undefined)
      const address = listener.address()
      resolve(server(typeof address === 'object' && address !== null ? address.port : options.port))
    })
  })
}

/** The user's handlers with one more thing to do when the session binds. */
function watched<Account>(
  handlers: SessionHandlers<Account>,
  whenBound: () => void,
): SessionHandlers<Account> {
  const onBound: SessionHandlers<Account>['onBound'] = (session, account) => {
    whenBound()
    handlers.onBound?.(session, account)
  }
  const own: SessionHandlers<Account> = { onBound }
  // The prototype chain keeps handlers that are methods of a class, and their `this`.
  return Object.setPrototypeOf(own, handlers) as SessionHandlers<Account>
}

function secureOptions(context: SecureContextOptions): SecureContextOptions {
  return {
    ...context,
    minVersion: 'TLSv1.2',
    // Each renegotiation of TLS 1.2 costs us far more than the peer that asks for it.
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
  }
}

type Admit = (raw: net.Socket) => void
type Serve = (socket: net.Socket, raw: net.Socket) => void

function plainListener(admit: Admit, serve: Serve): net.Server {
  return net.createServer((socket) => {
    admit(socket)
    serve(socket, socket)
  })
}

function tlsListener(context: SecureContextOptions, admit: Admit, serve: Serve): tls.Server {
  const listener = tls.createServer({ ...secureOptions(context), handshakeTimeout: handshakeMs })
  // node:tls hands over the TLS socket without its raw one; the remote end tells which it was.
  const rawByEnd = new Map<string, net.Socket>()
  listener.on('connection', (raw: net.Socket) => {
    const end = `${raw.remoteAddress} ${raw.remotePort}`
    rawByEnd.set(end, raw)
    raw.on('close', () => {
      if (rawByEnd.get(end) === raw) rawByEnd.delete(end)
    })
    admit(raw)
  })
  listener.on('secureConnection', (socket) => {
    serve(socket, rawByEnd.get(`${socket.remoteAddress} ${socket.remotePort}`) ?? socket)
  })
  // A failed handshake concerns its own socket alone.
  listener.on('tlsClientError', (_error, socket) => socket.destroy())
  return listener
}
