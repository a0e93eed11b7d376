// Work that one node does for all: turns the log of records into receipts, and ends deliveries that waited too long or whose
// validity is over.
import type { Db } from '../../platform/db.ts'
import type { Lease, Leases } from '../../platform/work/leases.ts'
import { ownWhenFree } from '../../platform/work/own-when-free.ts'
import { Recurring } from '../../platform/work/recurring.ts'
import { transaction } from '../../platform/transaction.ts'
import {
  EventFollower,
  follow,
  forgetTimes,
  recordFlags,
  savedProgress,
  takeOver,
  type FollowWork,
  type RecordKey,
} from '../../ingest/index.ts'
import { pruneAnsweredIds } from '../message/answered-ids.ts'
import {
  addReceipts,
  dropReceiver,
  expireRecords,
  failExpired,
  giveUpOld,
  absentReceivers,
  openRecords,
  pruneDeliveries,
  pruneReceiptHours,
  touchReceivers,
} from './store.ts'

interface DeliveryUpkeepDeps {
  readonly db: Db
  readonly leases: Pick<Leases, 'acquire'>
  /** How many hours records and receipts wait to be accepted. */
  readonly waitHours: () => Promise<number>
  /** Whether the client also receives its records over HTTP. */
  readonly hasEndpoint: (clientId: number) => boolean
  /** Ends the deliveries over HTTP of records whose validity is over. */
  readonly onExpired: (tx: Db, keys: readonly RecordKey[]) => Promise<void>
  /** From one search for what has waited too long to the next; defaults to 30 s. */
  readonly sweepEveryMs?: number | undefined
  readonly onFault: (error: unknown) => void
}

const leaseName = 'bind-deliveries'
const sweepEveryStandardMs = 30_000
const recordsAtOnce = 4_000
const atOnce = 1_000
const expireEveryMs = 1_000
const followedFlags = {
  flags: recordFlags.wantsReceipt | recordFlags.wantsFailureReceipt | recordFlags.hasTimes,
}
// The first code of recordStatuses whose records wait no more: completed.
const overStatus = 2

export class DeliveryUpkeep {
  readonly #deps: DeliveryUpkeepDeps
  readonly #owning: Recurring

  constructor(deps: DeliveryUpkeepDeps) {
    this.#deps = deps
    const { leases, onFault } = deps
    this.#owning = ownWhenFree({
      leases,
      name: leaseName,
      own: (lease, signal) => this.#own(lease, signal),
      onFault,
    })
  }

  start(): void {
    this.#owning.start()
  }

  stop(): Promise<void> {
    return this.#owning.stop()
  }

  async #own(lease: Lease, signal: AbortSignal): Promise<void> {
    const { db, onFault, sweepEveryMs = sweepEveryStandardMs } = this.#deps
    const progress = savedProgress({ db, lease, follower: 'receipts' })
    const receipts = new EventFollower(db, progress, recordsAtOnce)
    const following = follow(() => receipts.step({ filter: followedFlags, work: followEnds }), {
      name: 'deliveries',
      onFault,
    })
    const sweeping = new Recurring({
      run: (stopping) => sweep(this.#deps, stopping),
      everyMs: sweepEveryMs,
      onFault,
    })
    const expiring = new Recurring({
      run: (stopping) => repeat(db, stopping, (tx) => expire(tx, this.#deps)),
      everyMs: expireEveryMs,
      onFault,
    })
    await Promise.all([following.runUntil(signal), sweeping.runUntil(signal), expiring.runUntil(signal)])
  }
}

/** Adds one receipt for each finished record whose supplier requested it, and forgets the times of what has ended. */
const followEnds: FollowWork = async (tx, { events }) => {
  if (events.length === 0) return true
  const keys = events.map(({ record }) => ({
    createdAtMs: record.created_at.getTime(),
    recordId: Number(record.id),
  }))
  await addReceipts(tx, keys)
  const over = events.filter(
    ({ record }) => (record.flags & recordFlags.hasTimes) !== 0 && record.status >= overStatus,
  )
  if (over.length > 0)
    await forgetTimes(
      tx,
      over.map(({ record }) => Number(record.id)),
    )
  return true
}

/** Expires records whose validity is over; true when there may be more. */
async function expire(tx: Db, { onExpired }: DeliveryUpkeepDeps): Promise<boolean> {
  const { count, expired } = await takeOver(tx, atOnce)
  if (expired.length > 0) {
    await expireRecords(tx, expired)
    await failExpired(tx, expired)
    await onExpired(tx, expired)
  }
  return count === atOnce
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
  await pruneReceiptHours(db)
  while (!signal.aborted && (await pruneAnsweredIds(db, atOnce)) === atOnce);
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
