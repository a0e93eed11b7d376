// Takes what a case of traffic integrity holds off bills and payouts that are due. A bill gets one credit note for a case,
// by the gateway: it grows while the case holds its messages, slice by slice, and is done after the last one. Until then
// nothing is paid for the bill. A payout has no paper of its own, so its amount only becomes less.
import { sql } from 'kysely'
import { systemActor } from '../audit/index.ts'
import {
  announceChange,
  changeDebt,
  inExportedRun,
  lockDebt,
  setPaid,
  setPayoutCompleted,
  setVoid,
  type BillId,
  type BillingDeps,
  type DebtId,
} from '../billing/index.ts'
import { settlementCode } from '../ledger/index.ts'
import { row, type Db } from '../platform/db.ts'
import type { BilledPart, BilledDebts } from '../integrity/index.ts'
import { addToCaseNote, endCaseNote, hasPending, paymentsOf } from './amendment-store.ts'

const isBill = ({ settlement }: BilledPart) => settlement === settlementCode('bill')

async function debtOf(tx: Db, part: BilledPart): Promise<DebtId | undefined> {
  if (isBill(part)) return { kind: 'period', cycleId: part.cycleId, userId: part.userId }
  const found = await tx
    .selectFrom('payouts')
    .select('id')
    .where((eb) => eb.and({ cycle_id: part.cycleId, user_id: part.userId, number_id: part.numberId }))
    .executeTakeFirst()
  return found && { kind: 'payout', id: found.id }
}

/** What is due of a bill or payout from which something can be taken off; see {@link BilledDebts}. */
async function dueOf(tx: Db, part: BilledPart, caseId: string): Promise<bigint | 'wait'> {
  const debtId = await debtOf(tx, part)
  const debt = debtId && (await lockDebt(tx, debtId))
  if (debtId === undefined || debt === undefined) return 0n
  if (debtId.kind === 'payout') return (await isPayoutUnderWay(tx, debtId.id)) ? 0n : BigInt(debt.due_micro)
  if (debt.status === 'paid' || debt.status === 'void') return 0n
  const { awaitsApproval, isUnderWay } = await paymentsOf(tx, debtId)
  if (awaitsApproval || isUnderWay) return 0n
  return (await hasPending(tx, debtId, caseId)) ? 'wait' : BigInt(debt.due_micro)
}

async function isPayoutUnderWay(tx: Db, id: string): Promise<boolean> {
  const found = await row<{ is_under_way: boolean }>(
    tx,
    sql`select exists (select from payments where payout_id = ${id}::bigint and status = 'pending')
          or ${inExportedRun(sql`${`payout-${id}`}`)} as is_under_way`,
  )
  return found?.is_under_way === true
}

/** What holds need of the bills and payouts of {@link BillingDeps}. */
export function billedDebts(deps: BillingDeps): BilledDebts {
  const { clock, ledger } = deps
  return {
    dueOf,
    async takeOff(tx, part, { caseId, amountMicro, reason }) {
      const debtId = await debtOf(tx, part)
      if (debtId === undefined) throw new Error('The payout is missing')
      await changeDebt(tx, debtId, { reducedMicro: amountMicro })
      const reference =
        debtId.kind === 'payout'
          ? `payout-${debtId.id}`
          : await addToCaseNote(tx, debtId, { caseId, amountMicro, reason, at: clock.now() })
      const { userId, cycleId, settlement } = part
      const line = { userId, cycleId, settlement, kind: 'credit_note', reference, reason }
      await ledger.post(tx, [
        { ...line, account: 'billed', amountMicro: -amountMicro },
        { ...line, account: 'held', amountMicro },
      ])
      if (debtId.kind === 'payout') await setPayoutCompleted(tx, debtId.id, clock.now())
    },
    async finish(tx, caseId) {
      for (const note of await endCaseNote(tx, caseId, clock.now())) await finishNote(tx, deps, note)
    },
  }
}

interface EndedNote extends BillId {
  readonly id: string
  readonly amountMicro: bigint
}

async function finishNote(tx: Db, deps: BillingDeps, note: EndedNote): Promise<void> {
  const debt = await lockDebt(tx, { kind: 'period', cycleId: note.cycleId, userId: note.userId })
  if (debt?.due_micro === '0') {
    if (debt.received_micro !== '0' || debt.set_off_micro !== '0') await setPaid(tx, note, deps.clock.now())
    else await setVoid(tx, note)
  }
  await deps.audit.record(tx, {
    actor: systemActor,
    ip: '',
    action: 'billing_period.credit',
    objectType: 'billing_period',
    objectId: `${note.cycleId}-${note.userId}`,
    after: { amendment: note.id, amountMicro: String(note.amountMicro) },
  })
  await announceChange(tx, deps, { kind: 'period', cycleId: note.cycleId, userId: note.userId })
}
