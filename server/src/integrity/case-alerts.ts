// Cases that have waited too long for a decision, as an alert.
import { sql } from 'kysely'
import { alertTexts, type FoundAlert } from '@tollgate/contract/alerts/alerts.ts'
import { formatMicro } from '@tollgate/contract/money.ts'
import { sentence } from '@tollgate/contract/sentences.ts'
import { row, type Db } from '../platform/db.ts'

/** One alert for all open cases that are due. */
export async function caseAlerts(db: Db, now: Date): Promise<FoundAlert[]> {
  const found = await row<{ count: number; micro: string; since: Date | null; last: Date | null }>(
    db,
    sql`select count(*)::int as count, coalesce(sum(held_micro), 0)::text as micro, min(due_at) as since,
          max(due_at) as last
        from integrity_cases where state = 'open' and due_at <= ${now}`,
  )
  if (found === undefined || found.since === null || found.last === null) return []
  const { count, micro, since, last } = found
  return [
    {
      ...alertTexts({
        name: sentence('Cases of traffic integrity'),
        what: [
          sentence('Cases that wait for a decision too long: {count}. They hold {sum} USDT.', {
            count,
            sum: { amount: formatMicro(BigInt(micro), 2) },
          }),
        ],
        advice: sentence(
          'Release or refuse them in Payment Management, Review, or decide later with a reason.',
        ),
      }),
      key: 'approval:cases',
      kind: 'approval',
      severity: 'warning',
      since: since.toISOString(),
      last: last.toISOString(),
      count,
      hours: [],
      about: { way: 'cases' },
    },
  ]
}
