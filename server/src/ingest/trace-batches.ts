// Shows a batch to a trace, with the messages of it that are sampled: read, committed, answered. A node without tracing has
// none of this.
import type { Tracing } from '../platform/tracing/tracing.ts'
import { recordsPerBatchId } from './batch-encoder.ts'
import type { BatchResult } from './batch-writer.ts'
import type { IngestMessage } from './message.ts'
import type { MessageQueue } from './message-queue.ts'

/** A batch and its moments, by performance.now(). The lists are read before the call ends. */
export interface BatchOutcome {
  readonly batch: MessageQueue
  readonly result: BatchResult
  /** Those of the batch that have a record, in order. */
  readonly stored: readonly IngestMessage[]
  /** A writer took it. */
  readonly takenAtMs: number
  /** The database answered. */
  readonly committedAtMs: number
  /** The peers were answered. */
  readonly answeredAtMs: number
}

/** What the span of a record's message is about: whoever hands the record on continues its trace. */
export const recordTrace = (recordId: number | string): string => `record ${recordId}`

export function traceBatch(tracing: Pick<Tracing, 'begin'>, outcome: BatchOutcome): void {
  const { batch, result, stored, takenAtMs, committedAtMs, answeredAtMs } = outcome
  const isStored = result.kind === 'stored'
  const span = tracing.begin('store batch', {
    startMs: takenAtMs,
    attributes: { 'tollgate.batch.messages': batch.length, 'tollgate.batch.result': result.kind },
  })
  if (isStored) {
    const firstId = result.batchId * recordsPerBatchId
    let index = 0
    batch.messages.forEach((message, place) => {
      // Messages whose number was removed meanwhile have no record.
      if (message !== stored[index]) return
      const about = recordTrace(firstId + index)
      const startMs = batch.acceptedAtMs[place] ?? takenAtMs
      const traced = tracing.begin('message', { kind: 'server', startMs, about, link: span })
      index += 1
      if (!traced.isRecorded) return
      traced.mark('committed', committedAtMs)
      const attributes = { 'tollgate.record.id': firstId + index - 1, 'tollgate.source': message.source }
      traced.end({ atMs: answeredAtMs, attributes })
    })
  }
  span.mark(isStored ? 'committed' : 'not stored', committedAtMs)
  span.end({
    atMs: answeredAtMs,
    attributes: { 'tollgate.batch.records': isStored ? stored.length : 0 },
    // Not the database's own words, which may quote a row.
    error: isStored ? undefined : result.kind,
  })
}
