// Bills, payments and payouts as the server returns them, for tests of the money pages.
import type { BillingPeriod, BillingSummary, BillingTerms } from '@tollgate/contract/billing/bills.ts'
import type { AddressCheck } from '@tollgate/contract/billing/payment-profile.ts'
import type { Payment } from '@tollgate/contract/billing/payments.ts'
import type { Payout } from '@tollgate/contract/billing/payouts.ts'
import type { Payable } from '@tollgate/contract/payment-runs/payables.ts'
import type { DraftLine, RunDetail } from '@tollgate/contract/payment-runs/payment-runs.ts'
import type { TreasuryReader, TreasuryTransfer } from '@tollgate/contract/treasury/transfers.ts'
import type { PaymentVerification } from '@tollgate/contract/vocabulary.ts'

/** The address of the USDT contract, which has a valid checksum. */
export const someAddress = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'
export const otherAddress = 'TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf'
export const someHash = 'e29edd16af09112233445566778899aabbccddeeff00112233445566c69ed3f6'

export const terms: BillingTerms = {
  payableAfterDays: 0,
  addressWaitHours: 72,
  secondPersonAbove: '100.00',
  movedAlone: '0.00',
  isCheckedOnChain: true,
  explorerUrl: 'https://tronscan.org/#/transaction/',
}

export const readyBill: BillingPeriod = {
  id: '4-12',
  userId: 12,
  userName: 'client3',
  userEmail: 'client3@example.com',
  usdtAddress: someAddress,
  periodStart: '2026-11-09T00:00:00.000Z',
  periodEnd: '2026-11-16T00:00:00.000Z',
  recordsUrl: '/sms-records?period=3-12&settlement=bill&hold=none',
  totalSmsCount: 38_914,
  totalCost: '1945.70',
  costPerSms: '0.05',
  receivedAmount: '0.00',
  dueAmount: '1945.70',
  setOffAmount: '0.00',
  reducedAmount: '0.00',
  paymentId: null,
  status: 'sent_to_support',
  billSentAt: '2026-11-16T00:00:01.000Z',
  payableFrom: '2026-11-16T00:00:01.000Z',
  paidAt: null,
  paymentTxHash: null,
  paymentVerification: null,
  verificationNote: '',
  approval: null,
  withheld: null,
  creditedAmount: '0.00',
  runId: null,
  pendingAmendment: null,
  createdAt: '2026-11-09T00:00:00.000Z',
}

export const openBill: BillingPeriod = {
  ...readyBill,
  id: '5-12',
  periodStart: '2026-11-16T00:00:00.000Z',
  periodEnd: '2026-11-23T00:00:00.000Z',
  totalSmsCount: 21_124,
  totalCost: '1056.20',
  dueAmount: '0.00',
  status: 'pending',
  billSentAt: null,
  payableFrom: null,
}

export const paidBill: BillingPeriod = {
  ...readyBill,
  id: '3-12',
  periodStart: '2026-11-02T00:00:00.000Z',
  periodEnd: '2026-11-09T00:00:00.000Z',
  totalCost: '1852.50',
  receivedAmount: '1852.50',
  dueAmount: '0.00',
  paymentId: '31',
  status: 'paid',
  billSentAt: '2026-11-09T00:00:01.000Z',
  paidAt: '2026-11-11T09:00:00.000Z',
  paymentTxHash: someHash,
  paymentVerification: 'verified',
}

/** A bill with a transfer in this state of its check on the chain. */
export function checkedBill(state: PaymentVerification): BillingPeriod {
  const isPaid = state === 'verified' || state === 'unverified'
  return {
    ...readyBill,
    status: isPaid ? 'paid' : state === 'confirming' ? 'sent_to_support' : 'failed',
    paidAt: isPaid ? '2026-11-18T10:00:00.000Z' : null,
    paymentTxHash: someHash,
    paymentVerification: state,
  }
}

export const goodCheck: AddressCheck = {
  isValid: true,
  problem: '',
  paidCount: 3,
  firstPaidAt: '2026-10-02T00:00:00.000Z',
  profile: 'same',
  lookAlikes: [],
  isBlacklisted: false,
}

const moneySummary: BillingSummary = {
  ready: { count: 4, amount: '5606.81', oldestAt: '2026-11-16T00:00:01.000Z' },
  open: { clientCount: 3, smsCount: 68_716, amount: '3006.20', periodEnd: '2026-11-23T00:00:00.000Z' },
  paid: { count: 12, amount: '20941.15', verifiedCount: 12, since: '2026-10-19' },
  held: { holdCount: 3, smsCount: 90, amount: '96.15' },
  closeWait: null,
}

export const somePayment: Payment = {
  id: '31',
  userId: 12,
  userName: 'client3',
  amount: '1852.50',
  receivedAmount: '1852.50',
  dueAmount: '0.00',
  surplusAmount: '0.00',
  usdtAddress: someAddress,
  transactionHash: someHash,
  status: 'confirmed',
  paymentVerification: 'verified',
  verificationNote: '',
  proposal: null,
  approval: null,
  enteredBy: 'support',
  processedBy: 'support',
  notes: '',
  periodId: '3-12',
  payoutId: null,
  replacedWith: null,
  createdAt: '2026-11-11T09:00:00.000Z',
}

export const somePayout: Payout = {
  id: '71',
  createdAt: '2026-11-16T00:00:01.000Z',
  userId: 12,
  userName: 'client3',
  number: '449098790151',
  amount: '12.50',
  receivedAmount: '0.00',
  dueAmount: '12.50',
  setOffAmount: '0.00',
  reducedAmount: '0.00',
  paymentId: null,
  payableFrom: '2026-11-16T00:00:01.000Z',
  recordsUrl: '/sms-records?period=3-12&settlement=payout&hold=none',
  currency: 'USDT',
  smsCount: 25,
  usdtAddress: someAddress,
  payoutStatus: 'pending',
  periodStart: '2026-11-09T00:00:00.000Z',
  periodEnd: '2026-11-16T00:00:00.000Z',
  processedAt: null,
  transactionHash: null,
  paymentVerification: null,
  verificationNote: '',
  approval: null,
}

export const treasuryReader: TreasuryReader = {
  isConfigured: true,
  wallets: [
    {
      address: otherAddress,
      readFrom: '2026-11-01T00:00:00.000Z',
      readAt: '2026-11-18T10:00:00.000Z',
      fault: '',
      failingSince: null,
    },
  ],
  waitingCount: 0,
  oldestWaitingAt: null,
  open: { count: 0, amount: '0.00' },
  proof: {
    provedFrom: '2026-11-01T00:00:00.000Z',
    provedAt: '2026-11-18T00:00:00.000Z',
    balance: '998000.00',
    sent: '1852.50',
    booked: '1852.50',
    explained: '0.00',
    ledgerPaid: '1852.50',
    unbooked: '0.00',
    unseen: '0.00',
    unread: '0.00',
    difference: '0.00',
    isEqual: true,
  },
}

export const draftLine: DraftLine = {
  userId: 12,
  userName: 'client3',
  usdtAddress: someAddress,
  amount: '1958.20',
  debts: [
    { reference: '4-12', dueAmount: '1945.70' },
    { reference: 'payout-71', dueAmount: '12.50' },
  ],
  heldAmount: '0.00',
  addressSince: '2026-10-02T00:00:00.000Z',
  warnings: [],
  warningWords: [],
  problem: '',
  problemWords: [],
}

const { problem: _, problemWords: __, ...payee } = draftLine
const runLine = { ...payee, id: '70', state: 'waiting', transactionHash: '' } as const

export const someRun: RunDetail = {
  id: '7',
  status: 'draft',
  note: 'week 46',
  lineCount: 1,
  amount: '1958.20',
  paidCount: 0,
  paidAmount: '0.00',
  draftedBy: 'ada',
  draftedAt: '2026-11-18T09:00:00.000Z',
  approvedBy: '',
  approvedAt: null,
  exportedBy: '',
  exportedAt: null,
  closedBy: '',
  closedAt: null,
  closeReason: '',
  lines: [runLine],
}

export const openTransfer: TreasuryTransfer = {
  id: '9',
  transactionHash: someHash,
  logIndex: 0,
  fromAddress: otherAddress,
  toAddress: someAddress,
  amount: '1945.70',
  bookedAmount: '0.00',
  at: '2026-11-18T09:30:00.000Z',
  state: 'open',
  references: [],
  userName: '',
  decision: null,
  proposals: [
    {
      userId: 12,
      userName: 'client3',
      references: ['4-12'],
      dueAmount: '1945.70',
      fit: 'exact',
      runId: null,
    },
    {
      userId: 12,
      userName: 'client3',
      references: ['4-12', 'payout-71'],
      dueAmount: '1958.20',
      fit: 'less',
      runId: null,
    },
  ],
  lookAlikes: [],
}

/** The bill among the payables. */
export const somePayable: Payable = {
  reference: readyBill.id,
  kind: 'bill',
  userId: readyBill.userId,
  userName: readyBill.userName,
  number: '',
  periodStart: readyBill.periodStart,
  periodEnd: readyBill.periodEnd,
  owedSince: '2026-11-16T00:00:01.000Z',
  payableFrom: '2026-11-16T00:00:01.000Z',
  smsCount: readyBill.totalSmsCount,
  recordsUrl: readyBill.recordsUrl,
  amount: '1945.70',
  receivedAmount: '0.00',
  dueAmount: '1945.70',
  setOffAmount: '0.00',
  reducedAmount: '0.00',
  paymentId: null,
  usdtAddress: someAddress,
  step: 'pay',
  askedBy: '',
  runId: null,
}

/** What the page of payments asks for, whichever of its tabs is open. */
export const moneyAnswers = {
  'GET /api/billing/payables': [somePayable],
  'GET /api/billing/payables/summary': {
    steps: [{ step: 'pay', count: 1, dueAmount: '1945.70' }],
    count: 1,
    dueAmount: '1945.70',
  },
  'GET /api/billing/summary': moneySummary,
  'GET /api/billing/terms': terms,
  'GET /api/billing/parked': [],
  'GET /api/treasury/reader': treasuryReader,
}
