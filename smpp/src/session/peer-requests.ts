// The peer's requests: refuses those that are not permitted now, and passes the others to whatever handles them.
import { type DecodedPdu, type PduProblem, isProblem } from '../pdu/decode.ts'
import type { AnyPdu } from '../pdu/registry.ts'
import { commandId } from '../values/command-id.ts'
import { commandStatus } from '../values/command-status.ts'
import type { IncomingRequest, SessionFault, Side } from './session-types.ts'
import type { FloodGuard } from './flood-guard.ts'
import type { OpenRequests } from './open-requests.ts'
import type { Liveness } from './liveness.ts'
import type { PeerBind } from './peer-bind.ts'
import { deniedStatus, permission } from './permitted.ts'
import { pointsOf, refusalStatus } from './request-kinds.ts'
import type { Session, SessionHandlers } from './session.ts'
import type { PduWriter } from './pdu-writer.ts'
import type { Unbinding } from './unbinding.ts'

interface PeerRequestsDeps<Account> {
  session: Session<Account>
  handlers: SessionHandlers<Account>
  openRequests: OpenRequests
  pduWriter: PduWriter
  liveness: Liveness
  flood: FloodGuard
}

/** Handles every request of the peer; messages, the hot path, within window and rate. */
export class PeerRequests<Account> {
  readonly #session: Session<Account>
  readonly #peerSide: Side
  readonly #handlers: SessionHandlers<Account>
  // Bound once: it runs for every message.
  readonly #onRequest: SessionHandlers<Account>['onRequest']
  readonly #openRequests: OpenRequests
  readonly #pduWriter: PduWriter
  readonly #liveness: Liveness
  readonly #flood: FloodGuard
  readonly #peerBind: PeerBind<Account>
  readonly #unbinding: Unbinding

  constructor(deps: PeerRequestsDeps<Account>, peerBind: PeerBind<Account>, unbinding: Unbinding) {
    this.#session = deps.session
    this.#peerSide = deps.session.side === 'smsc' ? 'esme' : 'smsc'
    this.#handlers = deps.handlers
    this.#onRequest = deps.handlers.onRequest?.bind(deps.handlers)
    this.#openRequests = deps.openRequests
    this.#pduWriter = deps.pduWriter
    this.#liveness = deps.liveness
    this.#flood = deps.flood
    this.#peerBind = peerBind
    this.#unbinding = unbinding
  }

  /** Takes a request, or the problem that decoding found instead. */
  take(pdu: AnyPdu | PduProblem): void {
    // Read from here, because passing the time with each PDU would allocate an object.
    const nowMs = this.#liveness.receivedAtMs
    this.#liveness.transactionAtMs = nowMs
    if (isProblem(pdu)) return this.#refuseProblem(pdu)
    const { id, sequence } = pdu
    if (!this.#isPermitted(id, sequence)) return
    if (pdu.duplicateTlvCount > 0) this.#fault('duplicate-tlv', String(pdu.duplicateTlvCount))
    switch (pdu.command) {
      case 'submit_sm':
      case 'deliver_sm':
      case 'data_sm':
      case 'submit_multi':
        return this.#takeMessage(pdu as unknown as DecodedPdu, nowMs)
      case 'unbind':
        return this.#unbinding.byPeer(sequence)
      case 'bind_receiver':
      case 'bind_transmitter':
      case 'bind_transceiver':
        return this.#peerBind.take(id, sequence, pdu.body)
    }
    this.#flood.charge(pointsOf(id))
    if (pdu.command === 'enquire_link') this.#pduWriter.header(commandId.enquire_link_resp, 0, sequence)
    else if (pdu.command === 'outbind') this.#handlers.onOutbind?.(this.#session, pdu.body)
    else this.#takeMessage(pdu as unknown as DecodedPdu, nowMs)
  }

  #refuseProblem(problem: PduProblem): void {
    const { id, sequence, status, reason, frame } = problem
    if (problem.isUnknownCommand) {
      this.#flood.charge(pointsOf(id))
      this.#fault('unknown-command', reason, status)
      this.#pduWriter.header(commandId.generic_nack, status, sequence)
    } else if (this.#isPermitted(id, sequence)) {
      this.#flood.charge(pointsOf(id))
      this.#fault('malformed', reason, status, frame)
      this.#pduWriter.refuse(id, sequence, status)
    }
  }

  /** Whether the request is permitted in this state; refuses it when not. */
  #isPermitted(id: number, sequence: number): boolean {
    const { state, mode } = this.#session
    const allowed = permission(this.#peerSide, state, mode, id)
    if (allowed === 'yes') return true
    this.#flood.charge(pointsOf(id))
    const isOurUnbind = state === 'unbinding' && !this.#unbinding.isByPeer
    const status = deniedStatus(allowed, id, isOurUnbind)
    this.#fault('not-permitted', `0x${id.toString(16)} while ${state}`, status)
    this.#pduWriter.refuse(id, sequence, status)
    return false
  }

  /** A message counts as unanswered until the session's `respond`, which the handler may call at once. */
  #takeMessage(pdu: DecodedPdu, nowMs: number): void {
    const { id } = pdu
    const session = this.#session
    const request = pdu as unknown as IncomingRequest
    if (id !== commandId.alert_notification) {
      const verdict = this.#openRequests.check(id, nowMs)
      if (verdict !== 'taken') {
        this.#flood.charge(pointsOf(id))
        this.#fault(verdict, '', commandStatus.ESME_RTHROTTLED)
        this.#pduWriter.refuse(id, pdu.sequence, commandStatus.ESME_RTHROTTLED)
        return
      }
      this.#openRequests.open(pdu, nowMs)
      if (pdu.isRepeatedSequence) this.#fault('repeated-sequence', String(pdu.sequence))
    }
    try {
      // Only a bound session gets here, and a bound session has its account.
      if (this.#onRequest === undefined) session.respond(request, refusalStatus(id))
      else this.#onRequest(session, request, session.account as Account)
    } catch (error) {
      this.#fault(
        'handler-failed',
        error instanceof Error ? error.message : String(error),
        commandStatus.ESME_RSYSERR,
      )
      session.respond(request, commandStatus.ESME_RSYSERR)
    }
    this.#openRequests.keep(pdu)
  }

  #fault(fault: SessionFault, detail: string, status?: number, frame?: Buffer): void {
    this.#handlers.onFault?.(this.#session, fault, detail, status, frame)
  }
}
