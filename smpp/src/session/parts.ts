// What a live session is made of, and how its bind to a peer may end.
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

// How long a peer may take to send the rest of a header whose length is already beyond the limit.
export const oversizedHeaderMs = 500
// How long our last bytes may take to leave before the socket is cut.
export const lingerMs = 800
