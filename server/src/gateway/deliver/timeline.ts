// The steps of a record's timeline over SMPP: its delivery to the client, and the receipt to its supplier.
import { sql } from 'kysely'
import { rows } from '../../platform/db.ts'
import type { LaterSteps, TimelineStep } from '../../records/index.ts'

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

function stepOf({ kind, status, attempts, error, at, username }: DeliveryStepRow): TimelineStep {
  const isDelivered = status === 'delivered'
  const tries = attempts === 1 ? '1 try' : `${attempts} tries`
  const what = kind === 'record' ? `SMPP bind of ${username}` : `Receipt to ${username}`
  return {
    at: at.toISOString(),
    step: kind === 'receipt' ? 'reported' : isDelivered ? 'taken' : 'refused',
    title: titles[kind][status],
    detail: attempts === 0 ? what : isDelivered ? `${what}, ${tries}` : `${what}, ${tries}: ${error}`,
    status: isDelivered ? 'ok' : status === 'failed' ? 'bad' : 'warn',
  }
}

const titles = {
  record: { pending: 'Not taken yet', delivered: 'Taken', failed: 'Not taken' },
  receipt: { pending: 'Receipt waits', delivered: 'Receipt taken', failed: 'Receipt not taken' },
} as const
