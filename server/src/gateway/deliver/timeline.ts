// The steps of a record's timeline over SMPP: its delivery to the client, and the receipt to its supplier.
import { sql } from 'kysely'
import { sentence, type Sentence } from '@tollgate/contract/sentences.ts'
import { rows } from '../../platform/db.ts'
import { triesWords, type LaterSteps, type TimelineStep } from '../../records/index.ts'

interface DeliveryStepRow {
  readonly kind: 'record' | 'receipt'
  readonly status: 'pending' | 'delivered' | 'failed'
  readonly attempts: number
  readonly error: string
  readonly at: Date
  readonly username: string
}

/** A viewer sees deliveries and receipts to itself; only staff sees those to others. */
export const bindSteps: LaterSteps = async (db, record, viewer) => {
  const isStaff = viewer.role === 'support' || viewer.role === 'admin'
  const found = await rows<DeliveryStepRow>(
    db,
    sql`select d.kind, d.status, d.attempts, d.error, coalesce(d.last_attempt_at, d.created_at) as at, u.username
        from bind_deliveries d join users u on u.id = d.user_id
        where d.record_id = ${record.id} and (${isStaff}::boolean or d.user_id = ${viewer.userId})
        union all
        -- A record that was accepted at the first attempt has no row: it is reported, and no endpoint accepted it.
        select 'record', 'delivered', 1, '', r.updated_at, u.username
        from records r join users u on u.id = r.client_id
        where r.created_at = ${record.createdAt} and r.id = ${record.id} and r.client_report = 1
          and (${isStaff}::boolean or r.client_id = ${viewer.userId})
          and not exists (select from bind_deliveries d where d.record_id = r.id and d.kind = 'record')
          and not exists (select from endpoint_deliveries d where d.record_id = r.id and d.status = 'delivered')`,
  )
  return found.map(stepOf)
}

function stepOf(delivery: DeliveryStepRow): TimelineStep {
  const { kind, status, at } = delivery
  const isDelivered = status === 'delivered'
  return {
    at: at.toISOString(),
    step: kind === 'receipt' ? 'reported' : isDelivered ? 'taken' : 'refused',
    title: titles[kind][status],
    detail: detailOf(delivery),
    status: isDelivered ? 'ok' : status === 'failed' ? 'bad' : 'warn',
  }
}

function detailOf({ kind, status, attempts, error, username: name }: DeliveryStepRow): readonly Sentence[] {
  const to =
    kind === 'record' ? sentence('SMPP bind of {name}.', { name }) : sentence('Receipt to {name}.', { name })
  if (attempts === 0) return [to]
  return [to, ...triesWords(attempts, status === 'delivered' ? undefined : error)]
}

const titles = {
  record: { pending: sentence('Not taken yet'), delivered: sentence('Taken'), failed: sentence('Not taken') },
  receipt: {
    pending: sentence('Receipt waits'),
    delivered: sentence('Receipt taken'),
    failed: sentence('Receipt not taken'),
  },
} as const
