// Schedules whose files are not taken, and files that can never be delivered, as alerts.
import { quote, sentence } from '@tollgate/contract/sentences.ts'
import { alertTexts, type FoundAlert } from '@tollgate/contract/alerts/alerts.ts'
import { sql } from 'kysely'
import { rows, type Db } from '../platform/db.ts'

// Shorter failures are repeated by themselves, often with success.
const criticalAfterMs = 3_600_000
// A file that cannot be delivered is told for so long.
const incompleteDays = 30

interface FailingRow {
  readonly id: number
  readonly name: string
  readonly file: string
  readonly state: 'waiting' | 'incomplete'
  readonly error: string
  readonly since: Date
  readonly waiting: number
}

export async function cdrAlerts(db: Db, now: Date): Promise<FoundAlert[]> {
  const found = await rows<FailingRow>(
    db,
    sql`
      select s.id, s.name, f.name as file, f.state, f.error, f.failing_since as since,
        (select count(*)::int from cdr_files w where w.schedule_id = s.id and w.state = 'waiting') as waiting
      from cdr_schedules s cross join lateral (
        (select * from cdr_files w where w.schedule_id = s.id and w.state = 'waiting' order by w.sequence limit 1)
        union all
        (select * from cdr_files w where w.schedule_id = s.id and w.state = 'incomplete'
          and w.failing_since > ${now}::timestamptz - ${incompleteDays} * interval '1 day' order by w.id desc limit 1)
      ) f
      where f.failing_since is not null and not s.is_paused
      order by s.id`,
  )
  return found.map((each) => toAlert(each, now))
}

function toAlert({ id, name, file, state, error, since, waiting }: FailingRow, now: Date): FoundAlert {
  const isOver = state === 'incomplete'
  const what = isOver
    ? sentence('{file} will not be delivered.', { file })
    : waiting === 1
      ? sentence('1 file is waiting.')
      : sentence('{count} files are waiting.', { count: waiting })
  return {
    ...alertTexts({
      name,
      what: [what, quote(error)],
      advice: isOver
        ? sentence('Tell whoever expects the file. A longer RECORD_MONTHS leaves more time.')
        : sentence(
            'Fix the destination and test it: what is waiting is then sent automatically, or at once with Send now.',
          ),
    }),
    key: isOver ? `cdr_file:${id}:${file}` : `cdr_file:${id}`,
    kind: 'cdr_file',
    severity: isOver || now.getTime() - since.getTime() > criticalAfterMs ? 'critical' : 'warning',
    since: since.toISOString(),
    last: since.toISOString(),
    count: waiting,
    hours: [],
    about: { scheduleId: String(id) },
  }
}
