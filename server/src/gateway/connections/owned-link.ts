// One link that this node owns: keeps it connected and bound, and writes its state under the owner's lease.
import type { ClientOptions } from '@tollgate/smpp/net/client.ts'
import { keepConnected, type Link, type LinkState } from '@tollgate/smpp/net/reconnect.ts'
import type { IncomingRequest, SessionHandlers } from '@tollgate/smpp/session/handlers.ts'
import type { Session } from '@tollgate/smpp/session/session.ts'
import { commandStatus } from '@tollgate/smpp/values/command-status.ts'
import type { ConnectionStatus } from '@tollgate/contract/vocabulary.ts'
import { EgressRefused, OutsideFault } from '../../platform/security/egress.ts'
import { LeaseLost, type Lease } from '../../platform/work/leases.ts'
import { defaultLinkTimers } from './link-settings.ts'
import { countPdu, sessionFaults, sessions } from '../metrics.ts'
import type { LostAnswers } from '../lost-answers/lost-answers.ts'
import type { PeerRef } from '../lost-answers/store.ts'
import { AnswerTracker } from '../lost-answers/answer-tracker.ts'
import { bindOptions } from './bind-options.ts'
import { receiveDeliverSm } from './receive-deliver-sm.ts'
import type { ConnectionsDeps } from './deps.ts'
import { MinuteRate } from './minute-rate.ts'
import { SendQueue } from './send-queue.ts'
import { fileReceipt } from './send-store.ts'
import {
  writeReport,
  type LinkHeartbeat,
  type LinkEvent,
  type LinkReport,
  type LinkOwner,
} from './state-store.ts'
import type { ConnectionRow } from './store.ts'
import { linkFailureOf, type LinkFailure } from './messages.ts'

const unbindMs = 3_000
const reportEveryMs = 2_000

export class OwnedLink {
  readonly #deps: ConnectionsDeps
  readonly #row: ConnectionRow
  readonly #lease: Lease
  readonly #owner: LinkOwner
  readonly #link: Link
  readonly #lost: LostAnswers
  readonly #peer: PeerRef
  readonly #answerTracker: AnswerTracker
  readonly #rate = new MinuteRate()
  #session: Session<undefined> | undefined
  #status: ConnectionStatus = 'connecting'
  #connectedAt: Date | null = null
  #attempts = 0
  #lastAttemptAt: Date | null = null
  #nextAttemptAt: Date | null = null
  #failure: LinkFailure = { code: null, text: '' }
  /** Why the options of an attempt could not be built; the SMPP library only learns that they could not. */
  #optionsFault: string | undefined
  #traffic = { sent: 0, received: 0 }
  #isDirty = true
  #reportedAtMs = 0
  #publishedState = ''
  #publishedStatus: ConnectionStatus | undefined
  #reportedHeartbeatMs = 0
  #reportedRate = 0
  #timers = defaultLinkTimers
  #reporting: Promise<void> = Promise.resolve()
  readonly #sends: SendQueue
  #restartCount: number

  constructor(deps: ConnectionsDeps, row: ConnectionRow, lease: Lease, lost: LostAnswers) {
    this.#deps = deps
    this.#lost = lost
    this.#peer = peerRefOf(row)
    this.#answerTracker = new AnswerTracker(lost, this.#peer)
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
      onFault: (error, text) => this.#warn(error, text),
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

  /** Carries out an order to reconnect, once. */
  restartUnless(restartCount: number): void {
    if (restartCount === this.#restartCount) return
    this.#restartCount = restartCount
    this.#attempts = 0
    this.#failure = { code: null, text: '' }
    this.#status = 'connecting'
    this.#isDirty = true
    this.#link.restart()
  }

  /** A heartbeat to be written together with other links'; undefined when none is due or a full report is. */
  heartbeat(): LinkHeartbeat | undefined {
    if (this.isLost || this.#hasStateOrTraffic() || !this.#mustReport()) return undefined
    const { lastHeartbeatAt, messagesPerSecond } = this.#currentReport()
    return {
      owner: this.#owner,
      lastHeartbeatAt,
      messagesPerSecond,
      onWritten: () => this.#noteWritten({ lastHeartbeatAt, messagesPerSecond }),
    }
  }

  /** Writes a report if the state changed; heartbeats and figures at most every two seconds. Never rejects. */
  report(): Promise<void> {
    this.#reporting = this.#reporting.then(() => this.#report())
    return this.#reporting
  }

  /** Sends the messages that people queued. */
  sendQueued(): void {
    this.#sends.check()
  }

  /** Unbinds, writes the last report and releases the lease, so that another node may own the link at once. */
  async stop(): Promise<void> {
    const sendsEnded = this.#sends.stop()
    await this.#link.stop(unbindMs)
    await sendsEnded
    // The next owner reads the lost answers before it binds.
    await this.#lost.write()
    if (this.isLost) return
    await this.report()
    await this.#lease
      .release()
      .catch((error: unknown) => this.#warn(error, 'A lease could not be released; it expires by itself'))
  }

  async #options(): Promise<ClientOptions> {
    const { db, messages, settings, linkSettings } = this.#deps
    try {
      this.#timers = (await linkSettings?.(db)) ?? defaultLinkTimers
      const gatewayId = await messages.gatewayId('connection', this.#row.name)
      const options = await bindOptions(this.#deps, this.#row)
      this.#optionsFault = undefined
      return {
        ...options,
        handlers: this.#handlers(gatewayId),
        settings: {
          // A link without traffic stays connected: enquire_link shows whether it is alive.
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
    const deps = {
      db,
      log,
      messages,
      holds: this.#deps.holds,
      lost: this.#lost,
      peer: this.#peer,
      answerTracker: this.#answerTracker,
      gatewayId,
      receiptIdForm: this.#row.receiptIdForm,
      fileReceipt: (receipt: { key: string; state: string }) => fileReceipt(db, this.#row.id, receipt),
    }
    return {
      onRequest: (session, request) => {
        if (isDeliverRequest(request)) {
          if (receiveDeliverSm(session, request, deps)) this.#count('received')
        } else session.respond(request, commandStatus.ESME_RINVCMDID)
      },
      onPdu: (_session, id, direction, status) => countPdu(id, direction, status),
      onFault: (_session, fault) => sessionFaults.inc({ kind: fault }),
      onClosed: (_session, { cause }) =>
        this.#answerTracker.sessionEnded(cause === 'unbind' || cause === 'stop'),
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
        const { code, text } = linkFailureOf(state.detail, state.status)
        this.#failure = { code, text: this.#optionsFault ?? text }
        this.#nextAttemptAt = new Date(Date.now() + state.retryInMs)
        // A link that was connected is reconnecting; one that has not connected since is failing.
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
    if (this.isLost || !this.#mustReport()) return
    const traffic = this.#traffic
    this.#traffic = { sent: 0, received: 0 }
    this.#isDirty = false
    const report = this.#currentReport()
    try {
      await writeReport(this.#deps.db, this.#owner, report, traffic, this.#eventOf(report))
      this.#noteWritten(report)
      this.#publish(report)
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

  /** Whether a full report is due: the state changed, or messages were counted. */
  #hasStateOrTraffic(): boolean {
    return this.#isDirty || this.#traffic.sent + this.#traffic.received > 0
  }

  /** An idle link reports only after it received a PDU, so that two hundred idle links cost next to nothing. */
  #mustReport(): boolean {
    if (this.#isDirty) return true
    if (Date.now() - this.#reportedAtMs < reportEveryMs) return false
    return (
      (this.#session?.lastReceivedAtMs ?? 0) > this.#reportedHeartbeatMs ||
      this.#rate.perSecond(Date.now()) !== this.#reportedRate
    )
  }

  #currentReport(): LinkReport {
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

  /** The event of a changed state or reason; a repeated failure is none. */
  #eventOf(report: LinkReport): LinkEvent | undefined {
    if (stateKeyOf(report) === this.#publishedState) return undefined
    const { status, lastErrorCode: errorCode, lastError: detail } = report
    const event =
      status === 'error'
        ? 'failed'
        : status === 'connecting' && this.#publishedStatus === 'connected'
          ? 'lost'
          : status
    return { name: this.#row.name, event, errorCode, detail: event === 'disconnected' ? '' : detail }
  }

  #publish(report: LinkReport): void {
    const { status, lastErrorCode, lastError } = report
    const stateKey = stateKeyOf(report)
    if (stateKey === this.#publishedState) return
    this.#publishedState = stateKey
    this.#publishedStatus = status
    const { id, name } = this.#row
    this.#deps.publish({ id: String(id), name, status, lastErrorCode, lastError })
    this.#deps.log.info({ connection: name, status, lastErrorCode, lastError }, 'connection')
  }

  #warn(error: unknown, text: string): void {
    this.#deps.log.warn({ err: error, connection: this.#row.name }, text)
  }
}

/** The identity of a connection in the lost-answers room. */
export function peerRefOf({ id }: Pick<ConnectionRow, 'id'>): PeerRef {
  return { kind: 'connection', id }
}

function stateKeyOf({ status, lastErrorCode, lastError }: LinkReport): string {
  return `${status} ${lastErrorCode} ${lastError}`
}

function isDeliverRequest(
  request: IncomingRequest,
): request is Extract<IncomingRequest, { command: 'deliver_sm' | 'data_sm' }> {
  return request.command === 'deliver_sm' || request.command === 'data_sm'
}
