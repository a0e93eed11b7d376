// Sets off what a client has received beyond his debts, or owes, against what the platform owes him. No money moves. One
// set of statements serves one client as well as all, because a close has thousands.
import { sql, type RawBuilder } from 'kysely'
import { row, type Db } from '../../platform/db.ts'
import type { BillingDeps } from '../deps.ts'
import { announceChanges } from '../events/announce.ts'
import { underWay } from './debt-store.ts'

type SetOffDeps = Pick<BillingDeps, 'announce' | 'ledger' | 'clock'>

/** Sets the credit of all clients, or of one, off against their unpaid bills and payouts, the oldest first. */
export function setOffCredit(tx: Db, deps: SetOffDeps, userId?: number): Promise<void> {
  const claims = sql`select user_id, amount_micro from client_credits
    where amount_micro > 0 and (${userId ?? null}::int is null or user_id = ${userId ?? null}::int)`
  return setOff(tx, deps, { source: 'credit', claims, debts: sql`true` })
}

/**
 * Sets what clients owe from a closed cycle off against its payouts. A bill needs no such step: it is made of what is
 * left. What no payout covers stays carried into the open cycle.
 */
export function setOffCarried(tx: Db, deps: SetOffDeps, cycleId: number): Promise<void> {
  const claims = sql`select user_id, -sum(amount_micro)::bigint as amount_micro from ledger_lines
    where cycle_id > ${cycleId} and kind = 'carry' and account = 'payable' and reference = ${cycleId} || '-' || user_id
    group by user_id having sum(amount_micro) < 0`
  const debts = sql`kind = 'payout' and cycle_id = ${cycleId}`
  return setOff(tx, deps, { source: 'carry', carriedFrom: cycleId, claims, debts })
}

interface SetOff {
  readonly source: 'carry' | 'credit'
  readonly carriedFrom?: number
  /** Columns user_id and amount_micro: what is to be set off. */
  readonly claims: RawBuilder<unknown>
  /** Which debts, of the view. */
  readonly debts: RawBuilder<unknown>
}

async function setOff(tx: Db, deps: SetOffDeps, { source, carriedFrom, claims, debts }: SetOff) {
  const { ledger, clock } = deps
  const now = clock.now()
  await lockUnpaid(tx, claims)
  // A transfer may be on its way to a debt with a payment under way or in a run, in full: such a debt is left alone.
  const made = await row<{ ids: string[] | null }>(
    tx,
    sql`with claims as (${claims}), unpaid as (
          select d.*, c.amount_micro as claim_micro, (sum(due_micro) over (
            partition by user_id order by owed_since, kind, payout_id rows unbounded preceding) - due_micro)::bigint as before_micro
          from debts d join claims c using (user_id)
          where not is_settled and due_micro > 0 and ${debts} and not exists (
            select from payments y where ${underWay('y')}
              and (y.payout_id = d.payout_id or d.payout_id is null and y.cycle_id = d.cycle_id and y.user_id = d.user_id))
            and not exists (select from payment_run_debts r where r.reference = d.reference and r.is_live)
        ), made as (
          insert into set_offs (source, cycle_id, user_id, payout_id, amount_micro, at)
          select ${source}, cycle_id, user_id, payout_id, least(due_micro, claim_micro - before_micro), ${now}::timestamptz
          from unpaid where before_micro < claim_micro
          returning id
        )
        select array_agg(id) as ids from made`,
  )
  if (made?.ids == null) return
  const rows = sql`(select * from set_offs where id = any(${made.ids}::bigint[]))`
  await lowerDebts(tx, rows, now)
  await announceChanges(tx, deps, rows)
  if (source === 'credit')
    await sql`update client_credits c set amount_micro = c.amount_micro - s.amount_micro
      from (select user_id, sum(amount_micro)::bigint as amount_micro from ${rows} r group by user_id) s
      where s.user_id = c.user_id`.execute(tx)
  const { id: openCycleId } = await ledger.holdOpenCycle(tx)
  const settlement = sql`case when payout_id is null then 1 else 2 end`
  const reference = sql`coalesce('payout-' || payout_id, cycle_id || '-' || user_id)`
  const [other, otherCycle, otherSettlement, otherKind, otherReference] =
    source === 'credit'
      ? [sql`'credit'`, sql`cycle_id`, settlement, sql`'set_off'`, reference]
      : [
          sql`'payable'`,
          sql`${openCycleId}::int`,
          sql`1`,
          sql`'carry'`,
          sql`${carriedFrom} || '-' || user_id`,
        ]
  await ledger.postRows(
    tx,
    sql`select cycle_id, user_id, 'billed' as account, -amount_micro as amount_micro, ${settlement} as settlement,
          'set_off' as kind, ${reference} as reference from ${rows} r
        union all
        select ${otherCycle}, user_id, ${other}, amount_micro, ${otherSettlement}, ${otherKind}, ${otherReference}
        from ${rows} r`,
  )
}

/**
 * Locks the debts and the credit of everybody concerned, so that no payment is entered meanwhile. The debts in the order of
 * their references, as payment runs lock theirs (runs/change-run.ts): in another order both could wait for each other.
 */
async function lockUnpaid(tx: Db, claims: RawBuilder<unknown>): Promise<void> {
  const users = sql`select user_id from (${claims}) c`
  await sql`select from users where id in (${users}) order by id for no key update`.execute(tx)
  await sql`select from billing_periods where status <> 'paid' and user_id in (${users})
    order by (cycle_id || '-' || user_id) collate "C" for update`.execute(tx)
  await sql`select from payouts where status = 'pending' and user_id in (${users})
    order by id::text collate "C" for update`.execute(tx)
  await sql`select from client_credits where user_id in (${users}) order by user_id for update`.execute(tx)
}

/** Lowers what is due. What nothing is due of is paid, and a part that waited for a decision needs none any more. */
async function lowerDebts(tx: Db, rows: RawBuilder<unknown>, now: Date): Promise<void> {
  await sql`update billing_periods b set set_off_micro = set_off_micro + r.amount_micro from ${rows} r
    where r.payout_id is null and b.cycle_id = r.cycle_id and b.user_id = r.user_id`.execute(tx)
  await sql`update payouts o set set_off_micro = set_off_micro + r.amount_micro from ${rows} r
    where o.id = r.payout_id`.execute(tx)
  await sql`update payments y set status = 'confirmed', verification_note = 'The rest was set off.',
      proposed_decision = null, proposed_by = null, proposed_at = null
    from ${rows} r, debts d
    where d.due_micro = 0 and d.cycle_id = r.cycle_id and d.user_id = r.user_id and d.payout_id is not distinct from r.payout_id
      and y.status = 'pending' and y.verification = 'underpaid'
      and (y.payout_id = r.payout_id or r.payout_id is null and y.cycle_id = r.cycle_id and y.user_id = r.user_id)`.execute(
    tx,
  )
  await sql`update billing_periods b set status = 'paid', paid_at = ${now} from ${rows} r
    where r.payout_id is null and b.cycle_id = r.cycle_id and b.user_id = r.user_id and b.due_micro = 0`.execute(
    tx,
  )
  await sql`update payouts o set status = 'completed', processed_at = ${now} from ${rows} r
    where o.id = r.payout_id and o.due_micro = 0`.execute(tx)
}
