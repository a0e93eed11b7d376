// Endpoints that take nothing, were switched off or fall behind, as alerts.
import { sql } from 'kysely'
import { sentence, type Sentence } from '@tollgate/contract/sentences.ts'
import { alertTexts, type FoundAlert, type AlertSeverity } from '@tollgate/contract/alerts/alerts.ts'
import { rows, type Db } from '../platform/db.ts'

// The third attempt comes within 25 s. What is due for ten minutes is not merely being retried.
const behindMinutes = 10

interface FailingRow {
  readonly id: number
  readonly name: string
  readonly status: string
  readonly statusReason: string
  readonly failingSince: Date | null
  readonly updatedAt: Date
  readonly waiting: number
  readonly oldestAt: Date | null
  readonly oldestId: string | null
  readonly lastAt: Date | null
  readonly error: string | null
}

/** All endpoints, clients' own too: staff may send what waits. */
export async function endpointAlerts(db: Db): Promise<FoundAlert[]> {
  const found = await rows<FailingRow>(
    db,
    sql`
      select e.id, e.name, e.status, e.status_reason as "statusReason", e.failing_since as "failingSince",
        e.updated_at as "updatedAt", w.waiting, w.oldest as "oldestAt", o.id as "oldestId",
        o.last_attempt_at as "lastAt", o.error
      from endpoints e
        cross join lateral (
          select count(*)::int as waiting, min(d.created_at) as oldest from endpoint_deliveries d
          where d.endpoint_id = e.id and d.status = 'pending'
        ) w
        left join lateral (
          select d.id, d.last_attempt_at, d.error from endpoint_deliveries d
          where d.endpoint_id = e.id and d.status = 'pending' order by d.next_attempt_at, d.id limit 1
        ) o on true
      where e.failing_since is not null or (e.status = 'inactive' and e.status_reason <> '')
        or (e.status = 'active' and w.oldest < clock_timestamp() - ${behindMinutes}::int * interval '1 minute')
      order by e.id`,
  )
  return found.map(toAlert)
}

function toAlert(found: FailingRow): FoundAlert {
  const { id, name, failingSince, oldestAt, oldestId, updatedAt, waiting, lastAt } = found
  const since = failingSince ?? (found.status === 'inactive' ? updatedAt : oldestAt) ?? updatedAt
  const { severity, what, advice } = wordsOf(found)
  return {
    ...alertTexts({ name, what, advice }),
    severity,
    key: `endpoint:${id}`,
    kind: 'endpoint',
    since: since.toISOString(),
    last: (lastAt ?? since).toISOString(),
    count: waiting,
    hours: [],
    about: { endpointId: String(id), ...(oldestId === null ? {} : { deliveryId: oldestId }) },
  }
}

interface Finding {
  readonly severity: AlertSeverity
  readonly what: readonly Sentence[]
  readonly advice: Sentence
}

function wordsOf({ status, statusReason, failingSince, waiting: count, error }: FailingRow): Finding {
  if (status === 'inactive')
    return {
      severity: 'critical',
      what: [sentence('Switched off: {reason}', { reason: { text: statusReason } })],
      advice: sentence('Fix the address, test it and switch it on; then replay what failed.'),
    }
  if (failingSince !== null)
    return {
      severity: 'critical',
      what: [
        count === 1
          ? sentence('It accepts nothing. 1 delivery is waiting.')
          : sentence('It accepts nothing. {count} deliveries are waiting.', { count }),
        ...(error === null || error === ''
          ? []
          : [sentence('Last answer: {answer}', { answer: { text: error } })]),
      ],
      advice: sentence('Look at what it answers, and send the oldest one now once it is fixed.'),
    }
  return {
    severity: 'warning',
    what: [
      count === 1
        ? sentence('It is falling behind: 1 delivery has been waiting for more than {minutes} minutes.', {
            minutes: behindMinutes,
          })
        : sentence(
            'It is falling behind: {count} deliveries are waiting, the oldest for more than {minutes} minutes.',
            {
              count,
              minutes: behindMinutes,
            },
          ),
    ],
    advice: sentence('Raise its rate limit if the receiver can take more.'),
  }
}
