import { inventoryRoutes, type AssignedItem, type InventoryItem } from '@tollgate/contract/inventory.ts'
import type { User } from '@tollgate/contract/users.ts'
import { useState, type FormEvent } from 'react'
import { useUser } from '../../api/session.tsx'
import { useApiMutation } from '../../api/use-api.ts'
import { formatCount, formatUsdt } from '../../format/money.ts'
import { formatPhone } from '../../format/phone.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { TextField } from '../../ui/Field.tsx'
import { showToast } from '../../ui/toasts.ts'
import { numberPaths } from '../queries.ts'
import { SaveFailure } from '../../api/SaveFailure.tsx'
import { UserPicker } from '../../users/UserPicker.tsx'
import { BackdatingWorth } from './BackdatingWorth.tsx'

interface AssignDialogProps {
  /** One or several available numbers. */
  readonly items: readonly InventoryItem[]
  readonly onClose: () => void
  readonly onAssigned?: () => void
}

/** "2026-11-19T14:31", read as UTC. Empty means from now. */
function toInstant(local: string): string | undefined {
  return local === '' ? undefined : `${local.slice(0, 16)}:00Z`
}

/** Says that the credit for the past waits. */
function tellWaiting({ waitingCredit }: AssignedItem): void {
  if (waitingCredit === null) return
  const { smsCount, amount } = waitingCredit
  showToast({
    title: 'Waits for a second admin',
    text: `${formatCount(smsCount)} SMS, ${formatUsdt(amount)}: under Payment Management, Adjustments.`,
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
  const words = { refetch: numberPaths, failure: 'Failed to assign number' } as const
  const one = useApiMutation(inventoryRoutes.assignNumber, {
    ...words,
    success: 'Number assigned successfully',
    onSuccess: (answer) => {
      tellWaiting(answer)
      done()
    },
  })
  const several = useApiMutation(inventoryRoutes.bulkAssignNumbers, {
    ...words,
    success: `${items.length} numbers assigned successfully`,
    onSuccess: done,
  })
  const assignment = isOne ? one : several
  const instant = toInstant(from)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!user || !first) return
    if (isOne)
      one.mutate({ params: { id: first.id }, body: { userId: user.id, ...(instant && { from: instant }) } })
    else several.mutate({ body: { ids: items.map((item) => item.id), userId: user.id } })
  }
  const what = isOne && first ? formatPhone(first.number) : `${items.length} numbers`
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={isOne ? 'Assign Number' : 'Assign Numbers'}
      description={<span className="phone-number">{what}</span>}
      width="md"
      onSubmit={submit}
      consequence={
        user
          ? `${user.username} earns what ${what} receives from then on.`
          : 'Choose who holds it from then on.'
      }
      action={
        <Button
          tone="primary"
          type="submit"
          isDisabled={!user}
          isBusy={assignment.isPending}
          busyLabel="Assigning..."
        >
          Assign
        </Button>
      }
    >
      <div className="space-y-4">
        <SaveFailure error={assignment.error} title="Failed to assign number" />
        <UserPicker label="User" value={user} onChange={setUser} />
        {isOne && role === 'admin' && <HeldFrom value={from} onChange={setFrom} hint="Empty: from now." />}
        {first && user && instant !== undefined && (
          <BackdatingWorth numberId={first.id} user={user} from={instant} isHolder={false} />
        )}
      </div>
    </Dialog>
  )
}

interface HeldFromProps {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly hint?: string
}

function HeldFrom({ value, onChange, hint }: HeldFromProps) {
  return (
    <TextField
      label="Held from (UTC)"
      type="datetime-local"
      {...(hint !== undefined && { hint })}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  )
}

/** Lets the holding of a number begin earlier. */
export function BackdateDialog({ item, onClose }: { item: InventoryItem; onClose: () => void }) {
  const [from, setFrom] = useState('')
  const backdating = useApiMutation(inventoryRoutes.assignNumber, {
    refetch: numberPaths,
    failure: 'Failed to backdate number',
    success: 'Number backdated successfully',
    onSuccess: (answer) => {
      tellWaiting(answer)
      onClose()
    },
  })
  const instant = toInstant(from)
  const user = { id: item.assignedTo ?? 0, username: item.assignedUsername }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (instant !== undefined)
      backdating.mutate({ params: { id: item.id }, body: { userId: user.id, from: instant } })
  }
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Backdate Number"
      description={<span className="phone-number">{formatPhone(item.number)}</span>}
      width="md"
      onSubmit={submit}
      consequence={`${user.username} gets what it received since then while nobody held it.`}
      action={
        <Button
          tone="primary"
          type="submit"
          isDisabled={instant === undefined}
          isBusy={backdating.isPending}
          busyLabel="Saving..."
        >
          Backdate
        </Button>
      }
    >
      <div className="space-y-4">
        <SaveFailure error={backdating.error} title="Failed to backdate number" />
        <HeldFrom value={from} onChange={setFrom} />
        {instant !== undefined && <BackdatingWorth numberId={item.id} user={user} from={instant} isHolder />}
      </div>
    </Dialog>
  )
}
