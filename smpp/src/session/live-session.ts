// The session behind the interface in session.ts: bytes in, PDUs judged and handed on, answers gathered and written.
import { FrameReader } from '../frames.ts'
import { type DecodedPdu, type PduProblem, decodePdu, isProblem } from '../pdu/decode.ts'
import { type AnyPdu, type PduBody, registry, responseOf } from '../pdu/registry.ts'
import { makeTlv } from '../tlv/tlv.ts'
import { tags } from '../tlv/tags.ts'
import { commandId, type CommandName, isResponse } from '../values/command-id.ts'
import { commandStatus } from '../values/command-status.ts'
import { interfaceVersion, takesTlvs } from '../values/interface-version.ts'
import type { Clock } from './clock.ts'
import { Deadlines } from './deadlines.ts'
import { Ending } from './ending.ts'
import type {
  BindDecision,
  BindMode,
  CloseReason,
  IncomingRequest,
  Limits,
  SendBody,
  SendName,
  SendOutcome,
  SessionFault,
  SessionHandlers,
  SessionSettings,
  SessionState,
  Side,
  Tap,
} from './handlers.ts'
import { Intake } from './intake.ts'
import { judgeBind } from './judge-bind.ts'
import { Liveness } from './liveness.ts'
import { copyForTap } from './masking.ts'
import { Outbox } from './outbox.ts'
import { OwnBind } from './own-bind.ts'
import { deniedStatus, permission } from './permitted.ts'
import { type BindOutcome, lingerMs, oversizedHeaderMs, type SessionParts } from './parts.ts'
import { Reading } from './reading.ts'
import { bindCommand, bindMode, type ClientBind, refusalStatus } from './requests.ts'
import { Sender } from './sender.ts'
import type { Session } from './session.ts'
import { Speaker } from './speaker.ts'
import type { Transport } from './transport.ts'

type Deadline = 'init' | 'read' | 'oversized' | 'unbind' | 'linger' | 'drain'

let lastId = 0

/** A session over any transport and clock. Its user sees it as {@link Session}; the transport feeds it. */
export class LiveSession<Account> implements Session<Account> {
  readonly id = ++lastId
  readonly side: Side
  readonly remoteAddress: string
  readonly remotePort: number
  readonly isSecure: boolean
  readonly openedAtMs: number
  state: SessionState = 'open'
  mode: BindMode | undefined
  systemId = ''
  interfaceVersion: number = interfaceVersion.v34
  account: Account | undefined
  boundAtMs: number | undefined
  tap: Tap | undefined

  readonly #transport: Transport
  readonly #clock: Clock
  readonly #settings: SessionSettings
  readonly #handlers: SessionHandlers<Account>
  // Bound once: these two run for every PDU.
  readonly #onPdu: SessionHandlers<Account>['onPdu']
  readonly #onRequestHandler: SessionHandlers<Account>['onRequest']
  readonly #frames: FrameReader
  readonly #outbox: Outbox
  readonly #sender: Sender
  readonly #deadlines: Deadlines<Deadline>
  readonly #liveness: Liveness
  readonly #reading: Reading
  readonly #intake: Intake
  readonly #speaker: Speaker
  readonly #ending: Ending
  readonly #ownBind = new OwnBind()
  #frameCount = 0
  #peerUnbind: number | undefined
  #unbindSent = false

  constructor(parts: SessionParts<Account>) {
    const { clock, settings, transport } = parts
    this.side = parts.side
    this.remoteAddress = parts.remoteAddress
    this.remotePort = parts.remotePort
    this.isSecure = parts.isSecure
    this.openedAtMs = clock.nowMs()
    this.#transport = transport
    this.#clock = clock
    this.#settings = settings
    this.#handlers = parts.handlers
    this.#onPdu = parts.handlers.onPdu?.bind(parts.handlers)
    this.#onRequestHandler = parts.handlers.onRequest?.bind(parts.handlers)
    this.#ending = new Ending((reason) => this.#handlers.onClosed?.(this, reason))
    this.#reading = new Reading(transport, settings)
    this.#intake = new Intake(this, settings.limits, this.openedAtMs)
    this.#sender = new Sender(clock, settings, {
      mayWrite: () => this.state === 'bound' && transport.unsentOctets <= settings.unsentOctetsMax / 4,
      write: (command, sequence, body) => {
        this.#liveness.transactionAtMs = clock.nowMs()
        return this.#speaker.pdu(command, sequence, body)
      },
    })
    this.#frames = new FrameReader(settings.pduOctetsUnbound, (bytes, start, end) =>
      this.#take(bytes, start, end),
    )
    this.#outbox = new Outbox(clock, transport, () => this.#balance())
    this.#speaker = new Speaker(this.#outbox, {
      counted: (id, status) => this.#onPdu?.(this, id, 'out', status),
      tap: () => this.tap,
    })
    this.#deadlines = new Deadlines(clock, (name) => this.#due(name))
    this.#liveness = new Liveness(clock, settings, {
      enquire: () => this.#sendHeader(commandId.enquire_link, 0, this.#sender.claimSequence()),
      missed: () => this.#fault('enquire-link-missed', ''),
      giveUp: () => this.#finish('us', 'enquire-link', 'no answer to enquire_link'),
      inactive: () => void this.#beginUnbind('inactivity', settings.unbindMs),
      isReading: () => !this.#reading.isPaused,
    })
    if (settings.sessionInitMs > 0) this.#deadlines.start('init', settings.sessionInitMs)
  }

  get lastReceivedAtMs(): number {
    return this.#liveness.receivedAtMs
  }

  get unansweredCount(): number {
    return this.#intake.unansweredCount
  }

  get inFlightCount(): number {
    return this.#sender.inFlightCount
  }

  get queuedCount(): number {
    return this.#sender.queuedCount
  }

  get unsentOctets(): number {
    return this.#transport.unsentOctets
  }

  /** Bytes from the peer. The session keeps views of the chunk: it must not be written to again. */
  receive(chunk: Buffer): void {
    if (this.state === 'closed') return
    this.#liveness.receivedAtMs = this.#clock.nowMs()
    const before = this.#frameCount
    this.#outbox.isHeld = true
    const framing = this.#frames.push(chunk)
    this.#outbox.isHeld = false
    if (framing.kind === 'lost') this.#loseFraming(framing.sequence, framing.announcedOctets)
    else if (framing.kind === 'clean') this.#deadlines.clear('read')
    else if (framing.kind === 'oversized') this.#startOnce('oversized', oversizedHeaderMs)
    else {
      // Each PDU has its own time: one that was completed by this chunk gives way to the next.
      if (this.#frameCount !== before) this.#deadlines.clear('read')
      this.#startOnce('read', this.#settings.pduReadMs)
    }
    this.#outbox.flush()
    this.#balance()
  }

  #startOnce(name: Deadline, delayMs: number): void {
    if (!this.#deadlines.isSet(name)) this.#deadlines.start(name, delayMs)
  }

  /** The transport has taken what it was given. */
  drained(): void {
    this.#balance()
    this.#sender.pump()
  }

  /** The transport is gone, for whatever reason; `detail` says more where it failed. */
  transportClosed(detail: string | undefined): void {
    if (this.#ending.isTransportGone) return
    this.#ending.isTransportGone = true
    if (detail === undefined) this.#finish('peer', 'disconnect', 'the peer closed its socket')
    else this.#finish('peer', 'socket', detail)
    this.#deadlines.clearAll()
    this.#ending.tellIfDone()
  }

  /** The peer will send nothing more: without unbind, that ends the session. */
  transportEnded(): void {
    this.#finish('peer', 'disconnect', 'the peer closed its socket')
  }

  #take(bytes: Buffer, start: number, end: number): void {
    this.#frameCount += 1
    const nowMs = this.#liveness.receivedAtMs
    const pdu = decodePdu(bytes, start, end, this.#settings.isStrict, nowMs)
    const status = isProblem(pdu) ? 0 : pdu.status
    this.#onPdu?.(this, pdu.id, 'in', status)
    if (this.tap !== undefined) {
      this.tap('in', { id: pdu.id, status, sequence: pdu.sequence }, copyForTap(bytes, start, end, pdu.id))
    }
    if (isResponse(pdu.id)) {
      if (isProblem(pdu)) this.#fault('unexpected-response', pdu.reason)
      else this.#onResponse(pdu)
      return
    }
    this.#liveness.transactionAtMs = nowMs
    this.#onRequest(pdu, nowMs)
  }

  #onRequest(pdu: AnyPdu | PduProblem, nowMs: number): void {
    if (isProblem(pdu) && pdu.isUnknownCommand) {
      this.#fault('unknown-command', pdu.reason)
      this.#sendHeader(commandId.generic_nack, pdu.status, pdu.sequence)
      return
    }
    const { id, sequence } = pdu
    const sender = this.side === 'smsc' ? 'esme' : 'smsc'
    const allowed = permission(sender, this.state, this.mode, id)
    if (allowed !== 'yes') {
      this.#fault('not-permitted', `0x${id.toString(16)} while ${this.state}`)
      const isOurUnbind = this.state === 'unbinding' && this.#peerUnbind === undefined
      this.#refuse(id, sequence, deniedStatus(allowed, id, isOurUnbind))
      return
    }
    if (isProblem(pdu)) {
      this.#fault('malformed', pdu.reason)
      this.#refuse(id, sequence, pdu.status)
      return
    }
    if (pdu.duplicateTlvCount > 0) this.#fault('duplicate-tlv', String(pdu.duplicateTlvCount))
    switch (pdu.command) {
      case 'enquire_link':
        this.#sendHeader(commandId.enquire_link_resp, 0, sequence)
        break
      case 'unbind':
        this.#onUnbind(sequence)
        break
      case 'bind_receiver':
      case 'bind_transmitter':
      case 'bind_transceiver':
        this.#onBind(pdu.id, sequence, pdu.body)
        break
      case 'outbind':
        this.#handlers.onOutbind?.(this, pdu.body)
        break
      default:
        this.#onMessage(pdu as unknown as DecodedPdu, nowMs)
    }
  }

  /** The hot path. A request counts as unanswered until `respond`, which may well happen inside the handler. */
  #onMessage(pdu: DecodedPdu, nowMs: number): void {
    const { id } = pdu
    const request = pdu as unknown as IncomingRequest
    if (id !== commandId.alert_notification) {
      const verdict = this.#intake.judge(id, nowMs)
      if (verdict !== 'taken') {
        this.#fault(verdict, '')
        this.#refuse(id, pdu.sequence, commandStatus.ESME_RTHROTTLED)
        return
      }
      this.#intake.open(pdu, nowMs)
      if (pdu.isRepeatedSequence) this.#fault('repeated-sequence', String(pdu.sequence))
    }
    try {
      // `account` is set before the state becomes bound, and only a bound session gets here.
      if (this.#onRequestHandler === undefined) this.respond(request, refusalStatus(id))
      else this.#onRequestHandler(this, request, this.account as Account)
    } catch (error) {
      this.#fault('handler-failed', error instanceof Error ? error.message : String(error))
      this.respond(request, commandStatus.ESME_RSYSERR)
    }
    this.#intake.keep(pdu)
  }

  respond(request: IncomingRequest, status: number, messageId = ''): boolean {
    if (!this.#release(request)) return false
    this.#speaker.answer(request, status, messageId)
    this.#afterAnswer()
    return true
  }

  respondWith<Name extends 'query_sm' | 'submit_multi'>(
    request: IncomingRequest & { command: Name },
    body: Partial<PduBody<`${Name}_resp`>>,
  ): boolean {
    if (!this.#release(request)) return false
    const name: CommandName = `${request.command}_resp`
    if (this.#speaker.pdu(name, request.sequence, body) !== undefined) {
      this.#sendHeader(request.id + 0x80000000, commandStatus.ESME_RSYSERR, request.sequence)
    }
    this.#afterAnswer()
    return true
  }

  #release(request: IncomingRequest): boolean {
    return this.#intake.release(request as unknown as DecodedPdu) && this.state !== 'closed'
  }

  #afterAnswer(): void {
    if (this.#reading.isPaused) this.#balance()
    if (this.state === 'unbinding') this.#goOnUnbinding()
  }

  /** Answers a request with an error: header-only in its own response, or generic_nack when it has none. */
  #refuse(requestId: number, sequence: number, status: number): void {
    this.#sendHeader(responseOf(requestId)?.id ?? commandId.generic_nack, status, sequence)
  }

  #onBind(id: number, sequence: number, body: PduBody<'bind_transceiver'>): void {
    const mode = bindMode(id)
    this.state = 'binding'
    this.systemId = body.systemId
    this.interfaceVersion = body.interfaceVersion
    this.#speaker.withTlvs = takesTlvs(body.interfaceVersion)
    this.#deadlines.clear('init')
    this.#ending.isBindPending = true
    void judgeBind(this, this.#handlers, mode, body).then((decision) => {
      this.#ending.isBindPending = false
      if (decision.accept) this.account = decision.account
      // The peer may have gone, or unbound, while its bind was judged.
      if (this.state === 'binding') this.#answerBind(id, sequence, mode, decision)
      this.#ending.tellIfDone()
    })
  }

  #answerBind(id: number, sequence: number, mode: BindMode, decision: BindDecision<Account>): void {
    if (!decision.accept) {
      this.#sendHeader(id + 0x80000000, decision.status, sequence)
      this.#finish('us', 'bind-refused', `status 0x${decision.status.toString(16)}`)
      return
    }
    if (decision.limits !== undefined) this.setLimits(decision.limits)
    // §5.3.2.25: we speak 3.4, whatever newer version the peer named.
    const tlvs = [makeTlv(tags.scInterfaceVersion, interfaceVersion.v34)]
    const name = registry[bindCommand(mode)].name
    this.#speaker.pdu(`${name}_resp`, sequence, { systemId: decision.systemId, tlvs })
    this.#becomeBound(mode, decision.account)
  }

  #becomeBound(mode: BindMode, account: Account): void {
    this.state = 'bound'
    this.mode = mode
    this.boundAtMs = this.#clock.nowMs()
    this.#frames.octetsMax = this.#settings.pduOctetsBound
    this.#deadlines.clear('init')
    this.#liveness.start()
    this.#handlers.onBound?.(this, account)
  }

  /** esme side: binds to the peer. `account` becomes the session's own. Settles once, never rejects. */
  bind(bind: ClientBind, account: Account): Promise<BindOutcome> {
    if (this.state !== 'open') {
      const reason = this.#ending.reason ?? { by: 'us', cause: 'protocol', detail: 'not open' }
      return Promise.resolve({ kind: 'failed', reason })
    }
    this.state = 'binding'
    this.systemId = bind.systemId
    this.interfaceVersion = bind.interfaceVersion
    this.#speaker.withTlvs = takesTlvs(bind.interfaceVersion)
    this.account = account
    const outcome = this.#ownBind.begin()
    this.#deadlines.start('init', this.#settings.responseMs)
    const { mode, ...body } = bind
    const fault = this.#speaker.pdu(bindCommand(mode), this.#sender.claimSequence(), body)
    if (fault !== undefined) this.#finish('us', 'bind-refused', fault)
    else this.mode = mode
    return outcome
  }

  #onBindResponse(pdu: AnyPdu): void {
    const mode = this.mode ?? 'transceiver'
    const outcome = this.#ownBind.read(pdu, mode)
    if (outcome === undefined) return this.#fault('unexpected-response', pdu.command)
    if (outcome.kind === 'bound') this.#becomeBound(mode, this.account as Account)
    this.#ownBind.settle(outcome)
    if (outcome.kind === 'refused')
      this.#finish('peer', 'bind-refused', `status 0x${pdu.status.toString(16)}`)
  }

  #onResponse(pdu: AnyPdu): void {
    if (pdu.command === 'enquire_link_resp') return
    if (this.#ownBind.isOpen) return this.#onBindResponse(pdu)
    if (pdu.command === 'unbind_resp' && this.#unbindSent) {
      this.#finish('us', this.#ending.reason?.cause ?? 'unbind', 'unbound')
      return
    }
    const result = this.#sender.answer(pdu)
    if (result !== 'settled')
      this.#fault(result === 'late' ? 'late-response' : 'unexpected-response', pdu.command)
    if (result === 'late') this.#handlers.onLateResponse?.(this, pdu.sequence, pdu)
    if (this.state === 'unbinding') this.#goOnUnbinding()
  }

  send<Name extends SendName>(command: Name, body: SendBody<Name>): Promise<SendOutcome> {
    const allowed = permission(this.side, this.state, this.mode, commandId[command])
    if (allowed !== 'yes') {
      return Promise.resolve({
        kind: 'refused',
        reason: 'not-bound',
        detail: `${command} while ${this.state}`,
      })
    }
    return this.#sender.send(command, body as SendBody<SendName>)
  }

  alert(body: Partial<PduBody<'alert_notification'>>): boolean {
    if (permission(this.side, this.state, this.mode, commandId.alert_notification) !== 'yes') return false
    return this.#speaker.pdu('alert_notification', this.#sender.claimSequence(), body) === undefined
  }

  #sendHeader(id: number, status: number, sequence: number): void {
    if (this.state === 'closed') return
    this.#speaker.header(id, status, sequence)
  }

  #balance(): void {
    if (this.state === 'closed') return
    const result = this.#reading.balance(this.#intake.heldOctets)
    // What we do not read cannot be late.
    if (result === 'changed') this.#deadlines.clear('read')
    if (result === 'overflow') this.#finish('us', 'overflow', 'the peer does not read its answers')
  }

  pauseReading(): void {
    this.#reading.isPausedByUser = true
    this.#balance()
  }

  resumeReading(): void {
    this.#reading.isPausedByUser = false
    this.#balance()
  }

  setLimits(limits: Partial<Limits>): void {
    this.#intake.setLimits(limits, this.#clock.nowMs())
  }

  #onUnbind(sequence: number): void {
    this.#peerUnbind ??= sequence
    this.state = 'unbinding'
    this.#deadlines.clear('init')
    this.#sender.abandon(false)
    this.#deadlines.start('unbind', this.#settings.unbindMs)
    this.#goOnUnbinding()
  }

  unbind(timeoutMs = this.#settings.unbindMs, cause: CloseReason['cause'] = 'unbind'): Promise<void> {
    return this.#beginUnbind(cause, timeoutMs)
  }

  #beginUnbind(cause: CloseReason['cause'], timeoutMs: number): Promise<void> {
    const closed = this.#ending.whenTold()
    if (this.#ending.isTransportGone) return closed
    if (this.state === 'bound') {
      this.state = 'unbinding'
      this.#ending.reason = { by: 'us', cause, detail: '' }
      this.#sender.abandon(false)
      this.#deadlines.start('drain', timeoutMs / 2)
      this.#deadlines.start('unbind', timeoutMs)
      this.#goOnUnbinding()
    } else if (this.state !== 'unbinding') this.#finish('us', cause, 'not bound')
    return closed
  }

  /** §4.2: nothing accepted stays unanswered. Once all is, unbind goes out, or the peer's is answered. */
  #goOnUnbinding(isDrained = this.#intake.unansweredCount === 0 && this.#sender.inFlightCount === 0): void {
    if (this.#peerUnbind !== undefined) {
      if (this.#intake.unansweredCount > 0 && !isDrained) return
      this.#sendHeader(commandId.unbind_resp, 0, this.#peerUnbind)
      this.#finish('peer', this.#ending.reason?.cause ?? 'unbind', 'the peer unbound')
    } else if (isDrained && !this.#unbindSent) {
      this.#unbindSent = true
      this.#deadlines.clear('drain')
      this.#sendHeader(commandId.unbind, 0, this.#sender.claimSequence())
    }
  }

  close(cause: CloseReason['cause'], detail: string): void {
    this.#finish('us', cause, detail)
  }

  #loseFraming(sequence: number, announcedOctets: number): void {
    this.#fault('lost-framing', `command_length ${announcedOctets}`)
    this.#sendHeader(commandId.generic_nack, commandStatus.ESME_RINVCMDLEN, sequence)
    this.#finish('us', 'protocol', `command_length ${announcedOctets}`)
  }

  /** Ends the session: the last bytes go out, then the transport closes and `onClosed` tells. */
  #finish(by: CloseReason['by'], cause: CloseReason['cause'], detail: string): void {
    if (this.state === 'closed') return
    this.#frames.stop()
    this.#outbox.flush()
    // The flush itself may have found the peer not reading and ended the session.
    if (this.#reachedClosed()) return
    this.state = 'closed'
    const reason = { by, cause, detail }
    this.#ending.reason = reason
    this.#liveness.stop()
    this.#deadlines.clearAll()
    if (this.#ending.isTransportGone || cause === 'overflow') this.#transport.destroy()
    else {
      this.#deadlines.start('linger', lingerMs)
      this.#transport.end()
    }
    this.#ownBind.settle({ kind: 'failed', reason })
    this.#sender.abandon(true)
  }

  // A method, so that the compiler does not take the state for unchanged across a call.
  #reachedClosed(): boolean {
    return this.state === 'closed'
  }

  #fault(fault: SessionFault, detail: string): void {
    this.#handlers.onFault?.(this, fault, detail)
  }

  #due(name: Deadline): void {
    switch (name) {
      case 'init':
        return this.#finish(
          'us',
          'bind-timeout',
          this.side === 'smsc' ? 'no bind in time' : 'no answer to the bind',
        )
      case 'read':
        return this.#finish('us', 'read-timeout', 'a PDU was not complete in time')
      case 'oversized':
        return this.#loseFraming(0, 0)
      case 'drain':
        return this.#goOnUnbinding(true)
      case 'unbind':
        if (this.#peerUnbind !== undefined) return this.#goOnUnbinding(true)
        return this.#finish('us', this.#ending.reason?.cause ?? 'unbind', 'no unbind_resp in time')
      case 'linger':
        return this.#transport.destroy()
    }
  }
}
