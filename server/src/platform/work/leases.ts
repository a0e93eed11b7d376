// Leases, for work that must run on one node at a time. The database's clock decides, and each new owner gets a higher
// token, so that a stale owner that has not noticed yet cannot write.
import { Gauge } from 'prom-client'
import { sql } from 'kysely'
import { changed, row, rows, type Db } from '../db.ts'
import type { Logger } from '../log.ts'
import { registry } from '../metrics.ts'
import { isGone, nameOwner } from './process-owner.ts'
import { transaction } from '../transaction.ts'

export interface LeaseTimes {
  /** How long a lease is valid after its last renewal. */
  readonly lifeMs: number
  readonly renewEveryMs: number
}

// Work moves within 15 s when its node dies: 10 s until the lease expires, 5 s for another node to check.
const standardTimes: LeaseTimes = { lifeMs: 10_000, renewEveryMs: 3_000 }

export interface Lease {
  readonly name: string
  /** Higher with each owner. Each write checks it, through {@link fence}. */
  readonly token: string
  /** Aborted when the lease is lost, or when we no longer know whether it is ours: stop at once. */
  readonly signal: AbortSignal
  /** Releases it, so that another node can have it at once. */
  release(): Promise<void>
}

/** What proves in a transaction whose lease it is. */
type LeaseToken = Pick<Lease, 'name' | 'token'>

export interface Leases {
  /** The lease, or undefined while another owner (or this one already) has it. */
  acquire(name: string): Promise<Lease | undefined>
  /** Whether leases can be renewed: for readiness. */
  isHealthy(): boolean
  /** Releases all of them. */
  stop(): Promise<void>
}

/** A former owner tried to write. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost'
}

// A node that freezes or loses its network in the middle of a transaction keeps its row locks. Its session is ended before
// the lease expires, so that the next owner has to wait for nothing else.
const idleMaxMs = 5_000

/**
 * Call it first in each transaction of a lease's owner. Throws LeaseLost when the lease has another owner. Otherwise no
 * other node can take it until the transaction ends; the server rolls the transaction back when nothing comes from us
 * for five seconds.
 */
export async function fence(tx: Db, lease: LeaseToken): Promise<void> {
  const held = await fenceAll(tx, [lease])
  if (!held.has(lease.name)) throw new LeaseLost(`The lease ${lease.name} belongs to another node now`)
}

/** Runs `work` in a transaction that is fenced by the lease, see {@link fence}. Throws LeaseLost. */
export function fencedTransaction<T>(db: Db, lease: LeaseToken, work: (tx: Db) => Promise<T>): Promise<T> {
  return transaction(db, async (tx) => {
    await fence(tx, lease)
    return work(tx)
  })
}

/** As {@link fence}, for several at once; gives the names of those that are still ours. */
export async function fenceAll(tx: Db, leases: readonly LeaseToken[]): Promise<ReadonlySet<string>> {
  // The weakest lock: it stops the next owner, who asks for the whole row, but no renewal of our own.
  const found = await rows<{ name: string }>(
    tx,
    sql`
      select l.name, set_config('idle_in_transaction_session_timeout', ${String(idleMaxMs)}, true)
      from leases l
        join unnest(${leases.map(({ name }) => name)}::text[], ${leases.map(({ token }) => token)}::bigint[])
          as mine (name, token) using (name, token)
      where l.expires_at > clock_timestamp() order by l.name for key share of l`,
  )
  return new Set(found.map(({ name }) => name))
}

/**
 * Releases the leases of owners that have certainly ended, so that nobody waits until they expire. `isGone` judges an
 * owner's name and must not guess: a lease taken from a living owner would have two owners.
 */
export async function releaseDead(db: Db, isGone: (owner: string) => boolean): Promise<void> {
  const owners = await rows<{ owner: string }>(
    db,
    sql`select distinct owner from leases where owner is not null and expires_at > clock_timestamp()`,
  )
  const gone = owners.map(({ owner }) => owner).filter(isGone)
  if (gone.length > 0)
    await changed(
      db,
      sql`update leases set owner = null, expires_at = '-infinity' where owner = any(${gone}::text[])`,
    )
}

const heldGauge = new Gauge({
  name: 'tollgate_lease_owner',
  help: '1 while this node has the lease.',
  labelNames: ['name'],
  registers: [registry],
})

interface HeldLease {
  readonly lease: Lease
  readonly lost: AbortController
  /** On the monotonic clock: until then the lease is certainly ours. */
  sureUntilMs: number
}

/** Leases of one node; `owner` is its name. One statement renews all of them. */
export function createLeases(db: Db, owner: string, log: Logger, times = standardTimes): Leases {
  return new NodeLeases(db, owner, log, times)
}

/**
 * The leases of this process, under a name of its own. First it releases those of killed processes of this machine, so
 * that nobody waits until they expire. Rejects when the database is away.
 */
export async function openLeases(db: Db, log: Logger, times?: LeaseTimes): Promise<Leases> {
  await releaseDead(db, isGone)
  return createLeases(db, nameOwner(), log, times)
}

class NodeLeases implements Leases {
  readonly #held = new Map<string, HeldLease>()
  readonly #db: Db
  readonly #owner: string
  readonly #log: Logger
  readonly #times: LeaseTimes
  #timer: NodeJS.Timeout | undefined
  #renewedAtMs = 0
  #isStopping = false

  constructor(db: Db, owner: string, log: Logger, times: LeaseTimes) {
    this.#db = db
    this.#owner = owner
    this.#log = log
    this.#times = times
  }

  async acquire(name: string): Promise<Lease | undefined> {
    if (this.#isStopping || this.#held.has(name)) return undefined
    const startedAtMs = performance.now()
    const { lifeMs } = this.#times
    const token = await take(this.#db, { name, owner: this.#owner, lifeMs })
    if (token === undefined) return undefined
    const lost = new AbortController()
    const release = async () => {
      this.#drop(name, token)
      await giveUp(this.#db, name, token)
    }
    const lease = { name, token, signal: lost.signal, release }
    if (this.#held.size === 0) this.#renewedAtMs = startedAtMs
    this.#held.set(name, { lease, lost, sureUntilMs: startedAtMs + lifeMs })
    heldGauge.set({ name }, 1)
    this.#scheduleCheck()
    return lease
  }

  isHealthy(): boolean {
    // Unhealthy only after two failed renewals; a third would cost the lease.
    const nowMs = performance.now()
    return [...this.#held.values()].every(({ sureUntilMs }) => nowMs < sureUntilMs - this.#times.renewEveryMs)
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    clearTimeout(this.#timer)
    await Promise.all([...this.#held.values()].map(({ lease }) => lease.release()))
  }

  /** Checks when the next renewal is due or the first lease expires: a node that hung must notice at once. */
  #scheduleCheck(): void {
    clearTimeout(this.#timer)
    if (this.#held.size === 0 || this.#isStopping) return
    const endsAtMs = Math.min(...[...this.#held.values()].map(({ sureUntilMs }) => sureUntilMs))
    const nextAtMs = Math.min(endsAtMs, this.#renewedAtMs + this.#times.renewEveryMs)
    this.#timer = setTimeout(() => this.#check(), nextAtMs - performance.now())
  }

  #check(): void {
    for (const { lease, sureUntilMs } of this.#held.values())
      if (performance.now() >= sureUntilMs)
        this.#drop(lease.name, lease.token, 'could not be renewed in time')
    if (this.#held.size > 0 && performance.now() - this.#renewedAtMs >= this.#times.renewEveryMs) {
      this.#renewedAtMs = performance.now()
      this.#renew().catch((error: unknown) => this.#log.warn({ err: error }, 'leases could not be renewed'))
    }
    this.#scheduleCheck()
  }

  async #renew(): Promise<void> {
    const startedAtMs = performance.now()
    const current = [...this.#held.values()]
    const kept = new Set(
      await extend(
        this.#db,
        current.map(({ lease }) => lease),
        this.#times.lifeMs,
      ),
    )
    for (const each of current)
      if (kept.has(each.lease.name)) each.sureUntilMs = startedAtMs + this.#times.lifeMs
      else this.#drop(each.lease.name, each.lease.token, 'taken by another node')
  }

  #drop(name: string, token: string, reason?: string): void {
    const found = this.#held.get(name)
    // By now this node may have it again, under a later token.
    if (found?.lease.token !== token) return
    this.#held.delete(name)
    heldGauge.remove(name)
    found.lost.abort()
    if (reason !== undefined) this.#log.warn({ lease: name, reason }, 'a lease was lost')
  }
}

/** A row that a fenced transaction has locked is skipped: waiting for it would delay all other work too. */
async function take(
  db: Db,
  { name, owner, lifeMs }: { readonly name: string; readonly owner: string; readonly lifeMs: number },
): Promise<string | undefined> {
  const taken = await row<{ token: string }>(
    db,
    sql`
      with free as (
        select name from leases where name = ${name} and (owner is null or expires_at <= clock_timestamp())
        for update skip locked
      ), moved as (
        update leases set owner = ${owner}, token = token + 1, expires_at = clock_timestamp() + ${lifeMs} * interval '1 ms'
        where name in (select name from free) returning token
      ), made as (
        insert into leases (name, owner, token, expires_at)
        select ${name}, ${owner}, 1, clock_timestamp() + ${lifeMs} * interval '1 ms'
        where not exists (select from leases where name = ${name})
        on conflict (name) do nothing returning token
      )
      select token from moved union all select token from made`,
  )
  return taken?.token
}

async function extend(db: Db, leases: readonly Lease[], lifeMs: number): Promise<string[]> {
  const names = leases.map(({ name }) => name)
  const tokens = leases.map(({ token }) => token)
  // An expired lease may be extended as long as nobody has taken it; its token shows that.
  const extended = await rows<{ name: string }>(
    db,
    sql`update leases set expires_at = clock_timestamp() + ${lifeMs} * interval '1 ms'
        from unnest(${names}::text[], ${tokens}::bigint[]) as mine (name, token)
        where leases.name = mine.name and leases.token = mine.token and leases.owner is not null
        returning leases.name`,
  )
  return extended.map(({ name }) => name)
}

async function giveUp(db: Db, name: string, token: string): Promise<void> {
  await changed(
    db,
    sql`update leases set owner = null, expires_at = '-infinity' where name = ${name} and token = ${token}`,
  )
}
