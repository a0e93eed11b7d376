// One SMPP session, on either side. It owns no socket and no clock: both are handed in.
import type {
  BindDecision,
  BindMode,
  BindRequest,
  CloseReason,
  Direction,
  IncomingRequest,
  Limits,
  SendBody,
  SendName,
  SendOutcome,
  SessionFault,
  SessionProfile,
  SessionState,
  Side,
  Tap,
} from './session-types.ts'
import type { AnyPdu, PduBody } from '../pdu/registry.ts'

/** A session as the code that uses the library sees it. */
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
  /** These three are times of day, in ms since 1970. */
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
  /** Octets of ours that wait for the peer to read them; answers of this turn are not included. */
  readonly unsentOctets: number

  /**
   * Answers a request, now or much later; all answers of one turn of the event loop are one write. A status other than
   * 0 is sent header-only (§4.4.2). Returns false when the session is closed or the request was answered before.
   */
  respond(request: IncomingRequest, status: number, messageId?: string): boolean
  /** Answers query_sm or submit_multi with a whole body and status 0. */
  respondWith<Name extends 'query_sm' | 'submit_multi'>(
    request: IncomingRequest & { command: Name },
    body: Partial<PduBody<`${Name}_resp`>>,
  ): boolean
  /** Waits for a slot in the window, sends a request, and waits for the answer. `signal` ends both waits. Never rejects. */
  send<Name extends SendName>(command: Name, body: SendBody<Name>, signal?: AbortSignal): Promise<SendOutcome>
  /** §4.12: alert_notification, a subscriber is reachable. It has no response. */
  alert(body: Partial<PduBody<'alert_notification'>>): boolean
  setLimits(limits: Partial<Limits>): void
  /** Changes how the peer is treated, from its next PDU on. */
  setProfile(profile: Partial<SessionProfile>): void
  /** Takes `points` from the peer's budget, for a request that the caller refused because of its rate; see `pointsOf`. */
  charge(points: number): void
  /** Stops reading from the peer until resumed; independent of the library's own pauses. */
  pauseReading(): void
  resumeReading(): void
  /** Lets open requests be answered, sends unbind, waits for its response up to `timeoutMs`, closes with `cause`. */
  unbind(timeoutMs?: number, cause?: CloseReason['cause']): Promise<void>
  /** Ends the session at once, without unbind. */
  close(cause: CloseReason['cause'], detail: string): void
}

/** What the code that uses the library does when something happens on a session. */
export interface SessionHandlers<Account> {
  /** smsc side: decide on a bind. The session_init timer stops meanwhile. A rejected promise is answered 0x08. */
  onBind?(
    session: Session<Account>,
    bind: BindRequest,
  ): Promise<BindDecision<Account>> | BindDecision<Account>
  /** The session is bound, and its bind_resp is being sent. */
  onBound?(session: Session<Account>, account: Account): void
  /**
   * smsc side: the peer unbinds, and its requests are answered. unbind_resp waits for the promise, which must not reject,
   * as long as an unbind may take.
   */
  onPeerUnbind?(session: Session<Account>): Promise<void> | undefined
  /** Called synchronously, once for each permitted request within window and rate. If it throws, the answer is 0x08. */
  onRequest?(session: Session<Account>, request: IncomingRequest, account: Account): void
  /** A response arrived after its timer: `sequence` is that of the SendOutcome `timeout`. */
  onLateResponse?(session: Session<Account>, sequence: number, response: AnyPdu): void
  /** Once for each session, bound or not, after its socket is gone. */
  onClosed?(session: Session<Account>, reason: CloseReason): void
  /** For counters: each PDU in and out. `id` may be unknown; see commandName(). */
  onPdu?(session: Session<Account>, id: number, direction: Direction, status: number): void
  /**
   * `status`: the command_status of the answer, when a request was refused for it. `frame`: the PDU that could not be
   * taken, as a view that must be copied to be kept.
   */
  onFault?(
    session: Session<Account>,
    fault: SessionFault,
    detail: string,
    status?: number,
    frame?: Buffer,
  ): void
  /** esme side: an SMSC sent outbind (§4.1.7). The credentials are the SMSC's; verify them. */
  onOutbind?(session: Session<Account>, outbind: PduBody<'outbind'>): void
}
