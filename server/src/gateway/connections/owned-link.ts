// One link that this node holds: connects and keeps it bound, and reports what it sees under its lease.
import type { ClientOptions } from '@tollgate/smpp/net/client.ts'
import { keepConnected, type Link, type LinkState } from '@tollgate/smpp/net/reconnect.ts'
import type { IncomingRequest, SessionHandlers } from '@tollgate/smpp/session/handlers.ts'
import type { Session } from '@tollgate/smpp/session/session.ts'
import { commandStatus } from '@tollgate/smpp/values/command-status.ts'
import type { ConnectionStatus } from '@tollgate/contract/vocabulary.ts'
import { EgressRefused, OutsideFault } from '../../platform/egress.ts'
import { LeaseLost, type Lease } from '../../platform/leases.ts'
import { usualLinkTimers } from './link-settings.ts'
import { countPdu, sessionFaults, sessions } from '../metrics.ts'
import type { LostAnswers } from '../lost-answers/lost-answers.ts'
import type { Sender } from '../lost-answers/store.ts'
import { Told } from '../lost-answers/answer-tracker.ts'
import { bindOptions } from './bind-options.ts'
import { takeDelivery } from './receive-deliver-sm.ts'
import type { ConnectionsDeps } from './deps.ts'
import { MinuteRate } from './minute-rate.ts'
import { SendQueue } from './send-queue.ts'
import {
  fileReceipt,
  writeReport,
  type Heartbeat,
  type LinkEvent,
  type LinkReport,
  type Owner,
} from './state-store.ts'
import type { ConnectionRow } from './store.ts'
import { failureOf, type Failure } from './messages.ts'

const unbindMs = 3_000
const reportEveryMs = 2_000

export class HeldLink {
  readonly #deps: ConnectionsDeps
  readonly #row: ConnectionRow
  readonly #lease: Lease
  readonly #owner: Owner
  readonly #link: Link
  readonly #lost: LostAnswers
  readonly #sender: Sender
  readonly #told: Told
  readonly #rate = new MinuteRate()
  #session: Session<undefined> | undefined
  #status: ConnectionStatus = 'connecting'
  #connectedAt: Date | null = null
  #attempts = 0
  #lastAttemptAt: Date | null = null
  #nextAttemptAt: Date | null = null
  #failure: Failure = { code: null, text: '' }
  /** Why the options for an attempt could not be made; the library only knows that they could not. */
  #optionsFault: string | undefined
  #traffic = { sent: 0, received: 0 }
  #isDirty = true
  #reportedAtMs = 0
  #toldWords = ''
  #toldStatus: ConnectionStatus | undefined
  #reportedHeartbeatMs = 0
  #reportedRate = 0
  #timers = usualLinkTimers
  #reporting: Promise<void> = Promise.resolve()
  readonly #sends: SendQueue
  #restartCount: number

  constructor(deps: ConnectionsDeps, row: ConnectionRow, lease: Lease, lost: LostAnswers) {
    this.#deps = deps
    this.#lost = lost
    this.#sender = senderOf(row)
    this.#told = new Told(lost, this.#sender)
    this.#row = row
    this.#lease = lease
    this.#restartCount = row.restartCount
    this.#owner = { connectionId: row.id, node: deps.node, lease }
    this.#sends = new SendQueue({
      deps,
      row,
      lease,
      owner: this.#owner,
      session: () => this.#session,
      onSent: () => this.#count('sent'),
      onFault: (error, words) => this.#warn(error, words),
    })
    this.#link = keepConnected({
      options: () => this.#options(),
      onState: (state) => this.#onState(state),
      pauseMaxMs: () => this.#timers.retryPauseSeconds * 1_000,
    })
  }

  get version(): number {
    return this.#row.version
  }

  get isLost(): boolean {
    return this.#lease.signal.aborted
  }

  /** Carries out an order to connect anew, once. */
  restartUnless(restartCount: number): void {
    if (restartCount === this.#restartCount) return
    this.#restartCount = restartCount
    this.#attempts = 0
    this.#failure = { code: null, text: '' }
    this.#status = 'connecting'
    this.#isDirty = true
    this.#link.restart()
  }

  /** What only says that the link lives, to be written together with the other links'; undefined without such news. */
  heartbeat(): Heartbeat | undefined {
    if (this.isLost || this.#hasMoreNews() || !this.#hasNews()) return undefined
    const { lastHeartbeatAt, messagesPerSecond } = this.#now()
    return {
      owner: this.#owner,
      lastHeartbeatAt,
      messagesPerSecond,
      onWritten: () => this.#noteWritten({ lastHeartbeatAt, messagesPerSecond }),
    }
  }

  /** Writes the report if there is news; heartbeats and figures every two seconds. Never rejects. */
  report(): Promise<void> {
    this.#reporting = this.#reporting.then(() => this.#report())
    return this.#reporting
  }

  /** Sends what people queued. */
  sendQueued(): void {
    this.#sends.look()
  }

  /** Unbinds, writes the last report and gives the link back, so that another node may have it at once. */
  async stop(): Promise<void> {
    const sendsEnded = this.#sends.stop()
    await this.#link.stop(unbindMs)
    await sendsEnded
    // The next owner asks for it before it binds.
    await this.#lost.write()
    if (this.isLost) return
    await this.report()
    await this.#lease
      .release()
      .catch((error: unknown) => this.#warn(error, 'A lease could not be given back; it runs out by itself'))
  }

  async #options(): Promise<ClientOptions> {
    const { db, messages, settings, linkSettings } = this.#deps
    try {
      this.#timers = (await linkSettings?.(db)) ?? usualLinkTimers
      const gatewayId = await messages.gatewayId('connection', this.#row.name)
      const options = await bindOptions(this.#deps, this.#row)
      this.#optionsFault = undefined
      return {
        ...options,
        handlers: this.#handlers(gatewayId),
        settings: {
          // A link without traffic stays: enquire_link says whether it is alive.
          inactivityMs: 0,
          sendPerSecond: this.#row.throughput,
          sendWindowMax: this.#timers.sendWindow,
          enquireLinkMs: this.#timers.enquireLinkSeconds * 1_000,
          responseMs: this.#timers.answerSeconds * 1_000,
          ...settings,
        },
      }
    } catch (error) {
      const isFit = error instanceof EgressRefused || error instanceof OutsideFault
      this.#optionsFault = isFit
        ? error.message
        : 'The gateway could not prepare the connection; it tries again.'
      if (!isFit) this.#warn(error, 'A connection could not be prepared')
      throw error
    }
  }

  #handlers(gatewayId: number): SessionHandlers<undefined> {
    const { db, log, messages } = this.#deps
    const parts = {
      db,
      log,
      messages,
      holds: this.#deps.holds,
      lost: this.#lost,
      sender: this.#sender,
      told: this.#told,
      gatewayId,
      receiptIdForm: this.#row.receiptIdForm,
      fileReceipt: (receipt: { key: string; state: string }) => fileReceipt(db, this.#row.id, receipt),
    }
    return {
      onRequest: (session, request) => {
        if (isDelivery(request)) {
          if (takeDelivery(session, request, parts)) this.#count('received')
        } else session.respond(request, commandStatus.ESME_RINVCMDID)
      },
      onPdu: (_session, id, direction, status) => countPdu(id, direction, status),
      onFault: (_session, fault) => sessionFaults.inc({ kind: fault }),
      onClosed: (_session, { cause }) => this.#told.ended(cause === 'unbind' || cause === 'stop'),
    }
  }

  #onState(state: LinkState): void {
    if (this.#session !== undefined && state.kind !== 'connected') {
      sessions.dec({ direction: 'outbound', state: 'bound' })
      this.#deps.flight?.unwatch(`connection-${this.#row.id}`, this.#session)
      this.#session = undefined
      this.#connectedAt = null
    }
    switch (state.kind) {
      case 'connecting':
        this.#nextAttemptAt = null
        this.#attempts += 1
        this.#lastAttemptAt = new Date()
        break
      case 'connected':
        sessions.inc({ direction: 'outbound', state: 'bound' })
        this.#session = state.session
        this.#deps.flight?.watch(`connection-${this.#row.id}`, state.session)
        this.#connectedAt = new Date()
        this.#failure = { code: null, text: '' }
        this.#status = 'connected'
        break
      case 'waiting': {
        const { code, text } = failureOf(state.detail, state.status)
        this.#failure = { code, text: this.#optionsFault ?? text }
        this.#nextAttemptAt = new Date(Date.now() + state.retryInMs)
        // A link that was up is on its way back; one that could not be made is failing.
        if (this.#status === 'connected') {
          this.#status = 'connecting'
          this.#attempts = 0
        } else this.#status = 'error'
        break
      }
      case 'stopped':
        this.#status = 'disconnected'
        this.#nextAttemptAt = null
    }
    this.#isDirty = true
    void this.report()
  }

  #count(kind: 'sent' | 'received'): void {
    this.#traffic[kind] += 1
    this.#rate.add(1, Date.now())
  }

  async #report(): Promise<void> {
    if (this.isLost || !this.#hasNews()) return
    const traffic = this.#traffic
    this.#traffic = { sent: 0, received: 0 }
    this.#isDirty = false
    const report = this.#now()
    try {
      await writeReport(this.#deps.db, this.#owner, report, traffic, this.#eventOf(report))
      this.#noteWritten(report)
      this.#tell(report)
    } catch (error) {
      this.#traffic = {
        sent: this.#traffic.sent + traffic.sent,
        received: this.#traffic.received + traffic.received,
      }
      this.#isDirty = true
      if (!(error instanceof LeaseLost)) this.#warn(error, 'The state of a connection could not be written')
    }
  }

  #noteWritten(report: Pick<LinkReport, 'lastHeartbeatAt' | 'messagesPerSecond'>): void {
    this.#reportedAtMs = Date.now()
    this.#reportedHeartbeatMs = report.lastHeartbeatAt?.getTime() ?? 0
    this.#reportedRate = report.messagesPerSecond
  }

  /** A change of state, or messages to count. */
  #hasMoreNews(): boolean {
    return this.#isDirty || this.#traffic.sent + this.#traffic.received > 0
  }

  /** A link at rest has news only when it is heard from, so two hundred of them cost next to nothing. */
  #hasNews(): boolean {
    if (this.#isDirty) return true
    if (Date.now() - this.#reportedAtMs < reportEveryMs) return false
    return (
      (this.#session?.lastReceivedAtMs ?? 0) > this.#reportedHeartbeatMs ||
      this.#rate.perSecond(Date.now()) !== this.#reportedRate
    )
  }

  #now(): LinkReport {
    const session = this.#session
    return {
      status: this.#status,
      connectedAt: this.#connectedAt,
      attempts: this.#attempts,
      lastAttemptAt: this.#lastAttemptAt,
      nextAttemptAt: this.#nextAttemptAt,
      lastErrorCode: this.#failure.code,
      lastError: this.#failure.text,
      lastHeartbeatAt: session === undefined ? null : new Date(session.lastReceivedAtMs),
      messagesPerSecond: this.#rate.perSecond(Date.now()),
    }
  }

  /** A change of state, or of the reason for one; the same failure again is no news. */
  #eventOf(report: LinkReport): LinkEvent | undefined {
    if (toldOf(report) === this.#toldWords) return undefined
    const { status, lastErrorCode: errorCode, lastError: detail } = report
    const event =
      status === 'error'
        ? 'failed'
        : status === 'connecting' && this.#toldStatus === 'connected'
          ? 'lost'
          : status
    return { name: this.#row.name, event, errorCode, detail: event === 'disconnected' ? '' : detail }
  }

  #tell(report: LinkReport): void {
    const { status, lastErrorCode, lastError } = report
    const told = toldOf(report)
    if (told === this.#toldWords) return
    this.#toldWords = told
    this.#toldStatus = status
    const { id, name } = this.#row
    this.#deps.publish({ id: String(id), name, status, lastErrorCode, lastError })
    this.#deps.log.info({ connection: name, status, lastErrorCode, lastError }, 'connection')
  }

  #warn(error: unknown, words: string): void {
    this.#deps.log.warn({ err: error, connection: this.#row.name }, words)
  }
}

/** Under which name the messages of a connection are compared. */
export function senderOf({ id }: Pick<ConnectionRow, 'id'>): Sender {
  return { kind: 'connection', id }
}

function toldOf({ status, lastErrorCode, lastError }: LinkReport): string {
  return `${status} ${lastErrorCode} ${lastError}`
}

function isDelivery(
  request: IncomingRequest,
): request is Extract<IncomingRequest, { command: 'deliver_sm' | 'data_sm' }> {
  return request.command === 'deliver_sm' || request.command === 'data_sm'
}
