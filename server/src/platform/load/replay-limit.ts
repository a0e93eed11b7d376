// Limits replays of everything that failed: each may write 10,000 rows, so the pause after one grows with its rows.
import { sql } from 'kysely'
import { Refusal } from '@tollgate/contract/errors.ts'
import { changed, type Db } from '../db.ts'

// The size of a replay is not known while it runs.
const pauseMaxSeconds = 10
const rowsPerSecond = 1_000

/** Seconds until the next replay, after one of `rows` (at most 10,000). */
export function pauseSeconds(rowCount: number): number {
  return rowCount / rowsPerSecond
}

export interface ReplayLimit {
  /** Begins a replay for the row with this id. Throws Refusal too_many when it comes too soon after the last one. */
  begin(tx: Db, id: number): Promise<void>
  /** Ends the replay, which has set so many rows pending again. */
  end(tx: Db, id: number, rowCount: number): Promise<void>
}

/** The limit of a slice's own table, which has the columns `id` and `replay_due_at`. */
export function createReplayLimit(table: string): ReplayLimit {
  const pause = (seconds: number) =>
    sql`update ${sql.table(table)} set replay_due_at = now() + make_interval(secs => ${seconds})`
  return {
    async begin(tx, id) {
      const begun = await changed(
        tx,
        sql`${pause(pauseMaxSeconds)} where id = ${id} and replay_due_at <= now()`,
      )
      if (begun === 1) return
      throw new Refusal(
        'too_many',
        'Many of these were tried again just now. Wait a few seconds and try again.',
        { retryAfterSeconds: pauseMaxSeconds },
      )
    },
    async end(tx, id, rowCount) {
      await sql`${pause(pauseSeconds(rowCount))} where id = ${id}`.execute(tx)
    },
  }
}
