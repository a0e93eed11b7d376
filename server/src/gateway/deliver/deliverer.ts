// Delivers records and receipts over the binds of this node. A client's lane runs on one node at a time, under a lease.
import type { Session } from '@tollgate/smpp/session/session.ts'
import type { AnyPdu } from '@tollgate/smpp/pdu/registry.ts'
import type { Db } from '../../platform/db.ts'
import { fenceAll, type Lease, type Leases } from '../../platform/work/leases.ts'
import { Recurring } from '../../platform/work/recurring.ts'
import type { Secrets } from '../../platform/security/secrets.ts'
import { transaction } from '../../platform/transaction.ts'
import { changeRecords, parsePosition, positionBelow, type RecordKey } from '../../ingest/index.ts'
import type { Bind } from '../binds/bind.ts'
import { deliveries } from '../metrics.ts'
import { ClientLane, type LaneResults } from './lane.ts'
import { readDue } from './read-due.ts'
import { readNew } from './read-new.ts'
import {
  makeDueNow,
  keepReceiver,
  readProgress,
  saveProgress,
  saveResults,
  waitingCount,
  type DeliveryKind,
  type DeliveryResult,
} from './store.ts'

interface DelivererDeps {
  readonly db: Db
  readonly secrets: Pick<Secrets, 'decrypt'>
  readonly leases: Pick<Leases, 'acquire'>
  readonly windowMax: number
  readonly onFault: (error: unknown) => void
}

// Pause between two turns, so that the answers to many messages share one transaction.
const gatherMs = 20
const pollMs = 100
// Without a receiver; the next bind ends the pause.
const emptyTurnMs = 60_000
const faultPauseMs = 1_000
const acquireEveryMs = 1_000
const dueEveryMs = 250
// Above this number of records that wait for another attempt, a client gets no new ones until it accepts some.
const waitingMax = 2_000
const lateMax = 10_000
// Messages in memory over all lanes, about 30 MB.
const inMemoryMax = 30_000

type LateDelivery = { readonly userId: number; readonly kind: DeliveryKind; readonly key: RecordKey }

export class Deliverer {
  readonly #deps: DelivererDeps
  readonly #binds = new Map<number, Set<Bind>>()
  readonly #lanes = new Map<number, ClientLane>()
  readonly #triedAtMs = new Map<number, number>()
  readonly #overWaitingMax = new Set<number>()
  /** Deliveries that timed out, by session and sequence number: a late answer still counts (conformance 62). */
  readonly #late = new Map<string, LateDelivery>()
  readonly #turns: Recurring
  #dueAtMs = 0

  constructor(deps: DelivererDeps) {
    this.#deps = deps
    const { onFault } = deps
    this.#turns = new Recurring({
      run: () => this.#turn(),
      everyMs: pollMs,
      gatherMs,
      faultPauseMs,
      onFault,
    })
  }

  start(): void {
    this.#turns.start()
  }

  /** Writes the last results and releases the lanes. Call it after the binds are closed. */
  async stop(): Promise<void> {
    const { onFault } = this.#deps
    await this.#turns.stop()
    await this.#flush().catch(onFault)
    for (const lane of this.#lanes.values()) await lane.lease.release().catch(onFault)
    this.#lanes.clear()
  }

  /** A bind that receives was made. */
  bound(bind: Bind): void {
    const own = this.#binds.get(bind.userId) ?? new Set()
    this.#binds.set(bind.userId, own.add(bind))
    this.#lanes.get(bind.userId)?.binds.add(bind)
    this.#triedAtMs.delete(bind.userId)
    this.#turns.runSoon()
  }

  gone(bind: Bind): void {
    const own = this.#binds.get(bind.userId)
    if (own?.delete(bind) !== true) return
    if (own.size === 0) this.#binds.delete(bind.userId)
    this.#lanes.get(bind.userId)?.binds.delete(bind)
    this.#turns.runSoon()
  }

  /** A response arrived after its time-out. */
  late(session: Session<Bind>, sequence: number, response: AnyPdu): void {
    const item = this.#late.get(lateId(session, sequence))
    if (item === undefined || response.status !== 0 || response.command === 'generic_nack') return
    this.#lanes.get(item.userId)?.addLate(item)
    this.#turns.runSoon()
  }

  async #turn(): Promise<{ pauseMs: number }> {
    await this.#flush()
    await this.#closeLanes()
    await this.#openLanes()
    const lanes = [...this.#lanes.values()]
    const isMore = await readNew(this.#deps, this.#lanesWithRoom(lanes))
    if (performance.now() - this.#dueAtMs > dueEveryMs) {
      this.#dueAtMs = performance.now()
      await readDue(
        this.#deps,
        lanes.filter((lane) => lane.hasRoom),
      )
      await this.#countWaiting(lanes)
    }
    for (const lane of lanes) lane.pump()
    if (isMore || lanes.some((lane) => lane.hasUnsaved)) return { pauseMs: 0 }
    return { pauseMs: this.#binds.size === 0 && lanes.length === 0 ? emptyTurnMs : pollMs }
  }

  /** The lanes that may read more. While all lanes together are at the memory limit, only empty ones may. */
  #lanesWithRoom(lanes: readonly ClientLane[]): ClientLane[] {
    const inMemoryCount = lanes.reduce((sum, { inHandCount }) => sum + inHandCount, 0)
    const laneMax = inMemoryCount > inMemoryMax ? 0 : Infinity
    return lanes.filter(
      (lane) => lane.hasRoom && lane.inHandCount <= laneMax && !this.#overWaitingMax.has(lane.userId),
    )
  }

  async #countWaiting(lanes: readonly ClientLane[]): Promise<void> {
    for (const lane of lanes) {
      if (!lane.hasAlert) continue
      const count = await waitingCount(this.#deps.db, lane.userId)
      lane.hasAlert = count > 0
      if (count > waitingMax) this.#overWaitingMax.add(lane.userId)
      else this.#overWaitingMax.delete(lane.userId)
    }
  }

  async #openLanes(): Promise<void> {
    for (const [userId, binds] of this.#binds) {
      const triedAtMs = this.#triedAtMs.get(userId) ?? -Infinity
      if (this.#lanes.has(userId) || performance.now() - triedAtMs < acquireEveryMs) continue
      this.#triedAtMs.set(userId, performance.now())
      const lease = await this.#deps.leases.acquire(`deliver:${userId}`)
      if (lease !== undefined) await this.#openLane(userId, lease, binds)
    }
  }

  async #openLane(userId: number, lease: Lease, binds: ReadonlySet<Bind>): Promise<void> {
    const { db, windowMax } = this.#deps
    try {
      const found = await readProgress(db, userId)
      if (found === undefined) await keepReceiver(db, userId)
      const progress = found ?? (await readProgress(db, userId))
      await makeDueNow(db, userId)
      const lane = new ClientLane({
        userId,
        lease,
        windowMax,
        readTo: parsePosition(progress?.position ?? '0') ?? positionBelow(0n),
        takenIds: progress?.takenIds ?? new Set(),
        onProgress: () => this.#turns.runSoon(),
        onTimeout: (bind, sequence, item) => this.#noteLate(bind, sequence, { userId, ...item }),
      })
      for (const bind of binds) lane.binds.add(bind)
      this.#lanes.set(userId, lane)
    } catch (error) {
      await lease.release()
      throw error
    }
  }

  /** Closes lanes whose lease is lost, and those without a bind here, so that another node may open them. */
  async #closeLanes(): Promise<void> {
    for (const [userId, lane] of this.#lanes) {
      const isLost = lane.lease.signal.aborted
      // An answer may have arrived while the last results were written: unsaved, its record would be delivered again.
      if (!isLost && (lane.binds.size > 0 || lane.hasUnsaved)) continue
      this.#lanes.delete(userId)
      this.#overWaitingMax.delete(userId)
      if (!isLost) await lane.lease.release()
    }
  }

  /** Writes all results so far in one transaction. After a failure they stay in their lanes for the next turn. */
  async #flush(): Promise<void> {
    const open = [...this.#lanes.values()].filter(({ lease }) => !lease.signal.aborted)
    const unsaved = open.flatMap((lane) => {
      const results = lane.results()
      return results === undefined ? [] : [{ lane, results }]
    })
    if (unsaved.length === 0) return
    const saved = await transaction(this.#deps.db, async (tx) => {
      const ours = await fenceAll(
        tx,
        unsaved.map(({ lane }) => lane.lease),
      )
      const valid = unsaved.filter(({ lane }) => ours.has(lane.lease.name))
      await write(
        tx,
        valid.map(({ results }) => results),
      )
      return valid
    })
    for (const { lane, results } of saved) {
      lane.committed(results)
      count(results)
    }
  }

  #noteLate(bind: Bind, sequence: number, item: LateDelivery): void {
    this.#late.set(lateId(bind.session, sequence), item)
    const [oldest] = this.#late.keys()
    if (this.#late.size > lateMax && oldest !== undefined) this.#late.delete(oldest)
  }
}

function lateId(session: Pick<Session<Bind>, 'id'>, sequence: number): string {
  return `${session.id} ${sequence}`
}

/** Writes the results of several lanes. A record is reported as soon as one channel of its client accepted it. */
async function write(tx: Db, results: readonly LaneResults[]): Promise<void> {
  if (results.length === 0) return
  const accepted = results.flatMap((each) => each.accepted)
  await changeRecords(tx, accepted, {
    status: 'reported',
    clientReport: 'reported',
    from: ['pending', 'in_progress', 'completed', 'failed', 'no_report'],
  })
  const rows = lastOfEach(results.flatMap((each) => each.rows))
  if (rows.length > 0) await saveResults(tx, rows)
  const recordsIn = (status: DeliveryResult['status']) =>
    rows.filter((each) => each.kind === 'record' && each.status === status).map(({ key }) => key)
  await changeRecords(tx, recordsIn('pending'), { status: 'in_progress', from: ['pending'] })
  await changeRecords(tx, recordsIn('failed'), {
    status: 'failed',
    clientReport: 'failed',
    from: ['pending', 'in_progress'],
  })
  const moved = results.flatMap(({ progress }) => progress ?? [])
  if (moved.length > 0) await saveProgress(tx, moved)
}

/** Joins the results of each delivery: the last status counts, and one attempt among them makes it an attempt. */
function lastOfEach(results: readonly DeliveryResult[]): DeliveryResult[] {
  const last = new Map<string, DeliveryResult>()
  for (const each of results) {
    const id = `${each.kind} ${each.key.recordId}`
    const before = last.get(id)
    if (before?.status === 'delivered') continue
    last.set(id, { ...each, isTried: each.isTried || before?.isTried === true })
  }
  return [...last.values()]
}

function count({ accepted, rows }: LaneResults): void {
  if (accepted.length > 0) deliveries.inc({ kind: 'record', outcome: 'taken' }, accepted.length)
  for (const { kind, status, isTried } of rows)
    if (isTried && (kind === 'receipt' || status !== 'delivered'))
      deliveries.inc({ kind, outcome: outcomes[status] })
}

const outcomes = { pending: 'refused', delivered: 'taken', failed: 'failed' } as const
