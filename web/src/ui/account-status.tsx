// The status that accounts, numbers and ranges share: its filter options, its form field and its menu.
import { Button } from './Button.tsx'
import { SelectField, type Option, type SelectFieldProps } from './Field.tsx'
import { StatusIcon } from './StatusIcon.tsx'
import { Menu, type MenuItem } from './Menu.tsx'
import { statusLook } from './status.ts'
import { t } from '../language/t.ts'

const statuses = ['active', 'inactive', 'suspended'] as const
type Status = (typeof statuses)[number]

const options: readonly Option[] = statuses.map((value) => ({ value, label: accountStatusLabel(value) }))

/** The options of a filter: 'All' first. */
export const accountStatusFilterOptions: readonly Option[] = [{ value: 'all', label: t('All') }, ...options]

export function accountStatusLabel(status: string): string {
  return statusLook('account', status).label
}

/** The form field. */
export function AccountStatusField(props: Omit<SelectFieldProps, 'label' | 'options'>) {
  return <SelectField label={t('Status')} options={options} {...props} />
}

/** One menu item for each status; `current` is checked and cannot be chosen again. */
export function accountStatusItems(onSet: (status: Status) => void, current?: Status): readonly MenuItem[] {
  return statuses.map((status) => {
    const { icon, tone, label } = statusLook('account', status)
    return {
      label,
      statusIcon: <StatusIcon shape={icon} tone={tone} />,
      ...(current !== undefined && { isChosen: status === current }),
      onSelect: () => status !== current && onSet(status),
    }
  })
}

interface SetStatusMenuProps {
  readonly onSet: (status: Status) => void
  readonly isBusy?: boolean
  readonly isDisabled?: boolean
}

/** In the selection bar: sets one status on all selected rows. */
export function SetStatusMenu({ onSet, isBusy = false, isDisabled = false }: SetStatusMenuProps) {
  return (
    <Menu
      groups={[accountStatusItems(onSet)]}
      trigger={
        <Button size="sm" isBusy={isBusy} isDisabled={isDisabled}>
          {t('Set status')}
        </Button>
      }
    />
  )
}
