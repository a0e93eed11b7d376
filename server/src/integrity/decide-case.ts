// What people do with a case: take it, be reminded later, release or refuse it. A case is one act, whatever its size.
import { sql } from 'kysely'
import { caseDueHours, exemptionDays } from '@tollgate/contract/integrity/integrity.ts'
import { Refusal } from '@tollgate/contract/errors.ts'
import { formatMicro } from '@tollgate/contract/money.ts'
import { sentence } from '@tollgate/contract/sentences.ts'
import type { CaseState, HoldAction } from '@tollgate/contract/vocabulary.ts'
import type { Actor } from '../http/handlers.ts'
import { row, rows, type Db } from '../platform/db.ts'
import { moveDecided } from './move-decided.ts'
import { needsAnother, type HoldParts } from './service.ts'

interface LockedCase {
  readonly id: string
  readonly client_id: number
  readonly state: CaseState
  readonly is_being_held: boolean
  readonly held_micro: string
  readonly billed_from: Date | null
  /** What it holds, and what it will take off bills at most. */
  readonly reached_micro: string
  readonly requested_action: HoldAction | null
  readonly requested_by: number | null
}

interface By {
  readonly actor: Actor
  readonly ip: string
}

export interface CaseDecision {
  readonly action: HoldAction
  readonly reason: string
  readonly remember: boolean
}

async function lockOpenCase(tx: Db, id: string): Promise<LockedCase> {
  const found = await row<LockedCase>(
    tx,
    sql`select id, client_id, state, apply_from is not null as is_being_held, held_micro, billed_from,
          case when billed_from is null then held_micro else greatest(held_micro, amount_micro) end as reached_micro,
          requested_action, requested_by
        from integrity_cases where id = ${id}::bigint for update`,
  )
  if (found === undefined) throw new Refusal('not_found', 'There is no such case.')
  if (found.state === 'dry') throw new Refusal('wrong_state', 'This case holds nothing.')
  if (found.state !== 'open')
    throw new Refusal('wrong_state', 'This case is decided already. Look at the list again.')
  return found
}

/**
 * Releases or refuses all that a case holds: at once up to the limit, above it when a second person decides the same.
 * Returns whether it was carried out. Throws Refusal not_found, wrong_state and forbidden, as the decision on a hold does.
 */
export async function decideCase(
  tx: Db,
  parts: HoldParts,
  id: string,
  { action, reason, remember }: CaseDecision,
  by: By,
): Promise<boolean> {
  const found = await lockOpenCase(tx, id)
  if (found.is_being_held)
    throw new Refusal('wrong_state', 'Messages of this case are still being held. Decide in a minute.')
  if (found.billed_from !== null && action === 'confirm')
    throw new Refusal(
      'wrong_state',
      sentence('What is on bills is taken off at {at}. Release it now, or refuse it after that.', {
        at: { at: found.billed_from.toISOString() },
      }),
    )
  const act = {
    ...found,
    user_id: found.client_id,
    amount_micro: found.reached_micro,
    subject: `case ${id}`,
  }
  const now = parts.clock.now()
  const isDone = !(await needsAnother(tx, parts, [act], action, by.actor))
  if (isDone) {
    const { id: cycleId } = await parts.ledger.holdOpenCycle(tx)
    const status = action === 'release' ? 'released' : 'confirmed'
    const rememberedDays = action === 'release' && remember ? exemptionDays : null
    await sql`update integrity_cases set state = ${status}, decided_by = ${by.actor.userId}, decided_at = ${now},
        decision_reason = ${reason}, billed_from = null,
        remembered_until = ${now}::timestamptz + make_interval(days => ${rememberedDays}::int) where id = ${id}::bigint`.execute(
      tx,
    )
    const holds = await rows<{ id: string }>(
      tx,
      sql`update holds set status = ${status}, decided_by = ${by.actor.userId}, decided_at = ${now},
            decision_reason = ${reason}, decided_cycle_id = ${cycleId}::int, is_moving = true
          where case_id = ${id}::bigint and status = 'open' returning id`,
    )
    // The first slice at once; the job moves the others.
    await moveDecided(tx, parts, { ids: holds.map((hold) => hold.id), cycleId })
  } else
    await sql`update integrity_cases set requested_action = ${action}, requested_by = ${by.actor.userId},
        requested_at = ${now}, requested_reason = ${reason} where id = ${id}::bigint`.execute(tx)
  await parts.audit.record(tx, {
    ...by,
    action: isDone ? `integrity_case.${action}` : 'integrity_case.ask',
    objectType: 'integrity_case',
    objectId: id,
    after: {
      userId: found.client_id,
      amount: formatMicro(BigInt(found.held_micro), 2),
      reason,
      ...(isDone ? { remember: action === 'release' && remember } : { asksFor: action }),
    },
  })
  return isDone
}

/** Says who looks at it. */
export async function takeCase(tx: Db, { audit }: HoldParts, id: string, by: By): Promise<void> {
  await lockOpenCase(tx, id)
  await sql`update integrity_cases set owner_id = ${by.actor.userId} where id = ${id}::bigint`.execute(tx)
  await audit.record(tx, {
    ...by,
    action: 'integrity_case.take',
    objectType: 'integrity_case',
    objectId: id,
    after: { owner: by.actor.username },
  })
}

/** Puts the reminder off. */
export async function extendCase(
  tx: Db,
  { audit, clock }: HoldParts,
  id: string,
  reason: string,
  by: By,
): Promise<void> {
  await lockOpenCase(tx, id)
  const dueAt = new Date(clock.now().getTime() + caseDueHours * 3_600_000)
  await sql`update integrity_cases set due_at = ${dueAt} where id = ${id}::bigint`.execute(tx)
  await audit.record(tx, {
    ...by,
    action: 'integrity_case.extend',
    objectType: 'integrity_case',
    objectId: id,
    after: { dueAt: dueAt.toISOString(), reason },
  })
}
