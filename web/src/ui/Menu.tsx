import { Check, Ellipsis, type LucideIcon } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'
import { KeyCap } from './KeyCap.tsx'

export interface MenuItem {
  readonly label: string
  readonly icon?: LucideIcon
  /** A status icon instead of an icon, for lists of states. */
  readonly statusIcon?: ReactNode
  readonly key?: string
  readonly isChosen?: boolean
  readonly isDisabled?: boolean
  readonly isDanger?: boolean
  /** Keeps the menu open, for lists of checkmarks. */
  readonly isSticky?: boolean
  readonly onSelect: () => void
}

interface MenuProps {
  /** Groups, separated by lines. */
  readonly groups: readonly (readonly MenuItem[])[]
  /** The button that opens the menu. A string makes a "more" button with this name. */
  readonly trigger: ReactNode
  readonly align?: 'start' | 'end'
}

/** A menu of actions. */
export function Menu({ groups, trigger, align = 'end' }: MenuProps) {
  return (
    <DropdownMenu.Root>
      <DropdownMenu.Trigger asChild>
        {typeof trigger === 'string' ? (
          <button
            type="button"
            aria-label={trigger}
            className="inline-grid size-7 place-items-center rounded-md text-ink-3 hover:bg-surface-3 hover:text-ink pointer-coarse:size-11"
          >
            <Ellipsis size={16} strokeWidth={1.6} aria-hidden="true" />
          </button>
        ) : (
          trigger
        )}
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align={align}
          sideOffset={4}
          collisionPadding={8}
          className="appear z-50 max-h-(--radix-dropdown-menu-content-available-height) min-w-44 overflow-y-auto rounded-lg bg-raised py-1 shadow-pop"
        >
          {groups
            .filter((items) => items.length > 0)
            .map((items, index) => (
              <DropdownMenu.Group
                key={items[0]?.label}
                className={classNames(index > 0 && 'mt-1 border-t border-line pt-1')}
              >
                {items.map((item) => (
                  <MenuRow key={item.label} item={item} />
                ))}
              </DropdownMenu.Group>
            ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}

function MenuRow({ item }: { item: MenuItem }) {
  const {
    label,
    icon: Icon,
    statusIcon,
    key,
    isChosen,
    isDisabled = false,
    isDanger = false,
    isSticky = false,
  } = item
  const select = (event: Event) => {
    if (isSticky) event.preventDefault()
    item.onSelect()
  }
  const className = classNames(
    'mx-1 flex h-8 items-center gap-2.5 rounded-sm px-2 outline-none select-none data-highlighted:bg-surface-3 data-disabled:text-ink-mute pointer-coarse:h-11',
    isDanger && 'text-bad-ink',
  )
  const content = (
    <>
      {Icon && <Icon size={16} strokeWidth={1.6} aria-hidden="true" className="shrink-0 text-ink-3" />}
      {statusIcon}
      <span className="grow">{label}</span>
      {isChosen === true && <Check size={15} strokeWidth={1.6} aria-hidden="true" className="text-ink-3" />}
      {key !== undefined && <KeyCap>{key}</KeyCap>}
    </>
  )
  return isChosen === undefined ? (
    <DropdownMenu.Item disabled={isDisabled} onSelect={select} className={className}>
      {content}
    </DropdownMenu.Item>
  ) : (
    <DropdownMenu.CheckboxItem
      checked={isChosen}
      disabled={isDisabled}
      onSelect={select}
      className={className}
    >
      {content}
    </DropdownMenu.CheckboxItem>
  )
}
