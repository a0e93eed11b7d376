// The interface between a session and the code that uses it. Types only.
import type { AnyPdu, Pdu, PduBody } from '../pdu/registry.ts'
import type { PduBudget, PduBudgetSize } from './pdu-budget.ts'

/** smsc: the peer binds to us. esme: we bind to the peer. */
export type Side = 'smsc' | 'esme'

export type BindMode = 'transmitter' | 'receiver' | 'transceiver'

export type SessionState = 'open' | 'binding' | 'bound' | 'unbinding' | 'closed'

/** A peer's bind request as received. Nothing in it has been verified. */
export interface BindRequest {
  readonly mode: BindMode
  readonly systemId: string
  /** Up to 64 octets; §5.2.2 gives it 8. The account decides whether a longer one is allowed. */
  readonly password: string
  readonly systemType: string
  readonly interfaceVersion: number
  readonly addrTon: number
  readonly addrNpi: number
  readonly addressRange: string
}

/** The answer to a bind. A refusal is sent header-only with its status, then the socket closes. */
export type BindDecision<Account> =
  | {
      accept: true
      account: Account
      systemId: string
      limits?: Partial<Limits>
      profile?: Partial<SessionProfile>
      /** The budget of PDUs that all sessions of the account share; accepted messages cost nothing. */
      budget?: PduBudget
    }
  | { accept: false; status: number }

/** How a session treats its peer. It can be changed while the session is bound. */
export interface SessionProfile {
  /** See {@link SessionSettings.isStrict}. */
  isStrict: boolean
  /** See {@link SessionSettings.enquireLinkMs}. */
  enquireLinkMs: number
  /** See {@link SessionSettings.inactivityMs}. */
  inactivityMs: number
  /** Our own requests unanswered at once. */
  sendWindowMax: number
  /** The version to treat the peer as, instead of the one that it named: 0x33 gets no TLVs. */
  interfaceVersion: number
}

export interface Limits {
  /** Requests of the peer that may be unanswered at once; one more is answered 0x58. */
  windowMax: number
  /** Message requests of the peer a second (submit_sm, submit_multi, data_sm, deliver_sm); 0 is no limit. */
  messagesPerSecond: number
}

/** Requests that `onRequest` gets. Those with a response must be answered once with `session.respond`. */
type RequestName =
  | 'submit_sm'
  | 'deliver_sm'
  | 'data_sm'
  | 'submit_multi'
  | 'query_sm'
  | 'cancel_sm'
  | 'replace_sm'
  | 'alert_notification'

/** A decoded request; pass the same object to `session.respond`. */
export type IncomingRequest = {
  [Name in RequestName]: Pdu<Name> & {
    /** Monotonic, for rates; not a time of day. */
    readonly receivedAtMs: number
    /** The same sequence is still unanswered: a suspected duplicate (§5.1.4), yet a request of its own. */
    readonly isRepeatedSequence: boolean
    /** A strict session would have refused it; see {@link SessionSettings.isStrict}. */
    readonly isOdd: boolean
  }
}[RequestName]

/** The result of a request of ours. */
export type SendOutcome =
  /** The peer's response or generic_nack; status 0 is success. messageId is '' where the response has none. */
  | { kind: 'answered'; status: number; messageId: string; sequence: number; response: AnyPdu }
  /** No answer within the response timer. A later one is passed to `onLateResponse` with this sequence. */
  | { kind: 'timeout'; sequence: number }
  /** The session ended first. `wasSent`: the peer may have the request. */
  | { kind: 'closed'; wasSent: boolean }
  /** The caller's signal was aborted first. `wasSent`: the peer has the request; its answer is a late response. */
  | { kind: 'aborted'; wasSent: boolean }
  /** Never sent: the session is not bound for it, the queue is full, or the body does not fit SMPP. */
  | { kind: 'refused'; reason: 'not-bound' | 'queue-full' | 'invalid'; detail: string }

/** Requests that `session.send` takes. */
export type SendName = Exclude<RequestName, 'alert_notification'>

/** The body to send; omitted fields are 0 or empty. */
export type SendBody<Name extends SendName> = Partial<PduBody<Name>>

/** Why a session ended. `by` says who began it. */
export interface CloseReason {
  by: 'us' | 'peer'
  cause:
    | 'unbind' // orderly, by either side
    | 'disconnect' // the peer's socket closed without unbind
    | 'bind-refused'
    | 'bind-timeout' // session_init timer, or no answer to our bind
    | 'protocol' // the byte stream cannot be framed any more (§4.3)
    | 'read-timeout' // a PDU was not complete in time
    | 'enquire-link' // enquire_link unanswered
    | 'inactivity'
    | 'overflow' // the peer does not read what we answer
    | 'socket' // the socket failed
    | 'limit' // closed because of the limits on unbound sockets
    | 'flood' // too many PDUs that are not accepted messages
    | 'stop' // this side shut down
  detail: string
}

/** Events to count that are not PDUs. */
export type SessionFault =
  | 'malformed' // a PDU answered with an error by the library
  | 'unknown-command'
  | 'unexpected-response'
  | 'late-response'
  | 'not-permitted'
  | 'throttled'
  | 'window-exceeded'
  | 'duplicate-tlv'
  | 'repeated-sequence'
  | 'enquire-link-missed'
  | 'lost-framing'
  | 'flood' // the peer was over its budget and was not read for a while
  | 'handler-failed' // onBind or onRequest threw

export type Direction = 'in' | 'out'

/** One PDU for a flight recorder. `raw` is a copy; the password of a bind is masked in it. */
export type Tap = (direction: Direction, header: PduHeader, raw: Buffer) => void

export interface PduHeader {
  id: number
  status: number
  sequence: number
}

/** Timers and bounds of one session; every time in ms, 0 switches a timer off where noted. */
export interface SessionSettings {
  sessionInitMs: number
  pduReadMs: number
  /** Silence of the peer before we send enquire_link; 0: never. */
  enquireLinkMs: number
  enquireLinkAnswerMs: number
  enquireLinkMissesMax: number
  responseMs: number
  /** We unbind after this time without a transaction; our own enquire_link does not count. 0: never. */
  inactivityMs: number
  /** How long an unbind, ours or the peer's, may take before the socket is closed. */
  unbindMs: number
  pduOctetsUnbound: number
  /** PDUs of the peer before it is bound, the bind included; one more ends the session. */
  pdusBeforeBindMax: number
  /** The budget of PDUs of one session; accepted messages cost nothing. Beyond it the peer is not read for a while. */
  budget: PduBudgetSize
  /** How often a session may be paused without refilling its budget between; then it ends. */
  floodPausesMax: number
  pduOctetsBound: number
  /** Our own requests unanswered at once. */
  sendWindowMax: number
  /** Our own requests waiting for a slot of that window; beyond it they are refused. */
  sendQueueMax: number
  /** Our own messages a second; 0 is no limit. */
  sendPerSecond: number
  /** The sequence number before our first one; 0, so that we begin with 1 (§5.1.4). */
  lastSequence: number
  /**
   * Octets that wait for the peer to read them. At half of this reading stops, beyond it the session ends. The answers
   * to one chunk of 64 KiB (up to 150 KB) must fit the upper half, so it must be at least 384 KiB.
   */
  unsentOctetsMax: number
  /** Octets of unanswered requests in memory; beyond it reading stops until some are answered. */
  heldOctetsMax: number
  /**
   * Refuse what the specification wants refused. False: take all that can be understood, such as reserved values, times in
   * the past, and TLVs of a wrong length, which then mean nothing; such a request is marked as odd.
   */
  isStrict: boolean
  limits: Limits
}

export const defaultSettings: Readonly<SessionSettings> = {
  sessionInitMs: 10_000,
  pduReadMs: 10_000,
  enquireLinkMs: 30_000,
  enquireLinkAnswerMs: 10_000,
  enquireLinkMissesMax: 2,
  responseMs: 30_000,
  inactivityMs: 300_000,
  unbindMs: 4_000,
  // §4.1: the largest bind is 174 octets.
  pduOctetsUnbound: 512,
  // An ESME sends its bind; a balancer may ask with enquire_link first.
  pdusBeforeBindMax: 10,
  // In enquire_links: 100 at once and 200 a second. No honest peer sends as many, and they cost a hundredth of a core.
  budget: { pointsMax: 1_000, pointsPerSecond: 2_000 },
  // About 10 s of flooding: each pause takes a quarter of a second.
  floodPausesMax: 40,
  // A message_payload of 64 KiB, all other fields, and room for vendor TLVs.
  pduOctetsBound: 71_680,
  sendWindowMax: 50,
  sendQueueMax: 1_000,
  sendPerSecond: 0,
  lastSequence: 0,
  unsentOctetsMax: 512 * 1024,
  heldOctetsMax: 384 * 1024,
  isStrict: true,
  limits: { windowMax: 50, messagesPerSecond: 0 },
}
