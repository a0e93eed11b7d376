import { rateInputSchema } from '@tollgate/contract/money.ts'
import { ratesRoutes, type UserRate } from '@tollgate/contract/rates/rates.ts'
import { useMemo, useState } from 'react'
import { z } from 'zod'
import { fieldOf, useApiForm } from '../api/use-api-form.ts'
import { useUser } from '../api/session.tsx'
import { useApiQuery, useApiPages } from '../api/use-api.ts'
import { formatRate } from '../format/money.ts'
import { ConfirmMutation } from '../api/ConfirmMutation.tsx'
import { SaveDialog } from '../api/SaveDialog.tsx'
import { NextRate } from '../money/NextRate.tsx'
import { RateStartField, rateSaved } from '../money/RateStartField.tsx'
import { rateStartSchema } from '../money/rate-start.ts'
import { ScheduledRateNote } from '../money/ScheduledRateNote.tsx'
import { StatusBadge } from '../ui/Badge.tsx'
import { Button } from '../ui/Button.tsx'
import { NumberField } from '../ui/Field.tsx'
import { EmptyState } from '../ui/States.tsx'
import { actionsColumn, type Column, subject } from '../ui/table/column.ts'
import { DataTable } from '../ui/table/DataTable.tsx'
import type { UrlState } from '../url-state.ts'
import { ratePaths } from './queries.ts'
import { usePriceStep } from '../money/price-step.tsx'
import { RateStepNotice } from './RateStepNotice.tsx'
import { RateHistoryDialog } from './RateHistoryDialog.tsx'
import type { settingsSearch } from './search.ts'
import { tableOf } from '../api/FetchFailure.tsx'
import { urlSort } from '../url-state.ts'
import { roleWord } from '../users/role-word.ts'
import { t } from '../language/t.ts'

interface UserRateAction {
  readonly kind: 'set' | 'remove' | 'history'
  readonly user: UserRate
}

/** Spec §2: User, Role, Current Rate, Status, Actions (Set Rate, Remove). */
function userRateColumns(
  ownId: number,
  onAction: (dialog: UserRateAction) => void,
): readonly Column<UserRate>[] {
  return [
    {
      ...subject,
      id: 'user',
      header: t('User'),
      sortBy: 'username',
      cell: (user) => (
        <span className="block min-w-0">
          <span className="block truncate">{user.fullName === '' ? user.username : user.fullName}</span>
          <span className="block truncate text-xs font-normal text-ink-3">{user.username}</span>
        </span>
      ),
    },
    { id: 'role', header: t('Role'), sortBy: 'role', card: 'fact', cell: (user) => roleWord(user.role) },
    {
      id: 'rate',
      header: t('Current Rate'),
      sortBy: 'rate',
      align: 'right',
      card: 'end',
      cell: (user) => (
        <span className="whitespace-nowrap">
          {formatRate(user.currentRate)}
          <span className="block text-xs font-normal text-ink-3">
            {user.customSmsRate === '' ? t('global') : t('own')}
          </span>
          <NextRate next={user.scheduled} ended={t('global')} />
        </span>
      ),
    },
    {
      id: 'status',
      header: t('Status'),
      sortBy: 'status',
      cell: (user) => <StatusBadge kind="account" status={user.status} />,
    },
    actionsColumn((user) => (
      <span className="inline-flex items-center gap-1.5">
        <Button
          size="sm"
          aria-label={t('Set rate of {username}', { username: user.username })}
          // Nobody sets his own.
          isDisabled={user.id === ownId}
          onClick={() => onAction({ kind: 'set', user })}
        >
          {t('Set Rate')}
        </Button>
        <Button
          size="sm"
          aria-label={t('Remove rate of {username}', { username: user.username })}
          isDisabled={user.customSmsRate === '' || user.id === ownId}
          onClick={() => onAction({ kind: 'remove', user })}
        >
          {t('Remove')}
        </Button>
        <Button
          size="sm"
          aria-label={t('Rate history of {username}', { username: user.username })}
          onClick={() => onAction({ kind: 'history', user })}
        >
          {t('History')}
        </Button>
      </span>
    )),
  ]
}

export function UserRatesTable({ url }: { url: UrlState<z.output<typeof settingsSearch>> }) {
  const { search, sort, order } = url.state
  const { id: ownId } = useUser()
  const [dialog, setDialog] = useState<UserRateAction>()
  const list = useApiPages(ratesRoutes.listUserRates, { query: { search, sort, order } })
  const columns = useMemo(() => userRateColumns(ownId, setDialog), [ownId])
  const close = () => setDialog(undefined)
  return (
    <>
      <DataTable
        label={t('User-Specific SMS Rates')}
        title={t('User-Specific SMS Rates')}
        columns={columns}
        rowId={(user) => String(user.id)}
        rowLabel={(user) => user.username}
        {...urlSort(url)}
        {...tableOf(list, t('Failed to fetch user rates'))}
        empty={<EmptyState title={search === '' ? t('No users found') : t('No users match the search')} />}
      />
      {dialog?.kind === 'set' && (
        <SetRateDialog
          user={dialog.user}
          latest={list.rows?.find(({ id }) => id === dialog.user.id)}
          onClose={close}
        />
      )}
      {dialog?.kind === 'remove' && <RemoveRateDialog user={dialog.user} onClose={close} />}
      {dialog?.kind === 'history' && <UserHistory user={dialog.user} onClose={close} />}
    </>
  )
}

interface RateDialogProps {
  readonly user: UserRate
  readonly onClose: () => void
}

const formSchema = z.object({
  customSmsRate: rateInputSchema,
  seenRate: z.string(),
  startsAt: rateStartSchema,
})
const rateFormValues = ({ customSmsRate }: UserRate) => ({
  customSmsRate,
  seenRate: customSmsRate,
  startsAt: '',
})

interface SetRateProps extends RateDialogProps {
  /** The account in the current list. It was fetched again after a refusal. */
  readonly latest: UserRate | undefined
}

const saveRate = {
  route: ratesRoutes.putUserRate,
  refetch: ratePaths,
  success: t('User SMS rate updated successfully'),
  failure: t('Failed to update user SMS rate'),
} as const

function SetRateDialog({ user, latest, onClose }: SetRateProps) {
  const form = useApiForm(formSchema, rateFormValues(user))
  const { currentRate, scheduled } = latest ?? user
  const next = String(form.watch('customSmsRate'))
  const startsAt = form.watch('startsAt')
  const step = usePriceStep(currentRate, next)
  return (
    <SaveDialog
      onClose={onClose}
      title={t('Set Rate')}
      description={user.username}
      consequence={t('Applies to messages received from its start on.')}
      isDisabled={step.mustConfirm}
      form={form}
      {...saveRate}
      success={rateSaved(startsAt, saveRate.success)}
      callOf={(body) => ({ params: { id: user.id }, body })}
      submitLabel={t('Set Rate')}
      saved={latest && rateFormValues(latest)}
    >
      <NumberField
        label={t('Rate (USD per SMS)')}
        step="0.001"
        min="0"
        placeholder="0.030"
        hint={t('Now {currentRate}', { currentRate: formatRate(currentRate) })}
        {...fieldOf(form, 'customSmsRate')}
      />
      <RateStartField form={form} />
      {scheduled && (
        <ScheduledRateNote
          scheduled={scheduled}
          of={user.username}
          format={formatRate}
          route={ratesRoutes.cancelScheduledUserRate}
          call={{ params: { id: user.id } }}
          refetch={ratePaths}
        />
      )}
      <RateStepNotice step={step} next={next} userId={user.id} />
    </SaveDialog>
  )
}

function RemoveRateDialog({ user, onClose }: RateDialogProps) {
  return (
    <ConfirmMutation
      onClose={onClose}
      title={t('Remove the rate of {username}?', { username: user.username })}
      {...saveRate}
      call={{ params: { id: user.id }, body: { customSmsRate: '', seenRate: user.customSmsRate } }}
      confirmLabel={t('Remove')}
      busyLabel={t('Removing...')}
    >
      {t('From now on the global rate applies. Records already stored keep the rate they were stored with.')}
    </ConfirmMutation>
  )
}

function UserHistory({ user, onClose }: RateDialogProps) {
  const history = useApiQuery(ratesRoutes.listUserRateHistory, { params: { id: user.id } })
  return (
    <RateHistoryDialog
      title={t('Rate history of {username}', { username: user.username })}
      history={history}
      onClose={onClose}
    />
  )
}
