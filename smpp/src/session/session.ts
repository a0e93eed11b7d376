// One SMPP session, on either side. It owns no socket and no clock: both are handed in.
import type {
  BindMode,
  CloseReason,
  IncomingRequest,
  Limits,
  SendBody,
  SendName,
  SendOutcome,
  SessionState,
  Side,
  Tap,
} from './handlers.ts'
import type { PduBody } from '../pdu/registry.ts'

/** What a user may see of a session and do with it. */
export interface Session<Account> {
  /** Unique within the process. */
  readonly id: number
  readonly side: Side
  readonly state: SessionState
  /** Once bound. */
  readonly mode: BindMode | undefined
  /** The ESME's system_id, once it tried to bind. */
  readonly systemId: string
  readonly interfaceVersion: number
  readonly account: Account | undefined
  readonly remoteAddress: string
  readonly remotePort: number
  readonly isSecure: boolean
  readonly openedAtMs: number
  readonly boundAtMs: number | undefined
  readonly lastReceivedAtMs: number
  /** Set to record every PDU; undefined again to stop. Costs nothing while undefined. */
  tap: Tap | undefined
  /** Requests of the peer that still wait for `respond`. */
  readonly unansweredCount: number
  /** Requests of ours the peer has not answered, and those still waiting to be sent. */
  readonly inFlightCount: number
  readonly queuedCount: number
  /** Octets of ours that the peer has not taken yet; answers of this turn are not among them. */
  readonly unsentOctets: number

  /**
   * Answers a request, now or much later; all answers of one turn leave in one write. A status other than 0 goes
   * out header-only (§4.4.2). Gives false when the session is gone or the request has been answered before.
   */
  respond(request: IncomingRequest, status: number, messageId?: string): boolean
  /** Answers query_sm or submit_multi with a whole body and status 0. */
  respondWith<Name extends 'query_sm' | 'submit_multi'>(
    request: IncomingRequest & { command: Name },
    body: Partial<PduBody<`${Name}_resp`>>,
  ): boolean
  /** Sends a request, waits for a slot in the window, then for the answer. Never rejects. */
  send<Name extends SendName>(command: Name, body: SendBody<Name>): Promise<SendOutcome>
  /** §4.12: tells the ESME that a subscriber is reachable. No answer exists. */
  alert(body: Partial<PduBody<'alert_notification'>>): boolean
  setLimits(limits: Partial<Limits>): void
  /** Takes `points` off the peer's budget for a request that its user refused for coming too often; see `pointsOf`. */
  charge(points: number): void
  /** Stops taking bytes from the peer until resumed; the library's own pauses are kept apart from this. */
  pauseReading(): void
  resumeReading(): void
  /** Answers what is open, sends unbind, waits for its response up to `timeoutMs`, closes. `cause` is told on. */
  unbind(timeoutMs?: number, cause?: CloseReason['cause']): Promise<void>
  /** Ends the session at once, without unbind. */
  close(cause: CloseReason['cause'], detail: string): void
}
