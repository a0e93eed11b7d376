// Finds which of several servers takes writes, watches it, and changes when another one is promoted.
import { setTimeout as sleep } from 'node:timers/promises'
import { Counter } from 'prom-client'
import { registry } from '../metrics.ts'
import { Recurring } from '../work/recurring.ts'
import { within } from '../work/within.ts'
import { serverName, type DatabaseServer } from '../process/database-url.ts'
import { Probe } from './probe.ts'

const changes = new Counter({
  name: 'tollgate_database_changes_total',
  help: 'How often this node went over to another one of the servers in DATABASE_URL.',
  registers: [registry],
})

/** A connection that can be closed from here: a frozen or unreachable server does not close it itself. */
export interface Closable {
  close(): void
}

export interface PrimaryOptions {
  readonly servers: readonly DatabaseServer[]
  /** User, password, database and TLS, which are the same on all. */
  readonly url: string
  readonly onChange: (words: string) => void
}

// How long a check waits for a frozen server. Together with the pause it bounds how long a promoted server
// stays unnoticed.
const watchPauseMs = 1_000
const searchPauseMs = 150

/**
 * Which server takes writes. Two may claim it: a primary that was replaced while it was unreachable comes back and does
 * not know. Each promotion begins a new timeline of the log, so the higher one is the later, and a server on a lower
 * one than was seen here before is never used: what is written there is lost.
 */
export class Primary {
  readonly #options: PrimaryOptions
  readonly #probes: readonly Probe[]
  readonly #cuts = new Map<Closable, DatabaseServer>()
  #current: DatabaseServer | undefined
  #timeline = 0
  /** Whether a server claimed to take writes at the last check. */
  #isAnswering = false
  #last: DatabaseServer | undefined
  #looking: Promise<void> | undefined
  #userCount = 0
  readonly #watching: Recurring

  constructor(options: PrimaryOptions) {
    this.#options = options
    this.#probes = options.servers.map((server) => new Probe(server, options.url))
    this.#watching = new Recurring({
      run: async () => {
        await this.#look()
        return { pauseMs: this.#isAnswering ? watchPauseMs : searchPauseMs }
      },
      everyMs: watchPauseMs,
      // A probe that fails is a server that does not answer, so nothing is thrown here.
      onFault: () => undefined,
    })
  }

  /** Watches as long as somebody uses it; each retain needs a release. */
  retain(): void {
    this.#userCount += 1
    if (this.#userCount === 1) this.#watching.start()
  }

  /** Returns how many still use it; the last one ends the watch. */
  release(): number {
    this.#userCount -= 1
    if (this.#userCount === 0) {
      void this.#watching.stop()
      for (const probe of this.#probes) probe.close()
    }
    return this.#userCount
  }

  /** The server that takes writes; waits for one at most `withinMs`. Throws as a refused connection does. */
  async current(withinMs: number): Promise<DatabaseServer> {
    const endsAtMs = performance.now() + withinMs
    for (;;) {
      if (this.#current !== undefined) return this.#current
      const leftMs = endsAtMs - performance.now()
      if (leftMs <= 0 || this.#userCount === 0) throw this.#noneFound()
      await within(this.#look(), leftMs)
      if (this.#current === undefined) await sleep(Math.max(0, Math.min(leftMs, searchPauseMs)))
    }
  }

  /** A connection to it failed, or it refuses writes: the next caller checks all servers again. */
  doubt(server: DatabaseServer): void {
    if (server === this.#current) this.#current = undefined
  }

  /** Closes the connection when writes have moved to another server; returns how to unregister it. */
  add(cut: Closable, server: DatabaseServer): () => void {
    this.#cuts.set(cut, server)
    return () => void this.#cuts.delete(cut)
  }

  /** Concurrent callers share one check. */
  #look(): Promise<void> {
    return (this.#looking ??= this.#lookOnce().finally(() => (this.#looking = undefined)))
  }

  async #lookOnce(): Promise<void> {
    const states = await Promise.all(this.#probes.map((probe) => probe.ask()))
    const found = states.filter((state) => state !== undefined)
    const writable = found
      .filter(({ takesWrites, timeline }) => takesWrites && timeline >= this.#timeline)
      .toSorted((one, other) => other.timeline - one.timeline)
    const [latest] = writable
    this.#isAnswering = latest !== undefined
    if (latest !== undefined) {
      this.#timeline = latest.timeline
      const same = writable.find(({ server }) => server === this.#current)
      this.#moveTo(same !== undefined && same.timeline === latest.timeline ? same.server : latest.server)
      return
    }
    // A server that does not answer stays: it may be slow, and there is no other. A server that refuses writes does not
    // stay.
    const isRefusing = found.some(({ server, takesWrites }) => server === this.#current && !takesWrites)
    if (isRefusing) this.#current = undefined
  }

  #moveTo(server: DatabaseServer): void {
    this.#current = server
    for (const [cut, its] of this.#cuts) if (its !== server) cut.close()
    if (this.#last === server) return
    if (this.#last !== undefined) {
      changes.inc()
      this.#options.onChange(`${serverName(server)} takes writes now, ${serverName(this.#last)} no longer`)
    }
    this.#last = server
  }

  #noneFound(): Error {
    const names = this.#options.servers.map(serverName).join(', ')
    return Object.assign(new Error(`None of the database servers takes writes: ${names}`), {
      code: 'ECONNREFUSED',
      syscall: 'connect',
    })
  }
}
