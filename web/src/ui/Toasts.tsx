import { useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { StatusIcon, type StatusShape } from './StatusIcon.tsx'
import { currentToast, dismissToast, subscribeToasts, type Toast } from './toasts.ts'
import { t } from '../language/t.ts'

const icons: Record<Toast['tone'], StatusShape> = { ok: 'check', info: 'half', bad: 'x' }

/**
 * The region of the toasts. Spec §9: one at a time, 5000 ms, F8 focuses it. It is on each screen from the start, and made
 * without a library: a screen reader hears only what is put into a region that is there, and each page would load more.
 */
export function Toasts() {
  const toast = useSyncExternalStore(subscribeToasts, currentToast)
  const region = useRef<HTMLElement>(null)
  useEffect(() => {
    const focus = ({ key }: KeyboardEvent) => key === 'F8' && region.current?.focus()
    document.addEventListener('keydown', focus)
    return () => document.removeEventListener('keydown', focus)
  }, [])
  return (
    <section
      ref={region}
      tabIndex={-1}
      aria-label={t('Notifications ({hotkey})', { hotkey: 'F8' })}
      // An open dialog takes the pointer from all around it; a toast keeps it.
      style={{ pointerEvents: toast ? 'auto' : 'none' }}
      className="fixed end-4 bottom-4 z-60 w-90 max-w-[calc(100vw-2rem)] rounded-lg max-sm:top-3 max-sm:bottom-auto sm:[body:has([data-drawer-foot])_&]:bottom-20"
    >
      <div aria-live={toast?.tone === 'bad' ? 'assertive' : 'polite'} aria-atomic="true">
        {toast && <ToastCard key={toast.id} toast={toast} />}
      </div>
    </section>
  )
}

function ToastCard({ toast }: { readonly toast: Toast }) {
  const hold = useDismissal(toast.id)
  const close = () => dismissToast(toast.id)
  return (
    <div
      {...hold}
      // A press beside an open menu or dialog closes it; a toast is no part of the page beside it.
      onPointerDown={(event) => event.stopPropagation()}
      onKeyDown={(event) => event.key === 'Escape' && close()}
      className="appear flex items-start gap-2.5 rounded-lg bg-raised p-3.5 pe-2 shadow-pop [--status-icon-ground:var(--raised)]"
    >
      <StatusIcon shape={icons[toast.tone]} tone={toast.tone} size={14} className="mt-0.75" />
      <div className="min-w-0 flex-1 space-y-0.5">
        <div className="font-semibold">{toast.title}</div>
        {toast.text !== undefined && <div className="text-ink-2">{toast.text}</div>}
      </div>
      {toast.undo && (
        <button
          type="button"
          onClick={() => {
            toast.undo?.()
            close()
          }}
          className="h-6 rounded-sm px-2 font-medium text-accent-ink hover:bg-surface-3"
        >
          {t('Undo')}
        </button>
      )}
      <button
        type="button"
        aria-label={t('Close')}
        onClick={close}
        className="grid size-6 shrink-0 place-items-center rounded-sm text-ink-3 hover:bg-surface-3 hover:text-ink"
      >
        {/* Drawn here: the script of the icons is no part of a visitor's first page. */}
        <svg viewBox="0 0 24 24" width="14" height="14" aria-hidden="true" className="stroke-current">
          <path d="M18 6 6 18M6 6l12 12" strokeWidth="1.6" strokeLinecap="round" />
        </svg>
      </button>
    </div>
  )
}

const shownMs = 5_000

/** Takes the toast away after its time, which stands still while somebody is at it or has gone to another window. */
function useDismissal(id: number) {
  const [isPointed, setPointed] = useState(false)
  const [isFocused, setFocused] = useState(false)
  const [isAway, setAway] = useState(false)
  const leftMs = useRef(shownMs)
  useEffect(() => {
    const leave = () => setAway(true)
    const come = () => setAway(false)
    window.addEventListener('blur', leave)
    window.addEventListener('focus', come)
    return () => {
      window.removeEventListener('blur', leave)
      window.removeEventListener('focus', come)
    }
  }, [])
  const isHeld = isPointed || isFocused || isAway
  useEffect(() => {
    if (isHeld) return
    const shownAtMs = Date.now()
    const timer = setTimeout(() => dismissToast(id), leftMs.current)
    return () => {
      clearTimeout(timer)
      leftMs.current -= Date.now() - shownAtMs
    }
  }, [id, isHeld])
  return {
    onPointerEnter: () => setPointed(true),
    onPointerLeave: () => setPointed(false),
    onFocus: () => setFocused(true),
    onBlur: () => setFocused(false),
  }
}
