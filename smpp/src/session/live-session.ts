// The session behind the interface in session.ts: bytes in, PDUs judged and handed on, answers gathered and written.
import { FrameReader } from '../frames.ts'
import { type PduProblem, DecodedPdu, decodePdu, isProblem } from '../pdu/decode.ts'
import { encodeHeaderOnly, encodeMessageId, encodePdu } from '../pdu/encode.ts'
import { type AnyPdu, type PduBody, registry, responseOf } from '../pdu/registry.ts'
import { makeTlv } from '../tlv/tlv.ts'
import { tags } from '../tlv/tags.ts'
import { commandId, type CommandName, isResponse } from '../values/command-id.ts'
import { commandStatus } from '../values/command-status.ts'
import { interfaceVersion, takesTlvs } from '../values/interface-version.ts'
import type { Clock } from './clock.ts'
import { Deadlines } from './deadlines.ts'
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
import { Liveness } from './liveness.ts'
import { copyForTap } from './masking.ts'
import { Outbox } from './outbox.ts'
import { permission } from './permitted.ts'
import { RateLimit } from './rate.ts'
import { bindCommand, bindMode, bindRequest, type ClientBind, isRated, refusalStatus } from './requests.ts'
import type { Session } from './session.ts'
import type { Transport } from './transport.ts'
import { SendWindow } from './window.ts'

type Deadline = 'init' | 'read' | 'oversized' | 'response' | 'rate' | 'unbind' | 'linger' | 'drain'

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
const oversizedHeaderMs = 500
// How long our last bytes may take to leave before the socket is cut.
const lingerMs = 800

let lastId = 0

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
  unansweredCount = 0

  readonly #transport: Transport
  readonly #clock: Clock
  readonly #settings: SessionSettings
  readonly #handlers: SessionHandlers<Account>
  readonly #frames: FrameReader
  readonly #outbox: Outbox
  readonly #window: SendWindow
  readonly #deadlines: Deadlines<Deadline>
  readonly #liveness: Liveness
  readonly #limits: Limits
  readonly #rate: RateLimit
  readonly #sendRate: RateLimit
  readonly #openSequences = new Set<number>()
  #heldOctets = 0
  #frameCount = 0
  #isPausedByUser = false
  #isPaused = false
  #isTransportGone = false
  #isBindPending = false
  #isClosedTold = false
  #peerUnbind: number | undefined
  #unbindSent = false
  #reason: CloseReason | undefined
  #bindSettle: ((outcome: BindOutcome) => void) | undefined
  #closedSettles: (() => void)[] = []

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
    this.#limits = { ...settings.limits }
    this.#rate = new RateLimit(this.#limits.messagesPerSecond, this.openedAtMs)
    this.#sendRate = new RateLimit(settings.sendPerSecond, this.openedAtMs)
    this.#window = new SendWindow(settings.sendWindowMax)
    this.#frames = new FrameReader(settings.pduOctetsUnbound, (bytes, start, end) =>
      this.#take(bytes, start, end),
    )
    this.#outbox = new Outbox(clock, transport, () => this.#balance())
    this.#deadlines = new Deadlines(clock, (name) => this.#due(name))
    this.#liveness = new Liveness(clock, settings, {
      enquire: () => this.#sendHeader(commandId.enquire_link, 0, this.#window.claimSequence()),
      missed: () => this.#fault('enquire-link-missed', ''),
      giveUp: () => this.#finish('us', 'enquire-link', 'no answer to enquire_link'),
      inactive: () => void this.#beginUnbind('inactivity', settings.unbindMs),
      isReading: () => !this.#isPaused,
    })
    if (settings.sessionInitMs > 0) this.#deadlines.start('init', settings.sessionInitMs)
  }

  get lastReceivedAtMs(): number {
    return this.#liveness.receivedAtMs
  }

  get inFlightCount(): number {
    return this.#window.inFlightCount
  }

  get queuedCount(): number {
    return this.#window.queuedCount
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
    else {
      if (this.#frameCount !== before || !this.#deadlines.isSet('read')) {
        this.#deadlines.start('read', this.#settings.pduReadMs)
      }
      if (framing.kind === 'oversized' && !this.#deadlines.isSet('oversized')) {
        this.#deadlines.start('oversized', oversizedHeaderMs)
      }
    }
    this.#outbox.flush()
    this.#balance()
  }

  /** The transport has taken what it was given. */
  drained(): void {
    this.#balance()
    this.#pump()
  }

  /** The transport is gone, for whatever reason; `detail` says more where it failed. */
  transportClosed(detail: string | undefined): void {
    if (this.#isTransportGone) return
    this.#isTransportGone = true
    if (detail === undefined) this.#finish('peer', 'disconnect', 'the peer closed its socket')
    else this.#finish('peer', 'socket', detail)
    this.#deadlines.clearAll()
    this.#tellClosed()
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
    this.#handlers.onPdu?.(this, pdu.id, 'in', status)
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
      this.#refuse(id, sequence, this.#notPermittedStatus(allowed === 'bound', id))
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

  #notPermittedStatus(isBound: boolean, id: number): number {
    if (isBound) return commandStatus.ESME_RALYBND
    if (responseOf(id) === undefined) return commandStatus.ESME_RINVCMDID
    // While we unbind, the peer has done nothing wrong: a status that makes it try again elsewhere.
    const isOurs = this.state === 'unbinding' && this.#peerUnbind === undefined
    return isOurs ? commandStatus.ESME_RSYSERR : commandStatus.ESME_RINVBNDSTS
  }

  /** The hot path. A request counts as unanswered until `respond`, which may well happen inside the handler. */
  #onMessage(pdu: DecodedPdu, nowMs: number): void {
    const { id, sequence } = pdu
    const hasResponse = id !== commandId.alert_notification
    if (hasResponse && this.unansweredCount >= this.#limits.windowMax) {
      this.#fault('window-exceeded', '')
      this.#refuse(id, sequence, commandStatus.ESME_RTHROTTLED)
      return
    }
    if (isRated(id) && !this.#rate.take(nowMs)) {
      this.#fault('throttled', '')
      this.#refuse(id, sequence, commandStatus.ESME_RTHROTTLED)
      return
    }
    pdu.receivedAtMs = nowMs
    if (this.#openSequences.size > 0 && this.#openSequences.has(sequence)) {
      pdu.isRepeatedSequence = true
      this.#fault('repeated-sequence', String(sequence))
    }
    if (hasResponse) {
      pdu.owner = this
      this.unansweredCount += 1
      this.#heldOctets += pdu.octets
    }
    try {
      // `account` is set before the state becomes bound, and only a bound session gets here.
      this.#handlers.onRequest?.(this, pdu as unknown as IncomingRequest, this.account as Account)
      if (this.#handlers.onRequest === undefined)
        this.respond(pdu as unknown as IncomingRequest, refusalStatus(id))
    } catch (error) {
      this.#fault('handler-failed', error instanceof Error ? error.message : String(error))
      this.respond(pdu as unknown as IncomingRequest, commandStatus.ESME_RSYSERR)
    }
    if (pdu.owner === this) this.#openSequences.add(sequence)
  }

  respond(request: IncomingRequest, status: number, messageId = ''): boolean {
    if (!this.#release(request)) return false
    const id = request.id + 0x80000000
    if (status !== 0 || request.command === 'cancel_sm' || request.command === 'replace_sm') {
      this.#sendHeader(id, status, request.sequence)
    } else if (request.command === 'submit_sm') {
      const start = this.#outbox.gatheredOctets
      const fault = encodeMessageId(this.#outbox.writer, id, request.sequence, messageId)
      if (fault === undefined) this.#appended(id, 0, request.sequence, start)
      else this.#sendHeader(id, commandStatus.ESME_RSYSERR, request.sequence)
    } else {
      const type = responseOf(request.id)
      if (type !== undefined) this.#sendPdu(type.name, 0, request.sequence, { messageId })
    }
    this.#afterAnswer()
    return true
  }

  respondWith<Name extends 'query_sm' | 'submit_multi'>(
    request: IncomingRequest & { command: Name },
    body: Partial<PduBody<`${Name}_resp`>>,
  ): boolean {
    if (!this.#release(request)) return false
    const name: CommandName = `${request.command}_resp`
    if (this.#sendPdu(name, 0, request.sequence, body) !== undefined) {
      this.#sendHeader(request.id + 0x80000000, commandStatus.ESME_RSYSERR, request.sequence)
    }
    this.#afterAnswer()
    return true
  }

  /** Takes a request off the books; false when it is not on them. */
  #release(request: IncomingRequest): boolean {
    const token = request as unknown as DecodedPdu
    if (token.owner !== this) return false
    token.owner = undefined
    this.unansweredCount -= 1
    this.#heldOctets -= token.octets
    if (this.#openSequences.size > 0) this.#openSequences.delete(token.sequence)
    return this.state !== 'closed'
  }

  #afterAnswer(): void {
    if (this.#isPaused) this.#balance()
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
    this.#deadlines.clear('init')
    this.#isBindPending = true
    void this.#judgeBind(mode, body).then((decision) => {
      this.#isBindPending = false
      if (decision.accept) this.account = decision.account
      // The peer may have gone, or unbound, while its bind was judged.
      if (this.state === 'binding') this.#answerBind(id, sequence, mode, decision)
      this.#tellClosed()
    })
  }

  async #judgeBind(mode: BindMode, body: PduBody<'bind_transceiver'>): Promise<BindDecision<Account>> {
    try {
      const decision = await this.#handlers.onBind?.(this, bindRequest(mode, body))
      return decision ?? { accept: false, status: commandStatus.ESME_RBINDFAIL }
    } catch (error) {
      this.#fault('handler-failed', error instanceof Error ? error.message : String(error))
      return { accept: false, status: commandStatus.ESME_RSYSERR }
    }
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
    this.#sendPdu(`${name}_resp`, 0, sequence, { systemId: decision.systemId, tlvs })
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
    return new Promise((settle) => {
      const reason = this.#reason
      if (this.state !== 'open') {
        settle({ kind: 'failed', reason: reason ?? { by: 'us', cause: 'protocol', detail: 'not open' } })
        return
      }
      this.state = 'binding'
      this.systemId = bind.systemId
      this.interfaceVersion = bind.interfaceVersion
      this.account = account
      this.#bindSettle = settle
      this.#deadlines.start('init', this.#settings.responseMs)
      const { mode, ...body } = bind
      const fault = this.#sendPdu(bindCommand(mode), 0, this.#window.claimSequence(), body)
      if (fault !== undefined) this.#finish('us', 'bind-refused', fault)
      else this.mode = mode
    })
  }

  #onBindResponse(pdu: AnyPdu): void {
    const settle = this.#bindSettle
    this.#bindSettle = undefined
    if (pdu.status !== 0 || pdu.command === 'generic_nack') {
      settle?.({ kind: 'refused', status: pdu.status === 0 ? 0xff : pdu.status })
      this.#finish('peer', 'bind-refused', `status 0x${pdu.status.toString(16)}`)
      return
    }
    // Many centres take TLVs without naming their version, so its absence does not lower ours (§5.3.2.25).
    const peerSystemId = 'systemId' in pdu.body ? pdu.body.systemId : ''
    this.#becomeBound(this.mode ?? 'transceiver', this.account as Account)
    settle?.({ kind: 'bound', peerSystemId })
  }

  #onResponse(pdu: AnyPdu): void {
    if (pdu.command === 'enquire_link_resp') return
    if (this.state === 'binding' && this.#bindSettle !== undefined) {
      const isOurs =
        pdu.command === 'generic_nack' || pdu.command === `${bindCommand(this.mode ?? 'transceiver')}_resp`
      if (isOurs) this.#onBindResponse(pdu)
      else this.#fault('unexpected-response', pdu.command)
      return
    }
    if (pdu.command === 'unbind_resp' && this.#unbindSent) {
      this.#finish('us', this.#reason?.cause ?? 'unbind', 'unbound')
      return
    }
    const result = this.#window.answer(pdu.sequence, pdu)
    if (result === 'settled') this.#pump()
    else if (result === 'late') {
      this.#fault('late-response', pdu.command)
      this.#handlers.onLateResponse?.(this, pdu.sequence, pdu)
    } else this.#fault('unexpected-response', pdu.command)
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
    if (this.#window.queuedCount >= this.#settings.sendQueueMax) {
      return Promise.resolve({ kind: 'refused', reason: 'queue-full', detail: 'too many requests wait' })
    }
    return new Promise((settle) => {
      this.#window.enqueue({ command, body: body as SendBody<SendName>, settle })
      this.#pump()
    })
  }

  /** Sends from the line while window, rate and the peer's reading allow. */
  #pump(): void {
    while (this.#window.queuedCount > 0 && this.#window.hasSlot && this.state === 'bound') {
      if (this.#transport.unsentOctets > this.#settings.unsentOctetsMax / 4) return
      const nowMs = this.#clock.nowMs()
      if (!this.#sendRate.take(nowMs)) {
        if (!this.#deadlines.isSet('rate')) this.#deadlines.start('rate', this.#sendRate.waitMs(nowMs))
        return
      }
      const waiting = this.#window.dequeue()
      if (waiting === undefined) return
      const sequence = this.#window.claimSequence()
      const fault = this.#sendPdu(waiting.command, 0, sequence, waiting.body)
      if (fault !== undefined) {
        waiting.settle({ kind: 'refused', reason: 'invalid', detail: fault })
        continue
      }
      this.#liveness.transactionAtMs = nowMs
      this.#window.sent(sequence, waiting, nowMs + this.#settings.responseMs)
      if (!this.#deadlines.isSet('response')) this.#deadlines.start('response', this.#settings.responseMs)
    }
  }

  alert(body: Partial<PduBody<'alert_notification'>>): boolean {
    if (permission(this.side, this.state, this.mode, commandId.alert_notification) !== 'yes') return false
    return this.#sendPdu('alert_notification', 0, this.#window.claimSequence(), body) === undefined
  }

  #sendHeader(id: number, status: number, sequence: number): void {
    if (this.state === 'closed') return
    const start = this.#outbox.gatheredOctets
    encodeHeaderOnly(this.#outbox.writer, id, status, sequence)
    this.#appended(id, status, sequence, start)
  }

  #sendPdu<Name extends CommandName>(
    name: Name,
    status: number,
    sequence: number,
    body: object,
  ): string | undefined {
    const start = this.#outbox.gatheredOctets
    const known = body as Partial<PduBody<Name>>
    const fault = encodePdu(
      this.#outbox.writer,
      name,
      status,
      sequence,
      known,
      takesTlvs(this.interfaceVersion),
    )
    if (fault === undefined) this.#appended(commandId[name], status, sequence, start)
    return fault
  }

  #appended(id: number, status: number, sequence: number, start: number): void {
    this.#handlers.onPdu?.(this, id, 'out', status)
    if (this.tap !== undefined) {
      const { bytes, at } = this.#outbox.writer
      this.tap('out', { id, status, sequence }, copyForTap(bytes, start, at, id))
    }
    this.#outbox.appended()
  }

  /** Reads on or stops reading, by what is unsent and unanswered; ends a session that never takes its answers. */
  #balance(): void {
    if (this.state === 'closed') return
    const unsent = this.#transport.unsentOctets
    if (unsent > this.#settings.unsentOctetsMax) {
      this.#finish('us', 'overflow', `${unsent} octets unsent`)
      return
    }
    const isTooMuch =
      unsent > this.#settings.unsentOctetsMax / 2 || this.#heldOctets > this.#settings.heldOctetsMax
    const isPaused = this.#isPausedByUser || isTooMuch
    if (isPaused === this.#isPaused) return
    this.#isPaused = isPaused
    // What we do not read cannot be late.
    this.#deadlines.clear('read')
    if (isPaused) this.#transport.pause()
    else this.#transport.resume()
  }

  pauseReading(): void {
    this.#isPausedByUser = true
    this.#balance()
  }

  resumeReading(): void {
    this.#isPausedByUser = false
    this.#balance()
  }

  setLimits(limits: Partial<Limits>): void {
    Object.assign(this.#limits, limits)
    this.#rate.set(this.#limits.messagesPerSecond, this.#clock.nowMs())
  }

  #onUnbind(sequence: number): void {
    this.#peerUnbind ??= sequence
    this.state = 'unbinding'
    this.#deadlines.clear('init')
    this.#window.abandon(false)
    this.#deadlines.start('unbind', this.#settings.unbindMs)
    this.#goOnUnbinding()
  }

  unbind(timeoutMs: number = this.#settings.unbindMs): Promise<void> {
    return this.#beginUnbind('unbind', timeoutMs)
  }

  /** As `unbind`, with `stop` as the reason that is told. */
  stop(timeoutMs: number): Promise<void> {
    return this.#beginUnbind('stop', timeoutMs)
  }

  #beginUnbind(cause: CloseReason['cause'], timeoutMs: number): Promise<void> {
    if (this.#isTransportGone) return Promise.resolve()
    const closed = new Promise<void>((settle) => {
      this.#closedSettles.push(settle)
    })
    if (this.state === 'bound') {
      this.state = 'unbinding'
      this.#reason = { by: 'us', cause, detail: '' }
      this.#window.abandon(false)
      this.#deadlines.start('drain', timeoutMs / 2)
      this.#deadlines.start('unbind', timeoutMs)
      this.#goOnUnbinding()
    } else if (this.state !== 'unbinding') this.#finish('us', cause, 'not bound')
    return closed
  }

  /** §4.2: nothing accepted stays unanswered. Once all is, unbind goes out, or the peer's is answered. */
  #goOnUnbinding(isDrained = this.unansweredCount === 0 && this.#window.inFlightCount === 0): void {
    if (this.#peerUnbind !== undefined) {
      if (this.unansweredCount > 0 && !isDrained) return
      this.#sendHeader(commandId.unbind_resp, 0, this.#peerUnbind)
      this.#finish('peer', this.#reason?.cause ?? 'unbind', 'the peer unbound')
    } else if (isDrained && !this.#unbindSent) {
      this.#unbindSent = true
      this.#deadlines.clear('drain')
      this.#sendHeader(commandId.unbind, 0, this.#window.claimSequence())
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
    this.#reason = { by, cause, detail }
    this.#liveness.stop()
    this.#deadlines.clearAll()
    if (this.#isTransportGone || cause === 'overflow') this.#transport.destroy()
    else {
      this.#deadlines.start('linger', lingerMs)
      this.#transport.end()
    }
    this.#bindSettle?.({ kind: 'failed', reason: this.#reason })
    this.#bindSettle = undefined
    this.#window.abandon(true)
  }

  // A method, so that the compiler does not take the state for unchanged across a call.
  #reachedClosed(): boolean {
    return this.state === 'closed'
  }

  #tellClosed(): void {
    if (!this.#isTransportGone || this.#isBindPending || this.#isClosedTold || this.#reason === undefined)
      return
    this.#isClosedTold = true
    this.#handlers.onClosed?.(this, this.#reason)
    for (const settle of this.#closedSettles) settle()
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
      case 'response': {
        const nowMs = this.#clock.nowMs()
        this.#window.expire(nowMs)
        const next = this.#window.nextDueAtMs
        if (next !== undefined) this.#deadlines.start('response', next - nowMs)
        return this.#pump()
      }
      case 'rate':
        return this.#pump()
      case 'drain':
        return this.#goOnUnbinding(true)
      case 'unbind':
        if (this.#peerUnbind !== undefined) return this.#goOnUnbinding(true)
        return this.#finish('us', this.#reason?.cause ?? 'unbind', 'no unbind_resp in time')
      case 'linger':
        return this.#transport.destroy()
    }
  }
}
