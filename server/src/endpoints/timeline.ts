// The deliveries of a record to endpoints, as steps of its timeline.
import { sql } from 'kysely'
import { sentence } from '@tollgate/contract/sentences.ts'
import { rows } from '../platform/db.ts'
import { triesWords, type LaterSteps, type TimelineStep } from '../records/index.ts'

interface DeliveryStepRow {
  readonly name: string
  readonly type: string
  readonly status: 'pending' | 'delivered' | 'failed'
  readonly attempts: number
  readonly response_status: number | null
  readonly error: string
  readonly created_at: Date
  readonly last_attempt_at: Date | null
}

/** A client sees only its own endpoints; those that take everybody's records are shown to staff alone. */
export const deliverySteps: LaterSteps = async (db, record, viewer) => {
  const isStaff = viewer.role === 'support' || viewer.role === 'admin'
  const found = await rows<DeliveryStepRow>(
    db,
    sql`select e.name, d.type, d.status, d.attempts, d.response_status, d.error, d.created_at, d.last_attempt_at
        from endpoint_deliveries d join endpoints e on e.id = d.endpoint_id
        where d.record_id = ${record.id} and d.record_created_at = ${record.createdAt}
          and (${isStaff}::boolean or e.user_id = ${viewer.userId})
        order by d.id limit 50`,
  )
  return found.flatMap(stepsOf)
}

function stepsOf(delivery: DeliveryStepRow): TimelineStep[] {
  const { name, type, status, attempts, last_attempt_at: last } = delivery
  const begun: TimelineStep = {
    at: delivery.created_at.toISOString(),
    step: 'handed_on',
    title: type === 'record.updated' ? sentence('Update handed on') : sentence('Handed on'),
    detail: sentence('Endpoint {name}.', { name }),
    status: 'info',
  }
  if (last === null) return [begun]
  const isTaken = status === 'delivered'
  return [
    begun,
    {
      at: last.toISOString(),
      step: isTaken ? 'taken' : 'refused',
      title: isTaken
        ? sentence('Taken')
        : status === 'failed'
          ? sentence('Not taken')
          : sentence('Not taken yet'),
      detail: isTaken
        ? [
            sentence('Endpoint {name} answered {status}.', {
              name,
              status: String(delivery.response_status ?? ''),
            }),
            ...triesWords(attempts),
          ]
        : [sentence('Endpoint {name}.', { name }), ...triesWords(attempts, delivery.error)],
      status: isTaken ? 'ok' : status === 'failed' ? 'bad' : 'warn',
    },
  ]
}
