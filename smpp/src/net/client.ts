// The ESME side on sockets: connect, bind, and hand over a bound session.
import type { ConnectionOptions } from 'node:tls'
import type { BindMode, SessionHandlers, SessionSettings } from '../session/handlers.ts'
import type { Session } from '../session/session.ts'

/** Whom to bind to and as whom. */
export interface ClientOptions {
  /** An address or name. Resolve and check a user's host first and pass the address. */
  host: string
  port: number
  /** Present: TLS 1.2 or newer. Give `servername` when `host` is an address. */
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
  connectTimeoutMs?: number
  handlers?: SessionHandlers<undefined>
  settings?: Partial<SessionSettings>
}

/** How an attempt ended. `status` is the bind_resp's command_status, so 14 is a wrong password. */
export type ConnectOutcome =
  | { kind: 'bound'; session: Session<undefined>; peerSystemId: string }
  | { kind: 'refused'; status: number }
  | { kind: 'unreachable'; detail: string }

/** Connects and binds once. Never rejects; `signal` gives up an attempt under way. */
export type Connect = (options: ClientOptions, signal?: AbortSignal) => Promise<ConnectOutcome>
