// The queue in front of the batch writers. It takes messages in, hands batches to free writers and reports each result.
// No message is answered with success before its commit.
import type { IdleWindows } from '../platform/load/idle-windows.ts'
import { MessageIdMaker } from './message-id.ts'
import { recordsPerBatchId } from './batch-encoder.ts'
import { nextBatchSize } from './batch-size.ts'
import { BatchSpacing } from './batch-spacing.ts'
import type { BatchWriter, BatchResult } from './batch-writer.ts'
import type { Acceptance, Completion, FailureReason, IngestMessage, RefusalReason } from './message.ts'
import { recordFlags } from './message.ts'
import { batchRows, commitDuration, countStored, messagesTotal, waitingMessages } from './metrics.ts'
import { OutstandingMessages } from './outstanding.ts'
import { RateMeter, type IngestRate } from './rate-meter.ts'
import { Refusals } from './refusals.ts'
import { MessageQueue } from './message-queue.ts'
import type { StoringCheck } from './storing-check.ts'
import type { Tracing } from '../platform/tracing/tracing.ts'
import { traceBatch } from './trace-batches.ts'
import type { WriterCount } from './writer-count.ts'

export interface IngestLimits {
  /** How long a message may wait for the database. After that its peer is answered that it must send it again. */
  readonly waitMaxMs: number
  readonly batchMax: number
  readonly waitingMax: number
  readonly waitingBytesMax: number
}

/**
 * A message waits 2 s at most. A busy database stores 20,000 messages in a fraction of a second; with
 * 32 MiB of bodies they keep the process far below 300 MB.
 */
export const defaultLimits: IngestLimits = {
  waitMaxMs: 2_000,
  batchMax: 2_000,
  waitingMax: 20_000,
  waitingBytesMax: 32 * 1024 * 1024,
}

export interface IngestQueueOptions {
  readonly writers: readonly BatchWriter[]
  readonly writerCount: WriterCount
  /** Whether a number takes messages, by the catalog in memory. */
  readonly numberStatusOf: (message: IngestMessage) => NumberStatus
  /** Loads every change of numbers that was committed before the call. */
  readonly refresh: () => Promise<void>
  readonly limits: IngestLimits
  /** Background work waits while a batch is in flight. */
  readonly idleWindows: IdleWindows
  readonly nowMs: () => number
  readonly onFault: (what: string, error: Error | undefined) => void
  /** False: nothing more may be written to the disk of the database. */
  readonly hasRoom: () => boolean
  readonly storing: Pick<StoringCheck, 'noteStored' | 'noteFailed'>
  readonly tracing: Pick<Tracing, 'begin'> | undefined
}

/** Whether a number takes messages, or why not. */
export type NumberStatus = 'active' | RefusalReason

const sweepMs = 100

export class IngestQueue {
  readonly #options: IngestQueueOptions
  readonly #idle: BatchWriter[]
  readonly #spacing = new BatchSpacing()
  /** Whether a timer is set that starts writers when the next batch may leave (BatchSpacing). */
  #isSpacing = false
  #waiting = new MessageQueue()
  /** Messages to numbers that the catalog in memory lacks or calls suspended. They wait for a fresh catalog. */
  #unmatched = new MessageQueue()
  #isRefreshing = false
  /** How many messages are in the writers' batches. */
  #inFlightCount = 0
  #isStartPlanned = false
  #isClosed = false
  readonly #outstanding = new OutstandingMessages()
  readonly #messageIds = new MessageIdMaker()
  readonly #pace = new RateMeter(() => performance.now())
  readonly refusals = new Refusals()
  /** Runs while messages wait. */
  #expiryTimer: NodeJS.Timeout | undefined
  #onDrained: (() => void) | undefined

  constructor(options: IngestQueueOptions) {
    this.#options = options
    this.#idle = [...options.writers]
  }

  /** See {@link Ingest.accept}. */
  accept(message: IngestMessage): Acceptance {
    const { limits, numberStatusOf, hasRoom } = this.#options
    const waiting = this.#waiting
    if (
      this.#isClosed ||
      !hasRoom() ||
      waiting.length + this.#unmatched.length >= limits.waitingMax ||
      waiting.byteCount + this.#unmatched.byteCount >= limits.waitingBytesMax
    ) {
      return 'full'
    }
    const flags = this.#outstanding.add(message) ? recordFlags.duplicateSuspect : 0
    if (numberStatusOf(message) === 'active') {
      waiting.push(message, performance.now(), flags)
      this.#planStart()
    } else {
      this.#unmatched.push(message, performance.now(), flags)
      if (!this.#isRefreshing) void this.#recheckUnmatched()
    }
    return 'queued'
  }

  pace(): IngestRate {
    return this.#pace.read()
  }

  recentPerSecond(): number {
    return this.#pace.recentPerSecond()
  }

  /** Takes nothing more and resolves when every message has its answer. */
  async close(): Promise<void> {
    this.#isClosed = true
    if (!this.#isDrained()) await new Promise<void>((resolve) => (this.#onDrained = resolve))
    this.#stopExpiry()
  }

  /** Starts writers after the sockets that are readable now have been read, so that their messages share a batch. */
  #planStart(): void {
    this.#expiryTimer ??= setInterval(() => this.#expire(), sweepMs).unref()
    if (this.#isStartPlanned || !this.#hasFreeWriter()) return
    this.#isStartPlanned = true
    setImmediate(() => {
      this.#isStartPlanned = false
      this.#startWriters()
    })
  }

  #startWriters(): void {
    for (;;) {
      const nowMs = performance.now()
      const count = this.#batchSize(nowMs)
      if (count === 0 || this.#isTooEarly(nowMs)) return
      const writer = this.#hasFreeWriter() ? this.#idle.pop() : undefined
      if (writer === undefined) return
      this.#spacing.noteSent(this.#waiting.acceptedAtMs.at(-1) ?? nowMs, nowMs)
      void this.#storeWith(writer, this.#take(count))
    }
  }

  #isTooEarly(nowMs: number): boolean {
    const waitMs = this.#spacing.waitMs(this.#waiting.length, nowMs)
    if (waitMs === 0 || this.#isSpacing) return waitMs > 0
    this.#isSpacing = true
    setTimeout(() => {
      this.#isSpacing = false
      this.#startWriters()
    }, Math.ceil(waitMs))
    return true
  }

  #hasFreeWriter(): boolean {
    const { writers, writerCount } = this.#options
    return writers.length - this.#idle.length < writerCount.now
  }

  async #storeWith(writer: BatchWriter, batch: MessageQueue): Promise<void> {
    const { idleWindows } = this.#options
    this.#inFlightCount += batch.length
    idleWindows.urgentBegins()
    await this.#store(writer, batch)
    idleWindows.urgentEnds()
    this.#inFlightCount -= batch.length
    this.#idle.push(writer)
    if (this.#waiting.length > 0) this.#planStart()
    this.#noteDrained()
  }

  #batchSize(nowMs: number): number {
    const { acceptedAtMs, length: waiting } = this.#waiting
    if (waiting === 0) return 0
    const { writerCount, limits } = this.#options
    return nextBatchSize({
      waiting,
      waitedMs: nowMs - (acceptedAtMs[0] ?? 0),
      inFlight: this.#inFlightCount,
      writerCount: writerCount.now,
      batchMax: limits.batchMax,
    })
  }

  #take(count: number): MessageQueue {
    if (this.#waiting.length > count) return this.#waiting.shift(count)
    const all = this.#waiting
    this.#waiting = new MessageQueue()
    return all
  }

  async #store(writer: BatchWriter, batch: MessageQueue): Promise<void> {
    const startedMs = performance.now()
    const { onFault, limits } = this.#options
    let result: BatchResult
    try {
      result = await writer.write(batch, (batch.acceptedAtMs[0] ?? 0) + limits.waitMaxMs)
    } catch (error) {
      // A bug in this program. The peers still get an answer, and the fault is logged.
      result = { kind: 'unavailable', error: error as Error }
      onFault('A batch could not be prepared', error as Error)
    }
    const committedAtMs = performance.now()
    if (result.kind === 'stored') {
      commitDuration.observe((committedAtMs - startedMs) / 1000)
      this.#answerStored(writer, batch, result.batchId)
    } else if (result.kind === 'uncertain') {
      this.#answerUncertain(writer, result)
    } else if (result.kind === 'bad' && batch.length > 1) {
      for (const half of batch.halves()) await this.#store(writer, half)
    } else {
      if (result.kind === 'bad') onFault('The database refused a message', result.error)
      this.#fail(batch, result.kind === 'bad' ? 'rejected' : 'unavailable')
    }
    const { tracing } = this.#options
    if (tracing === undefined) return
    const { stored } = writer.encoder
    const answeredAtMs = performance.now()
    traceBatch(tracing, { batch, result, stored, takenAtMs: startedMs, committedAtMs, answeredAtMs })
  }

  #answerStored(writer: BatchWriter, batch: MessageQueue, batchId: number): void {
    const { stored, counts } = writer.encoder
    const settled = this.#answerRefused(writer)
    let last: Completion | undefined
    let recordId = batchId * recordsPerBatchId
    for (const message of stored) {
      this.#outstanding.remove(message)
      const { completion } = message
      completion.committed(message, this.#messageIds.make(message.createdAtMs, recordId), recordId)
      recordId += 1
      if (completion !== last) settled.add((last = completion))
    }
    for (const completion of settled) completion.settled()
    this.#pace.add(batch.acceptedAtMs)
    this.#options.storing.noteStored()
    batchRows.observe(stored.length)
    countStored(counts)
  }

  /** Refuses messages whose number was removed while they waited. Gives the completions it called. */
  #answerRefused({ encoder: { refused, refusedWhy } }: BatchWriter): Set<Completion> {
    const settled = new Set<Completion>()
    for (let index = 0; index < refused.length; index += 1) {
      const message = refused[index]
      if (message === undefined) continue
      this.#failOne(message, refusedWhy[index] ?? 'unknown')
      settled.add(message.completion)
    }
    return settled
  }

  #answerUncertain(writer: BatchWriter, { batchId, isStored }: BatchResult & { kind: 'uncertain' }): void {
    const settled = this.#answerRefused(writer)
    let recordId = batchId * recordsPerBatchId
    for (const message of writer.encoder.stored) {
      const { completion } = message
      if (completion.uncertain === undefined) this.#failOne(message, 'unavailable')
      else {
        this.#noteFailed(message, 'unavailable')
        completion.uncertain(message, recordId, isStored)
      }
      recordId += 1
      settled.add(completion)
    }
    for (const completion of settled) completion.settled()
  }

  #fail(batch: MessageQueue, reason: FailureReason): void {
    const settled = new Set<Completion>()
    for (const message of batch.messages) {
      this.#failOne(message, reason)
      settled.add(message.completion)
    }
    for (const completion of settled) completion.settled()
  }

  #failOne(message: IngestMessage, reason: FailureReason): void {
    this.#noteFailed(message, reason)
    message.completion.failed(message, reason)
  }

  #noteFailed(message: IngestMessage, reason: FailureReason): void {
    this.#outstanding.remove(message)
    if (reason === 'unavailable') this.#options.storing.noteFailed()
    // The number is the cause of these two reasons alone. Counted by number for the others, an outage would fill the
    // counts with all numbers.
    const isOfNumber = reason === 'unknown' || reason === 'suspended'
    const { digits, gatewayId, displayedSourceAddress: sender } = message
    const refused = { digits: isOfNumber ? digits : '', gatewayId, destination: digits, sender }
    this.refusals.add(refused, reason, this.#options.nowMs())
    messagesTotal.inc({ source: message.source, status: reason })
  }

  /**
   * A number may have been created or activated a moment ago, here or on another node. So the catalog is refreshed
   * before a message is refused. One refresh serves all messages that wait for it.
   */
  async #recheckUnmatched(): Promise<void> {
    const { refresh } = this.#options
    this.#isRefreshing = true
    while (this.#unmatched.length > 0) {
      const unmatched = this.#unmatched
      this.#unmatched = new MessageQueue()
      try {
        await refresh()
      } catch (error) {
        this.#options.onFault('The catalog could not be read', error as Error)
        this.#fail(unmatched, 'unavailable')
        continue
      }
      this.#sortRechecked(unmatched)
    }
    this.#isRefreshing = false
    this.#noteDrained()
  }

  #sortRechecked(unmatched: MessageQueue): void {
    const settled = new Set<Completion>()
    for (let index = 0; index < unmatched.length; index += 1) {
      const message = unmatched.messages[index]
      if (message === undefined) continue
      const status = this.#options.numberStatusOf(message)
      if (status === 'active') {
        this.#waiting.push(message, unmatched.acceptedAtMs[index] ?? 0, unmatched.extraFlags[index] ?? 0)
      } else {
        this.#failOne(message, status)
        settled.add(message.completion)
      }
    }
    for (const completion of settled) completion.settled()
    if (this.#waiting.length > 0) this.#planStart()
  }

  /** Fails messages that have waited too long, so that their peers send them again. */
  #expire(): void {
    waitingMessages.set(this.#waiting.length)
    // A small batch that waits for more messages has no other event that would start it.
    if (this.#waiting.length > 0) this.#planStart()
    else this.#stopExpiry()
    const oldestMs = performance.now() - this.#options.limits.waitMaxMs
    const { acceptedAtMs } = this.#waiting
    if ((acceptedAtMs[0] ?? Infinity) > oldestMs) return
    const fresh = acceptedAtMs.findIndex((acceptedMs) => acceptedMs > oldestMs)
    this.#fail(this.#waiting.shift(fresh === -1 ? acceptedAtMs.length : fresh), 'unavailable')
    this.#noteDrained()
  }

  #stopExpiry(): void {
    clearInterval(this.#expiryTimer)
    this.#expiryTimer = undefined
  }

  #isDrained(): boolean {
    return (
      this.#waiting.length === 0 && !this.#isRefreshing && this.#idle.length === this.#options.writers.length
    )
  }

  #noteDrained(): void {
    if (this.#isDrained()) this.#onDrained?.()
  }
}
