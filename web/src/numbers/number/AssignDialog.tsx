import {
  inventoryRoutes,
  type AssignedItem,
  type InventoryItem,
} from '@tollgate/contract/numbers/inventory.ts'
import type { User } from '@tollgate/contract/users/users.ts'
import { useState, type FormEvent } from 'react'
import { useOfferUndo } from '../../api/matching.tsx'
import { useUser } from '../../api/session.tsx'
import { useApiMutation } from '../../api/use-api.ts'
import { formatCount, formatUsdt } from '../../format/money.ts'
import { formatPhone } from '../../format/phone.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { DateTimeField } from '../../ui/DateField.tsx'
import { showToast } from '../../ui/toasts.ts'
import { numberPaths } from '../queries.ts'
import { SaveFailure } from '../../api/SaveFailure.tsx'
import { UserPicker } from '../../users/UserPicker.tsx'
import { AssignFrame } from './AssignFrame.tsx'
import { BackdatingWorth } from './BackdatingWorth.tsx'
import { t } from '../../language/t.ts'

type NumberOfStock = Pick<InventoryItem, 'id' | 'number'>

interface AssignDialogProps {
  /** One or several available numbers. */
  readonly items: readonly NumberOfStock[]
  readonly onClose: () => void
  readonly onAssigned?: () => void
}

/** "2026-11-19T14:31", read as UTC. Empty means from now. */
function toInstant(local: string): string | undefined {
  return local === '' ? undefined : `${local.slice(0, 16)}:00Z`
}

/** Says that the credit for the past waits. */
function toastWaitingCredit({ waitingCredit }: AssignedItem): void {
  if (waitingCredit === null) return
  const { smsCount, amount } = waitingCredit
  showToast({
    title: t('Waits for a second admin'),
    text: t('{smsCount} SMS, {amount}: under Books, Adjustments.', {
      smsCount: formatCount(smsCount),
      amount: formatUsdt(amount),
    }),
    tone: 'info',
  })
}

export function AssignDialog({ items, onClose, onAssigned }: AssignDialogProps) {
  const { role } = useUser()
  const [user, setUser] = useState<User>()
  const [from, setFrom] = useState('')
  const [first] = items
  const isOne = items.length === 1
  const done = () => {
    onAssigned?.()
    onClose()
  }
  const offerUndo = useOfferUndo('numbers')
  const words = {
    refetch: numberPaths,
    failure: t('Failed to assign number'),
    isShownInPlace: true,
  } as const
  const one = useApiMutation(inventoryRoutes.assignNumber, {
    ...words,
    success: t('Number assigned successfully'),
    onSuccess: (answer) => {
      toastWaitingCredit(answer)
      done()
    },
  })
  const several = useApiMutation(inventoryRoutes.bulkAssignNumbers, {
    ...words,
    onSuccess: ({ changed, changeId }) => {
      showToast({
        title: t('Success'),
        text: t('{count} numbers assigned successfully', { count: formatCount(changed) }),
        ...offerUndo(changeId),
      })
      done()
    },
  })
  const assignment = isOne ? one : several
  const instant = toInstant(from)
  const submit = () => {
    if (!user || !first) return
    if (isOne)
      one.mutate({ params: { id: first.id }, body: { userId: user.id, ...(instant && { from: instant }) } })
    else several.mutate({ body: { ids: items.map((item) => item.id), userId: user.id } })
  }
  const what = isOne && first ? formatPhone(first.number) : t('{count} numbers', { count: items.length })
  return (
    <AssignFrame
      title={isOne ? t('Assign Number') : t('Assign Numbers')}
      what={what}
      description={<span className="phone-number">{what}</span>}
      user={user}
      assignment={assignment}
      onAssign={submit}
      onClose={onClose}
    >
      <UserPicker isHolder label={t('User')} value={user} onChange={setUser} />
      {isOne && role === 'admin' && <HeldFrom value={from} onChange={setFrom} hint={t('Empty: from now.')} />}
      {first && user && instant !== undefined && (
        <BackdatingWorth numberId={first.id} user={user} from={instant} isHolder={false} />
      )}
    </AssignFrame>
  )
}

interface HeldFromProps {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly hint?: string
}

function HeldFrom({ value, onChange, hint }: HeldFromProps) {
  return (
    <DateTimeField
      label={t('Held from (UTC)')}
      {...(hint !== undefined && { hint })}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  )
}

interface BackdateDialogProps {
  readonly item: NumberOfStock
  readonly holder: Pick<User, 'id' | 'username'>
  readonly onClose: () => void
}

/** Lets the holding of a number begin earlier. */
export function BackdateDialog({ item, holder: user, onClose }: BackdateDialogProps) {
  const [from, setFrom] = useState('')
  const backdating = useApiMutation(inventoryRoutes.assignNumber, {
    refetch: numberPaths,
    failure: t('Failed to backdate number'),
    isShownInPlace: true,
    success: t('Number backdated successfully'),
    onSuccess: (answer) => {
      toastWaitingCredit(answer)
      onClose()
    },
  })
  const instant = toInstant(from)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (instant !== undefined)
      backdating.mutate({ params: { id: item.id }, body: { userId: user.id, from: instant } })
  }
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t('Backdate Number')}
      description={<span className="phone-number">{formatPhone(item.number)}</span>}
      width="md"
      onSubmit={submit}
      consequence={t('{username} gets what it received since then while nobody held it.', {
        username: user.username,
      })}
      action={
        <Button
          tone="primary"
          type="submit"
          isDisabled={instant === undefined}
          isBusy={backdating.isPending}
          busyLabel={t('Saving...')}
        >
          {t('Backdate')}
        </Button>
      }
    >
      <div className="space-y-4">
        <SaveFailure error={backdating.error} title={t('Failed to backdate number')} />
        <HeldFrom value={from} onChange={setFrom} />
        {instant !== undefined && <BackdatingWorth numberId={item.id} user={user} from={instant} isHolder />}
      </div>
    </Dialog>
  )
}
