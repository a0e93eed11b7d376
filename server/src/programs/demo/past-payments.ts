// How the demo's staff pay in its past: through the console's API, from the demo's wallet, looked up on the demo's chain.
import type { BillingPeriod } from '@tollgate/contract/billing/bills.ts'
import type { Payment } from '@tollgate/contract/billing/payments.ts'
import type { Payout } from '@tollgate/contract/billing/payouts.ts'
import { parseMicro } from '@tollgate/contract/money.ts'
import type { DraftLine, PaymentRun } from '@tollgate/contract/payment-runs/payment-runs.ts'
import type { TreasuryTransfer } from '@tollgate/contract/treasury/transfers.ts'
import type { Api } from './api.ts'
import type { DemoChain } from './chain.ts'
import type { Past } from './open-past.ts'

/** Support and an admin on one day in the past. A session does not last until the next one. */
export interface Staff extends Past {
  readonly chain: DemoChain
  readonly support: Api
  readonly admin: Api
}

// After this many the demo's chain calls a transfer irreversible.
const irreversibleSeconds = 21

type Answer = Pick<BillingPeriod, 'approval' | 'paymentId'>

/** What support asks for, and the admin too when a second person must agree. */
async function byBoth(
  { support, admin }: Staff,
  call: (person: Api) => Promise<Answer>,
): Promise<string | undefined> {
  const answer = await call(support)
  return ((answer.approval === null ? answer : await call(admin)).paymentId ?? undefined) as
    | string
    | undefined
}

/** Sends `amount` USDT and enters its hash; returns the payment's id. */
async function pay(staff: Staff, path: string, address: string, amount: string): Promise<string> {
  const transactionHash = staff.chain.send(address, parseMicro(amount) ?? 0n)
  staff.wait(irreversibleSeconds)
  const id = await byBoth(staff, (person) => person.call('PUT', path, { transactionHash }))
  await staff.billing.checkPayments()
  await staff.billing.readTreasury()
  return id ?? ''
}

/** Pays a bill, by default all that is due of it. */
export const payBill = (staff: Staff, bill: BillingPeriod, amount = bill.dueAmount): Promise<string> =>
  pay(staff, `/api/billing/periods/${bill.id}/pay`, bill.usdtAddress, amount)

/** Pays a payout, by default all that is due of it. */
export const payPayout = (staff: Staff, payout: Payout, amount = payout.dueAmount): Promise<string> =>
  pay(staff, `/api/payouts/${payout.id}/process`, payout.usdtAddress, amount)

/** Decides what a rest or a surplus becomes. */
export async function decideDifference(
  { support, admin }: Staff,
  paymentId: string,
  difference: 'owe' | 'credit' | 'waive',
  reason: string,
): Promise<void> {
  const body = { action: 'accept', difference, reason }
  const path = `/api/payments/${paymentId}/decide`
  const { proposal } = await support.call<Payment>('PUT', path, body)
  if (proposal !== null) await admin.call('PUT', path, body)
}

/** Drafts a run of everything that `isChosen` and can be paid; returns it and its lines. */
export async function draftRun(
  { support }: Staff,
  note: string,
  isChosen: (line: DraftLine) => boolean = () => true,
): Promise<{ readonly id: string; readonly lines: readonly DraftLine[] }> {
  const draft = await support.call<{ lines: DraftLine[] }>('GET', '/api/payment-runs/draft')
  const lines = draft.lines.filter((line) => line.problem === '' && isChosen(line))
  const references = lines.flatMap(({ debts }) => debts.map(({ reference }) => reference))
  const { id } = await support.call<PaymentRun>('POST', '/api/payment-runs', { references, note })
  return { id: String(id), lines }
}

/** Takes a run through approval, wallet and match to its end. */
export async function completeRun(
  staff: Staff,
  { id, lines }: Awaited<ReturnType<typeof draftRun>>,
): Promise<void> {
  await staff.admin.call('PUT', `/api/payment-runs/${id}/approve`)
  await staff.support.call('PUT', `/api/payment-runs/${id}/export`)
  staff.wait(60)
  for (const { usdtAddress, amount } of lines) staff.chain.send(usdtAddress, parseMicro(amount) ?? 0n)
  staff.wait(irreversibleSeconds)
  await staff.billing.readTreasury()
}

/** Money that leaves the wallet for no debt, and the word that says why. */
export async function spend(
  staff: Staff,
  address: string,
  amountMicro: bigint,
  reason: string,
): Promise<void> {
  const hash = staff.chain.send(address, amountMicro)
  staff.wait(irreversibleSeconds)
  await staff.billing.readTreasury()
  const transfers = await staff.support.call<TreasuryTransfer[]>('GET', '/api/treasury/transfers?limit=50')
  const found = transfers.find(({ transactionHash }) => transactionHash === hash)
  await staff.support.call('PUT', `/api/treasury/transfers/${found?.id}/explain`, { reason })
}
