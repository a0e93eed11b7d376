// Writes what the owner of a link sees of it (state, traffic, heartbeats), and publishes changes to the screens.
import { LeaseLost, type Lease } from '../platform/work/leases.ts'
import type { ConnectionsDeps } from './deps.ts'
import { MinuteRate } from '../gateway/index.ts'
import {
  writeReport,
  type LinkEvent,
  type LinkHeartbeat,
  type LinkOwner,
  type LinkReport,
} from './state-store.ts'

const reportEveryStandardMs = 2_000

/** The state of a link without its heartbeat and rate. */
type LinkCondition = Omit<LinkReport, 'lastHeartbeatAt' | 'messagesPerSecond'>

interface LinkReporterOptions {
  readonly deps: Pick<ConnectionsDeps, 'db' | 'log' | 'publish' | 'pace'>
  readonly name: string
  readonly owner: LinkOwner & { readonly lease: Lease }
  /** When the present session last received a PDU; undefined while there is none. */
  readonly lastReceivedAtMs: () => number | undefined
  readonly onFault: (error: unknown, text: string) => void
}

export class LinkReporter {
  readonly #options: LinkReporterOptions
  readonly #rate = new MinuteRate()
  #condition: LinkCondition = {
    status: 'connecting',
    connectedAt: null,
    attempts: 0,
    lastAttemptAt: null,
    nextAttemptAt: null,
    lastErrorCode: null,
    lastError: '',
  }
  #traffic = { sent: 0, received: 0 }
  #isDirty = true
  #written = { atMs: 0, heartbeatMs: 0, rate: 0 }
  #published: Pick<LinkReport, 'status' | 'lastErrorCode' | 'lastError'> | undefined
  #reporting: Promise<void> = Promise.resolve()

  constructor(options: LinkReporterOptions) {
    this.#options = options
  }

  get condition(): LinkCondition {
    return this.#condition
  }

  /** Changes the state; {@link report} writes it. */
  change(changes: Partial<LinkCondition>): void {
    this.#condition = { ...this.#condition, ...changes }
    this.#isDirty = true
  }

  /** Counts one message. */
  count(kind: 'sent' | 'received'): void {
    this.#traffic[kind] += 1
    this.#rate.add(1, Date.now())
  }

  /** A heartbeat to be written together with other links'; undefined when none is due or a full report is. */
  heartbeat(): LinkHeartbeat | undefined {
    const { owner } = this.#options
    const hasTraffic = this.#traffic.sent + this.#traffic.received > 0
    if (owner.lease.signal.aborted || this.#isDirty || hasTraffic || !this.#isDue()) return undefined
    const { lastHeartbeatAt, messagesPerSecond } = this.#currentReport()
    return {
      owner,
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

  async #report(): Promise<void> {
    const { deps, owner, onFault } = this.#options
    if (owner.lease.signal.aborted || !this.#isDue()) return
    const traffic = this.#traffic
    this.#traffic = { sent: 0, received: 0 }
    this.#isDirty = false
    const report = this.#currentReport()
    const event = this.#isNew(report) ? this.#eventOf(report) : undefined
    try {
      await writeReport(deps.db, owner, report, traffic, event)
      this.#noteWritten(report)
      if (event !== undefined) this.#publish(report)
    } catch (error) {
      this.#traffic.sent += traffic.sent
      this.#traffic.received += traffic.received
      this.#isDirty = true
      if (!(error instanceof LeaseLost)) onFault(error, 'The state of a connection could not be written')
    }
  }

  #noteWritten(report: Pick<LinkReport, 'lastHeartbeatAt' | 'messagesPerSecond'>): void {
    const { lastHeartbeatAt, messagesPerSecond } = report
    this.#written = {
      atMs: Date.now(),
      heartbeatMs: lastHeartbeatAt?.getTime() ?? 0,
      rate: messagesPerSecond,
    }
  }

  /** An idle link reports only after it received a PDU, so that two hundred idle links cost next to nothing. */
  #isDue(): boolean {
    if (this.#isDirty) return true
    const { atMs, heartbeatMs, rate } = this.#written
    const { reportEveryMs = reportEveryStandardMs } = this.#options.deps.pace ?? {}
    if (Date.now() - atMs < reportEveryMs) return false
    return (this.#options.lastReceivedAtMs() ?? 0) > heartbeatMs || this.#rate.perSecond(Date.now()) !== rate
  }

  #currentReport(): LinkReport {
    const lastReceivedAtMs = this.#options.lastReceivedAtMs()
    return {
      ...this.#condition,
      lastHeartbeatAt: lastReceivedAtMs === undefined ? null : new Date(lastReceivedAtMs),
      messagesPerSecond: this.#rate.perSecond(Date.now()),
    }
  }

  /** Whether the state or its reason changed; a repeated failure is not new. */
  #isNew({ status, lastErrorCode, lastError }: LinkReport): boolean {
    const before = this.#published
    return (
      before?.status !== status || before.lastErrorCode !== lastErrorCode || before.lastError !== lastError
    )
  }

  #eventOf({ status, lastErrorCode: errorCode, lastError }: LinkReport): LinkEvent {
    const isLost = status === 'connecting' && this.#published?.status === 'connected'
    return {
      name: this.#options.name,
      event: status === 'error' ? 'failed' : isLost ? 'lost' : status,
      errorCode,
      detail: status === 'disconnected' ? '' : lastError,
    }
  }

  #publish({ status, lastErrorCode, lastError }: LinkReport): void {
    this.#published = { status, lastErrorCode, lastError }
    const { deps, name, owner } = this.#options
    deps.publish({ id: String(owner.connectionId), name, ...this.#published })
    deps.log.info({ connection: name, ...this.#published }, 'connection')
  }
}
