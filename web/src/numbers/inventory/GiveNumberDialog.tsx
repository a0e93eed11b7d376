import { inventoryRoutes } from '@tollgate/contract/numbers/inventory.ts'
import type { User } from '@tollgate/contract/users/users.ts'
import { useState } from 'react'
import { useApiMutation, useApiQuery } from '../../api/use-api.ts'
import { formatPhone } from '../../format/phone.ts'
import { t } from '../../language/t.ts'
import { TextField } from '../../ui/Field.tsx'
import { useDebounced } from '../../ui/use-debounced.ts'
import { NumberOffers } from '../NumberOffers.tsx'
import { numberPaths } from '../queries.ts'
import { AssignFrame } from '../number/AssignFrame.tsx'

interface GiveNumberDialogProps {
  readonly user: Pick<User, 'id' | 'username'>
  readonly onClose: () => void
}

/** Gives one of the available numbers to a person who is known already. */
export function GiveNumberDialog({ user, onClose }: GiveNumberDialogProps) {
  const [search, setSearch] = useState('')
  const [text, setText] = useDebounced(search, setSearch)
  const [picked, setPicked] = useState('')
  const offers = useApiQuery(inventoryRoutes.listInventory, {
    query: { search, status: 'available', limit: 50 },
  })
  const item = offers.data?.find(({ number }) => number === picked)
  const assignment = useApiMutation(inventoryRoutes.assignNumber, {
    refetch: numberPaths,
    failure: t('Failed to assign number'),
    isShownInPlace: true,
    success: t('Number assigned successfully'),
    onSuccess: onClose,
  })
  return (
    <AssignFrame
      title={t('Assign a number')}
      what={item ? formatPhone(item.number) : ''}
      description={user.username}
      user={item && user}
      hint={t('Choose a number first.')}
      assignment={assignment}
      onAssign={() => item && assignment.mutate({ params: { id: item.id }, body: { userId: user.id } })}
      onClose={onClose}
    >
      <TextField
        label={t('Number')}
        type="search"
        placeholder={t('Search by digits or country...')}
        value={text}
        maxLength={100}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
      />
      <NumberOffers
        legend={t('Available numbers')}
        offers={offers.data}
        error={offers.error}
        onRetry={() => void offers.refetch()}
        picked={picked}
        onPick={setPicked}
      />
    </AssignFrame>
  )
}
