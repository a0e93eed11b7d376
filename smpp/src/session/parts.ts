// What a live session is made of, and how its bind to a peer may end. Types only.
import type { Clock } from './clock.ts'
import type { CloseReason, SessionHandlers, SessionSettings, Side } from './handlers.ts'
import type { Transport } from './transport.ts'

export interface SessionParts<Account> {
  side: Side
  transport: Transport
  clock: Clock
  settings: SessionSettings
  handlers: SessionHandlers<Account>
  remoteAddress: string
  remotePort: number
  isSecure: boolean
}

export type BindOutcome =
  | { kind: 'bound'; peerSystemId: string }
  | { kind: 'refused'; status: number }
  | { kind: 'failed'; reason: CloseReason }
