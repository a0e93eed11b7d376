import { inventoryRoutes, type InventoryItem } from '@tollgate/contract/inventory.ts'
import type { User } from '@tollgate/contract/users.ts'
import { useState, type FormEvent } from 'react'
import { useUser } from '../../api/session.tsx'
import { useApiMutation } from '../../api/use-api.ts'
import { formatPhone } from '../../format/phone.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { TextField } from '../../ui/Field.tsx'
import { numberPaths } from '../queries.ts'
import { SaveFailure } from '../../api/SaveFailure.tsx'
import { UserPicker } from '../../users/UserPicker.tsx'

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
  const words = { refetch: numberPaths, failure: 'Failed to assign number', onSuccess: done } as const
  const one = useApiMutation(inventoryRoutes.assignNumber, {
    ...words,
    success: 'Number assigned successfully',
  })
  const several = useApiMutation(inventoryRoutes.bulkAssignNumbers, {
    ...words,
    success: `${items.length} numbers assigned successfully`,
  })
  const assignment = isOne ? one : several
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!user || !first) return
    const instant = toInstant(from)
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
        {isOne && role === 'admin' && (
          <TextField
            label="Held from (UTC)"
            type="datetime-local"
            hint="Empty: from now. An earlier time gives this user the records since then that nobody held."
            value={from}
            onChange={(event) => setFrom(event.target.value)}
          />
        )}
      </div>
    </Dialog>
  )
}
