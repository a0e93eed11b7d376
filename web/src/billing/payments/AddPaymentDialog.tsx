import { paymentInputSchema, paymentRoutes } from '@tollgate/contract/billing/payments.ts'
import { paymentStatuses, type PaymentStatus } from '@tollgate/contract/vocabulary.ts'
import type { BillingTerms } from '@tollgate/contract/billing/bills.ts'
import type { User } from '@tollgate/contract/users/users.ts'
import { useState } from 'react'
import { useWatch } from 'react-hook-form'
import { fieldOf, isToldAtFields, showFieldErrors, useApiForm } from '../../api/use-api-form.ts'
import { useApiMutation } from '../../api/use-api.ts'
import { SaveFailure } from '../../api/SaveFailure.tsx'
import { UserPicker } from '../../users/UserPicker.tsx'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { NumberField, SelectField, TextField } from '../../ui/Field.tsx'
import { statusLook } from '../../ui/status.ts'
import { addressProblem } from './address.ts'
import { AddressChecks, useAddressCheck } from './AddressChecks.tsx'
import { HashField } from './HashField.tsx'
import { moneyPaths, secondPersonNote, useTerms } from '../../money/queries.ts'
import { showToast } from '../../ui/toasts.ts'
import { t, joined } from '../../language/t.ts'

const formSchema = paymentInputSchema
  .omit({ userId: true })
  .superRefine(async ({ usdtAddress = '' }, context) => {
    const fault = usdtAddress === '' ? undefined : await addressProblem(usdtAddress)
    if (fault !== undefined) context.addIssue({ code: 'custom', path: ['usdtAddress'], message: fault })
  })

const statusOptions = paymentStatuses.map((value) => ({ value, label: statusLook('payment', value).label }))

/** The state of the dialog: the user, the form, the address check and the call. */
function useAddPayment(onClose: () => void) {
  const [user, setUser] = useState<User>()
  const [isUserMissing, setUserMissing] = useState(false)
  const form = useApiForm(formSchema, {
    amount: '',
    usdtAddress: '',
    transactionHash: '',
    status: 'pending',
    notes: '',
  })
  const [typed = '', hash = '', amount, status = 'pending'] = useWatch({
    control: form.control,
    name: ['usdtAddress', 'transactionHash', 'amount', 'status'],
  })
  const terms = useTerms().data
  const consequence = consequenceOf({ amount: String(amount), status, hash: hash.trim() }, terms)
  const address = typed.trim() === '' ? (user?.usdtAddress ?? '') : typed.trim()
  const gate = useAddressCheck({ userId: user?.id ?? 0, usdtAddress: address.length === 34 ? address : '' })
  const add = useApiMutation(paymentRoutes.createPayment, {
    refetch: moneyPaths,
    // Spec §8.
    success: { title: t('Payment Created'), text: t('New payment record has been created successfully.') },
    failure: t('Payment not created'),
    isShownInPlace: true,
    onSuccess: ({ approval }) => {
      if (approval !== null)
        showToast({ title: t('Approval asked for'), text: t('A second person must accept this payment.') })
      onClose()
    },
  })
  const submit = form.handleSubmit(
    (body) =>
      user
        ? add.mutate(
            { body: { ...body, userId: user.id } },
            { onError: (error) => void showFieldErrors(form, error) },
          )
        : setUserMissing(true),
    () => setUserMissing(user === undefined),
  )
  return { user, setUser, isUserMissing: isUserMissing && !user, form, hash, consequence, gate, add, submit }
}

interface PaymentFacts {
  readonly amount: string
  readonly status: PaymentStatus
  readonly hash: string
}

/** What the entry causes: only a confirmed payment counts. */
function consequenceOf({ amount, status, hash }: PaymentFacts, terms: BillingTerms | undefined): string {
  if (status === 'pending') return t('It is noted, and counts once somebody accepts it.')
  if (status === 'failed') return t('It is noted, and never counts.')
  const second = secondPersonNote(amount, terms)
  if (terms?.isCheckedOnChain !== true) return joined(second, t('It counts as paid, unverified.'))
  return hash === ''
    ? t('Without a hash, give a reason in the notes; a second person must approve it.')
    : joined(second, t('It counts once its transfer is found on chain.'))
}

/** Spec §2: 'Create Payment Record', a payment outside the bills. Its status is chosen by hand. */
export function AddPaymentDialog({ onClose }: { onClose: () => void }) {
  const { user, setUser, isUserMissing, form, hash, consequence, gate, add, submit } = useAddPayment(onClose)
  const { isDirty } = form.formState
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t('Create Payment Record')}
      description={t('A payment made outside the bills. Bills are paid by Mark as Paid.')}
      width="lg"
      isFullOnPhone
      isDirty={isDirty || user !== undefined}
      onSubmit={(event) => void submit(event)}
      consequence={consequence}
      action={
        <Button
          tone="primary"
          type="submit"
          isDisabled={gate.isClosed}
          isBusy={add.isPending}
          busyLabel={t('Saving...')}
        >
          {t('Add Payment')}
        </Button>
      }
    >
      <div className="space-y-4">
        <SaveFailure
          error={add.error}
          title={t('Payment not created')}
          isAtFields={isToldAtFields(form, add.error)}
        />
        <UserPicker
          label={t('User')}
          hasAll
          value={user}
          onChange={setUser}
          error={isUserMissing ? t('Choose who is paid') : undefined}
        />
        <div className="grid gap-4 sm:grid-cols-2">
          <NumberField label={t('Amount (USDT)')} step="0.01" min="0" required {...fieldOf(form, 'amount')} />
          <SelectField label={t('Status')} options={statusOptions} {...form.register('status')} />
        </div>
        <TextField
          label={t('USDT Address')}
          isMono
          autoComplete="off"
          spellCheck={false}
          placeholder={user?.usdtAddress}
          hint={t('Empty: the one in the client’s profile')}
          {...fieldOf(form, 'usdtAddress')}
        />
        {gate.address !== '' && <AddressChecks gate={gate} />}
        <HashField value={hash} isOptional {...fieldOf(form, 'transactionHash')} />
        <TextField label={t('Notes')} maxLength={500} {...fieldOf(form, 'notes')} />
      </div>
    </Dialog>
  )
}
