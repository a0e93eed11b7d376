// Polls one provider: schedule, start of each walk, and the state to report.
import { EgressRefused, OutsideFault } from '../platform/security/egress.ts'
import { LeaseLost, type Lease } from '../platform/work/leases.ts'
import { pauseMs } from './backoff.ts'
import { secretContext, type ProvidersDeps } from './deps.ts'
import { faultMessage, ProviderFault } from './faults.ts'
import type { ProviderSource } from './fetch-page.ts'
import type { PollLimits } from './poll-limits.ts'
import { readingOf, type Reading } from './mapping.ts'
import { pollErrors, rowsTotal } from './metrics.ts'
import { readProgress, type WalkProgress } from './progress-store.ts'
import { RecentRows } from './recent-rows.ts'
import { LookbackSchedule } from './lookback-schedule.ts'
import type { WorkerReport } from './state-store.ts'
import type { ProviderRow } from './store.ts'
import type { StoredCounts } from './store-rows.ts'
import { ConfigurationChanged, ProviderWalk } from './walk.ts'

export interface PollerParts {
  readonly deps: ProvidersDeps
  readonly row: ProviderRow
  readonly lease: Lease
  readonly limits: PollLimits
  /** Called when a poll has ended; `hasTurned` when the worker went into or out of error by it. */
  readonly onPolled: (hasTurned: boolean) => void
}

export class Poller {
  readonly #parts: PollerParts
  readonly #stopping = new AbortController()
  readonly #signal: AbortSignal
  readonly #recent = new RecentRows()
  readonly #lookbacks: LookbackSchedule
  readonly #runningSince = new Date()
  #progress: WalkProgress | undefined
  #gatewayId: number | undefined
  readonly #reading: Reading
  #source: ProviderSource | undefined
  #startCount: number
  #polling: Promise<void> | undefined
  #isPollOrdered = false
  #endsWalk = false
  #isUnreachable = false
  #isLost = false
  #faults = 0
  #lastError = ''
  #lastSyncAt: Date | null = null
  #errorCount = 0
  #duplicates = 0
  #storedCount = 0
  #isDirty = true
  nextPollAtMs = Date.now()

  constructor(parts: PollerParts) {
    this.#parts = parts
    this.#startCount = parts.row.startCount
    this.#lookbacks = new LookbackSchedule(parts.row, parts.deps.pace?.farEveryMinMs)
    this.#reading = readingOf(parts.row)
    this.#signal = AbortSignal.any([parts.lease.signal, this.#stopping.signal])
  }

  get row(): ProviderRow {
    return this.#parts.row
  }

  get version(): number {
    return this.row.version
  }

  /** It must not continue: another node has the lease, or the provider was changed. */
  get isLost(): boolean {
    return this.#isLost || this.#parts.lease.signal.aborted
  }

  get isPolling(): boolean {
    return this.#polling !== undefined
  }

  get lastSyncAtMs(): number | undefined {
    return this.#lastSyncAt?.getTime()
  }

  /** Polls now, whatever pause is running, when `startCount` shows a new order to start. */
  pollIfOrdered(startCount: number): void {
    if (startCount === this.#startCount) return
    this.#startCount = startCount
    this.#faults = 0
    this.nextPollAtMs = Date.now()
    this.#isPollOrdered = this.isPolling
    this.#isDirty = true
  }

  /** Polls once. Never rejects. */
  poll(): Promise<void> {
    const errorBefore = this.#lastError
    this.#polling ??= this.#poll().finally(() => {
      this.#polling = undefined
      this.#parts.onPolled((errorBefore === '') !== (this.#lastError === ''))
    })
    return this.#polling
  }

  /** The state to store, or undefined when it has not changed. Call {@link markReported} when it is stored. */
  report(): WorkerReport | undefined {
    if (!this.#isDirty) return undefined
    return {
      providerId: this.row.id,
      lease: this.#parts.lease,
      status: this.#lastError === '' ? 'running' : 'error',
      runningSince: this.#runningSince,
      lastSyncAt: this.#lastSyncAt,
      nextPollAt: new Date(this.nextPollAtMs),
      errorCount: this.#errorCount,
      lastError: this.#lastError,
      duplicates: this.#duplicates,
    }
  }

  /** Notes that this report is stored; what changed meanwhile is reported the next time. */
  markReported({ errorCount, lastError, nextPollAt, lastSyncAt }: WorkerReport): void {
    this.#errorCount -= errorCount
    this.#storedCount = 0
    this.#isDirty =
      this.#errorCount > 0 ||
      lastError !== this.#lastError ||
      nextPollAt?.getTime() !== this.nextPollAtMs ||
      lastSyncAt !== this.#lastSyncAt
  }

  get storedCount(): number {
    return this.#storedCount
  }

  /** Aborts a running poll; its current transaction is finished. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#polling
    await this.#parts.lease.release()
  }

  async #poll(): Promise<void> {
    let retryAfterMs: number | undefined
    try {
      await this.#walk()
      this.#faults = 0
      this.#lastError = ''
      this.#isUnreachable = false
    } catch (error) {
      if (this.#signal.aborted) return
      // The progress may be uncertain: it is read from the database again.
      this.#progress = undefined
      if (error instanceof LeaseLost || error instanceof ConfigurationChanged) {
        this.#isLost = true
        return
      }
      retryAfterMs = this.#noteFault(error)
    }
    const { pollIntervalMs } = this.row
    const result = { pollIntervalMs, faults: this.#faults, retryAfterMs, random: Math.random() }
    const pause = (this.#parts.deps.pace?.pauseMs ?? pauseMs)(result)
    this.nextPollAtMs = Date.now() + (this.#isPollOrdered ? 0 : pause)
    this.#isPollOrdered = false
    this.#isDirty = true
  }

  #noteFault(error: unknown): number | undefined {
    const { deps, row } = this.#parts
    const message = faultMessage(error)
    this.#faults += 1
    this.#errorCount += 1
    pollErrors.inc({ provider: row.name })
    if (this.#lastError === '')
      deps.log.warn(
        { provider: row.name, ...(message === undefined ? { err: error } : { reason: message }) },
        'a poll failed',
      )
    this.#lastError = message ?? 'Its rows could not be stored; it is tried again.'
    this.#isUnreachable = error instanceof OutsideFault || error instanceof EgressRefused
    if (!(error instanceof ProviderFault)) return undefined
    this.#endsWalk = error.endsWalk
    return error.retryAfterMs
  }

  async #walk(): Promise<void> {
    const { deps, row, lease, limits } = this.#parts
    const { db, egress, messages, secrets } = deps
    const progress = (this.#progress ??= await readProgress(db, row.id))
    const gatewayId = (this.#gatewayId ??= await messages.gatewayId('provider', row.name))
    const resumes = progress.cursor !== null && !progress.isPartial && !this.#endsWalk
    const walkSince = this.#lookbacks.begin(progress.newest)
    const walk = new ProviderWalk(
      {
        db,
        egress,
        messages,
        secrets,
        providerId: row.id,
        version: row.version,
        gatewayId,
        source: (this.#source ??= sourceOf(deps, row)),
        reading: this.#reading,
        earlier: row.earlierReadings,
        limits,
        lease,
        recent: this.#recent,
        pollTimeoutMs: deps.pollTimeoutMs,
        isProbing: this.#isUnreachable,
        signal: this.#signal,
        onStored: (taken) => this.#onStored(taken),
      },
      progress,
      { since: resumes && progress.walkSince !== null ? progress.walkSince : walkSince.since, resumes },
    )
    this.#endsWalk = false
    this.#duplicates = 0
    try {
      await walk.run()
      this.#lastSyncAt = new Date()
      if (!resumes) this.#lookbacks.end(walkSince)
    } finally {
      this.#progress = walk.progress
    }
  }

  #onStored({ storedCount, duplicateCount, waitingCount }: StoredCounts): void {
    const provider = this.row.name
    this.#lastSyncAt = new Date()
    this.#duplicates += duplicateCount
    this.#storedCount += storedCount
    this.#isDirty = true
    if (storedCount > 0) rowsTotal.inc({ provider, outcome: 'stored' }, storedCount)
    if (duplicateCount > 0) rowsTotal.inc({ provider, outcome: 'duplicate' }, duplicateCount)
    if (waitingCount > 0) rowsTotal.inc({ provider, outcome: 'waiting' }, waitingCount)
  }
}

/** The provider's address and credentials. Throws ProviderFault when this node cannot decrypt them. */
export function sourceOf({ secrets }: Pick<ProvidersDeps, 'secrets'>, row: ProviderRow): ProviderSource {
  const { id, apiUrl, authType, username, encryptedSecret } = row
  try {
    const secret =
      encryptedSecret === null ? '' : secrets.decrypt(encryptedSecret, secretContext(id)).toString()
    return { apiUrl, authType, username, secret }
  } catch (error) {
    throw new ProviderFault('The stored credentials cannot be opened here. Enter them again.', {
      cause: error,
    })
  }
}
