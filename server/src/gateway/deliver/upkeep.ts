// Work that one node does for all: turns the log of records into receipts, and ends deliveries that waited too long.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from '../../platform/db.ts'
import { fencedTransaction, type Lease, type Leases } from '../../platform/work/leases.ts'
import { IdleBackoff } from '../../platform/work/backoff.ts'
import { ownWhenFree } from '../../platform/work/own-when-free.ts'
import { transaction } from '../../platform/transaction.ts'
import {
  parsePosition,
  positionBelow,
  readLog,
  recordFlags,
  formatPosition,
  type LogPosition,
} from '../../records/index.ts'
import {
  addReceipts,
  dropReceiver,
  expireRecords,
  giveUpOld,
  absentReceivers,
  openRecords,
  pruneDeliveries,
  readReceiptProgress,
  saveReceiptProgress,
  touchReceivers,
} from './store.ts'

interface DeliveryUpkeepDeps {
  readonly db: Db
  readonly leases: Pick<Leases, 'acquire'>
  /** How many hours records and receipts wait to be accepted. */
  readonly waitHours: () => Promise<number>
  /** Whether the client also receives its records over HTTP. */
  readonly hasEndpoint: (clientId: number) => boolean
  readonly onFault: (error: unknown) => void
}

const leaseName = 'bind-deliveries'
const turnEveryMs = 250
const quietTurnEveryMs = 1_000
const sweepEveryMs = 30_000
const faultPauseMs = 1_000
const recordsAtOnce = 4_000
const atOnce = 1_000
// The log's end moves with every transaction of the database. Saving it each time would itself be such a transaction.
const saveEachXids = 10_000n

export class DeliveryUpkeep {
  readonly #deps: DeliveryUpkeepDeps
  readonly #stopping = new AbortController()
  #running: Promise<void> | undefined

  constructor(deps: DeliveryUpkeepDeps) {
    this.#deps = deps
  }

  start(): void {
    const { leases, onFault } = this.#deps
    this.#running ??= ownWhenFree({
      leases,
      name: leaseName,
      stopping: this.#stopping.signal,
      own: (lease) => this.#own(lease),
      onFault,
    })
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#running
  }

  async #own(lease: Lease): Promise<void> {
    const receipts = new ReceiptFollower(this.#deps.db, lease)
    const pace = new IdleBackoff({ firstMs: turnEveryMs, maxMs: quietTurnEveryMs })
    let sweptAtMs = -Infinity
    while (!lease.signal.aborted && !this.#stopping.signal.aborted) {
      try {
        const { isMore, hasEvents } = await receipts.follow()
        if (performance.now() - sweptAtMs > sweepEveryMs) {
          sweptAtMs = performance.now()
          await sweep(this.#deps, this.#stopping.signal)
        }
        if (!isMore) await this.#pause(pace.pauseMs(hasEvents))
      } catch (error) {
        this.#deps.onFault(error)
        await this.#pause(faultPauseMs)
      }
    }
  }

  async #pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#stopping.signal }).catch(() => undefined)
  }
}

/** Adds one receipt for each finished record whose supplier requested it, and saves the position in the same transaction. */
class ReceiptFollower {
  readonly #db: Db
  readonly #lease: Lease
  #position: LogPosition | undefined
  #savedXid = 0n

  constructor(db: Db, lease: Lease) {
    this.#db = db
    this.#lease = lease
  }

  /** Reads the next page of the log. `isMore`: there may be another page now; `hasEvents`: this one had events. */
  async follow(): Promise<{ readonly isMore: boolean; readonly hasEvents: boolean }> {
    if (this.#position === undefined) {
      this.#position = parsePosition(await readReceiptProgress(this.#db)) ?? positionBelow(0n)
      this.#savedXid = this.#position.xid
    }
    const { wantsReceipt, wantsFailureReceipt } = recordFlags
    const page = await readLog(this.#db, this.#position, {
      recordsMax: recordsAtOnce,
      flags: wantsReceipt | wantsFailureReceipt,
    })
    if (page.events.length > 0 || page.upTo.xid - this.#savedXid > saveEachXids) {
      const keys = page.events.map(({ record }) => ({
        createdAtMs: record.created_at.getTime(),
        recordId: Number(record.id),
      }))
      await fencedTransaction(this.#db, this.#lease, async (tx) => {
        if (keys.length > 0) await addReceipts(tx, keys)
        await saveReceiptProgress(tx, formatPosition(page.upTo))
      })
      this.#savedXid = page.upTo.xid
    }
    this.#position = page.upTo
    return { isMore: !page.isEnd, hasEvents: page.events.length > 0 }
  }
}

/** Ends deliveries that waited longer than the setting allows, and deletes old finished ones. */
async function sweep({ db, waitHours, hasEndpoint }: DeliveryUpkeepDeps, signal: AbortSignal): Promise<void> {
  await touchReceivers(db)
  const hours = await waitHours()
  for (const userId of await absentReceivers(db, hours)) {
    if (signal.aborted) return
    await giveUp(db, userId, { hours, alsoRecords: !hasEndpoint(userId), signal })
  }
  await repeat(db, signal, async (tx) => {
    const { count, records } = await giveUpOld(tx, { waitHours: hours, limit: atOnce })
    await expireRecords(tx, records)
    return count === atOnce
  })
  while (!signal.aborted && (await pruneDeliveries(db, atOnce)) === atOnce);
}

/** The client is no receiver any more: its deliveries fail, and its undelivered records expire. */
async function giveUp(
  db: Db,
  userId: number,
  { hours, alsoRecords, signal }: { hours: number; alsoRecords: boolean; signal: AbortSignal },
): Promise<void> {
  const isGone = await transaction(db, async (tx) => {
    if (!(await dropReceiver(tx, userId, hours))) return false
    for (let isMore = true; isMore;) {
      const { count, records } = await giveUpOld(tx, { waitHours: hours, limit: atOnce, userId })
      if (alsoRecords) await expireRecords(tx, records)
      isMore = count === atOnce
    }
    return true
  })
  if (!isGone || !alsoRecords) return
  await repeat(db, signal, async (tx) => {
    const keys = await openRecords(tx, userId, atOnce)
    await expireRecords(tx, keys)
    return keys.length === atOnce
  })
}

/** Repeats a step, each in a transaction of its own, until it says that there is no more to do. */
async function repeat(db: Db, signal: AbortSignal, step: (tx: Db) => Promise<boolean>): Promise<void> {
  while (!signal.aborted && (await transaction(db, step)));
}
