// One client's line at the node that delivers to it: what was read of the log, what is on its way, what came of it.
import type { SendOutcome } from '@tollgate/smpp/session/handlers.ts'
import { takesTlvs } from '@tollgate/smpp/values/interface-version.ts'
import type { Lease } from '../../platform/leases.ts'
import { comparePlaces, writePlace, type LogPlace, type RecordKey } from '../../records/index.ts'
import type { Bind } from '../binds/bind.ts'
import type { Outgoing } from './deliver-sm.ts'
import type { DeliveryKind, Progress, ProgressToSave, Settled } from './store.ts'
import { judge, pauseMs, type Verdict } from './verdict.ts'

/** One delivery in hand. */
interface Item {
  readonly kind: DeliveryKind
  readonly key: RecordKey
  readonly outgoing: Outgoing
  /** Where it stands in the log; undefined for one that came by its row. */
  readonly place: LogPlace | undefined
  /** Tries before this one. */
  readonly attempts: number
  hasRow: boolean
  state: 'ready' | 'sent' | 'over'
  sentAtMs: number
}

export type NewItem = Pick<Item, 'kind' | 'key' | 'outgoing' | 'place' | 'attempts' | 'hasRow'>

/** What is to be written down: all of it in one transaction, since the place moves beyond what the rest tells of. */
export interface Results {
  readonly taken: readonly RecordKey[]
  readonly settled: readonly Settled[]
  /** Undefined when the line has not moved on. */
  readonly progress: ProgressToSave | undefined
}

export interface LaneOptions {
  readonly userId: number
  readonly lease: Lease
  readonly readTo: LogPlace
  readonly takenIds: Progress['takenIds']
  readonly windowMax: number
  /** Something came to an end: there may be results to write and room to fill. */
  readonly onNews: () => void
  readonly onTimeout: (bind: Bind, sequence: number, item: { kind: DeliveryKind; key: RecordKey }) => void
}

// Read ahead for a fast client; beyond it the log waits, which is what holds the line while a client is slow.
const inHandMax = 3_000
const hungryBelow = 1_500
// One that is answered late must not keep the place of a thousand behind it: it gets a row of its own.
const parkAfterMs = 2_000
const parkedForMs = 90_000
const busyPauseMs = 1_000
// The place alone moves with every transaction of the database; writing that down each time would itself move it.
const saveEachXids = 10_000n

export class Lane {
  readonly userId: number
  readonly lease: Lease
  readonly binds = new Set<Bind>()
  /** The log is read up to here. */
  readTo: LogPlace
  isAtEnd = false
  /** How many records of the log to look through at once. */
  stride = 2_000
  readonly #options: LaneOptions
  /** Of the log, in its order. */
  #fresh: Item[] = []
  #ready: Item[] = []
  readonly #inHand = new Map<string, Item>()
  #taken: RecordKey[] = []
  #settled: Settled[] = []
  #savedPlace: string
  #savedXid: bigint
  #pausedUntilMs = 0

  constructor(options: LaneOptions) {
    this.#options = options
    this.userId = options.userId
    this.lease = options.lease
    this.readTo = options.readTo
    this.#savedPlace = writePlace(options.readTo)
    this.#savedXid = options.readTo.xid
  }

  get isHungry(): boolean {
    return this.#inHand.size < hungryBelow && this.#settled.length < inHandMax
  }

  /** Whether there are answers that are not written down. */
  get hasUntold(): boolean {
    return this.#taken.length + this.#settled.length > 0
  }

  /** Whether anything went wrong lately, so that more may be waiting for another try. */
  hasTrouble = true

  get inHandCount(): number {
    return this.#inHand.size
  }

  get inHandIds(): number[] {
    return [...this.#inHand.values()].filter(({ hasRow }) => hasRow).map(({ key }) => key.recordId)
  }

  /** Whether the log's event is news to this line. */
  wants(place: LogPlace, recordId: number): boolean {
    return comparePlaces(place, this.readTo) > 0 && !this.#options.takenIds.has(recordId)
  }

  add(added: NewItem): void {
    const id = idOf(added)
    if (this.#inHand.has(id)) return
    const item: Item = { ...added, state: 'ready', sentAtMs: 0 }
    this.#inHand.set(id, item)
    if (item.place !== undefined) this.#fresh.push(item)
    this.#ready.push(item)
  }

  /** Notes one that cannot be sent at all. */
  addFailed(added: Omit<NewItem, 'outgoing'>, error: string): void {
    const row = { ...added, userId: this.userId, status: 'failed' as const, nextAttemptAt: new Date() }
    this.#settled.push({ ...row, isTried: false, error })
  }

  /** Notes the answer to one whose time had run out. */
  addLate(item: { kind: DeliveryKind; key: RecordKey }): void {
    if (item.kind === 'record') this.#taken.push(item.key)
    this.#settle(item, 'delivered', { isTried: false })
  }

  /** Sends as much as the binds' windows take. */
  pump(): void {
    const nowMs = Date.now()
    if (nowMs < this.#pausedUntilMs) return
    let sent = 0
    for (const item of this.#ready) {
      const bind = this.#bindFor(item.outgoing)
      if (bind === undefined) break
      sent += 1
      if (bind === 'none') this.#end(item, { kind: 'failed', error: 'The text is too long for SMPP 3.3.' })
      else this.#send(bind, item, nowMs)
    }
    if (sent > 0) this.#ready.splice(0, sent)
  }

  /** The bind with the most room; undefined when there is none now, 'none' when no bind of this client can carry it. */
  #bindFor({ needsTlvs }: Outgoing): Bind | 'none' | undefined {
    let best: Bind | undefined
    let bestRoom = 0
    let canCarry = false
    for (const bind of this.binds) {
      const { session } = bind
      if (session.state !== 'bound') continue
      if (needsTlvs && !takesTlvs(session.interfaceVersion)) continue
      canCarry = true
      const room = this.#options.windowMax - session.inFlightCount - session.queuedCount
      if (room > bestRoom) [best, bestRoom] = [bind, room]
    }
    if (best !== undefined) return best
    return needsTlvs && !canCarry && this.#isBound() ? 'none' : undefined
  }

  #isBound(): boolean {
    return [...this.binds].some(({ session }) => session.state === 'bound')
  }

  #send(bind: Bind, item: Item, nowMs: number): void {
    item.state = 'sent'
    item.sentAtMs = nowMs
    void bind.session.send('deliver_sm', item.outgoing.body).then((outcome) => {
      if (outcome.kind === 'timeout') this.#options.onTimeout(bind, outcome.sequence, item)
      this.#answered(item, outcome)
    })
  }

  #answered(item: Item, outcome: SendOutcome): void {
    const verdict = judge(outcome)
    if (verdict.kind === 'lost') {
      item.state = 'ready'
      this.#ready.unshift(item)
    } else {
      if (verdict.kind === 'again' && verdict.isBusy) this.#pausedUntilMs = Date.now() + busyPauseMs
      this.#end(item, verdict)
      this.pump()
    }
    this.#options.onNews()
  }

  #end(item: Item, verdict: Exclude<Verdict, { kind: 'lost' }>): void {
    item.state = 'over'
    if (verdict.kind === 'taken') {
      if (item.kind === 'record') this.#taken.push(item.key)
      if (item.hasRow) this.#settle(item, 'delivered', { isTried: true })
    } else if (verdict.kind === 'failed') {
      this.#settle(item, 'failed', { isTried: true, error: verdict.error })
    } else {
      const waitMs = pauseMs(item.attempts + 1, Math.random())
      this.#settle(item, 'pending', { isTried: true, error: verdict.error, waitMs })
    }
  }

  #settle(
    { kind, key }: { kind: DeliveryKind; key: RecordKey },
    status: Settled['status'],
    { isTried, error = '', waitMs = 0 }: { isTried: boolean; error?: string; waitMs?: number },
  ): void {
    const nextAttemptAt = new Date(Date.now() + waitMs)
    if (kind === 'record' && status === 'pending') this.hasTrouble = true
    this.#settled.push({ userId: this.userId, kind, key, status, isTried, nextAttemptAt, error })
  }

  /** What there is to write down; call {@link Results} `committed` with it once it is. */
  results(): Results | undefined {
    this.#parkSlow()
    const taken = [...this.#taken]
    const settled = [...this.#settled]
    const progress = this.#progress(taken.length + settled.length > 0)
    if (taken.length + settled.length === 0 && progress === undefined) return undefined
    return { taken, settled, progress }
  }

  #parkSlow(): void {
    const sinceMs = Date.now() - parkAfterMs
    for (const item of this.#fresh) {
      if (item.state !== 'sent' || item.hasRow || item.sentAtMs > sinceMs) continue
      item.hasRow = true
      this.#settle(item, 'pending', { isTried: false, error: 'Not answered yet.', waitMs: parkedForMs })
    }
  }

  #progress(hasResults: boolean): ProgressToSave | undefined {
    const open = this.#fresh.findIndex((item) => !isSafe(item))
    const behind = open === -1 ? this.readTo : (this.#fresh[open - 1]?.place ?? undefined)
    const place = behind === undefined ? this.#savedPlace : writePlace(behind)
    const isWorthIt = hasResults || (behind?.xid ?? 0n) - this.#savedXid > saveEachXids
    if (place === this.#savedPlace ? !hasResults : !isWorthIt) return undefined
    const takenIds =
      open === -1
        ? []
        : this.#fresh
            .slice(open)
            .filter(isSafe)
            .map(({ key }) => key.recordId)
    return { userId: this.userId, place, takenIds }
  }

  committed({ taken, settled, progress }: Results): void {
    this.#taken = this.#taken.slice(taken.length)
    this.#settled = this.#settled.slice(settled.length)
    if (progress !== undefined) {
      this.#savedPlace = progress.place
      this.#savedXid = BigInt(progress.place.split('-')[0] ?? 0)
    }
    // What ended while this was being written is still to be told; it stays in hand until then.
    const untold = new Set([
      ...this.#taken.map((key) => idOf({ kind: 'record', key })),
      ...this.#settled.map(idOf),
    ])
    for (const [id, item] of this.#inHand)
      if (item.state === 'over' && !untold.has(id)) this.#inHand.delete(id)
    const open = this.#fresh.findIndex((item) => this.#inHand.has(idOf(item)))
    this.#fresh = open === -1 ? [] : this.#fresh.slice(open)
  }
}

/** Whether the place may move beyond it: it is over, or has a row that remembers it. */
function isSafe({ state, hasRow }: Item): boolean {
  return state === 'over' || hasRow
}

function idOf({ kind, key }: { readonly kind: DeliveryKind; readonly key: RecordKey }): string {
  return `${kind} ${key.recordId}`
}
