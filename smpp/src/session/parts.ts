// What a live session is made of, what its parts ask of it, and how its bind to a peer may end.
import type { Clock } from './clock.ts'
import type { BindMode, CloseReason, SessionHandlers, SessionSettings, Side } from './handlers.ts'
import type { PduBudget } from './pdu-budget.ts'
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

/** What a live session may wait for. */
export type Deadline = 'init' | 'read' | 'oversized' | 'unbind' | 'linger' | 'drain' | 'flood'

/** The steps from one state to the next: the session's own, taken when a part of it says so. */
export interface Steps<Account> {
  /** A bind has begun, of an ESME with this name and version. */
  beginBind(bind: { systemId: string; interfaceVersion: number }): void
  /** The product has accepted the peer, which may have gone meanwhile. */
  accept(account: Account, budget: PduBudget | undefined): void
  becomeBound(mode: BindMode, account: Account): void
  beginUnbind(): void
  finish(by: CloseReason['by'], cause: CloseReason['cause'], detail: string): void
}

// How long our last bytes may take to leave before the socket is cut.
export const lingerMs = 800
