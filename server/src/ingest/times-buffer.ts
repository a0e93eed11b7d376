// The times of the messages of one batch that wait for their client: the columns of the rows of record_times.
import type { IngestMessage } from './message.ts'

export class TimesBuffer {
  readonly recordIds: number[] = []
  /** Milliseconds since 1970; 0 is none. */
  readonly createdMs: number[] = []
  readonly deliverMs: number[] = []
  readonly expiresMs: number[] = []

  clear(): void {
    for (const column of this.columns) column.length = 0
  }

  get columns(): readonly number[][] {
    return [this.recordIds, this.createdMs, this.deliverMs, this.expiresMs]
  }

  /** False when the message has no times. */
  add({ times, createdAtMs }: IngestMessage, recordId: number): boolean {
    if (times === undefined) return false
    this.recordIds.push(recordId)
    this.createdMs.push(createdAtMs)
    this.deliverMs.push(times.deliverAtMs ?? 0)
    this.expiresMs.push(times.expiresAtMs ?? 0)
    return true
  }
}
