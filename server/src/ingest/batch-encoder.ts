// Prices a batch of messages and writes the protocol messages that store it in one transaction. Nearly all of the work
// of Node.js for a stored message happens here, so the loop creates no objects.
import { recordSources, recordStatuses, settlements } from '@tollgate/contract/vocabulary.ts'
import type { SegmentPosition } from '@tollgate/smpp/text/segment-position.ts'
import { parseUdh } from '@tollgate/smpp/text/udh.ts'
import { hasUdh } from '@tollgate/smpp/values/esm-class.ts'
import type { CatalogEntry } from '../numbers/index.ts'
import type { Secrets } from '../platform/security/secrets.ts'
import type { Pricing } from '../rates/index.ts'
import { appendBody, beginBodies, encryptionContextOf } from './body-layout.ts'
import { recordFlags, type IngestMessage, type RefusalReason } from './message.ts'
import { PeerIdsBuffer } from './peer-ids.ts'
import {
  batchStatement,
  commitStatement,
  gateStatement,
  ledgerStatement,
  recordsStatement,
  countersStatement,
  timesStatement,
  type Statement,
} from './statements.ts'
import { CounterBuffer } from './counter-buffer.ts'
import { smsCountOf } from './sms-count.ts'
import { TimesBuffer } from './times-buffer.ts'
import { beginCopyData, endCopyData, postgresMicroseconds, WireWriter } from './wire.ts'

export interface EncoderOptions {
  readonly pricing: Pricing
  readonly secrets: Pick<Secrets, 'encrypt'>
  /** Whether the client receives its records over SMPP or HTTP. */
  readonly hasDelivery: (clientId: number) => boolean
  /** False: bodies are not kept. */
  readonly keepsBodies: () => boolean
  /** Whether records are spread over servers: each row then names its batch. */
  readonly isSpread: () => boolean
  readonly nowMs: () => number
}

/** The cycle that is open, and when it began. */
export interface OpenCycle {
  readonly id: number
  readonly startsAtMs: number
}

export interface EncodeOptions {
  readonly messages: readonly IngestMessage[]
  /** For each message, recordFlags to add. */
  readonly extraFlags: readonly number[]
  readonly batchId: number
  readonly cycle: OpenCycle
  /**
   * `gated`: enters the gate and commits, all in one implicit transaction. `begun`: runs within an open transaction that
   * has the gate, and commits it. `inside`: the same, but the caller commits, and the connection has no prepared
   * statements.
   */
  readonly mode: 'gated' | 'begun' | 'inside'
  /** Whether the database answers everything before the commit at once, so that the commit can be timed. */
  readonly isTimed?: boolean
}

/** A record's id is its batch's id times this, plus its index in the batch. */
export const recordsPerBatchId = 4096

const statusPending = recordStatuses.indexOf('pending')
const statusCompleted = recordStatuses.indexOf('completed')
const settledNowhere = settlements.indexOf('none')
const settledInBill = settlements.indexOf('bill')
const settledInPayout = settlements.indexOf('payout')
const hourMs = 3_600_000
const int2TypeId = 21
const int4TypeId = 23
const int8TypeId = 20

// Count of fields, then five int8, three int4 and five int2 with their sizes.
const fixedRowSize = 2 + 5 * 12 + 3 * 8 + 5 * 6
const fieldCount = 21
const rowTemplate = makeRowTemplate()

function makeRowTemplate(): Buffer {
  const out = new WireWriter(fixedRowSize)
  out.int16(fieldCount)
  for (const size of [8, 8, 8, 8, 8, 4, 4, 4, 2, 2, 2, 2, 2]) {
    out.int32(size)
    out.length += size
  }
  return out.bytes.fill(0, out.length)
}

/** Each writer has one: it reuses its buffers from batch to batch. */
export class BatchEncoder {
  readonly #options: EncoderOptions
  readonly #wire = new WireWriter(512 * 1024)
  readonly #bodies = new WireWriter(256 * 1024)
  readonly #peerIds = new PeerIdsBuffer()
  readonly #counters = new CounterBuffer()
  readonly #earnings = new Map<number, number>()
  readonly #clients = new Set<number>()
  readonly #times = new TimesBuffer()
  /** The messages that got a row, in the order of their record ids. */
  readonly stored: IngestMessage[] = []
  /** Messages whose number was removed while they waited. */
  readonly refused: IngestMessage[] = []
  readonly refusedWhy: RefusalReason[] = []
  /** Stored messages by source and status: `source * 8 + status`. */
  readonly counts = new Int32Array(recordSources.length * 8)
  readonly #priced = {
    clientId: 0,
    rateId: 0,
    billMicro: 0,
    amountMicro: 0,
    smsCount: 0,
    settlement: 0,
    status: 0,
  }
  #createdFromMs = 0
  #createdToMs = 0
  #flags = 0

  constructor(options: EncoderOptions) {
    this.#options = options
  }

  /**
   * Gives the bytes to send, valid until the next call; undefined when no message is left to store. {@link stored} and
   * {@link refused} then say which messages have a row.
   */
  encode(request: EncodeOptions): Buffer | undefined {
    const wire = this.#wire
    wire.length = 0
    this.#begin()
    if (request.mode === 'gated') this.#gate(request)
    this.#bindStatement(recordsStatement(this.#options.isSpread()), request)
    wire.execute()
    beginCopyData(wire)
    this.#rows(request)
    endCopyData(wire)
    if (this.stored.length === 0) return undefined
    this.#batchRow(request)
    this.#counterRow(request)
    this.#earningsRow(request)
    this.#timesRows(request)
    if (request.mode === 'begun') {
      wire.bind(commitStatement.name, 0, () => undefined)
      wire.execute()
    }
    // Flush: without it the server sends its answers only at the end.
    if (request.isTimed === true) wire.signal('H')
    // Sync: in an implicit transaction this commits.
    wire.signal('S')
    return wire.bytes.subarray(0, wire.length)
  }

  #begin(): void {
    this.stored.length = 0
    this.refused.length = 0
    this.refusedWhy.length = 0
    this.counts.fill(0)
    this.#counters.clear()
    this.#createdFromMs = Infinity
    this.#createdToMs = -Infinity
    this.#flags = 0
    this.#clients.clear()
    this.#times.clear()
    this.#peerIds.clear()
    beginBodies(this.#bodies)
  }

  #bindStatement(
    statement: Statement,
    { mode }: EncodeOptions,
    parameterCount = 0,
    write = () => undefined as void,
  ): void {
    if (mode === 'inside') this.#wire.parse('', statement.text)
    this.#wire.bind(mode === 'inside' ? '' : statement.name, parameterCount, write)
  }

  #gate(request: EncodeOptions): void {
    const wire = this.#wire
    this.#bindStatement(gateStatement, request, 2, () => {
      wire.reserve(24)
      wire.int32(8)
      wire.int64(Number(this.#options.pricing.version))
      wire.int32(4)
      wire.int32(request.cycle.id)
    })
    wire.execute()
  }

  #rows({ messages, extraFlags, batchId, cycle }: EncodeOptions): void {
    const { pricing, keepsBodies, nowMs } = this.#options
    const isKeepingBodies = keepsBodies()
    const firstId = batchId * recordsPerBatchId
    const updatedAt = postgresMicroseconds(nowMs())
    for (let index = 0; index < messages.length; index += 1) {
      const message = messages[index]
      if (message === undefined) continue
      const { createdAtMs, esmClass } = message
      const entry = pricing.find(message.digits, createdAtMs)
      if (entry === undefined || entry.status !== 'active') {
        this.refused.push(message)
        this.refusedWhy.push(entry === undefined ? 'unknown' : 'suspended')
        continue
      }
      const recordId = firstId + this.stored.length
      const position = hasUdh(esmClass) ? parseUdh(message.body).position : undefined
      const isSegment = position !== undefined && position.total > 1
      this.#price(entry, createdAtMs, smsCountOf(message, isSegment))
      const isTimed = this.#priced.status === statusPending && this.#times.add(message, recordId)
      const flags =
        message.flags |
        (extraFlags[index] ?? 0) |
        (createdAtMs < cycle.startsAtMs ? recordFlags.late : 0) |
        (isSegment ? recordFlags.segment : 0) |
        (isTimed ? recordFlags.hasTimes : 0)
      this.#row(message, entry, recordId, updatedAt, cycle.id, flags, position)
      this.#count(message, entry)
      this.#flags |= flags
      if (this.#priced.clientId !== 0) this.#clients.add(this.#priced.clientId)
      if (isKeepingBodies) appendBody(this.#bodies, message)
      this.#peerIds.add(message)
      this.stored.push(message)
    }
  }

  /**
   * Computes who earns what by the message; the result is left in {@link #priced}. A message counts
   * as the SMS that it fills (decision 64); a client earns nothing by one that counts as none.
   */
  #price(entry: CatalogEntry, atMs: number, smsCount: number): void {
    const priced = this.#priced
    const clientId = entry.holderAt(atMs)
    priced.clientId = clientId
    priced.smsCount = smsCount
    priced.billMicro = entry.tariffAt(atMs) * smsCount
    priced.status = clientId !== 0 && this.#options.hasDelivery(clientId) ? statusPending : statusCompleted
    if (clientId === 0 || smsCount === 0) {
      priced.rateId = 0
      priced.amountMicro = 0
      priced.settlement = settledNowhere
      return
    }
    const rate = this.#options.pricing.rateFor(entry, clientId, atMs)
    priced.rateId = rate.rateId
    priced.amountMicro = rate.rateMicro * smsCount
    priced.settlement = rate.from === 'number' ? settledInPayout : settledInBill
  }

  /** A test is no traffic, so no counter has it (decision 79). */
  #count({ createdAtMs, gatewayId, source, flags }: IngestMessage, { rangeId }: CatalogEntry): void {
    const { clientId, settlement, status, billMicro, amountMicro } = this.#priced
    const hour = Math.floor(createdAtMs / hourMs)
    if ((flags & recordFlags.test) === 0)
      this.#counters.add(hour, clientId, rangeId, gatewayId, settlement * 8 + status, billMicro, amountMicro)
    if (createdAtMs < this.#createdFromMs) this.#createdFromMs = createdAtMs
    if (createdAtMs > this.#createdToMs) this.#createdToMs = createdAtMs
    const counter = recordSources.indexOf(source) * 8 + status
    this.counts[counter] = (this.counts[counter] ?? 0) + 1
  }

  /** One row of {@link recordsStatement}. */
  #row(
    message: IngestMessage,
    entry: CatalogEntry,
    recordId: number,
    updatedAt: number,
    cycleId: number,
    flags: number,
    position: SegmentPosition | undefined,
  ): void {
    const wire = this.#wire
    const priced = this.#priced
    wire.reserve(fixedRowSize + 66 + message.displayedSourceAddress.length * 3)
    const start = wire.length
    wire.bytes.set(rowTemplate, start)
    wire.int64At(start + 6, postgresMicroseconds(message.createdAtMs))
    wire.int64At(start + 18, recordId)
    wire.int64At(start + 30, updatedAt)
    wire.int64At(start + 42, priced.billMicro)
    wire.int64At(start + 54, priced.amountMicro)
    wire.int32At(start + 66, entry.numberId)
    wire.int32At(start + 74, message.gatewayId)
    wire.int32At(start + 82, cycleId)
    wire.int16At(start + 90, priced.status)
    wire.int16At(start + 96, priced.settlement)
    wire.int16At(start + 102, flags)
    wire.int16At(start + 108, message.noReport ?? 0)
    wire.int16At(start + 114, priced.smsCount)
    wire.length = start + fixedRowSize
    idOrNull(wire, priced.clientId)
    idOrNull(wire, entry.rangeId)
    idOrNull(wire, priced.rateId)
    wire.text(message.displayedSourceAddress)
    if (message.sent === undefined) wire.int32(-1)
    else int2Field(wire, message.dataCoding)
    if (position === undefined) for (let column = 0; column < 3; column += 1) wire.int32(-1)
    else {
      int4Field(wire, position.reference)
      int2Field(wire, position.total)
      int2Field(wire, position.sequence)
    }
    if (!this.#options.isSpread()) return
    wire.int16At(start, fieldCount + 1)
    int8Field(wire, Math.floor(recordId / recordsPerBatchId))
  }

  #batchRow(request: EncodeOptions): void {
    const wire = this.#wire
    const { batchId } = request
    const bodies = this.#bodies
    const encrypted = this.#options.keepsBodies()
      ? this.#options.secrets.encrypt(bodies.bytes.subarray(0, bodies.length), encryptionContextOf(batchId))
      : undefined
    const clients = [...this.#clients]
    this.#bindStatement(batchStatement, request, 9, () => {
      wire.reserve(96 + (encrypted?.length ?? 0) + clients.length * 8)
      wire.int32(8)
      wire.int64(batchId)
      wire.int32(2)
      wire.int16(this.stored.length)
      for (const timeMs of [this.#createdFromMs, this.#createdToMs, this.#options.nowMs()]) {
        wire.int32(8)
        wire.int64(postgresMicroseconds(timeMs))
      }
      wire.int32(encrypted?.length ?? -1)
      if (encrypted !== undefined) wire.raw(encrypted)
      int2Field(wire, this.#flags)
      wire.array(clients, clients.length, int4TypeId)
      this.#peerIds.writeTo(wire)
    })
    wire.execute()
  }

  #counterRow(request: EncodeOptions): void {
    const wire = this.#wire
    const { count, hours, clients, ranges, gateways, kinds, recordCounts, bills, amounts } = this.#counters
    if (count === 0) return
    this.#bindStatement(countersStatement, request, 9, () => {
      wire.reserve(8 + 8 * 20 + count * 80)
      int4Field(wire, request.cycle.id)
      for (const column of [hours, clients, ranges, gateways, kinds, recordCounts]) {
        wire.array(column, count, int4TypeId)
      }
      for (const column of [bills, amounts]) wire.array(column, count, int8TypeId)
    })
    wire.execute()
  }

  #timesRows(request: EncodeOptions): void {
    const wire = this.#wire
    const { recordIds, columns } = this.#times
    if (recordIds.length === 0) return
    this.#bindStatement(timesStatement, request, columns.length, () => {
      wire.reserve(columns.length * (24 + recordIds.length * 12))
      for (const column of columns) wire.array(column, recordIds.length, int8TypeId)
    })
    wire.execute()
  }

  /** What each client earned by this batch, for each settlement. Double entry: decision 12. */
  #earningsRow(request: EncodeOptions): void {
    const { clients, kinds, amounts, count } = this.#counters
    const earnings = this.#earnings
    earnings.clear()
    for (let row = 0; row < count; row += 1) {
      const amountMicro = amounts[row] ?? 0
      if (amountMicro === 0) continue
      const key = (clients[row] ?? 0) * 4 + ((kinds[row] ?? 0) >>> 3)
      earnings.set(key, (earnings.get(key) ?? 0) + amountMicro)
    }
    if (earnings.size === 0) return
    const wire = this.#wire
    const keys = [...earnings.keys()]
    const { batchId, cycle } = request
    this.#bindStatement(ledgerStatement, request, 5, () => {
      wire.reserve(20 + 3 * 24 + keys.length * 34)
      int8Field(wire, batchId)
      int4Field(wire, cycle.id)
      wire.array(
        keys.map((key) => Math.floor(key / 4)),
        keys.length,
        int4TypeId,
      )
      wire.array(
        keys.map((key) => key % 4),
        keys.length,
        int2TypeId,
      )
      wire.array([...earnings.values()], keys.length, int8TypeId)
    })
    wire.execute()
  }
}

function int8Field(wire: WireWriter, value: number): void {
  wire.int32(8)
  wire.int64(value)
}

function int4Field(wire: WireWriter, value: number): void {
  wire.int32(4)
  wire.int32(value)
}

function int2Field(wire: WireWriter, value: number): void {
  wire.int32(2)
  wire.int16(value)
}

/** In memory 0 means nobody or none; in the tables null does. */
function idOrNull(wire: WireWriter, id: number): void {
  if (id === 0) wire.int32(-1)
  else int4Field(wire, id)
}
