import { adjustmentInputSchema, adjustmentRoutes } from '@tollgate/contract/adjustments/adjustments.ts'
import type { User } from '@tollgate/contract/users/users.ts'
import { useState } from 'react'
import type { z } from 'zod'
import { messageOf } from '../api/api-error.ts'
import { fieldOf, showFieldErrors, useApiForm } from '../api/use-api-form.ts'
import { useApiMutation } from '../api/use-api.ts'
import { formatUsdt } from '../format/money.ts'
import { UserPicker } from '../users/UserPicker.tsx'
import { moneyPaths, needsSecondPerson, useTerms } from '../money/queries.ts'
import { Button } from '../ui/Button.tsx'
import { ConfirmDialog } from '../ui/ConfirmDialog.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { ReasonField, TextField } from '../ui/Field.tsx'
import { t, joined } from '../language/t.ts'

const formSchema = adjustmentInputSchema.omit({ userId: true })
type AdjustmentForm = z.output<typeof formSchema>

/** Credits or debits a client in the open period. Asks for a confirmation first. */
export function AddAdjustmentDialog({ onClose }: { onClose: () => void }) {
  const terms = useTerms()
  const [user, setUser] = useState<User>()
  const [isUserMissing, setUserMissing] = useState(false)
  const [confirming, setConfirming] = useState<AdjustmentForm>()
  const form = useApiForm(formSchema, { amount: '', reason: '', reference: '' })
  const { isDirty } = form.formState
  const needsApproval =
    confirming !== undefined && needsSecondPerson(confirming.amount.replace(/^-/, ''), terms.data)
  const add = useApiMutation(adjustmentRoutes.createAdjustment, {
    refetch: moneyPaths,
    success: needsApproval
      ? { title: t('Approval asked for'), text: t('A second person must accept this adjustment.') }
      : { title: t('Adjustment Created'), text: t('It counts in the client’s open period.') },
    failure: t('Adjustment not made'),
    isShownInPlace: true,
    onSuccess: onClose,
  })
  const submit = form.handleSubmit(
    (body) => (user ? setConfirming(body) : setUserMissing(true)),
    () => setUserMissing(user === undefined),
  )
  const confirm = () => {
    if (user === undefined || confirming === undefined) return
    add.mutate(
      { body: { ...confirming, userId: user.id } },
      // An error at a field is corrected in the form. Other errors show in the confirmation.
      { onError: (error) => showFieldErrors(form, error) && setConfirming(undefined) },
    )
  }
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t('Add Adjustment')}
      description={t('A ledger entry of its own in the client’s open period. Nothing old changes.')}
      width="lg"
      isFullOnPhone
      isDirty={isDirty || user !== undefined}
      onSubmit={(event) => void submit(event)}
      consequence={joined(
        t('The client reads the reason.'),
        terms.data &&
          t('Above {limit}, a second person must approve.', {
            limit: formatUsdt(terms.data.secondPersonAbove),
          }),
      )}
      action={
        <Button tone="primary" type="submit">
          {t('Continue')}
        </Button>
      }
    >
      <div className="space-y-4">
        <UserPicker
          label={t('Client')}
          hasAll
          value={user}
          onChange={setUser}
          error={isUserMissing && !user ? t('Choose whose account it is') : undefined}
        />
        <TextField
          label={t('Amount (USDT)')}
          required
          inputMode="text"
          autoComplete="off"
          placeholder="-1.50"
          hint={t('Above 0 the client gets more; with a minus it gets less. Up to 6 decimals')}
          {...fieldOf(form, 'amount')}
        />
        <ReasonField required rows={2} {...fieldOf(form, 'reason')} />
        <TextField
          label={t('Reference')}
          isMono
          autoComplete="off"
          spellCheck={false}
          maxLength={65}
          hint={t('Optional: a bill (3-17), a payout (payout-5) or a message ID of this client')}
          {...fieldOf(form, 'reference')}
        />
      </div>
      {confirming && user && (
        <Confirmation
          confirming={confirming}
          username={user.username}
          needsApproval={needsApproval}
          isBusy={add.isPending}
          error={add.error ? messageOf(add.error) : undefined}
          onClose={() => setConfirming(undefined)}
          onConfirm={confirm}
        />
      )}
    </Dialog>
  )
}

interface ConfirmationProps {
  readonly confirming: AdjustmentForm
  readonly username: string
  readonly needsApproval: boolean
  readonly isBusy: boolean
  readonly error: string | undefined
  readonly onClose: () => void
  readonly onConfirm: () => void
}

function Confirmation({ confirming, username, needsApproval, ...rest }: ConfirmationProps) {
  const isDebit = confirming.amount.startsWith('-')
  return (
    <ConfirmDialog
      isOpen
      {...rest}
      title={titleOf(confirming.amount, username)}
      confirmLabel={needsApproval ? t('Ask for approval') : isDebit ? t('Deduct') : t('Give')}
      tone={isDebit ? 'danger' : 'primary'}
      busyLabel={t('Saving...')}
    >
      <p className="break-words">{t('Reason: {reason}', { reason: confirming.reason })}</p>
      <p className="pt-2">
        {needsApproval
          ? t('It waits until a second person accepts it.')
          : t('It counts in the open period at once. To undo it, make the opposite one.')}
      </p>
    </ConfirmDialog>
  )
}

function titleOf(amount: string, username: string): string {
  return amount.startsWith('-')
    ? t('Deduct {amount} from {username}?', { amount: formatUsdt(amount.slice(1)), username })
    : t('Credit {amount} to {username}?', { amount: formatUsdt(amount), username })
}
