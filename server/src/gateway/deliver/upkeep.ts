// What one node does for all: turns the log of records into receipts, and ends what has waited too long.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from '../../platform/db.ts'
import { fence, type Lease, type Leases } from '../../platform/leases.ts'
import { QuietPace } from '../../platform/quiet-pace.ts'
import { ownWhenFree } from '../../platform/repeated.ts'
import { transaction } from '../../platform/transaction.ts'
import {
  changeRecords,
  parsePlace,
  placeBelow,
  readLog,
  recordFlags,
  writePlace,
  type LogPlace,
} from '../../records/index.ts'
import {
  addReceipts,
  dropReceiver,
  expireRecords,
  giveUpOld,
  lostReceivers,
  openRecords,
  pruneDeliveries,
  readReceiptProgress,
  saveReceiptProgress,
  touchReceivers,
} from './store.ts'

export interface UpkeepParts {
  readonly db: Db
  readonly leases: Pick<Leases, 'acquire'>
  /** How long records and receipts wait for somebody to take them. */
  readonly waitHours: () => Promise<number>
  /** Whether the client takes its records over HTTP as well. */
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
// The log's end moves with every transaction of the database; writing that down each time would itself move it.
const saveEachXids = 10_000n

export class DeliveryUpkeep {
  readonly #parts: UpkeepParts
  readonly #stopping = new AbortController()
  #running: Promise<void> | undefined

  constructor(parts: UpkeepParts) {
    this.#parts = parts
  }

  start(): void {
    const { leases, onFault } = this.#parts
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
    const receipts = new ReceiptFollower(this.#parts.db, lease)
    const pace = new QuietPace(turnEveryMs, quietTurnEveryMs)
    let sweptAtMs = -Infinity
    while (!lease.signal.aborted && !this.#stopping.signal.aborted) {
      try {
        const { isMore, hasNews } = await receipts.follow()
        if (performance.now() - sweptAtMs > sweepEveryMs) {
          sweptAtMs = performance.now()
          await sweep(this.#parts, this.#stopping.signal)
        }
        if (!isMore) await this.#pause(pace.pauseMs(hasNews))
      } catch (error) {
        this.#parts.onFault(error)
        await this.#pause(faultPauseMs)
      }
    }
  }

  async #pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#stopping.signal }).catch(() => undefined)
  }
}

/** Each record that ends, and whose supplier asked, owes one receipt; the place moves in the same transaction. */
class ReceiptFollower {
  readonly #db: Db
  readonly #lease: Lease
  #place: LogPlace | undefined
  #savedXid = 0n

  constructor(db: Db, lease: Lease) {
    this.#db = db
    this.#lease = lease
  }

  /** Takes the next piece of the log; `isMore`: there may be more at once, `hasNews`: there was something in it. */
  async follow(): Promise<{ readonly isMore: boolean; readonly hasNews: boolean }> {
    if (this.#place === undefined) {
      this.#place = parsePlace(await readReceiptProgress(this.#db)) ?? placeBelow(0n)
      this.#savedXid = this.#place.xid
    }
    const { wantsReceipt, wantsFailureReceipt } = recordFlags
    const page = await readLog(this.#db, this.#place, {
      recordsMax: recordsAtOnce,
      flags: wantsReceipt | wantsFailureReceipt,
    })
    if (page.events.length > 0 || page.upTo.xid - this.#savedXid > saveEachXids) {
      const keys = page.events.map(({ record }) => ({
        createdAtMs: record.created_at.getTime(),
        recordId: Number(record.id),
      }))
      await transaction(this.#db, async (tx) => {
        await fence(tx, this.#lease)
        const distinct = [...new Map(keys.map((key) => [key.recordId, key])).values()]
        if (distinct.length > 0) await addReceipts(tx, distinct)
        await saveReceiptProgress(tx, writePlace(page.upTo))
      })
      this.#savedXid = page.upTo.xid
    }
    this.#place = page.upTo
    return { isMore: !page.isEnd, hasNews: page.events.length > 0 }
  }
}

/** Ends what waited longer than the setting says, and forgets what is long over. */
async function sweep({ db, waitHours, hasEndpoint }: UpkeepParts, signal: AbortSignal): Promise<void> {
  await touchReceivers(db)
  const hours = await waitHours()
  for (const userId of await lostReceivers(db, hours)) {
    if (signal.aborted) return
    await giveUp(db, userId, { hours, alsoRecords: !hasEndpoint(userId), signal })
  }
  for (let isMore = true; isMore && !signal.aborted;) {
    isMore = await transaction(db, async (tx) => {
      const { count, records } = await giveUpOld(tx, { waitHours: hours, limit: atOnce })
      await expireRecords(tx, records)
      return count === atOnce
    })
  }
  while (!signal.aborted && (await pruneDeliveries(db, atOnce)) === atOnce);
}

/** The client is no receiver any more; what nobody took of its records has run out of time. */
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
  for (let isMore = true; isMore && !signal.aborted;) {
    isMore = await transaction(db, async (tx) => {
      const keys = await openRecords(tx, userId, atOnce)
      await changeRecords(tx, keys, {
        status: 'no_report',
        clientReport: 'failed',
        from: ['pending', 'in_progress'],
      })
      return keys.length === atOnce
    })
  }
}
