import type { LedgerAccount } from '@tollgate/contract/vocabulary.ts'
import { t } from '../language/t.ts'

/** The accounts of the ledger, as an accountant reads them. */
export const accountNames: Readonly<Record<LedgerAccount, string>> = {
  traffic_expense: t('Cost of messages'),
  payable: t('Earned, not billed'),
  held: t('Held for review'),
  reserved: t('Kept as reserve'),
  billed: t('Billed, not paid'),
  paid: t('Paid from the wallet'),
  credit: t('Credit of clients'),
  payout_clearing: t('Payments in clearance'),
  adjustment: t('Corrections and waivers'),
}
