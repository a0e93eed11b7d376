// What became of a record over SMPP, for its timeline: at its client's binds, and as a receipt to its supplier.
import { sql } from 'kysely'
import { rows } from '../../platform/db.ts'
import type { LaterSteps, TimelineStep } from '../../records/index.ts'

interface StepRow {
  readonly kind: 'record' | 'receipt'
  readonly status: 'pending' | 'delivered' | 'failed'
  readonly attempts: number
  readonly error: string
  readonly at: Date
  readonly username: string
}

/** A client sees what went to itself; receipts to suppliers are the house's business and theirs who got them. */
export const bindSteps: LaterSteps = async (db, record, viewer) => {
  const isStaff = viewer.role === 'support' || viewer.role === 'admin'
  const found = await rows<StepRow>(
    db,
    sql`select d.kind, d.status, d.attempts, d.error, coalesce(d.last_attempt_at, d.created_at) as at, u.username
        from bind_deliveries d join users u on u.id = d.user_id
        where d.record_id = ${record.id} and (${isStaff}::boolean or d.user_id = ${viewer.userId})
        union all
        -- Whatever was taken at once has no row: the record itself says it, unless an address took it.
        select 'record', 'delivered', 1, '', r.updated_at, u.username
        from records r join users u on u.id = r.client_id
        where r.created_at = ${record.createdAt} and r.id = ${record.id} and r.client_report = 1
          and (${isStaff}::boolean or r.client_id = ${viewer.userId})
          and not exists (select from bind_deliveries d where d.record_id = r.id and d.kind = 'record')
          and not exists (select from endpoint_deliveries d where d.record_id = r.id and d.status = 'delivered')`,
  )
  return found.map(stepOf)
}

function stepOf({ kind, status, attempts, error, at, username }: StepRow): TimelineStep {
  const isTaken = status === 'delivered'
  const tries = attempts === 1 ? '1 try' : `${attempts} tries`
  const what = kind === 'record' ? `SMPP bind of ${username}` : `Receipt to ${username}`
  return {
    at: at.toISOString(),
    step: kind === 'receipt' ? 'reported' : isTaken ? 'taken' : 'refused',
    title: titles[kind][status],
    detail: attempts === 0 ? what : isTaken ? `${what}, ${tries}` : `${what}, ${tries}: ${error}`,
    status: isTaken ? 'ok' : status === 'failed' ? 'bad' : 'warn',
  }
}

const titles = {
  record: { pending: 'Not taken yet', delivered: 'Taken', failed: 'Not taken' },
  receipt: { pending: 'Receipt waits', delivered: 'Receipt taken', failed: 'Receipt not taken' },
} as const
