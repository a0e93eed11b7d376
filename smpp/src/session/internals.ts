// The types that live-session.ts and the objects it is made of share.
import type { SessionClock } from './clock.ts'
import type { SessionHandlers } from './session.ts'
import type { BindMode, CloseReason, SessionSettings, Side } from './session-types.ts'
import type { PduBudget } from './pdu-budget.ts'
import type { Transport } from './transport.ts'

export interface SessionOptions<Account> {
  side: Side
  transport: Transport
  clock: SessionClock
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

/** The deadlines of a live session. */
export type Deadline = 'init' | 'read' | 'oversized' | 'unbind' | 'linger' | 'drain' | 'flood'

/** Changes the state of the session; called by the objects that it is made of. */
export interface SessionTransitions<Account> {
  /** A bind has begun, of an ESME with this name and version. */
  beginBind(bind: { systemId: string; interfaceVersion: number }): void
  /** `onBind` has accepted the peer, which may have closed its socket meanwhile. */
  accept(account: Account, budget: PduBudget | undefined): void
  becomeBound(mode: BindMode, account: Account): void
  beginUnbind(): void
  finish(by: CloseReason['by'], cause: CloseReason['cause'], detail: string): void
}

// How long our last bytes may take to be sent before the socket is destroyed.
export const lingerMs = 800
