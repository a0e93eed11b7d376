import type { LedgerAccount } from '@tollgate/contract/vocabulary.ts'

/** The accounts of the ledger, as an accountant reads them. */
export const accountNames: Readonly<Record<LedgerAccount, string>> = {
  traffic_expense: 'Cost of messages',
  payable: 'Earned, not billed',
  held: 'Held for review',
  billed: 'Billed, not paid',
  paid: 'Paid from the wallet',
  credit: 'Credit of clients',
  payout_clearing: 'Payments in clearance',
  adjustment: 'Corrections and waivers',
}
