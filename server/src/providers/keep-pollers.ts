// Polls each enabled provider on one node, and stores the pollers' states. One timer serves all pollers.
import { LeaseReconciler, roundEveryMs } from '../platform/work/lease-reconciler.ts'
import type { Lease } from '../platform/work/leases.ts'
import { leaseName, type ProvidersDeps } from './deps.ts'
import { findGaps } from './gaps.ts'
import { createPollLimits } from './poll-limits.ts'
import { forget, gaps, lagSeconds } from './metrics.ts'
import { Poller } from './poller.ts'
import { writeWorkerReports, type WorkerReport } from './state-store.ts'
import { findProvider, enabledProviders, type EnabledProviderRow } from './store.ts'

const gapsEveryMs = 30_000

export class Pollers {
  readonly #deps: ProvidersDeps
  readonly #reconciler: LeaseReconciler<EnabledProviderRow, Poller>
  readonly #limits = createPollLimits()
  readonly #roundEveryMs: number
  /** The last published state by provider. */
  readonly #published = new Map<number, string>()
  #alarm: NodeJS.Timeout | undefined
  #isStopped = false
  #gapsAtMs = -Infinity
  #gapNames = new Set<string>()

  constructor(deps: ProvidersDeps) {
    const { db, log, pace } = deps
    this.#deps = deps
    this.#roundEveryMs = pace?.roundEveryMs ?? roundEveryMs
    this.#reconciler = new LeaseReconciler<EnabledProviderRow, Poller>({
      db,
      log,
      what: 'Providers',
      leaseName,
      everyMs: this.#roundEveryMs,
      leaseTimes: pace?.leaseTimes,
      desired: () => enabledProviders(db),
      start: (row, lease) => this.#start(row, lease),
      update: (poller, row) => poller.pollIfOrdered(row.startCount),
      afterRows: async () => {
        await this.#report()
        await this.#watchGaps()
      },
      afterRound: () => this.#pollDue(),
      onStop: (id, poller) => {
        this.#published.delete(id)
        forget(poller.row.name)
      },
    })
  }

  /** Rejects when the database is not reachable. */
  async start(): Promise<void> {
    this.#isStopped = false
    await this.#reconciler.start()
  }

  runSoon(): void {
    this.#reconciler.runSoon()
  }

  /** Ends all polls. The providers stay enabled: the next start, or another node, polls them. */
  async stop(): Promise<void> {
    this.#isStopped = true
    clearTimeout(this.#alarm)
    await this.#reconciler.stop()
  }

  async #start(row: EnabledProviderRow, lease: Lease): Promise<Poller | undefined> {
    const provider = await findProvider(this.#deps.db, row.id)
    if (provider?.isEnabled !== true) return undefined
    return new Poller({
      deps: this.#deps,
      row: provider,
      lease,
      limits: this.#limits,
      onPolled: (hasTurned) => {
        this.#pollDue()
        if (hasTurned) this.runSoon()
      },
    })
  }

  /** Starts the polls that are due, and sets the timer for the next one. */
  #pollDue(): void {
    if (this.#isStopped) return
    clearTimeout(this.#alarm)
    const nowMs = Date.now()
    let nextMs = Infinity
    for (const poller of this.#reconciler.running.values()) {
      if (poller.isPolling || poller.isLost) continue
      if (poller.nextPollAtMs <= nowMs) void poller.poll()
      else if (poller.nextPollAtMs < nextMs) nextMs = poller.nextPollAtMs
    }
    // Later polls are scheduled by the next round.
    if (nextMs - nowMs < this.#roundEveryMs) this.#alarm = setTimeout(() => this.#pollDue(), nextMs - nowMs)
  }

  async #report(): Promise<void> {
    const reports: WorkerReport[] = []
    for (const poller of this.#reconciler.running.values()) {
      const report = poller.report()
      if (report !== undefined) reports.push(report)
      const { lastSyncAtMs } = poller
      if (lastSyncAtMs !== undefined)
        lagSeconds.set({ provider: poller.row.name }, Math.max(0, Date.now() - lastSyncAtMs) / 1_000)
    }
    if (reports.length === 0) return
    const written = await writeWorkerReports(this.#deps.db, this.#deps.node, reports)
    for (const report of reports) if (written.has(report.providerId)) this.#publish(report)
  }

  #publish(report: WorkerReport): void {
    const poller = this.#reconciler.running.get(report.providerId)
    if (poller === undefined) return
    const { name, slug, id } = poller.row
    const { status, lastError } = report
    const state = `${status} ${lastError}`
    const { storedCount } = poller
    poller.markReported(report)
    if (storedCount === 0 && this.#published.get(id) === state) return
    this.#published.set(id, state)
    this.#deps.publish({ providerId: slug ?? String(id), name, status, lastError, storedCount })
  }

  /** Logs once when a provider's gap alarm goes on. */
  async #watchGaps(): Promise<void> {
    if (performance.now() - this.#gapsAtMs < gapsEveryMs || this.#reconciler.running.size === 0) return
    this.#gapsAtMs = performance.now()
    const found = await findGaps(this.#deps.db, [...this.#reconciler.running.keys()])
    const names = new Set(found.map(({ name }) => name))
    for (const { row } of this.#reconciler.running.values())
      gaps.set({ provider: row.name }, names.has(row.name) ? 1 : 0)
    for (const { name, since } of found)
      if (!this.#gapNames.has(name))
        this.#deps.log.warn(
          { provider: name, since },
          'a provider has brought nothing new for longer than its limit',
        )
    this.#gapNames = names
  }
}
