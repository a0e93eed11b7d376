// The SMSC side on sockets: listen, cap the unbound, rotate certificates, stop in order.
import type { SecureContextOptions } from 'node:tls'
import type { SessionHandlers, SessionSettings } from '../session/handlers.ts'
import type { Session } from '../session/session.ts'

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
  /** New handshakes use this certificate; open sessions keep theirs. */
  setSecureContext(tls: SecureContextOptions): void
  /** Closes the listener, lets open requests be answered, unbinds every session and waits up to `timeoutMs`. */
  stop(timeoutMs: number): Promise<void>
}

/** Starts a server; resolves once it listens, rejects with the socket's error when it cannot. */
export type StartServer = <Account>(options: ServerOptions<Account>) => Promise<SmppServer<Account>>
