// Payment runs as screens show them.
import { sql } from 'kysely'
import type { PaymentRun, RunDetail, RunLine } from '@tollgate/contract/payment-runs/payment-runs.ts'
import { quote, type Sentence } from '@tollgate/contract/sentences.ts'
import type { PaymentRunStatus } from '@tollgate/contract/vocabulary.ts'
import { cutPage, readCursor } from '../http/lists/cursor.ts'
import type { Db } from '../platform/db.ts'
import type { PageReply } from '../http/handlers.ts'
import { decimalOf, replyRows } from '../http/reply.ts'
import { allOf } from '../http/lists/sorted-page.ts'

interface RunFilter {
  readonly id?: string
  readonly status?: PaymentRunStatus | undefined
}

/** A page of runs, newest first. */
export async function listRuns(
  db: Db,
  { id, status }: RunFilter,
  page: { readonly limit: number; readonly cursor?: string | undefined },
): Promise<PageReply<PaymentRun[]>> {
  const last = readCursor(page.cursor, ['id'])
  const condition = allOf([
    id !== undefined && sql`r.id = ${id}::bigint`,
    status !== undefined && sql`r.status = ${status}`,
    last !== undefined && sql`r.id < ${last[0]}::bigint`,
  ])
  const found = await replyRows<PaymentRun>(
    db,
    sql`select r.id, r.status, r.note, s.*, d.username as drafted_by, r.drafted_at,
          coalesce(a.username, '') as approved_by, r.approved_at, coalesce(e.username, '') as exported_by, r.exported_at,
          coalesce(c.username, '') as closed_by, r.closed_at, r.close_reason
        from payment_runs r join users d on d.id = r.drafted_by left join users a on a.id = r.approved_by
        left join users e on e.id = r.exported_by left join users c on c.id = r.closed_by
        cross join lateral (
          select count(*)::int as line_count, coalesce(sum(l.amount_micro), 0)::text as amount_micro,
            (count(*) filter (where p.is_paid))::int as paid_count,
            coalesce(sum(l.amount_micro) filter (where p.is_paid), 0)::text as paid_amount_micro
          from payment_run_lines l cross join lateral (
            select bool_and(b.due_micro > 0 and x.due_micro = 0) as is_paid
            from payment_run_debts b join debts x on x.reference = b.reference where b.line_id = l.id
          ) p where l.run_id = r.id
        ) s
        where ${condition} order by r.id desc limit ${page.limit + 1}`,
  )
  const { rows: items, next } = cutPage(found, page.limit, (run) => [run.id])
  return { items, next }
}

type StoredLine = Omit<RunLine, 'warningWords'> & { readonly warningWords: Sentence[] | null }

/** The transfers of a run, in the order of its draft. */
async function listLines(db: Db, runId: string): Promise<RunLine[]> {
  const found = await replyRows<StoredLine>(
    db,
    sql`select l.id, l.user_id, u.username as user_name, l.address as usdt_address, l.amount_micro, p.debts,
          l.held_micro as held_amount_micro, l.address_since, l.warnings, l.warning_words,
          case when p.is_paid then 'paid' when l.transfer_id is not null then 'partly_paid'
            when l.transaction_hash is not null then 'sent' else 'waiting' end as state,
          coalesce(t.txid, l.transaction_hash, '') as transaction_hash
        from payment_run_lines l join users u on u.id = l.user_id left join transfers t on t.id = l.transfer_id
        cross join lateral (
          select bool_and(x.due_micro = 0) as is_paid, json_agg(json_build_object('reference', b.reference,
            'dueAmount', ${decimalOf('b.due_micro')}) order by x.owed_since, b.reference) as debts
          from payment_run_debts b join debts x on x.reference = b.reference where b.line_id = l.id
        ) p
        where l.run_id = ${runId}::bigint order by l.id`,
  )
  return found.map((line) => ({ ...line, warningWords: line.warningWords ?? line.warnings.map(quote) }))
}

/** A run with its transfers; undefined when there is none. */
export async function findRun(db: Db, id: string): Promise<RunDetail | undefined> {
  const [run] = (await listRuns(db, { id }, { limit: 1 })).items
  return run && { ...run, lines: await listLines(db, id) }
}
