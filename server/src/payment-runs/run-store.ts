// SQL on payment runs, their transfers and the debts in them. Every change of state is compare-and-set.
import { sql, type RawBuilder } from 'kysely'
import { inEnglish, type Sentence } from '@tollgate/contract/sentences.ts'
import { changed, rows, type Db, type FoundBy } from '../platform/db.ts'

export function lockRun(tx: Db, id: string) {
  return tx
    .selectFrom('payment_runs')
    .select(['id', 'status', 'drafted_by'])
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
}

export type RunRow = FoundBy<typeof lockRun>

export async function insertRun(
  tx: Db,
  { note, by, at }: { readonly note: string; readonly by: number; readonly at: Date },
): Promise<string> {
  const { id } = await tx
    .insertInto('payment_runs')
    .values({ status: 'draft', note, drafted_by: by, drafted_at: at })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

export interface NewLine {
  readonly userId: number
  readonly address: string
  readonly amountMicro: bigint
  readonly heldMicro: bigint
  readonly addressSince: Date | null
  readonly warnings: readonly Sentence[]
  readonly debts: readonly { readonly reference: string; readonly dueMicro: bigint }[]
}

/** Adds a transfer to a run. A debt that is in another live run breaks payment_run_debts_live_key. */
export async function insertLine(tx: Db, runId: string, line: NewLine): Promise<void> {
  await sql`with line as (
      insert into payment_run_lines (run_id, user_id, address, amount_micro, held_micro, address_since, warnings,
        warning_words)
      values (${runId}::bigint, ${line.userId}, ${line.address}, ${line.amountMicro}, ${line.heldMicro},
        ${line.addressSince}, ${line.warnings.map((warning) => inEnglish(warning))}::text[],
        ${JSON.stringify(line.warnings)}::jsonb) returning id
    )
    insert into payment_run_debts (line_id, run_id, reference, due_micro)
    select line.id, ${runId}::bigint, debt.* from line, unnest(
      ${line.debts.map(({ reference }) => reference)}::text[],
      ${line.debts.map(({ dueMicro }) => dueMicro)}::bigint[]) debt`.execute(tx)
}

interface StepBy {
  readonly by: number | null
  readonly at: Date
}

const step = async (
  tx: Db,
  id: string,
  from: readonly string[],
  setting: RawBuilder<unknown>,
): Promise<void> => {
  const count = await changed(
    tx,
    sql`update payment_runs set ${setting} where id = ${id}::bigint and status = any(${[...from]}::text[])`,
  )
  if (count !== 1) throw new Error('The payment run has moved on')
}

export const setApproved = (tx: Db, id: string, { by, at }: StepBy): Promise<void> =>
  step(tx, id, ['draft'], sql`status = 'approved', approved_by = ${by}, approved_at = ${at}`)

export const setExported = (tx: Db, id: string, { by, at }: StepBy): Promise<void> =>
  step(tx, id, ['approved'], sql`status = 'exported', exported_by = ${by}, exported_at = ${at}`)

/** Ends a run: its debts may go into another one. */
export async function endRun(
  tx: Db,
  id: string,
  { status, by, at, reason }: StepBy & { readonly status: 'closed' | 'cancelled'; readonly reason: string },
): Promise<void> {
  const from = status === 'closed' ? ['exported'] : ['draft', 'approved']
  await step(
    tx,
    id,
    from,
    sql`status = ${status}, closed_by = ${by}, closed_at = ${at}, close_reason = ${reason}`,
  )
  await tx.updateTable('payment_run_debts').set({ is_live: false }).where('run_id', '=', id).execute()
}

export interface RunDebt {
  readonly line_id: string
  readonly user_id: number
  readonly address: string
  readonly reference: string
  /** As drafted. */
  readonly drafted_micro: string
  /** Now. */
  readonly due_micro: string
  readonly usdt_address: string | null
  readonly parked_reason: string | null
  /** Withheld, or an amendment of it waits. */
  readonly is_stopped: boolean
}

/** The references of a run's debts. They never change. */
export async function listReferences(tx: Db, runId: string): Promise<string[]> {
  const found = await tx
    .selectFrom('payment_run_debts')
    .select('reference')
    .where('run_id', '=', runId)
    .execute()
  return found.map(({ reference }) => reference)
}

/** The debts of a run as they are now, or of one of its transfers. */
export function listRunDebts(tx: Db, runId: string, lineId?: string): Promise<RunDebt[]> {
  return rows(
    tx,
    sql`select b.line_id, l.user_id, l.address, b.reference, b.due_micro as drafted_micro, d.due_micro, d.usdt_address,
          k.reason as parked_reason, d.is_stopped
        from payment_run_debts b join payment_run_lines l on l.id = b.line_id join debts d on d.reference = b.reference
        left join parked_accounts k on k.user_id = l.user_id
        where b.run_id = ${runId}::bigint and ${lineId === undefined ? sql`true` : sql`b.line_id = ${lineId}::bigint`}
        order by b.line_id, d.owed_since, b.reference`,
  )
}

/** Exported runs of which every debt is settled. */
export function listSettledRuns(db: Db): Promise<{ id: string }[]> {
  return rows(
    db,
    sql`select r.id from payment_runs r where r.status = 'exported' and not exists (
          select from payment_run_debts b join debts d on d.reference = b.reference
          where b.run_id = r.id and not d.is_settled)
        order by r.id limit 100`,
  )
}
