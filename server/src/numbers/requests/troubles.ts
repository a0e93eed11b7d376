// Number requests that wait for staff, as a trouble.
import { sql } from 'kysely'
import type { FoundTrouble } from '@tollgate/contract/trouble.ts'
import { row, type Db } from '../../platform/db.ts'

export async function requestTroubles(db: Db): Promise<FoundTrouble[]> {
  const found = await row<{ count: number; since: Date | null; last: Date | null }>(
    db,
    sql`select count(*)::int as count, min(created_at) as since, max(created_at) as last
        from number_requests where status = 'pending'`,
  )
  if (found === undefined || found.since === null || found.last === null) return []
  const { count } = found
  return [
    {
      key: 'number_request:waiting',
      kind: 'number_request',
      severity: 'notice',
      name: 'Number requests',
      what: count === 1 ? '1 client waits for an answer.' : `${count} requests wait for an answer.`,
      advice: 'Approve, assign or reject them.',
      since: found.since.toISOString(),
      last: found.last.toISOString(),
      count,
      hours: [],
      about: {},
    },
  ]
}
