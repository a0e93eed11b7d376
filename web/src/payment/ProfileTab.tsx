// The payment profile. A changed address needs a reauthentication and takes effect later, so that a stolen session
// cannot redirect the next payment.
import {
  type PaymentProfile,
  profileInputSchema,
  profileRoutes,
} from '@tollgate/contract/billing/payment-profile.ts'
import { Save } from 'lucide-react'
import { useEffect } from 'react'
import { isToldAtFields, showFieldErrors, useApiForm } from '../api/use-api-form.ts'
import { useApiMutation, useApiQuery } from '../api/use-api.ts'
import { formatDateTime, formatDuration } from '../format/dates.ts'
import { groupByFour } from '../format/shorten.ts'
import { SaveFailure } from '../api/SaveFailure.tsx'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { CopyButton } from '../ui/CopyButton.tsx'
import { TextField } from '../ui/Field.tsx'
import { Notice } from '../ui/Notice.tsx'
import { PageForm } from '../ui/PageForm.tsx'
import { Skeleton } from '../ui/States.tsx'
import { useNow } from '../ui/use-now.ts'
import { OwnTermsCard } from '../terms/OwnTermsCard.tsx'
import { EntityCard } from '../invoices/EntityCard.tsx'
import { addressProblem } from '../billing/payments/address.ts'
import { useTerms } from '../money/queries.ts'
import { FetchFailure } from '../api/FetchFailure.tsx'
import { zoneName } from '../language/reader.ts'
import { t } from '../language/t.ts'

const profilePaths = ['/api/user', '/api/billing'] as const

// The contract's schema, plus a check of the address's checksum before it is sent.
const formSchema = profileInputSchema.superRefine(async ({ usdtAddress }, context) => {
  const fault = usdtAddress === '' ? undefined : await addressProblem(usdtAddress)
  if (fault !== undefined) context.addIssue({ code: 'custom', path: ['usdtAddress'], message: fault })
})

export function ProfileTab() {
  const profile = useApiQuery(profileRoutes.getProfile)
  const terms = useTerms()
  if (profile.error && profile.data === undefined)
    return <FetchFailure isCard of={profile} title={t('Failed to fetch the payment profile')} />
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_20rem]">
      <div className="space-y-4">
        <Card title={t('Payment Profile')}>
          {profile.data && !terms.isPending ? (
            <ProfileForm profile={profile.data} />
          ) : (
            <div
              role="status"
              aria-label={t('Loading payment profile...')}
              aria-busy="true"
              className="min-h-100 space-y-5 py-2 max-sm:min-h-123"
            >
              <Skeleton className="h-8 w-full" />
              <Skeleton className="h-8 w-full" />
              <Skeleton className="h-8 w-full" />
            </div>
          )}
        </Card>
        <EntityCard />
      </div>
      <div className="space-y-4">
        <Notice title={t('Automated billing')}>
          {t(
            'Every 7 days the system calculates your SMS usage and its cost. The bill goes to support/admin, who pay USDT to the address in your profile.',
          )}
        </Notice>
        <OwnTermsCard />
      </div>
    </div>
  )
}

// Spec §8.
const updateFailure = {
  title: t('Update Failed'),
  text: t('Failed to update profile. Please try again.'),
}

function useSaveProfile(onSuccess?: () => void) {
  return useApiMutation(profileRoutes.putProfile, {
    ...(onSuccess && { onSuccess }),
    refetch: profilePaths,
    success: {
      title: t('Profile Updated'),
      text: t('Your payment information has been saved successfully.'),
    },
    failure: updateFailure,
    isShownInPlace: onSuccess !== undefined,
  })
}

function valuesOf({ fullName, pendingUsdtAddress, usdtAddress, email }: PaymentProfile) {
  return { fullName, usdtAddress: pendingUsdtAddress ?? usdtAddress, email }
}

function ProfileForm({ profile }: { profile: PaymentProfile }) {
  const terms = useTerms()
  const form = useApiForm(formSchema, valuesOf(profile))
  // What is saved is not asked about, also before the saved values are back.
  const save = useSaveProfile(() => form.reset(form.getValues()))
  const { errors, isDirty } = form.formState
  // What was saved elsewhere, or took effect, shows at once; what is typed stays.
  useEffect(() => {
    if (!form.formState.isDirty) form.reset(valuesOf(profile))
  }, [form, profile])
  const submit = form.handleSubmit((body) =>
    save.mutate({ body }, { onError: (error) => void showFieldErrors(form, error) }),
  )
  const waitHours = terms.data?.addressWaitHours
  return (
    <div className="space-y-5 pt-1">
      <AddressInForce address={profile.usdtAddress} />
      {profile.pendingUsdtAddress !== null && <WaitingAddress profile={profile} />}
      <PageForm isDirty={isDirty} onSubmit={(event) => void submit(event)} className="max-w-140 space-y-4">
        <SaveFailure error={save.error} {...updateFailure} isAtFields={isToldAtFields(form, save.error)} />
        <TextField
          label={t('Full Name')}
          required
          autoComplete="name"
          hint={t('Used for billing identification')}
          error={errors.fullName?.message}
          {...form.register('fullName')}
        />
        <TextField
          label={t('USDT TRC20 Address')}
          required
          isMono
          autoComplete="off"
          spellCheck={false}
          autoCapitalize="off"
          hint={
            profile.usdtAddress === '' || waitHours === undefined
              ? t('Support/admin will send payments to it every 7 days')
              : waitHours === 0
                ? t(
                    'Support/admin will send payments to it every 7 days. A changed address asks for your password.',
                  )
                : t(
                    'Support/admin will send payments to it every 7 days. A changed address asks for your password and is used after {duration}.',
                    { duration: formatDuration(waitHours * 3_600_000) },
                  )
          }
          error={errors.usdtAddress?.message}
          {...form.register('usdtAddress')}
        />
        <TextField
          label={t('Email Address')}
          type="email"
          autoComplete="email"
          hint={
            profile.sendsMail
              ? t('Optional. Receive billing notifications')
              : t('Optional. Receive billing notifications, once this gateway is set up to send mail')
          }
          error={errors.email?.message}
          {...form.register('email')}
        />
        <Button tone="primary" icon={Save} type="submit" isBusy={save.isPending} busyLabel={t('Saving...')}>
          {t('Save Payment Profile')}
        </Button>
      </PageForm>
    </div>
  )
}

/** All 34 characters in the same weight: forged addresses match the ends that people compare. */
function AddressInForce({ address }: { address: string }) {
  return (
    <div className="space-y-1">
      <p className="text-xs font-medium text-ink-2">{t('Payments go to')}</p>
      <div className="flex min-h-11.5 items-center max-sm:min-h-15.5 justify-between gap-2 rounded-lg border border-line bg-surface-2 px-3 py-2">
        {address === '' ? (
          <span className="text-warn-ink">{t('none yet')}</span>
        ) : (
          <>
            <span className="min-w-0 font-mono text-md break-words">{groupByFour(address)}</span>
            <CopyButton
              value={address}
              what={t('address')}
              words={{ title: t('Copied'), text: t('Address copied to clipboard') }}
            />
          </>
        )}
      </div>
    </div>
  )
}

function WaitingAddress({ profile }: { profile: PaymentProfile }) {
  const now = useNow(60_000)
  const keep = useSaveProfile()
  const { pendingUsdtAddress, pendingFrom, fullName, usdtAddress, email } = profile
  const left = Date.parse(pendingFrom ?? '') - now
  return (
    <Notice
      tone="warn"
      title={t('A new address is waiting until {pendingFrom} {zoneName}', {
        pendingFrom: formatDateTime(pendingFrom),
        zoneName: zoneName(),
      })}
    >
      <p className="font-mono break-words">{groupByFour(pendingUsdtAddress ?? '')}</p>
      <p className="pt-1">
        {t(
          'Bills closed before then go to the address above; in {left} the new one takes its place. If you did not ask for this, keep the current address and change your password.',
          { left: formatDuration(left) },
        )}
      </p>
      <div className="pt-2">
        <Button
          size="sm"
          isBusy={keep.isPending}
          busyLabel={t('Saving...')}
          onClick={() => keep.mutate({ body: { fullName, usdtAddress, email } })}
        >
          {t('Keep the current address')}
        </Button>
      </div>
    </Notice>
  )
}
