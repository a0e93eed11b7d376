// The one way in for messages: queue, writers, answers. No message is answered with success before its commit.
import type { IdleWindows } from '../../platform/load/idle-windows.ts'
import { MessageIdMaker } from '../message-id.ts'
import { recordsPerBatchId } from './batch-encoder.ts'
import { nextBatchSize } from './batch-size.ts'
import { BatchSpacing } from './batch-spacing.ts'
import type { BatchWriter, Outcome } from './batch-writer.ts'
import type { Acceptance, Completion, FailureReason, IngestMessage, RefusalReason } from './message.ts'
import { recordFlags } from './message.ts'
import { batchRows, commitDuration, countStored, messagesTotal, waitingMessages } from './metrics.ts'
import { Outstanding } from './outstanding.ts'
import { PaceMeter, type IngestPace } from './pace.ts'
import { Refusals } from './refusals.ts'
import { Waiting } from './waiting.ts'
import type { WriterCount } from './writer-count.ts'

export interface IngestLimits {
  /** How long a message may wait for the database before its peer is told to send it again. */
  readonly holdMs: number
  readonly batchMax: number
  readonly waitingMax: number
  readonly waitingBytesMax: number
}

/**
 * operations.md: hold up to 2 s. 20,000 messages are what a busy database stores in a fraction of a second, and with
 * 32 MiB of bodies they leave the process far below 300 MB.
 */
export const defaultLimits: IngestLimits = {
  holdMs: 2_000,
  batchMax: 2_000,
  waitingMax: 20_000,
  waitingBytesMax: 32 * 1024 * 1024,
}

export interface IngestQueueOptions {
  readonly writers: readonly BatchWriter[]
  readonly writerCount: WriterCount
  /** What the catalog in memory says of a number. */
  readonly standingOf: (digits: string) => Standing
  /** Takes in every change of numbers committed before the call. */
  readonly refresh: () => Promise<void>
  readonly limits: IngestLimits
  /** Batches are urgent. */
  readonly idleWindows: IdleWindows
  readonly nowMs: () => number
  readonly onFault: (what: string, error: Error | undefined) => void
}

/** Whether messages may come to a number. */
export type Standing = 'active' | RefusalReason

const sweepMs = 100

export class IngestQueue {
  readonly #options: IngestQueueOptions
  readonly #idle: BatchWriter[]
  readonly #spacing = new BatchSpacing()
  /** Whether a timer will start writers once messages have rested. */
  #isResting = false
  #waiting = new Waiting()
  /** Messages to numbers that the catalog in memory does not know or knows as suspended. */
  #doubtful = new Waiting()
  #isSettlingDoubts = false
  /** How many messages the writers are at. */
  #underWay = 0
  #isWoken = false
  #isClosed = false
  readonly #outstanding = new Outstanding()
  readonly #messageIds = new MessageIdMaker()
  readonly #pace = new PaceMeter(() => performance.now())
  readonly refusals = new Refusals()
  /** Runs while messages wait. */
  #sweep: NodeJS.Timeout | undefined
  #onDrained: (() => void) | undefined

  constructor(options: IngestQueueOptions) {
    this.#options = options
    this.#idle = [...options.writers]
  }

  /** See {@link Ingest.accept}. */
  accept(message: IngestMessage): Acceptance {
    const { limits, standingOf } = this.#options
    const waiting = this.#waiting
    if (
      this.#isClosed ||
      waiting.length + this.#doubtful.length >= limits.waitingMax ||
      waiting.byteCount + this.#doubtful.byteCount >= limits.waitingBytesMax
    ) {
      return 'full'
    }
    const flags = this.#outstanding.add(message) ? recordFlags.duplicateSuspect : 0
    if (standingOf(message.digits) === 'active') {
      waiting.push(message, performance.now(), flags)
      this.#wake()
    } else {
      this.#doubtful.push(message, performance.now(), flags)
      if (!this.#isSettlingDoubts) void this.#settleDoubts()
    }
    return 'queued'
  }

  pace(): IngestPace {
    return this.#pace.read()
  }

  recentPerSecond(): number {
    return this.#pace.recentPerSecond()
  }

  /** Takes nothing more and resolves when every message has its answer. */
  async close(): Promise<void> {
    this.#isClosed = true
    if (!this.#isDrained()) await new Promise<void>((resolve) => (this.#onDrained = resolve))
    this.#restSweep()
  }

  /** Writers start once the sockets at hand are read: the batch is what came with them, without a timer. */
  #wake(): void {
    this.#sweep ??= setInterval(() => this.#expire(), sweepMs).unref()
    if (this.#isWoken || !this.#hasFreeWriter()) return
    this.#isWoken = true
    setImmediate(() => {
      this.#isWoken = false
      this.#startWriters()
    })
  }

  #startWriters(): void {
    for (;;) {
      const nowMs = performance.now()
      const count = this.#batchSize(nowMs)
      if (count === 0 || this.#isToRest(nowMs)) return
      const writer = this.#hasFreeWriter() ? this.#idle.pop() : undefined
      if (writer === undefined) return
      this.#spacing.noteLeft(this.#waiting.acceptedAtMs.at(-1) ?? nowMs, nowMs)
      void this.#storeWith(writer, this.#take(count))
    }
  }

  #isToRest(nowMs: number): boolean {
    const restMs = this.#spacing.restMs(this.#waiting.length, nowMs)
    if (restMs === 0 || this.#isResting) return restMs > 0
    this.#isResting = true
    setTimeout(() => {
      this.#isResting = false
      this.#startWriters()
    }, Math.ceil(restMs))
    return true
  }

  #hasFreeWriter(): boolean {
    const { writers, writerCount } = this.#options
    return writers.length - this.#idle.length < writerCount.now
  }

  async #storeWith(writer: BatchWriter, batch: Waiting): Promise<void> {
    const { idleWindows } = this.#options
    this.#underWay += batch.length
    idleWindows.urgentBegins()
    await this.#store(writer, batch)
    idleWindows.urgentEnds()
    this.#underWay -= batch.length
    this.#idle.push(writer)
    if (this.#waiting.length > 0) this.#wake()
    this.#noteDrained()
  }

  #batchSize(nowMs: number): number {
    const { acceptedAtMs, length: waiting } = this.#waiting
    if (waiting === 0) return 0
    const { writerCount, limits } = this.#options
    return nextBatchSize({
      waiting,
      waitedMs: nowMs - (acceptedAtMs[0] ?? 0),
      underWay: this.#underWay,
      writerCount: writerCount.now,
      batchMax: limits.batchMax,
    })
  }

  #take(count: number): Waiting {
    if (this.#waiting.length > count) return this.#waiting.shift(count)
    const all = this.#waiting
    this.#waiting = new Waiting()
    return all
  }

  async #store(writer: BatchWriter, batch: Waiting): Promise<void> {
    const startedMs = performance.now()
    const { onFault, limits } = this.#options
    let outcome: Outcome
    try {
      outcome = await writer.write(batch, (batch.acceptedAtMs[0] ?? 0) + limits.holdMs)
    } catch (error) {
      // A bug of ours: the peers still get an answer, and the log a line.
      outcome = { kind: 'unavailable', error: error as Error }
      onFault('A batch could not be prepared', error as Error)
    }
    if (outcome.kind === 'stored') {
      commitDuration.observe((performance.now() - startedMs) / 1000)
      this.#answerStored(writer, batch, outcome.batchId)
    } else if (outcome.kind === 'doubtful') {
      this.#answerDoubtful(writer, outcome)
    } else if (outcome.kind === 'bad' && batch.length > 1) {
      for (const half of batch.halves()) await this.#store(writer, half)
    } else {
      if (outcome.kind === 'bad') onFault('The database refused a message', outcome.error)
      this.#fail(batch, outcome.kind === 'bad' ? 'rejected' : 'unavailable')
    }
  }

  #answerStored(writer: BatchWriter, batch: Waiting, batchId: number): void {
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
    batchRows.observe(stored.length)
    countStored(counts)
  }

  /** Their numbers went while they waited. Gives the completions that heard of it. */
  #answerRefused({ encoder: { refused, refusedWhy } }: BatchWriter): Set<Completion> {
    const settled = new Set<Completion>()
    for (let place = 0; place < refused.length; place += 1) {
      const message = refused[place]
      if (message === undefined) continue
      this.#failOne(message, refusedWhy[place] ?? 'unknown')
      settled.add(message.completion)
    }
    return settled
  }

  #answerDoubtful(writer: BatchWriter, { batchId, isStored }: Outcome & { kind: 'doubtful' }): void {
    const settled = this.#answerRefused(writer)
    let recordId = batchId * recordsPerBatchId
    for (const message of writer.encoder.stored) {
      const { completion } = message
      if (completion.doubted === undefined) this.#failOne(message, 'unavailable')
      else {
        this.#outstanding.remove(message)
        messagesTotal.inc({ source: message.source, status: 'unavailable' })
        completion.doubted(message, recordId, isStored)
      }
      recordId += 1
      settled.add(completion)
    }
    for (const completion of settled) completion.settled()
  }

  #fail(batch: Waiting, reason: FailureReason): void {
    const settled = new Set<Completion>()
    for (const message of batch.messages) {
      this.#failOne(message, reason)
      settled.add(message.completion)
    }
    for (const completion of settled) completion.settled()
  }

  #failOne(message: IngestMessage, reason: FailureReason): void {
    this.#outstanding.remove(message)
    if (reason === 'unknown' || reason === 'suspended') {
      this.refusals.add(message, reason, this.#options.nowMs())
    }
    messagesTotal.inc({ source: message.source, status: reason })
    message.completion.failed(message, reason)
  }

  /**
   * Numbers may have been made or activated a moment ago, here or on another node. So before anything is refused the
   * catalog is brought up to date; one query serves all the messages that wait for it.
   */
  async #settleDoubts(): Promise<void> {
    const { refresh } = this.#options
    this.#isSettlingDoubts = true
    while (this.#doubtful.length > 0) {
      const doubtful = this.#doubtful
      this.#doubtful = new Waiting()
      try {
        await refresh()
      } catch (error) {
        this.#options.onFault('The catalog could not be read', error as Error)
        this.#fail(doubtful, 'unavailable')
        continue
      }
      this.#judge(doubtful)
    }
    this.#isSettlingDoubts = false
    this.#noteDrained()
  }

  #judge(doubtful: Waiting): void {
    const settled = new Set<Completion>()
    for (let place = 0; place < doubtful.length; place += 1) {
      const message = doubtful.messages[place]
      if (message === undefined) continue
      const standing = this.#options.standingOf(message.digits)
      if (standing === 'active') {
        this.#waiting.push(message, doubtful.acceptedAtMs[place] ?? 0, doubtful.extraFlags[place] ?? 0)
      } else {
        this.#failOne(message, standing)
        settled.add(message.completion)
      }
    }
    for (const completion of settled) completion.settled()
    if (this.#waiting.length > 0) this.#wake()
  }

  /** Tells the peers of messages that have waited too long to send them again. */
  #expire(): void {
    waitingMessages.set(this.#waiting.length)
    // Those that wait for company have no event of their own that would end it.
    if (this.#waiting.length > 0) this.#wake()
    else this.#restSweep()
    const oldestMs = performance.now() - this.#options.limits.holdMs
    const { acceptedAtMs } = this.#waiting
    if ((acceptedAtMs[0] ?? Infinity) > oldestMs) return
    const fresh = acceptedAtMs.findIndex((acceptedMs) => acceptedMs > oldestMs)
    this.#fail(this.#waiting.shift(fresh === -1 ? acceptedAtMs.length : fresh), 'unavailable')
    this.#noteDrained()
  }

  #restSweep(): void {
    clearInterval(this.#sweep)
    this.#sweep = undefined
  }

  #isDrained(): boolean {
    return (
      this.#waiting.length === 0 &&
      !this.#isSettlingDoubts &&
      this.#idle.length === this.#options.writers.length
    )
  }

  #noteDrained(): void {
    if (this.#isDrained()) this.#onDrained?.()
  }
}
