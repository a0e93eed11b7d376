import type { adjustmentRoutes } from '@tollgate/contract/adjustments/adjustments.ts'
import type { amendmentRoutes } from '@tollgate/contract/amendments/amendments.ts'
import type { billingRoutes } from '@tollgate/contract/billing/bills.ts'
import { reasonSchema } from '@tollgate/contract/billing/debts.ts'
import type { paymentRoutes } from '@tollgate/contract/billing/payments.ts'
import type { payoutRoutes } from '@tollgate/contract/billing/payouts.ts'
import { paymentDifferences, type PaymentDifference } from '@tollgate/contract/vocabulary.ts'
import type { treasuryTransferRoutes } from '@tollgate/contract/treasury/transfers.ts'
import { z } from 'zod'
import { SaveDialog } from '../api/SaveDialog.tsx'
import { fieldOf, useApiForm } from '../api/use-api-form.ts'
import { Pairs, type Pair } from '../ui/Card.tsx'
import { ReasonField, SelectField } from '../ui/Field.tsx'
import { moneyPaths } from './queries.ts'
import { t } from '../language/t.ts'

const formSchema = z.object({
  action: z.enum(['accept', 'reject', ...paymentDifferences]),
  reason: reasonSchema,
})

/** What may become of a difference, in words. */
export type DifferenceChoice = readonly [PaymentDifference, string]

interface DecisionDialogProps {
  readonly title: string
  readonly description: string
  /** What the decision causes. */
  readonly consequence: string
  /** The facts about the bill, payout, payment or adjustment. */
  readonly facts: readonly Pair[]
  readonly mayAccept: boolean
  /** Instead of plain Accept: what becomes of a difference. */
  readonly differences?: readonly DifferenceChoice[]
  readonly rejectLabel?: string
  /** Who reads the reason. */
  readonly reasonHint?: string
  readonly route:
    | typeof billingRoutes.decidePeriodPayment
    | typeof payoutRoutes.decidePayoutPayment
    | typeof paymentRoutes.decidePayment
    | typeof adjustmentRoutes.decideAdjustment
    | typeof treasuryTransferRoutes.decideTransfer
    | typeof amendmentRoutes.decideAmendment
  readonly id: string
  readonly onClose: () => void
}

/** Accept or reject with a reason, where money waits for a decision. */
export function DecisionDialog(props: DecisionDialogProps) {
  const {
    title,
    description,
    consequence,
    facts,
    mayAccept,
    differences = [],
    rejectLabel = t('Reject'),
    reasonHint,
    route,
    id,
    onClose,
  } = props
  const first = mayAccept ? (differences[0]?.[0] ?? 'accept') : 'reject'
  const form = useApiForm(formSchema, { action: first, reason: '' })
  return (
    <SaveDialog
      onClose={onClose}
      title={title}
      description={description}
      width="md"
      consequence={consequence}
      form={form}
      route={route}
      refetch={moneyPaths}
      success={t('The decision is saved')}
      callOf={({ action, reason }) => ({ params: { id }, body: { ...bodyOf(action), reason } })}
      submitLabel={t('Save decision')}
      failure={t('Not decided')}
    >
      <Pairs items={facts} />
      <SelectField
        label={t('Decision')}
        options={[
          ...(mayAccept && differences.length === 0 ? [{ value: 'accept', label: t('Accept') }] : []),
          ...differences.map(([value, label]) => ({ value, label })),
          { value: 'reject', label: rejectLabel },
        ]}
        {...form.register('action')}
      />
      <ReasonField hint={reasonHint} {...fieldOf(form, 'reason')} />
    </SaveDialog>
  )
}

function bodyOf(action: z.output<typeof formSchema>['action']) {
  return action === 'accept' || action === 'reject'
    ? { action }
    : { action: 'accept' as const, difference: action }
}
