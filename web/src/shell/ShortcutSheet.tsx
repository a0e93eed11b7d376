import { Dialog } from '../ui/Dialog.tsx'
import { KeyCap } from '../ui/KeyCap.tsx'
import { shortcuts } from './shortcuts.ts'
import { t } from '../language/t.ts'

/** The keyboard shortcuts of the console, opened by '?'. */
export function ShortcutSheet({ onClose }: { onClose: () => void }) {
  return (
    <Dialog isOpen onClose={onClose} title={t('Keyboard')} closeLabel={t('Close')}>
      <dl className="space-y-2.5">
        {shortcuts.map(({ keys, what }) => (
          <div key={what} className="flex items-center justify-between gap-4">
            <dt>{what}</dt>
            <dd className="flex gap-1">
              {keys.map((key) => (
                <KeyCap key={key}>{key}</KeyCap>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
