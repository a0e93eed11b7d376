import type { AccountTab } from '../users/account/AccountDialog.tsx'
import { Dialog as Radix } from 'radix-ui'
import { overlayClass } from '../ui/dialog-classes.ts'
import { useOpener } from '../ui/use-opener.ts'
import { Sidebar } from './Sidebar.tsx'
import { t } from '../language/t.ts'

interface PhoneMenuProps {
  readonly onClose: () => void
  readonly onSearch: () => void
  readonly onAccount: (tab: AccountTab) => void
}

/** The sidebar on a phone: a sheet over the page. */
export function PhoneMenu({ onClose, onSearch, onAccount }: PhoneMenuProps) {
  const opener = useOpener()
  return (
    <Radix.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className={overlayClass} />
        <Radix.Content
          {...opener}
          aria-describedby={undefined}
          onOpenAutoFocus={(event) => {
            opener.onOpenAutoFocus()
            // Focuses the sheet: focus on its first button would open the button's tooltip.
            event.preventDefault()
            if (event.currentTarget instanceof HTMLElement) event.currentTarget.focus()
          }}
          className="fixed inset-y-0 start-0 z-50 w-72 max-w-[85vw] bg-sidebar shadow-dialog outline-none"
        >
          <Radix.Title className="sr-only">{t('Menu')}</Radix.Title>
          <Sidebar isRail={false} onSearch={onSearch} onAccount={onAccount} onNavigate={onClose} />
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
