// The ESME side on sockets: connect, bind, and hand over a bound session.
import net, { type LookupFunction } from 'node:net'
import tls, { type ConnectionOptions } from 'node:tls'
import { systemClock } from '../session/clock.ts'
import { type BindMode, defaultSettings, type SessionSettings } from '../session/session-types.ts'
import { LiveSession } from '../session/live-session.ts'
import type { Session, SessionHandlers } from '../session/session.ts'
import { certificateFaultOf, type CertificateFault } from './certificate.ts'
import { attach, plainAddress, socketTransport } from './socket-transport.ts'

/** Whom to bind to and as whom. */
export interface SmppClientOptions {
  /** An address or name. Resolve and check a user's host first and pass its {@link addresses}. */
  host: string
  /** The addresses of `host`, tried one after the other, 2 s each but the last; nothing is looked up then. */
  addresses?: readonly { readonly address: string; readonly family: 4 | 6 }[]
  port: number
  /** Present: TLS 1.2 or newer. certificate.ts makes it for an authority or a name of the peer's own. */
  tls?: ConnectionOptions
  mode: BindMode
  systemId: string
  password: string
  systemType?: string
  /** 0x33, 0x34 (default) or 0x50; see values/interface-version.ts. */
  interfaceVersion?: number
  addrTon?: number
  addrNpi?: number
  addressRange?: string
  /** For the TCP connection and the TLS handshake together; 10 s. */
  connectTimeoutMs?: number
  handlers?: SessionHandlers<undefined>
  settings?: Partial<SessionSettings>
}

/** How an attempt ended. `status` is the bind_resp's command_status, so 14 is a wrong password. */
export type ConnectOutcome =
  | { kind: 'bound'; session: Session<undefined>; peerSystemId: string }
  | { kind: 'refused'; status: number }
  /** `certificate` when it was the peer's certificate that was not accepted; nothing was sent then. */
  | { kind: 'unreachable'; detail: string; certificate?: CertificateFault }

/** Connects and binds once. Never rejects; `signal` cancels the attempt. */
export async function connect(options: SmppClientOptions, signal?: AbortSignal): Promise<ConnectOutcome> {
  const opened = await openSocket(options, signal)
  if (!(opened instanceof net.Socket)) return opened
  const socket = opened
  const session = new LiveSession<undefined>({
    side: 'esme',
    transport: socketTransport(socket),
    clock: systemClock,
    settings: { ...defaultSettings, ...options.settings },
    handlers: options.handlers ?? {},
    remoteAddress: plainAddress(socket.remoteAddress),
    remotePort: socket.remotePort ?? options.port,
    isSecure: options.tls !== undefined,
  })
  attach(socket, session)
  const abandon = (): void => session.close('stop', 'the attempt was given up')
  signal?.addEventListener('abort', abandon, { once: true })
  const outcome = await session.bind(
    {
      mode: options.mode,
      systemId: options.systemId,
      password: options.password,
      systemType: options.systemType ?? '',
      interfaceVersion: options.interfaceVersion ?? 0x34,
      addrTon: options.addrTon ?? 0,
      addrNpi: options.addrNpi ?? 0,
      addressRange: options.addressRange ?? '',
    },
    undefined,
  )
  signal?.removeEventListener('abort', abandon)
  if (outcome.kind === 'bound') return { kind: 'bound', session, peerSystemId: outcome.peerSystemId }
  if (outcome.kind === 'refused') return outcome
  return { kind: 'unreachable', detail: `${outcome.reason.cause}: ${outcome.reason.detail}` }
}

function openSocket(options: SmppClientOptions, signal?: AbortSignal): Promise<net.Socket | ConnectOutcome> {
  const { port, addresses } = options
  const to = { host: options.host, port, ...(addresses && knownAddresses(addresses)) }
  return new Promise((settle) => {
    if (signal?.aborted === true) {
      settle({ kind: 'unreachable', detail: 'the attempt was given up' })
      return
    }
    const socket =
      options.tls === undefined
        ? net.connect(to)
        : tls.connect({ minVersion: 'TLSv1.2', ...options.tls, ...to })
    const timer = setTimeout(() => fail('no connection in time'), options.connectTimeoutMs ?? 10_000)
    const abort = (): void => fail('the attempt was given up')
    const settled = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
      socket.off('error', onError)
      socket.off('close', onClose)
    }
    const fail = (detail: string, certificate?: CertificateFault): void => {
      settled()
      // A socket that is destroyed may still report an error; nobody waits for it.
      socket.on('error', () => undefined)
      socket.destroy()
      settle({ kind: 'unreachable', detail, ...(certificate && { certificate }) })
    }
    const onError = (error: Error): void =>
      fail(
        error.message || String('code' in error ? error.code : error.name),
        socket instanceof tls.TLSSocket ? certificateFaultOf(socket, error) : undefined,
      )
    const onClose = (): void => fail('the peer closed the connection')
    socket.on('error', onError)
    socket.on('close', onClose)
    signal?.addEventListener('abort', abort, { once: true })
    socket.once(options.tls === undefined ? 'connect' : 'secureConnect', () => {
      settled()
      settle(socket)
    })
  })
}

/** Options of a socket that connects to one of these. Node.js looks no literal address up. */
function knownAddresses(addresses: NonNullable<SmppClientOptions['addresses']>) {
  const lookup: LookupFunction = (_host, _options, answer) =>
    answer(
      null,
      addresses.map((each) => ({ ...each })),
    )
  return { lookup, autoSelectFamily: true, autoSelectFamilyAttemptTimeout: 2_000 }
}
