// Every second: takes up the providers that are to be polled and that no node polls, lets go of those that are not,
// and writes down what came of the polls. One timer wakes for all that are due.
import type { Leases } from '../platform/leases.ts'
import { leaseName, type ProvidersDeps } from './deps.ts'
import { findGaps } from './gaps.ts'
import { newLanes } from './lanes.ts'
import { forget, gaps, lagSeconds } from './metrics.ts'
import { Poller } from './poller.ts'
import { writeReports, type Report } from './state-store.ts'
import { findProvider, keptProviders, type KeptRow } from './store.ts'

const lookEveryMs = 1_000
const gapsEveryMs = 30_000

export class PollerKeeper {
  readonly #deps: ProvidersDeps
  readonly #leases: Leases
  readonly #lanes = newLanes()
  readonly #held = new Map<number, Poller>()
  /** On their way out: not taken up again before they are gone. */
  readonly #leaving = new Map<number, Promise<void>>()
  readonly #told = new Map<number, string>()
  #timer: NodeJS.Timeout | undefined
  #alarm: NodeJS.Timeout | undefined
  #running: Promise<void> | undefined
  #isWanted = false
  #isStopped = true
  #isFailing = false
  #gapsAtMs = -Infinity
  #gapNames = new Set<string>()

  constructor(deps: ProvidersDeps, leases: Leases) {
    this.#deps = deps
    this.#leases = leases
  }

  start(): void {
    this.#isStopped = false
    this.lookSoon()
  }

  /** Looks now instead of at the next turn: somebody gave an order. */
  lookSoon(): void {
    if (this.#isStopped) return
    if (this.#running !== undefined) {
      this.#isWanted = true
      return
    }
    clearTimeout(this.#timer)
    this.#running = this.#look().finally(() => {
      this.#running = undefined
      if (this.#isStopped) return
      this.#pollDue()
      if (this.#isWanted) {
        this.#isWanted = false
        this.lookSoon()
      } else this.#timer = setTimeout(() => this.lookSoon(), lookEveryMs)
    })
  }

  /** Ends all polls. The providers stay wanted: the next start, or another node, takes them up. */
  async stop(): Promise<void> {
    this.#isStopped = true
    clearTimeout(this.#timer)
    clearTimeout(this.#alarm)
    await this.#running
    for (const id of this.#held.keys()) this.#letGo(id)
    await Promise.all(this.#leaving.values())
  }

  async #look(): Promise<void> {
    const { db, log } = this.#deps
    try {
      const rows = new Map((await keptProviders(db)).map((row) => [row.id, row]))
      for (const [id, poller] of this.#held)
        if (poller.isLost || rows.get(id)?.version !== poller.row.version) this.#letGo(id)
      for (const row of rows.values()) await this.#lookAt(row)
      await this.#report()
      await this.#watchGaps()
      if (this.#isFailing) log.info({}, 'The database answers again; providers are looked after')
      this.#isFailing = false
    } catch (error) {
      if (!this.#isFailing)
        log.error({ err: error }, 'Providers cannot be looked after: the database does not answer')
      this.#isFailing = true
      for (const [id, poller] of this.#held) if (poller.isLost) this.#letGo(id)
    }
  }

  async #lookAt(row: KeptRow): Promise<void> {
    const poller = this.#held.get(row.id)
    if (poller !== undefined) {
      poller.startUnless(row.startCount)
      return
    }
    if (row.isHeld || this.#leaving.has(row.id) || this.#isStopped) return
    const lease = await this.#leases.acquire(leaseName(row.id))
    if (lease === undefined) return
    const provider = await findProvider(this.#deps.db, row.id)
    if (provider?.isEnabled !== true) {
      await lease.release()
      return
    }
    const taken = new Poller({
      deps: this.#deps,
      row: provider,
      lease,
      lanes: this.#lanes,
      onPolled: (isTurn) => {
        this.#pollDue()
        if (isTurn) this.lookSoon()
      },
    })
    // Told at once, not at the next look: one whose lease may be another's must not go on.
    lease.signal.addEventListener('abort', () => this.#letGo(row.id), { once: true })
    this.#held.set(row.id, taken)
  }

  /** Starts the polls that are due, and has itself woken when the next one is. */
  #pollDue(): void {
    if (this.#isStopped) return
    clearTimeout(this.#alarm)
    const nowMs = Date.now()
    let nextMs = Infinity
    for (const poller of this.#held.values()) {
      if (poller.isPolling || poller.isLost) continue
      if (poller.nextPollAtMs <= nowMs) void poller.poll()
      else if (poller.nextPollAtMs < nextMs) nextMs = poller.nextPollAtMs
    }
    // What is further off is seen at the next look.
    if (nextMs - nowMs < lookEveryMs) this.#alarm = setTimeout(() => this.#pollDue(), nextMs - nowMs)
  }

  async #report(): Promise<void> {
    const reports: Report[] = []
    for (const poller of this.#held.values()) {
      const report = poller.report()
      if (report !== undefined) reports.push(report)
      const { lastSyncAtMs } = poller
      if (lastSyncAtMs !== undefined)
        lagSeconds.set({ provider: poller.row.name }, Math.max(0, Date.now() - lastSyncAtMs) / 1_000)
    }
    if (reports.length === 0) return
    const written = await writeReports(this.#deps.db, this.#deps.node, reports)
    for (const report of reports) if (written.has(report.providerId)) this.#tell(report)
  }

  #tell(report: Report): void {
    const poller = this.#held.get(report.providerId)
    if (poller === undefined) return
    const { name, slug, id } = poller.row
    const { status, lastError } = report
    const words = `${status} ${lastError}`
    const { storedCount } = poller
    poller.reported(report)
    if (storedCount === 0 && this.#told.get(id) === words) return
    this.#told.set(id, words)
    this.#deps.publish({ providerId: slug ?? String(id), name, status, lastError, storedCount })
  }

  /** Says aloud, once, that a provider has fallen silent. */
  async #watchGaps(): Promise<void> {
    if (performance.now() - this.#gapsAtMs < gapsEveryMs || this.#held.size === 0) return
    this.#gapsAtMs = performance.now()
    const found = await findGaps(this.#deps.db, [...this.#held.keys()])
    const names = new Set(found.map(({ name }) => name))
    for (const { row } of this.#held.values()) gaps.set({ provider: row.name }, names.has(row.name) ? 1 : 0)
    for (const { name, since } of found)
      if (!this.#gapNames.has(name))
        this.#deps.log.warn(
          { provider: name, since },
          'a provider has brought nothing new for longer than its limit',
        )
    this.#gapNames = names
  }

  #letGo(id: number): void {
    const poller = this.#held.get(id)
    if (poller === undefined) return
    this.#held.delete(id)
    this.#told.delete(id)
    forget(poller.row.name)
    const leaving = poller
      .stop()
      .catch((error: unknown) => this.#deps.log.warn({ err: error }, 'A poller did not stop cleanly'))
      .finally(() => {
        this.#leaving.delete(id)
        // What was changed comes up anew without waiting for the next turn.
        this.lookSoon()
      })
    this.#leaving.set(id, leaving)
  }
}
