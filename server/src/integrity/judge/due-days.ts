// Judges the days that have new messages and freezes those that are two days old, in small pieces.
import { sql } from 'kysely'
import { changed, rows, type Db } from '../../platform/db.ts'
import type { Modes } from '../modes.ts'
import type { Version } from '../versions/versions.ts'
import { freezeDay, frozenAfterDays } from './freeze.ts'
import { judgeDay } from './judge.ts'

/** A client's day that is to be judged, or frozen. */
interface DueDay {
  readonly client_id: number
  readonly day: string
  readonly message_count: string
  readonly is_frozen_now: boolean
  /** Of one that is not frozen, messages may still come as usual. */
  readonly is_fresh: boolean
}

// A day is judged anew so long after it was, whatever comes in. A judgement reads the whole day, so its cost grows with the
// day and not with what is new.
const everySeconds = 30
const keptDays = 35
const dueMax = 50

/**
 * The next ones, in the order in which they would have come day by day: a day is frozen after the next one is judged,
 * because a case of that may name its senders, and before the one after that. Of clients' days the one that waits longest
 * is the first, so that all have their turn where there is no time for all.
 */
function dueDays(db: Db, now: Date): Promise<DueDay[]> {
  const today = sql`(${now}::timestamptz at time zone 'UTC')::date`
  return rows<DueDay>(
    db,
    sql`with open as materialized (
          select client_id, day, message_count, judged_count, judged_at, usual is null as is_fresh from client_days
          where (usual is null or message_count > judged_count) and day > ${today} - ${keptDays}::int
        )
        select client_id, day::text as day, message_count, is_frozen_now, is_fresh from (
          select client_id, day, message_count, judged_at, false as is_frozen_now, is_fresh, day as place from open
          where message_count > judged_count
            and (judged_at is null or judged_at <= ${now}::timestamptz - make_interval(secs => ${everySeconds}::int))
          union all
          select client_id, day, message_count, judged_at, true, is_fresh, day + 1 from open
          where is_fresh and day <= ${today} - ${frozenAfterDays}::int
        ) due order by place, is_frozen_now, day, judged_at nulls first, client_id limit ${dueMax}::int`,
  )
}

interface DueOptions {
  readonly db: Db
  readonly now: Date
  readonly version: Version
  readonly modes: Pick<Modes, 'of'>
  /** Whether there is time for another one. */
  readonly goesOn: () => boolean
}

/** Does what is due, at least one piece; gives how many pieces it did. */
export async function judgeDueDays({ db, now, version, modes, goesOn }: DueOptions): Promise<number> {
  let done = 0
  for (const due of await dueDays(db, now)) {
    // What comes while it is judged makes the day due again. A day that is frozen is judged once more, because a sender
    // of it may have written to other clients since.
    const mode = modes.of(due.client_id)
    if (mode !== 'off')
      await judgeDay(db, due.client_id, due.day, {
        version,
        now,
        isEnforced: mode === 'enforce',
        isUnfinished: due.is_fresh && !due.is_frozen_now,
      })
    if (due.is_frozen_now) await freezeDay(db, due.client_id, due.day, version.thresholds)
    await changed(
      db,
      sql`update client_days set judged_count = greatest(judged_count, ${due.message_count}::bigint), judged_at = ${now}
          where client_id = ${due.client_id}::int and day = ${due.day}::date`,
    )
    done += 1
    if (!goesOn()) break
  }
  return done
}
