// Hands records and receipts to the binds of this node. A client's line runs on one node at a time, under a lease.
import type { Session } from '@tollgate/smpp/session/session.ts'
import type { AnyPdu } from '@tollgate/smpp/pdu/registry.ts'
import type { Db } from '../../platform/db.ts'
import { fenceAll, type Lease, type Leases } from '../../platform/leases.ts'
import type { Secrets } from '../../platform/secrets.ts'
import { transaction } from '../../platform/transaction.ts'
import { changeRecords, parsePlace, placeBelow, type RecordKey } from '../../records/index.ts'
import type { Bind } from '../binds/bind.ts'
import { deliveries } from '../metrics.ts'
import { Lane, type Results } from './lane.ts'
import { readDue } from './read-due.ts'
import { readNew } from './read-new.ts'
import {
  hurry,
  keepReceiver,
  readProgress,
  saveProgress,
  saveSettled,
  waitingCount,
  type DeliveryKind,
  type Settled,
} from './store.ts'

export interface DelivererParts {
  readonly db: Db
  readonly secrets: Pick<Secrets, 'open'>
  readonly leases: Pick<Leases, 'acquire'>
  readonly windowMax: number
  readonly onFault: (error: unknown) => void
}

// Between two turns, so that the answers of many messages are one transaction.
const gatherMs = 20
const idleTurnMs = 100
// Without a receiver: whoever binds wakes it.
const restTurnMs = 60_000
const faultPauseMs = 1_000
const acquireEveryMs = 1_000
const dueEveryMs = 250
// Beyond so many records in line for another try, a client gets nothing new until it takes some.
const waitingMax = 2_000
const lateMax = 10_000
// About 30 MB of messages in hand.
const heldMax = 30_000

type LateItem = { readonly userId: number; readonly kind: DeliveryKind; readonly key: RecordKey }

export class Deliverer {
  readonly #parts: DelivererParts
  readonly #binds = new Map<number, Set<Bind>>()
  readonly #lanes = new Map<number, Lane>()
  readonly #triedAtMs = new Map<number, number>()
  readonly #crowded = new Set<number>()
  /** Deliveries whose time ran out, by session and sequence: conformance 62 has a late answer count. */
  readonly #late = new Map<string, LateItem>()
  #running: Promise<void> | undefined
  #isStopping = false
  #isWoken = false
  #wakeUp: () => void = () => undefined
  #dueAtMs = 0

  constructor(parts: DelivererParts) {
    this.#parts = parts
  }

  start(): void {
    this.#running ??= this.#run()
  }

  /** Writes down what was taken and gives the lines back. Call it when the binds are gone. */
  async stop(): Promise<void> {
    this.#isStopping = true
    this.#wake()
    await this.#running
  }

  /** A bind that receives. */
  bound(bind: Bind): void {
    const own = this.#binds.get(bind.userId) ?? new Set()
    this.#binds.set(bind.userId, own.add(bind))
    this.#lanes.get(bind.userId)?.binds.add(bind)
    this.#triedAtMs.delete(bind.userId)
    this.#wake()
  }

  gone(bind: Bind): void {
    const own = this.#binds.get(bind.userId)
    if (own?.delete(bind) !== true) return
    if (own.size === 0) this.#binds.delete(bind.userId)
    this.#lanes.get(bind.userId)?.binds.delete(bind)
    this.#wake()
  }

  /** A response after its timer. */
  late(session: Session<Bind>, sequence: number, response: AnyPdu): void {
    const item = this.#late.get(lateId(session, sequence))
    if (item === undefined || response.status !== 0 || response.command === 'generic_nack') return
    this.#lanes.get(item.userId)?.addLate(item)
    this.#wake()
  }

  async #run(): Promise<void> {
    const { onFault } = this.#parts
    while (!this.#isStopping) {
      this.#isWoken = false
      const pauseMs = await this.#turn().catch((error: unknown) => {
        onFault(error)
        return faultPauseMs
      })
      await this.#pause(pauseMs)
    }
    await this.#flush().catch(onFault)
    for (const lane of this.#lanes.values()) await lane.lease.release().catch(onFault)
    this.#lanes.clear()
  }

  /** Gives how long to wait for the next turn. */
  async #turn(): Promise<number> {
    await this.#flush()
    await this.#closeLanes()
    await this.#openLanes()
    const lanes = [...this.#lanes.values()]
    const isMore = await readNew(this.#parts, this.#hungry(lanes))
    if (performance.now() - this.#dueAtMs > dueEveryMs) {
      this.#dueAtMs = performance.now()
      await readDue(
        this.#parts,
        lanes.filter((lane) => lane.isHungry),
      )
      await this.#countWaiting(lanes)
    }
    for (const lane of lanes) lane.pump()
    if (isMore || lanes.some((lane) => lane.hasUntold)) return 0
    return this.#binds.size === 0 && lanes.length === 0 ? restTurnMs : idleTurnMs
  }

  /** Who may read on; nobody while all lines together hold as much as this process should. */
  #hungry(lanes: readonly Lane[]): Lane[] {
    const heldCount = lanes.reduce((sum, { inHandCount }) => sum + inHandCount, 0)
    const mostMax = heldCount > heldMax ? 0 : Infinity
    return lanes.filter(
      (lane) => lane.isHungry && lane.inHandCount <= mostMax && !this.#crowded.has(lane.userId),
    )
  }

  async #countWaiting(lanes: readonly Lane[]): Promise<void> {
    for (const lane of lanes) {
      if (!lane.hasTrouble) continue
      const count = await waitingCount(this.#parts.db, lane.userId)
      lane.hasTrouble = count > 0
      if (count > waitingMax) this.#crowded.add(lane.userId)
      else this.#crowded.delete(lane.userId)
    }
  }

  async #openLanes(): Promise<void> {
    for (const [userId, binds] of this.#binds) {
      const triedAtMs = this.#triedAtMs.get(userId) ?? -Infinity
      if (this.#lanes.has(userId) || performance.now() - triedAtMs < acquireEveryMs) continue
      this.#triedAtMs.set(userId, performance.now())
      const lease = await this.#parts.leases.acquire(`deliver:${userId}`)
      if (lease !== undefined) await this.#openLane(userId, lease, binds)
    }
  }

  async #openLane(userId: number, lease: Lease, binds: ReadonlySet<Bind>): Promise<void> {
    const { db, windowMax } = this.#parts
    try {
      const found = await readProgress(db, userId)
      if (found === undefined) await keepReceiver(db, userId)
      const progress = found ?? (await readProgress(db, userId))
      await hurry(db, userId)
      const lane = new Lane({
        userId,
        lease,
        windowMax,
        readTo: parsePlace(progress?.place ?? '0') ?? placeBelow(0n),
        takenIds: progress?.takenIds ?? new Set(),
        onNews: () => this.#wake(),
        onTimeout: (bind, sequence, item) => this.#noteLate(bind, sequence, { userId, ...item }),
      })
      for (const bind of binds) lane.binds.add(bind)
      this.#lanes.set(userId, lane)
    } catch (error) {
      await lease.release()
      throw error
    }
  }

  /** Another node's turn, when no bind of the client is left here. */
  async #closeLanes(): Promise<void> {
    for (const [userId, lane] of this.#lanes) {
      const isLost = lane.lease.signal.aborted
      // An answer may have come while the last ones were written down: it would be lost, and its record come again.
      if (!isLost && (lane.binds.size > 0 || lane.hasUntold)) continue
      this.#lanes.delete(userId)
      this.#crowded.delete(userId)
      if (!isLost) await lane.lease.release()
    }
  }

  /** Writes down all results so far, in one transaction; what fails to be written is kept for the next time. */
  async #flush(): Promise<void> {
    const open = [...this.#lanes.values()].filter(({ lease }) => !lease.signal.aborted)
    const told = open.flatMap((lane) => {
      const results = lane.results()
      return results === undefined ? [] : [{ lane, results }]
    })
    if (told.length === 0) return
    const held = await transaction(this.#parts.db, async (tx) => {
      const ours = await fenceAll(
        tx,
        told.map(({ lane }) => lane.lease),
      )
      const valid = told.filter(({ lane }) => ours.has(lane.lease.name))
      await write(
        tx,
        valid.map(({ results }) => results),
      )
      return valid
    })
    for (const { lane, results } of held) {
      lane.committed(results)
      count(results)
    }
  }

  #noteLate(bind: Bind, sequence: number, item: LateItem): void {
    this.#late.set(lateId(bind.session, sequence), item)
    const [oldest] = this.#late.keys()
    if (this.#late.size > lateMax && oldest !== undefined) this.#late.delete(oldest)
  }

  #wake(): void {
    this.#isWoken = true
    this.#wakeUp()
  }

  async #pause(ms: number): Promise<void> {
    if (this.#isStopping) return
    await new Promise<void>((resolve) => setTimeout(resolve, Math.min(ms, gatherMs)))
    if (ms <= gatherMs || this.#isWoken || this.#isStopping) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms - gatherMs)
      this.#wakeUp = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}

function lateId(session: Pick<Session<Bind>, 'id'>, sequence: number): string {
  return `${session.id} ${sequence}`
}

/** Writes the results of several lines. A record is reported as soon as one way of its client took it. */
async function write(tx: Db, results: readonly Results[]): Promise<void> {
  if (results.length === 0) return
  const taken = results.flatMap((each) => each.taken)
  await changeRecords(tx, inOrder(taken), {
    status: 'reported',
    clientReport: 'reported',
    from: ['pending', 'in_progress', 'completed', 'failed', 'no_report'],
  })
  const settled = lastOfEach(results.flatMap((each) => each.settled))
  if (settled.length > 0) await saveSettled(tx, settled)
  const recordsIn = (status: Settled['status']) =>
    settled.filter((each) => each.kind === 'record' && each.status === status).map(({ key }) => key)
  await changeRecords(tx, recordsIn('pending'), { status: 'in_progress', from: ['pending'] })
  await changeRecords(tx, recordsIn('failed'), {
    status: 'failed',
    clientReport: 'failed',
    from: ['pending', 'in_progress'],
  })
  const moved = results.flatMap(({ progress }) => progress ?? [])
  if (moved.length > 0) await saveProgress(tx, moved)
}

function inOrder(keys: readonly RecordKey[]): RecordKey[] {
  return [...new Map(keys.map((key) => [key.recordId, key])).values()]
}

/** One row for each delivery: the last word about it, as a try if any of them was one. */
function lastOfEach(settled: readonly Settled[]): Settled[] {
  const last = new Map<string, Settled>()
  for (const each of settled) {
    const id = `${each.kind} ${each.key.recordId}`
    const before = last.get(id)
    if (before?.status === 'delivered') continue
    last.set(id, { ...each, isTried: each.isTried || before?.isTried === true })
  }
  return [...last.values()]
}

function count({ taken, settled }: Results): void {
  if (taken.length > 0) deliveries.inc({ kind: 'record', outcome: 'taken' }, taken.length)
  for (const { kind, status, isTried } of settled)
    if (isTried && (kind === 'receipt' || status !== 'delivered'))
      deliveries.inc({ kind, outcome: outcomes[status] })
}

const outcomes = { pending: 'refused', delivered: 'taken', failed: 'failed' } as const
