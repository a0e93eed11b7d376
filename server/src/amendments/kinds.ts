// The kinds of amendments: what each requires of the bill, and what it does. Ledger:
//
//   credit note                 billed ─► adjustment, in the bill's cycle
//   credit note of messages     billed ─► held, in the bill's cycle; the decision on the hold moves it on
//   void                        billed (the bill's cycle) ─► payable (the open cycle), whose bill contains it anew
import { Refusal } from '@tollgate/contract/errors.ts'
import { keptText } from '@tollgate/contract/kept-texts.ts'
import { formatMicro } from '@tollgate/contract/money.ts'
import { quote, sentence } from '@tollgate/contract/sentences.ts'
import type { AmendmentKind } from '@tollgate/contract/vocabulary.ts'
import { findBilled, holdBilled } from '../integrity/index.ts'
import { settlementCode, type LedgerLine } from '../ledger/index.ts'
import type { Db } from '../platform/db.ts'
import type { Caller } from '../http/handlers.ts'
import {
  type BillingDeps,
  changeDebt,
  type DebtId,
  type DebtRow,
  refusedAddress,
  setAddress,
  setPaid,
  setVoid,
  setWithheld,
  type BillId,
} from '../billing/index.ts'
import { paymentsOf, profileAddresses, setHolds, type AmendmentRow } from './amendment-store.ts'

export interface AmendmentInput {
  readonly kind: AmendmentKind
  readonly reason: string
  readonly clientReason: string
  /** What a credit note takes off, or the messages whose sum it takes off. */
  readonly amountMicro?: bigint | undefined
  readonly messageIds?: readonly string[] | undefined
}

/** What an amendment of this bill would do. */
export interface Draft {
  readonly amountMicro?: bigint
  readonly address?: string
  readonly acceptableFrom?: Date
  /** Takes two persons whatever the amount. */
  readonly takesTwo?: boolean
}

interface Subject extends AmendmentInput {
  readonly bill: BillId
  /** The row, locked by this transaction. */
  readonly debt: DebtRow
}

interface AmendmentStep {
  readonly bill: BillId
  readonly debt: DebtRow
  readonly amendment: AmendmentRow
  readonly draft: Draft
  readonly by: Caller
}

interface AmendmentRule {
  /** Throws a Refusal when the bill does not allow it now. */
  check(tx: Db, deps: BillingDeps, subject: Subject): Promise<Draft>
  carryOut(tx: Db, deps: BillingDeps, step: AmendmentStep): Promise<void>
}

const wrongState = (message: string) => new Refusal('wrong_state', message)

function refuseSettled({ status }: DebtRow): void {
  if (status === 'paid') throw wrongState('This bill is paid already.')
  if (status === 'void') throw wrongState('This bill is void.')
}

async function refuseUnderWay(tx: Db, bill: BillId): Promise<void> {
  const { awaitsApproval, isUnderWay } = await paymentsOf(tx, bill)
  if (awaitsApproval) throw wrongState('A payment of this bill waits for approval. Reject it first.')
  if (isUnderWay)
    throw wrongState('A payment of this bill is under way. Wait for the result, or decide on it.')
}

const withhold: AmendmentRule = {
  async check(tx, _, { bill, debt }) {
    refuseSettled(debt)
    if (debt.withheld_at !== null) throw wrongState('This bill is withheld already.')
    // A payment that only waits for approval cannot be approved then; a transfer that was sent cannot be stopped.
    if ((await paymentsOf(tx, bill)).isUnderWay)
      throw wrongState('A payment of this bill is under way. Wait for the result, or decide on it.')
    return {}
  },
  carryOut: (tx, { clock }, { bill }) => setWithheld(tx, bill, clock.now()),
}

const resume: AmendmentRule = {
  async check(_tx, _, { debt }) {
    if (debt.withheld_at === null) throw wrongState('This bill is not withheld.')
    return {}
  },
  carryOut: (tx, _, { bill }) => setWithheld(tx, bill, null),
}

const debtIdOf = (bill: BillId): DebtId => ({ kind: 'period', ...bill })
const idOf = ({ cycleId, userId }: BillId) => `${cycleId}-${userId}`

const voiding: AmendmentRule = {
  async check(tx, _, { bill, debt }) {
    refuseSettled(debt)
    await refuseUnderWay(tx, bill)
    if (debt.received_micro !== '0')
      throw wrongState('A part of this bill is paid. Deduct the rest with a credit note.')
    return { amountMicro: BigInt(debt.due_micro) }
  },
  async carryOut(tx, deps, { bill, debt, amendment, by }) {
    const dueMicro = BigInt(debt.due_micro)
    await changeDebt(tx, debtIdOf(bill), { reducedMicro: dueMicro })
    await setVoid(tx, bill)
    const { id: openCycleId } = await deps.ledger.holdOpenCycle(tx)
    const line = {
      userId: bill.userId,
      settlement: settlementCode('bill'),
      reference: idOf(bill),
      actorId: by.actor.userId,
      reason: voidText(idOf(bill), amendment.client_reason),
    }
    await deps.ledger.post(tx, [
      { ...line, cycleId: bill.cycleId, account: 'billed', amountMicro: -dueMicro, kind: 'void' },
      { ...line, cycleId: openCycleId, account: 'payable', amountMicro: dueMicro, kind: 'carry' },
    ])
  },
}

const creditNote: AmendmentRule = {
  async check(tx, _, { bill, debt, amountMicro, messageIds }) {
    refuseSettled(debt)
    await refuseUnderWay(tx, bill)
    const dueMicro = BigInt(debt.due_micro)
    const sumMicro =
      messageIds === undefined ? amountMicro : (await findBilled(tx, bill, messageIds)).amountMicro
    if (sumMicro === undefined || sumMicro <= 0n)
      throw new Refusal('invalid', 'These messages are worth nothing. There is nothing to deduct.', {
        fields: { messageIds: 'Worth nothing' },
      })
    if (sumMicro > dueMicro)
      throw new Refusal(
        'invalid',
        sentence('Only {amount} USDT of this bill are due.', {
          amount: { amount: formatMicro(dueMicro, 2) },
        }),
        { fields: { [messageIds === undefined ? 'amount' : 'messageIds']: 'More than is due' } },
      )
    return { amountMicro: sumMicro }
  },
  async carryOut(tx, deps, { bill, debt, amendment, draft, by }) {
    const amountMicro = draft.amountMicro ?? 0n
    const isOfMessages = amendment.message_ids.length > 0
    if (isOfMessages) {
      const { keys } = await findBilled(tx, bill, amendment.message_ids)
      await setHolds(tx, amendment.id, await holdBilled(tx, bill, keys, amendment.reason))
    }
    await changeDebt(tx, debtIdOf(bill), { reducedMicro: amountMicro })
    const line = {
      cycleId: bill.cycleId,
      settlement: settlementCode('bill'),
      kind: 'credit_note',
      reference: amendment.id,
      actorId: by.actor.userId,
      reason: amendment.reason,
    }
    const other: LedgerLine = isOfMessages
      ? { ...line, userId: bill.userId, account: 'held', amountMicro }
      : { ...line, userId: null, account: 'adjustment', amountMicro }
    await deps.ledger.post(tx, [
      { ...line, userId: bill.userId, account: 'billed', amountMicro: -amountMicro },
      other,
    ])
    if (amountMicro < BigInt(debt.due_micro)) return
    const isPaidInPart = debt.received_micro !== '0' || debt.set_off_micro !== '0'
    if (isPaidInPart) await setPaid(tx, bill, deps.clock.now())
    else await setVoid(tx, bill)
  },
}

const readdress: AmendmentRule = {
  async check(tx, deps, { bill, debt }) {
    refuseSettled(debt)
    await refuseUnderWay(tx, bill)
    const now = deps.clock.now()
    const { inForce, next } = await profileAddresses(tx, bill.userId, now)
    // While a change of the profile waits, both waits run at the same time.
    const address = next ?? inForce
    if (address === null || address === debt.usdt_address)
      throw new Refusal(
        'unprocessable',
        "The client's payment profile has no other address. The client enters it there first.",
        { fields: { usdtAddress: 'The same as on the bill' } },
      )
    const refused = await refusedAddress(deps, tx, address)
    if (refused !== undefined)
      throw new Refusal(
        'unprocessable',
        [sentence("The address of the client's payment profile cannot be paid."), quote(refused)],
        { fields: { usdtAddress: refused } },
      )
    const waitMs = (await deps.settings.addressWaitHours.get(tx)) * 3_600_000
    return { address, acceptableFrom: new Date(now.getTime() + waitMs), takesTwo: true }
  },
  async carryOut(tx, deps, { bill, amendment }) {
    const address = amendment.usdt_address ?? ''
    const { inForce } = await profileAddresses(tx, bill.userId, deps.clock.now())
    if (inForce !== address)
      throw wrongState("The address is not in force in the client's payment profile yet, or not any more.")
    await setAddress(tx, bill, address, amendment.former_address)
  },
}

const rules: Readonly<Record<AmendmentKind, AmendmentRule>> = {
  withhold,
  resume,
  void: voiding,
  credit_note: creditNote,
  readdress,
}

/** What this kind of amendment requires and does. */
export const amendmentKindOf = (kind: AmendmentKind): AmendmentRule => rules[kind]

function voidText(bill: string, note: string): string {
  return note === ''
    ? keptText('Bill #{bill} was voided and made anew', { bill })
    : keptText('Bill #{bill} was voided and made anew: {note}', { bill, note })
}
