// The SMSC side on sockets: listens, limits unbound sockets, changes certificates, stops in order.
import type { Socket } from 'node:net'
import type { SecureContextOptions } from 'node:tls'
import { systemClock } from '../session/clock.ts'
import { lingerMs } from '../session/internals.ts'
import { defaultSettings, type SessionSettings } from '../session/session-types.ts'
import { LiveSession } from '../session/live-session.ts'
import type { Session, SessionHandlers } from '../session/session.ts'
import { commandStatus } from '../values/command-status.ts'
import { createListener, type IncomingConnection } from './listener.ts'
import { attach, socketTransport } from './socket-transport.ts'
import { UnboundGate } from './unbound-gate.ts'
import { defaultUnboundLimits, type UnboundLimits } from './unbound-sockets.ts'

/** Where and how to listen. Port 0 takes a free one. */
export interface ServerOptions<Account> {
  host: string
  port: number
  /** Present: this listener speaks TLS 1.2 and 1.3 only. */
  tls?: SecureContextOptions
  handlers: SessionHandlers<Account>
  /** Overrides of `defaultSettings`. */
  settings?: Partial<SessionSettings>
  /** Limits on sockets whose bind has not arrived: overrides of `defaultUnboundLimits`. */
  unbound?: Partial<UnboundLimits>
  /**
   * Whether an address is a balancer's. Its connections must begin with a PROXY header (version 1 or 2), before TLS, and
   * count as connections of the peer in it. From other addresses no header is read. Default: no balancers.
   */
  isProxy?: (address: string) => boolean
  /** A balancer's connection had no valid header and was closed. */
  onProxyRefused?: (address: string, reason: string) => void
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

// Sessions close their sockets `lingerMs` after their unbind, a busy process a little later. They end later only while
// `onBind` still judges their bind, or by an earlier unbind with a longer time of its own.
const closingMs = lingerMs + 1_200

/** Starts a server; resolves once it listens, rejects with the socket's error when it cannot. */
export function startServer<Account>(options: ServerOptions<Account>): Promise<SmppServer<Account>> {
  const sessions = new Set<LiveSession<Account>>()
  const sessionOf = new WeakMap<Socket, LiveSession<Account>>()
  const unbound = new UnboundGate({ ...defaultUnboundLimits, ...options.unbound }, (socket) => {
    sessionOf.get(socket)?.close('limit', 'too many sockets that have not bound')
    socket.destroy()
  })
  const settings = { ...defaultSettings, ...options.settings }
  let isStopping = false

  // The raw socket counts against the caps from its first moment, before any TLS handshake.
  const admit = (raw: Socket, address: string): void => {
    if (isStopping) raw.destroy()
    else unbound.enter(raw, address)
  }
  const serve = ({ socket, raw, address, port }: IncomingConnection): void => {
    if (socket.destroyed) return
    const session: LiveSession<Account> = new LiveSession<Account>({
      side: 'smsc',
      transport: socketTransport(socket),
      clock: systemClock,
      settings,
      handlers: withBindHook(options.handlers, () => unbound.leave(raw)),
      remoteAddress: address,
      remotePort: port,
      isSecure: socket !== raw,
    })
    sessions.add(session)
    sessionOf.set(raw, session)
    socket.on('close', () => sessions.delete(session))
    attach(socket, session)
  }

  const listener = createListener({
    tls: options.tls,
    isProxy: options.isProxy ?? (() => false),
    admit,
    serve,
    onProxyRefused: options.onProxyRefused ?? (() => undefined),
  })
  const { server: sockets } = listener
  const server = (port: number): SmppServer<Account> => ({
    port,
    sessions,
    setSecureContext: (context) => listener.setSecureContext(context),
    async stop(timeoutMs) {
      isStopping = true
      const closed = new Promise<void>((settle) => sockets.close(() => settle()))
      listener.dropWaiting()
      const ended = [...sessions].map((session) => session.unbind(timeoutMs, 'stop'))
      await atMost(Promise.all([closed, ...ended]), timeoutMs + closingMs)
    },
  })
  return new Promise((resolve, reject) => {
    sockets.once('error', reject)
    sockets.listen({ host: options.host, port: options.port, backlog: 1_024 }, () => {
      sockets.off('error', reject)
      // Accepting can fail when file descriptors run out; the open sessions must survive that.
      sockets.on('error', () => undefined)
      const address = sockets.address()
      resolve(server(typeof address === 'object' && address !== null ? address.port : options.port))
    })
  })
}

/** Waits for this work, at most so long. */
async function atMost(work: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const timeIsUp = new Promise<void>((settle) => {
    timer = setTimeout(settle, ms)
  })
  await Promise.race([work, timeIsUp])
  clearTimeout(timer)
}

/** The caller's handlers; `whenBinding` is called first when a bind arrives. */
function withBindHook<Account>(
  handlers: SessionHandlers<Account>,
  whenBinding: () => void,
): SessionHandlers<Account> {
  const onBind: SessionHandlers<Account>['onBind'] = (session, bind) => {
    whenBinding()
    return handlers.onBind?.(session, bind) ?? { accept: false, status: commandStatus.ESME_RBINDFAIL }
  }
  const own: SessionHandlers<Account> = { onBind }
  // The prototype chain keeps handlers that are methods of a class, and their `this`.
  return Object.setPrototypeOf(own, handlers) as SessionHandlers<Account>
}
