// The actions on a bill, in its row and in its drawer.
import type { BillingPeriod } from '@tollgate/contract/billing/bills.ts'
import type { SignedInUser } from '@tollgate/contract/users/users.ts'
import type { AmendmentKind } from '@tollgate/contract/vocabulary.ts'
import {
  Ban,
  CirclePause,
  CirclePlay,
  Gavel,
  ListTree,
  MapPin,
  ReceiptText,
  Scale,
  type LucideIcon,
} from 'lucide-react'
import type { MenuItem } from '../../ui/Menu.tsx'
import { amendmentsOf, amendmentWords } from '../../amendments/amendment-words.ts'
import { waitsForDecision } from '../payments/payable.ts'
import { t } from '../../language/t.ts'

export type BillAction = 'pay' | 'decide' | 'open' | 'decideAmendment' | AmendmentKind

/** Who looks at the bill. */
export type BillViewer = Pick<SignedInUser, 'username' | 'role'>

const icons: Readonly<Record<AmendmentKind, LucideIcon>> = {
  withhold: CirclePause,
  resume: CirclePlay,
  credit_note: ReceiptText,
  readdress: MapPin,
  void: Ban,
}

/** What this viewer can do about the bill now, without paying it. */
export function amendmentItems(
  bill: BillingPeriod,
  { role }: BillViewer,
  onAction: (action: BillAction, bill: BillingPeriod) => void,
): MenuItem[] {
  const { pendingAmendment } = bill
  const kinds = amendmentsOf(bill, role).map((kind) => ({
    label: amendmentWords[kind].act,
    icon: icons[kind],
    isDanger: amendmentWords[kind].isDanger,
    onSelect: () => onAction(kind, bill),
  }))
  return pendingAmendment === null
    ? kinds
    : [
        {
          label: t('Decide: {act}', { act: amendmentWords[pendingAmendment.kind].act }),
          icon: Scale,
          onSelect: () => onAction('decideAmendment', bill),
        },
      ]
}

/** The groups of the menu in a bill's row. */
export function billMenu(
  bill: BillingPeriod,
  viewer: BillViewer,
  onAction: (action: BillAction, bill: BillingPeriod) => void,
): MenuItem[][] {
  return [
    [{ label: t('Show lines'), icon: ListTree, onSelect: () => onAction('open', bill) }],
    waitsForDecision(bill)
      ? [{ label: t('Decide on payment'), icon: Gavel, onSelect: () => onAction('decide', bill) }]
      : [],
    amendmentItems(bill, viewer, onAction),
  ]
}
