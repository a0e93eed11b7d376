// The implementation of the interface in session.ts: it keeps the state and connects the objects that do the work.
import type { LostFraming } from '../frames.ts'
import { type DecodedPdu, type PduProblem, isProblem } from '../pdu/decode.ts'
import type { AnyPdu, PduBody } from '../pdu/registry.ts'
import { commandId } from '../values/command-id.ts'
import { commandStatus } from '../values/command-status.ts'
import { interfaceVersion, takesTlvs } from '../values/interface-version.ts'
import type { SessionClock } from './clock.ts'
import { Deadlines } from './deadlines.ts'
import { SessionEnd } from './session-end.ts'
import type {
  BindMode,
  CloseReason,
  IncomingRequest,
  Limits,
  SendBody,
  SendName,
  SendOutcome,
  SessionFault,
  SessionProfile,
  SessionSettings,
  SessionState,
  Side,
  Tap,
} from './session-types.ts'
import { FloodGuard, type FloodAction } from './flood-guard.ts'
import { PduReceiver } from './pdu-receiver.ts'
import { OpenRequests } from './open-requests.ts'
import { Liveness } from './liveness.ts'
import { WriteBuffer } from './write-buffer.ts'
import { OwnBind } from './own-bind.ts'
import type { PduBudget } from './pdu-budget.ts'
import { permission } from './permitted.ts'
import {
  type BindOutcome,
  type Deadline,
  lingerMs,
  type SessionOptions,
  type SessionTransitions,
} from './internals.ts'
import { PeerBind } from './peer-bind.ts'
import { ReadControl } from './read-control.ts'
import { pointsOf, type ClientBind } from './request-kinds.ts'
import { RequestSender } from './request-sender.ts'
import { PeerRequests } from './peer-requests.ts'
import type { Session, SessionHandlers } from './session.ts'
import { PduWriter } from './pdu-writer.ts'
import type { Transport } from './transport.ts'
import { Unbinding } from './unbinding.ts'

let lastId = 0

/** A session over any transport and clock. Code that uses it sees {@link Session}; the transport calls the rest. */
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
  readonly #clock: SessionClock
  readonly #settings: SessionSettings
  readonly #handlers: SessionHandlers<Account>
  readonly #writeBuffer: WriteBuffer
  readonly #sender: RequestSender
  readonly #deadlines: Deadlines<Deadline>
  readonly #liveness: Liveness
  readonly #readControl: ReadControl
  readonly #openRequests: OpenRequests
  readonly #flood: FloodGuard
  readonly #pduWriter: PduWriter
  readonly #receiver: PduReceiver<Account>
  readonly #ownBind: OwnBind<Account>
  readonly #unbinding: Unbinding
  readonly #sessionEnd: SessionEnd

  constructor(options: SessionOptions<Account>) {
    const { clock, handlers, transport } = options
    // The session's own, because a profile changes some of them.
    const settings = { ...options.settings }
    this.side = options.side
    this.remoteAddress = options.remoteAddress
    this.remotePort = options.remotePort
    this.isSecure = options.isSecure
    this.openedAtMs = clock.wallMs()
    this.#transport = transport
    this.#clock = clock
    this.#settings = settings
    this.#handlers = handlers
    // Bound once: it runs for every PDU.
    const onPdu = handlers.onPdu?.bind(handlers)
    const transitions = this.#transitions()
    const sessionEnd = new SessionEnd((reason) => handlers.onClosed?.(this, reason))
    const deadlines = new Deadlines<Deadline>(clock, (name) => this.#due(name))
    const openRequests = new OpenRequests(this, settings.limits, clock.nowMs())
    this.#writeBuffer = new WriteBuffer(clock, transport, () => this.#updateReading())
    const pduWriter = new PduWriter(this.#writeBuffer, {
      counted: (id, status) => onPdu?.(this, id, 'out', status),
      tap: () => this.tap,
    })
    const sender = new RequestSender(clock, settings, {
      mayWrite: () => this.state === 'bound' && transport.unsentOctets <= settings.unsentOctetsMax / 4,
      write: (command, sequence, body) => {
        this.#liveness.transactionAtMs = clock.nowMs()
        return pduWriter.pdu(command, sequence, body)
      },
    })
    const liveness = new Liveness(clock, settings, {
      enquire: () => pduWriter.header(commandId.enquire_link, 0, sender.claimSequence()),
      missed: () => this.#fault('enquire-link-missed', ''),
      giveUp: () => this.#finish('us', 'enquire-link', 'no answer to enquire_link'),
      inactive: () => void this.unbind(settings.unbindMs, 'inactivity'),
      isReading: () => !this.#readControl.isPaused,
    })
    const flood = new FloodGuard(clock, settings, deadlines, (action) => this.#onFloodAction(action))
    const shared = {
      session: this,
      settings,
      handlers,
      sessionEnd,
      deadlines,
      openRequests,
      flood,
      pduWriter,
      sender,
      liveness,
      transitions,
    }
    this.#sessionEnd = sessionEnd
    this.#deadlines = deadlines
    this.#openRequests = openRequests
    this.#flood = flood
    this.#pduWriter = pduWriter
    this.#sender = sender
    this.#liveness = liveness
    this.#readControl = new ReadControl(transport, settings)
    this.#ownBind = new OwnBind(shared)
    this.#unbinding = new Unbinding({ ...shared, leave: () => handlers.onPeerUnbind?.(this) })
    const peerRequests = new PeerRequests(shared, new PeerBind(shared), this.#unbinding)
    this.#receiver = new PduReceiver({ ...shared, clock, peerRequests }, onPdu, (pdu) =>
      this.#onResponse(pdu),
    )
    if (settings.sessionInitMs > 0) deadlines.start('init', settings.sessionInitMs)
  }

  #transitions(): SessionTransitions<Account> {
    return {
      beginBind: (bind) => this.#beginBind(bind),
      accept: (account, budget) => this.#accept(account, budget),
      becomeBound: (mode, account) => this.#becomeBound(mode, account),
      beginUnbind: () => this.#beginUnbind(),
      finish: (by, cause, detail) => this.#finish(by, cause, detail),
    }
  }

  get lastReceivedAtMs(): number {
    return this.#clock.wallMs() - (this.#clock.nowMs() - this.#liveness.receivedAtMs)
  }

  get unansweredCount(): number {
    return this.#openRequests.unansweredCount
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

  /** Takes bytes from the peer. The session keeps views of the chunk: nobody may write to it again. */
  receive(chunk: Buffer): void {
    this.#serve(() => this.#receiver.receive(chunk))
  }

  #serve(read: () => LostFraming | undefined): void {
    if (this.state === 'closed') return
    this.#liveness.receivedAtMs = this.#clock.nowMs()
    this.#writeBuffer.isHeld = true
    const lost = read()
    this.#writeBuffer.isHeld = false
    if (lost !== undefined) this.#loseFraming(lost.sequence, lost.announcedOctets)
    this.#writeBuffer.flush()
    this.#updateReading()
  }

  /** The transport has sent everything that was written. */
  drained(): void {
    this.#updateReading()
    this.#sender.pump()
  }

  /** The transport is closed; `detail` is the error when it failed. */
  transportClosed(detail: string | undefined): void {
    if (this.#sessionEnd.isTransportGone) return
    this.#sessionEnd.isTransportGone = true
    if (detail === undefined) this.#finish('peer', 'disconnect', 'the peer closed its socket')
    else this.#finish('peer', 'socket', detail)
    this.#deadlines.clearAll()
    this.#sessionEnd.reportIfDone()
  }

  /** The peer has closed its side of the transport: without unbind, that ends the session. */
  transportEnded(): void {
    this.#finish('peer', 'disconnect', 'the peer closed its socket')
  }

  respond(request: IncomingRequest, status: number, messageId = ''): boolean {
    if (!this.#release(request)) return false
    this.#pduWriter.answer(request, status, messageId)
    this.#afterAnswer()
    return true
  }

  respondWith<Name extends 'query_sm' | 'submit_multi'>(
    request: IncomingRequest & { command: Name },
    body: Partial<PduBody<`${Name}_resp`>>,
  ): boolean {
    if (!this.#release(request)) return false
    this.#pduWriter.answerWith(request, body)
    this.#afterAnswer()
    return true
  }

  #release(request: IncomingRequest): boolean {
    return this.#openRequests.release(request as unknown as DecodedPdu) && this.state !== 'closed'
  }

  #afterAnswer(): void {
    if (this.#readControl.isPaused) this.#updateReading()
    if (this.state === 'unbinding') this.#unbinding.proceed()
  }

  #beginBind(bind: { systemId: string; interfaceVersion: number }): void {
    this.#deadlines.clear('init')
    this.state = 'binding'
    this.systemId = bind.systemId
    this.interfaceVersion = bind.interfaceVersion
    this.#pduWriter.withTlvs = takesTlvs(bind.interfaceVersion)
  }

  #accept(account: Account, budget: PduBudget | undefined): void {
    this.account = account
    this.#flood.shared = budget
  }

  #becomeBound(mode: BindMode, account: Account): void {
    this.state = 'bound'
    this.mode = mode
    this.boundAtMs = this.#clock.wallMs()
    this.#receiver.widen()
    this.#deadlines.clear('init')
    this.#liveness.start()
    this.#handlers.onBound?.(this, account)
  }

  /** esme side: binds to the peer. `account` becomes the session's own. Settles once, never rejects. */
  bind(bind: ClientBind, account: Account): Promise<BindOutcome> {
    if (this.state !== 'open') {
      const reason = this.#sessionEnd.reason ?? { by: 'us', cause: 'protocol', detail: 'not open' }
      return Promise.resolve({ kind: 'failed', reason })
    }
    this.account = account
    return this.#ownBind.begin(bind)
  }

  #onResponse(pdu: AnyPdu | PduProblem): void {
    if (isProblem(pdu)) return this.#ignore(pdu.id, pdu.reason)
    // We send enquire_link so seldom that each answer may cost points: only a flood of them matters.
    if (pdu.command === 'enquire_link_resp') return this.#flood.charge(pointsOf(pdu.id))
    if (this.#ownBind.isOpen) {
      if (!this.#ownBind.answer(pdu, this.account as Account)) this.#ignore(pdu.id, pdu.command)
      return
    }
    if (pdu.command === 'unbind_resp' && this.#unbinding.answered()) return
    const result = this.#sender.answer(pdu)
    if (result === 'late') {
      this.#fault('late-response', pdu.command)
      this.#handlers.onLateResponse?.(this, pdu.sequence, pdu)
    } else if (result !== 'settled') this.#ignore(pdu.id, pdu.command)
    if (this.state === 'unbinding') this.#unbinding.proceed()
  }

  #ignore(id: number, detail: string): void {
    this.#flood.charge(pointsOf(id))
    this.#fault('unexpected-response', detail)
  }

  send<Name extends SendName>(
    command: Name,
    body: SendBody<Name>,
    signal?: AbortSignal,
  ): Promise<SendOutcome> {
    const allowed = permission(this.side, this.state, this.mode, commandId[command])
    if (allowed !== 'yes') {
      return Promise.resolve({
        kind: 'refused',
        reason: 'not-bound',
        detail: `${command} while ${this.state}`,
      })
    }
    return this.#sender.send(command, body as SendBody<SendName>, signal)
  }

  alert(body: Partial<PduBody<'alert_notification'>>): boolean {
    if (permission(this.side, this.state, this.mode, commandId.alert_notification) !== 'yes') return false
    return this.#pduWriter.pdu('alert_notification', this.#sender.claimSequence(), body) === undefined
  }

  #updateReading(): void {
    if (this.state === 'closed') return
    const result = this.#readControl.update(this.#openRequests.heldOctets)
    // While we do not read, a PDU cannot be late.
    if (result === 'changed') this.#deadlines.clear('read')
    if (result === 'overflow') this.#finish('us', 'overflow', 'the peer does not read its answers')
  }

  #onFloodAction(action: FloodAction): void {
    if (action === 'close') return this.#finish('us', 'flood', 'too many PDUs that are not accepted messages')
    this.#readControl.isPausedForFlood = action === 'pause'
    if (action === 'resume') return this.#serve(() => this.#receiver.resume())
    this.#receiver.pause()
    this.#fault('flood', '')
    this.#updateReading()
  }

  pauseReading(): void {
    this.#readControl.isPausedByUser = true
    this.#updateReading()
  }

  resumeReading(): void {
    this.#readControl.isPausedByUser = false
    this.#updateReading()
  }

  setLimits(limits: Partial<Limits>): void {
    this.#openRequests.setLimits(limits, this.#clock.nowMs())
  }

  setProfile({ interfaceVersion: version, ...settings }: Partial<SessionProfile>): void {
    const before = { ...this.#settings }
    Object.assign(this.#settings, settings)
    if (version !== undefined) {
      this.interfaceVersion = version
      this.#pduWriter.withTlvs = takesTlvs(version)
    }
    if (settings.sendWindowMax !== undefined) this.#sender.setWindow(settings.sendWindowMax)
    if (this.state !== 'bound') return
    if (this.#settings.enquireLinkMs !== before.enquireLinkMs) this.#liveness.retimeEnquiry()
    if (this.#settings.inactivityMs !== before.inactivityMs) this.#liveness.retimeInactivity()
  }

  charge(points: number): void {
    this.#flood.charge(points)
  }

  #beginUnbind(): void {
    this.state = 'unbinding'
    this.#deadlines.clear('init')
  }

  unbind(timeoutMs = this.#settings.unbindMs, cause: CloseReason['cause'] = 'unbind'): Promise<void> {
    const closed = this.#sessionEnd.whenReported()
    if (this.#sessionEnd.isTransportGone) return closed
    if (this.state === 'bound') this.#unbinding.byUs(cause, timeoutMs)
    else if (this.state !== 'unbinding') this.#finish('us', cause, 'not bound')
    return closed
  }

  close(cause: CloseReason['cause'], detail: string): void {
    this.#finish('us', cause, detail)
  }

  #loseFraming(sequence: number, announcedOctets: number): void {
    this.#fault('lost-framing', `command_length ${announcedOctets}`)
    this.#pduWriter.header(commandId.generic_nack, commandStatus.ESME_RINVCMDLEN, sequence)
    this.#finish('us', 'protocol', `command_length ${announcedOctets}`)
  }

  /** Ends the session: sends the last bytes, then closes the transport; `onClosed` follows. */
  #finish(by: CloseReason['by'], cause: CloseReason['cause'], detail: string): void {
    if (this.state === 'closed') return
    this.#receiver.stop()
    this.#writeBuffer.flush()
    // The flush itself may have found that the peer does not read, and ended the session.
    if (this.#reachedClosed()) return
    this.state = 'closed'
    this.#pduWriter.stop()
    const reason = { by, cause, detail }
    this.#sessionEnd.reason = reason
    this.#liveness.stop()
    this.#deadlines.clearAll()
    if (this.#sessionEnd.isTransportGone || cause === 'overflow') this.#transport.destroy()
    else {
      this.#deadlines.start('linger', lingerMs)
      this.#transport.end()
    }
    this.#ownBind.settle({ kind: 'failed', reason })
    this.#sender.abandon(true)
  }

  // A method, because the compiler would assume that the state does not change during a call.
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
      case 'flood':
        return this.#flood.due()
      case 'drain':
      case 'unbind':
        return this.#unbinding.due(name)
      case 'linger':
        return this.#transport.destroy()
    }
  }
}
