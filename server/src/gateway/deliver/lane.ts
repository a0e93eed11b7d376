// One client's lane at the node that delivers to it: what was read from the log, what is in flight, and the results.
import type { DefaultAlphabet } from '@tollgate/smpp/text/alphabet.ts'
import type { SendOutcome } from '@tollgate/smpp/session/session-types.ts'
import { takesTlvs } from '@tollgate/smpp/values/interface-version.ts'
import type { Lease } from '../../platform/work/leases.ts'
import {
  comparePositions,
  formatPosition,
  type LogPosition,
  type RecordKey,
  type IdStyle,
} from '../../ingest/index.ts'
import type { Bind } from '../binds/bind.ts'
import type { DeliverSm } from './deliver-sm.ts'
import type { DeliveryKind, LaneProgress, LaneProgressUpdate, DeliveryResult } from './store.ts'
import { judge, retryPauseMs, type SendVerdict } from './verdict.ts'

/** One delivery in memory. */
interface LaneItem {
  readonly kind: DeliveryKind
  readonly key: RecordKey
  readonly deliverSm: DeliverSm
  /** Its position in the log; undefined when it was read from its row in bind_deliveries. */
  readonly position: LogPosition | undefined
  /** Earlier attempts. */
  readonly attempts: number
  /** Not to be sent from then on; undefined for no such time. */
  readonly expiresAtMs?: number | undefined
  /** Its turn: what was taken earlier is sent earlier, also when its session was lost. */
  readonly turn: number
  hasRow: boolean
  state: 'ready' | 'sent' | 'over'
  sentAtMs: number
}

type NewLaneItem = Pick<
  LaneItem,
  'kind' | 'key' | 'deliverSm' | 'position' | 'attempts' | 'hasRow' | 'expiresAtMs'
>

/** What is kept of a record that was read from the log, until the saved position is past it. */
type LogItem = Pick<LaneItem, 'kind' | 'key' | 'position' | 'hasRow' | 'state' | 'sentAtMs'>

/** Results to be written in one transaction, because the saved position moves past the records that they are about. */
export interface LaneResults {
  readonly accepted: readonly RecordKey[]
  readonly rows: readonly DeliveryResult[]
  /** Undefined when the position has not moved. */
  readonly progress: LaneProgressUpdate | undefined
}

interface ClientLaneOptions {
  readonly userId: number
  readonly lease: Lease
  readonly readTo: LogPosition
  readonly takenIds: LaneProgress['takenIds']
  readonly windowMax: number
  /** A delivery ended: there may be results to write and room for more. */
  readonly onProgress: () => void
  readonly onTimeout: (bind: Bind, sequence: number, item: { kind: DeliveryKind; key: RecordKey }) => void
}

// Reading ahead for a fast client. A slow client reads no further: its records wait in the log.
const inHandMax = 3_000
const refillBelow = 1_500
// An unanswered delivery gets a row of its own after this time, so that the saved position can move past it.
const parkAfterMs = 2_000
const parkedForMs = 90_000
const busyPauseMs = 1_000
// The log's end moves with every transaction of the database. Saving it each time would itself be such a transaction.
const saveEachXids = 10_000n

const takesWhole = ({ session }: Bind): boolean => takesTlvs(session.interfaceVersion)

export class ClientLane {
  readonly userId: number
  readonly lease: Lease
  readonly binds = new Set<Bind>()
  /** The log has been read up to this position. */
  readTo: LogPosition
  isAtEnd = false
  /** How many records of the log to scan at once. */
  pageSize = 2_000
  readonly #options: ClientLaneOptions
  /** Items read from the log, in its order. */
  #fromLog: LogItem[] = []
  /** In the order of their turns. */
  #ready: LaneItem[] = []
  #nextTurn = 1
  readonly #inHand = new Map<string, LaneItem>()
  /** Taken by a lane before this one, and not read yet. */
  readonly #unreadTakenIds: Set<number>
  #accepted: RecordKey[] = []
  #rows: DeliveryResult[] = []
  #savedPosition: string
  #savedXid: bigint
  #pausedUntilMs = 0

  constructor(options: ClientLaneOptions) {
    this.#options = options
    this.userId = options.userId
    this.lease = options.lease
    this.readTo = options.readTo
    this.#unreadTakenIds = new Set(options.takenIds)
    this.#savedPosition = formatPosition(options.readTo)
    this.#savedXid = options.readTo.xid
  }

  get hasRoom(): boolean {
    return this.#inHand.size < refillBelow && this.#rows.length < inHandMax
  }

  /** Whether there are results that are not written yet. */
  get hasUnsaved(): boolean {
    return this.#accepted.length + this.#rows.length > 0
  }

  /** Whether a delivery failed lately, so that records may wait for another attempt. */
  hasAlert = true

  /** The form of message ids of one of its binds. */
  get idStyle(): IdStyle | undefined {
    for (const { idStyle } of this.binds) return idStyle
    return undefined
  }

  /** The client's data_coding 0; undefined without a bind. */
  get alphabet(): DefaultAlphabet | undefined {
    for (const { treatment } of this.binds) return treatment.defaultAlphabet
    return undefined
  }

  get inHandCount(): number {
    return this.#inHand.size
  }

  get inHandIds(): number[] {
    return [...this.#inHand.values()].filter(({ hasRow }) => hasRow).map(({ key }) => key.recordId)
  }

  /** Called once for each record read from the log. False when it was read or taken before. */
  takes(position: LogPosition, key: RecordKey): boolean {
    if (comparePositions(position, this.readTo) <= 0) return false
    if (!this.#unreadTakenIds.delete(key.recordId)) return true
    this.#leaveOut(position, key)
    return false
  }

  /** Notes that a lane which reads the log again from before this record must not deliver it. */
  #leaveOut(position: LogPosition, key: RecordKey): void {
    this.#fromLog.push({ kind: 'record', key, position, hasRow: true, state: 'over', sentAtMs: 0 })
  }

  add(added: NewLaneItem): void {
    const id = idOf(added)
    if (this.#inHand.has(id)) return
    const item: LaneItem = { ...added, turn: this.#nextTurn, state: 'ready', sentAtMs: 0 }
    this.#nextTurn += 1
    this.#inHand.set(id, item)
    if (item.position !== undefined) this.#fromLog.push(item)
    this.#ready.push(item)
  }

  /** Records the failure of a delivery that cannot be sent at all. */
  addFailed(added: Omit<NewLaneItem, 'deliverSm'>, error: string): void {
    const row = { ...added, userId: this.userId, status: 'failed' as const, nextAttemptAt: new Date() }
    this.#rows.push({ ...row, isTried: false, error })
  }

  /** Leaves a record until its time has come; then it is read from its row. */
  addScheduled(key: RecordKey, position: LogPosition, deliverAtMs: number): void {
    // Its row delivers it.
    this.#leaveOut(position, key)
    this.#rows.push({
      userId: this.userId,
      kind: 'record',
      key,
      status: 'pending',
      isTried: false,
      nextAttemptAt: new Date(deliverAtMs),
      error: 'Scheduled by its sender.',
    })
  }

  /** Records the acceptance of a delivery that had timed out. */
  addLate(item: { kind: DeliveryKind; key: RecordKey }): void {
    if (item.kind === 'record') this.#accepted.push(item.key)
    this.#settle(item, 'delivered', { isTried: false })
  }

  /** Sends as much as the windows of the binds allow. */
  pump(): void {
    const nowMs = Date.now()
    if (nowMs < this.#pausedUntilMs) return
    let sent = 0
    for (const item of this.#ready) {
      // Its record is marked as expired by the upkeep.
      if ((item.expiresAtMs ?? Infinity) <= nowMs) {
        this.#expire(item)
        sent += 1
        continue
      }
      const bind = this.#bindFor(item.deliverSm)
      if (bind === undefined) break
      sent += 1
      if (bind === 'none') this.#end(item, { kind: 'failed', error: 'The text is too long for SMPP 3.3.' })
      else this.#send(bind, item, nowMs)
    }
    if (sent > 0) this.#ready.splice(0, sent)
  }

  #expire(item: LaneItem): void {
    item.state = 'over'
    // There is no result to write, and what stays in hand would leave no room for others.
    this.#inHand.delete(idOf(item))
  }

  /** The bind with the most room; undefined when none has room now, 'none' when no bind of the client can carry it. */
  #bindFor({ needsTlvs, parts }: DeliverSm): Bind | 'none' | undefined {
    let best: Bind | undefined
    let bestRoom = 0
    let canCarry = false
    const goesWhole = parts.length === 0 || this.#isBound(takesWhole)
    for (const bind of this.binds) {
      const { session } = bind
      if (session.state !== 'bound') continue
      if (needsTlvs && goesWhole && !takesWhole(bind)) continue
      canCarry = true
      const room =
        Math.min(this.#options.windowMax, bind.treatment.deliveryWindow) -
        session.inFlightCount -
        session.queuedCount
      if (room > bestRoom) [best, bestRoom] = [bind, room]
    }
    if (best !== undefined) return best
    return needsTlvs && !canCarry && this.#isBound() ? 'none' : undefined
  }

  #isBound(isSuch: (bind: Bind) => boolean = () => true): boolean {
    return [...this.binds].some((bind) => bind.session.state === 'bound' && isSuch(bind))
  }

  #send(bind: Bind, item: LaneItem, nowMs: number): void {
    item.state = 'sent'
    item.sentAtMs = nowMs
    const { needsTlvs, parts } = item.deliverSm
    if (needsTlvs && !takesWhole(bind)) {
      void this.#sendParts(bind, item, parts)
      return
    }
    void bind.session.send('deliver_sm', item.deliverSm.body).then((outcome) => {
      if (outcome.kind === 'timeout') this.#options.onTimeout(bind, outcome.sequence, item)
      this.#answered(item, outcome)
    })
  }

  /** Part after part, each when the one before was taken, and none after the validity has ended. */
  async #sendParts(bind: Bind, item: LaneItem, parts: DeliverSm['parts']): Promise<void> {
    let outcome: SendOutcome = { kind: 'closed', wasSent: false }
    for (const part of parts) {
      if ((item.expiresAtMs ?? Infinity) <= Date.now()) {
        this.#expire(item)
        this.#options.onProgress()
        return
      }
      outcome = await bind.session.send('deliver_sm', part)
      if (judge(outcome).kind !== 'accepted') break
    }
    this.#answered(item, outcome)
  }

  #answered(item: LaneItem, outcome: SendOutcome): void {
    const verdict = judge(outcome)
    if (verdict.kind === 'lost') {
      item.state = 'ready'
      const later = this.#ready.findIndex(({ turn }) => turn > item.turn)
      this.#ready.splice(later === -1 ? this.#ready.length : later, 0, item)
    } else {
      if (verdict.kind === 'retry' && verdict.isBusy) this.#pausedUntilMs = Date.now() + busyPauseMs
      this.#end(item, verdict)
      this.pump()
    }
    this.#options.onProgress()
  }

  #end(item: LaneItem, verdict: Exclude<SendVerdict, { kind: 'lost' }>): void {
    item.state = 'over'
    if (verdict.kind === 'accepted') {
      if (item.kind === 'record') this.#accepted.push(item.key)
      if (item.hasRow) this.#settle(item, 'delivered', { isTried: true })
    } else if (verdict.kind === 'failed') {
      this.#settle(item, 'failed', { isTried: true, error: verdict.error })
    } else {
      const waitMs = retryPauseMs(item.attempts + 1, Math.random())
      this.#settle(item, 'pending', { isTried: true, error: verdict.error, waitMs })
    }
  }

  #settle(
    { kind, key }: { kind: DeliveryKind; key: RecordKey },
    status: DeliveryResult['status'],
    { isTried, error = '', waitMs = 0 }: { isTried: boolean; error?: string; waitMs?: number },
  ): void {
    const nextAttemptAt = new Date(Date.now() + waitMs)
    if (kind === 'record' && status === 'pending') this.hasAlert = true
    this.#rows.push({ userId: this.userId, kind, key, status, isTried, nextAttemptAt, error })
  }

  /** The results to write. Call {@link committed} with them after the commit. */
  results(): LaneResults | undefined {
    this.#parkSlow()
    const accepted = [...this.#accepted]
    const rows = [...this.#rows]
    const progress = this.#progress(accepted.length + rows.length > 0)
    if (accepted.length + rows.length === 0 && progress === undefined) return undefined
    return { accepted, rows, progress }
  }

  #parkSlow(): void {
    const sinceMs = Date.now() - parkAfterMs
    for (const item of this.#fromLog) {
      if (item.state !== 'sent' || item.hasRow || item.sentAtMs > sinceMs) continue
      item.hasRow = true
      this.#settle(item, 'pending', { isTried: false, error: 'Not answered yet.', waitMs: parkedForMs })
    }
  }

  #progress(hasResults: boolean): LaneProgressUpdate | undefined {
    const open = this.#fromLog.findIndex((item) => !isSafe(item))
    const behind = open === -1 ? this.readTo : (this.#fromLog[open - 1]?.position ?? undefined)
    const position = behind === undefined ? this.#savedPosition : formatPosition(behind)
    const isWorthIt = hasResults || (behind?.xid ?? 0n) - this.#savedXid > saveEachXids
    if (position === this.#savedPosition ? !hasResults : !isWorthIt) return undefined
    // At the log's end nothing is unread: what was not met is no longer in the log.
    if (this.isAtEnd) this.#unreadTakenIds.clear()
    const readTaken = open === -1 ? [] : this.#fromLog.slice(open).filter(isSafe)
    const takenIds = [...readTaken.map(({ key }) => key.recordId), ...this.#unreadTakenIds]
    return { userId: this.userId, position, takenIds }
  }

  committed({ accepted, rows, progress }: LaneResults): void {
    this.#accepted = this.#accepted.slice(accepted.length)
    this.#rows = this.#rows.slice(rows.length)
    if (progress !== undefined) {
      this.#savedPosition = progress.position
      this.#savedXid = BigInt(progress.position.split('-')[0] ?? 0)
    }
    // Deliveries that ended during the write are not saved yet, so they stay in memory.
    const unsaved = new Set([
      ...this.#accepted.map((key) => idOf({ kind: 'record', key })),
      ...this.#rows.map(idOf),
    ])
    for (const [id, item] of this.#inHand)
      if (item.state === 'over' && !unsaved.has(id)) this.#inHand.delete(id)
    const open = this.#fromLog.findIndex((item) => this.#inHand.has(idOf(item)))
    this.#fromLog = open === -1 ? [] : this.#fromLog.slice(open)
  }
}

/** Whether the saved position may move past it: it is over, or has a row of its own. */
function isSafe({ state, hasRow }: LogItem): boolean {
  return state === 'over' || hasRow
}

function idOf({ kind, key }: { readonly kind: DeliveryKind; readonly key: RecordKey }): string {
  return `${kind} ${key.recordId}`
}
