// What the screens call the amendments of a bill, and which of them a bill allows.
import type { BillingPeriod } from '@tollgate/contract/billing/bills.ts'
import { isPermitted, type AmendmentKind, type Permission, type Role } from '@tollgate/contract/vocabulary.ts'
import { parseMicro } from '@tollgate/contract/money.ts'
import { t } from '../language/t.ts'

interface AmendmentWords {
  /** In the menu, and as the title of the dialog. */
  readonly act: string
  /** The amendment as a thing. */
  readonly noun: string
  /** What it causes. */
  readonly consequence: string
  /** The toast when it is done at once. */
  readonly done: string
  readonly isDanger: boolean
}

export const amendmentWords: Readonly<Record<AmendmentKind, AmendmentWords>> = {
  withhold: {
    act: t('Withhold'),
    noun: t('Withheld for review'),
    consequence: t('The bill is not paid until somebody resumes it.'),
    done: t('The bill is withheld'),
    isDanger: false,
  },
  resume: {
    act: t('Resume'),
    noun: t('Review ended'),
    consequence: t('The bill can be paid again.'),
    done: t('The bill can be paid again'),
    isDanger: false,
  },
  credit_note: {
    act: t('Credit note'),
    noun: t('Credit note'),
    consequence: t('It is deducted from what is due. The bill and its signed statement stay as they are.'),
    done: t('The credit note is made'),
    isDanger: false,
  },
  void: {
    act: t('Void and reissue'),
    noun: t('Voided'),
    consequence: t('This bill will not be paid. Its amount moves to the open period, whose bill lists it.'),
    done: t('The bill is void, and its amount is in the open period'),
    isDanger: true,
  },
  readdress: {
    act: t('Pay to another address'),
    noun: t('Another address'),
    consequence: t('The bill, and payouts to the same address, go to the address in the client’s profile.'),
    done: t('The bill goes to the other address'),
    isDanger: false,
  },
}

const permissionOf = (kind: AmendmentKind): Permission =>
  kind === 'void' || kind === 'credit_note' ? 'moneyAdjust' : 'paymentManagement'

/** Whether a bill is closed and may still be paid. */
export const isUnpaid = ({ status }: Pick<BillingPeriod, 'status'>): boolean =>
  status === 'sent_to_support' || status === 'failed'

/** The amendments that this role may ask for now. The server decides again. */
export function amendmentsOf(bill: BillingPeriod, role: Role): readonly AmendmentKind[] {
  if (!isUnpaid(bill) || bill.pendingAmendment !== null) return []
  const isLookedUp = bill.paymentVerification === 'confirming'
  const isFree = !isLookedUp && bill.approval === null
  const kinds: readonly (readonly [AmendmentKind, boolean])[] = [
    ['withhold', bill.withheld === null && !isLookedUp],
    ['resume', bill.withheld !== null],
    ['credit_note', isFree],
    ['readdress', isFree],
    ['void', isFree && parseMicro(bill.receivedAmount) === 0n],
  ]
  return kinds.flatMap(([kind, isAllowed]) =>
    isAllowed && isPermitted(role, permissionOf(kind)) ? [kind] : [],
  )
}

/** The state that lists show: an unpaid bill that is withheld is not ready for payment. */
export function billState(bill: Pick<BillingPeriod, 'status' | 'withheld'>): string {
  return bill.withheld === null ? bill.status : 'withheld'
}
