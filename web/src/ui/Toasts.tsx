import { X } from 'lucide-react'
import { Toast as Radix } from 'radix-ui'
import { useSyncExternalStore } from 'react'
import { StatusIcon, type StatusShape } from './StatusIcon.tsx'
import { currentToast, dismissToast, subscribeToasts, type Toast } from './toasts.ts'
import { t } from '../language/t.ts'

const icons: Record<Toast['tone'], StatusShape> = { ok: 'check', info: 'half', bad: 'x' }

/**
 * The region of the toasts. Spec §9: one at a time, 5000 ms, F8 focuses it. Radix pauses the time on hover and focus.
 */
export function Toasts() {
  const toast = useSyncExternalStore(subscribeToasts, currentToast)
  return (
    <Radix.Provider duration={5_000} swipeDirection="right">
      {toast && (
        <Radix.Root
          key={toast.id}
          open
          onOpenChange={(isOpen) => !isOpen && dismissToast(toast.id)}
          type={toast.tone === 'bad' ? 'foreground' : 'background'}
          className="appear flex items-start gap-2.5 rounded-lg bg-raised p-3.5 pe-2 shadow-pop [--status-icon-ground:var(--raised)]"
        >
          <StatusIcon shape={icons[toast.tone]} tone={toast.tone} size={14} className="mt-0.75" />
          <div className="min-w-0 flex-1 space-y-0.5">
            <Radix.Title className="font-semibold">{toast.title}</Radix.Title>
            {toast.text !== undefined && (
              <Radix.Description className="text-ink-2">{toast.text}</Radix.Description>
            )}
          </div>
          {toast.undo && (
            <Radix.Action asChild altText={t('Undo')}>
              <button
                type="button"
                onClick={toast.undo}
                className="h-6 rounded-sm px-2 font-medium text-accent-ink hover:bg-surface-3"
              >
                {t('Undo')}
              </button>
            </Radix.Action>
          )}
          <Radix.Close
            aria-label={t('Close')}
            className="grid size-6 shrink-0 place-items-center rounded-sm text-ink-3 hover:bg-surface-3 hover:text-ink"
          >
            <X size={14} strokeWidth={1.6} aria-hidden="true" />
          </Radix.Close>
        </Radix.Root>
      )}
      <Radix.Viewport
        label={t('Notifications ({hotkey})')}
        className="fixed end-4 bottom-4 z-60 w-90 max-w-[calc(100vw-2rem)] rounded-lg max-sm:top-3 max-sm:bottom-auto"
      />
    </Radix.Provider>
  )
}
