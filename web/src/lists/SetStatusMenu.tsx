import { accountStatuses, type AccountStatus } from '@tollgate/contract/vocabulary.ts'
import { Button } from '../ui/Button.tsx'
import { Lamp } from '../ui/Lamp.tsx'
import { Menu } from '../ui/Menu.tsx'
import { statusLook } from '../ui/status.ts'

interface SetStatusMenuProps {
  readonly onSet: (status: AccountStatus) => void
  readonly isBusy?: boolean
  readonly isDisabled?: boolean
}

/** In the selection bar: one status for all chosen accounts, numbers or ranges. */
export function SetStatusMenu({ onSet, isBusy = false, isDisabled = false }: SetStatusMenuProps) {
  return (
    <Menu
      groups={[
        accountStatuses.map((status) => {
          const { lamp, tone, label } = statusLook('account', status)
          return { label, lamp: <Lamp shape={lamp} tone={tone} />, onSelect: () => onSet(status) }
        }),
      ]}
      trigger={
        <Button size="sm" isBusy={isBusy} isDisabled={isDisabled}>
          Set status
        </Button>
      }
    />
  )
}
