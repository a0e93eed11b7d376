// Number requests that wait for staff, as an alert.
import { sql } from 'kysely'
import { sentence } from '@tollgate/contract/sentences.ts'
import { alertTexts, type FoundAlert } from '@tollgate/contract/alerts/alerts.ts'
import { row, type Db } from '../../platform/db.ts'

export async function requestAlerts(db: Db): Promise<FoundAlert[]> {
  const found = await row<{ count: number; since: Date | null; last: Date | null }>(
    db,
    sql`select count(*)::int as count, min(created_at) as since, max(created_at) as last
        from number_requests where status in ('pending', 'approved')`,
  )
  if (found === undefined || found.since === null || found.last === null) return []
  const { count } = found
  return [
    {
      ...alertTexts({
        name: sentence('Number requests'),
        what: [
          count === 1
            ? sentence('1 request waits for an answer or a number.')
            : sentence('{count} requests wait for an answer or a number.', { count }),
        ],
        advice: sentence('Approve, assign or reject them.'),
      }),
      key: 'number_request:waiting',
      kind: 'number_request',
      severity: 'notice',
      since: found.since.toISOString(),
      last: found.last.toISOString(),
      count,
      hours: [],
      about: {},
    },
  ]
}
