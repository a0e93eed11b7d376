import { SlidersHorizontal, X } from 'lucide-react'
import { useState, type FormEvent, type ReactNode } from 'react'
import { Button } from './Button.tsx'
import { Dialog } from './Dialog.tsx'
import { phoneQuery, useMediaQuery } from './use-media-query.ts'
import { t } from '../language/t.ts'

export interface FilterChip {
  readonly label: string
  readonly onRemove: () => void
}

interface FilterBarProps {
  /** Fields with labels above. */
  readonly children: ReactNode
  /** The active filters, for the chips on a phone and for Reset. */
  readonly chips: readonly FilterChip[]
  readonly onReset: () => void
  /** Buttons at the end of the line. */
  readonly actions?: ReactNode
  readonly onSubmit?: () => void
  /** On a phone, beside the button that opens the filters: the order of the list. */
  readonly sort?: ReactNode
}

/** Filters in one line with their buttons. On a phone they are chips and a sheet. */
export function FilterBar({ children, chips, onReset, actions, onSubmit, sort }: FilterBarProps) {
  const isPhone = useMediaQuery(phoneQuery)
  const [isOpen, setOpen] = useState(false)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onSubmit?.()
    setOpen(false)
  }
  if (!isPhone)
    return (
      <form role="search" onSubmit={submit} className="flex flex-wrap items-end gap-2">
        <div className="contents *:max-w-64 *:grow *:basis-38 max-lg:*:basis-29 max-lg:*:has-[input]:basis-34">
          {children}
        </div>
        <div className="flex flex-wrap gap-2">
          {actions}
          {chips.length > 0 && (
            <Button tone="ghost" onClick={onReset}>
              {t('Reset')}
            </Button>
          )}
        </div>
      </form>
    )
  return (
    <div className="flex items-center gap-2 overflow-x-auto [scrollbar-width:none] min-[36rem]:flex-wrap">
      <Button icon={SlidersHorizontal} onClick={() => setOpen(true)}>
        {t('Filters')}
        {chips.length > 0 && (
          <span className="rounded-sm bg-accent px-1.5 text-xs font-semibold text-on-accent">
            {chips.length}
          </span>
        )}
      </Button>
      {sort}
      {chips.map((chip) => (
        <button
          key={chip.label}
          type="button"
          aria-label={t('Remove filter {label}', { label: chip.label })}
          onClick={chip.onRemove}
          className="inline-flex h-(--control) shrink-0 items-center gap-1.5 rounded-md border border-accent-line bg-accent-soft px-3 font-medium text-accent-ink"
        >
          {chip.label}
          <X size={14} strokeWidth={1.6} aria-hidden="true" />
        </button>
      ))}
      <Dialog
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title={t('Filters')}
        closeLabel={t('Close')}
        onSubmit={submit}
        action={
          chips.length > 0 && (
            <Button
              onClick={() => {
                onReset()
                setOpen(false)
              }}
            >
              {t('Reset')}
            </Button>
          )
        }
      >
        <div className="space-y-3">{children}</div>
        {actions !== undefined && <div className="flex flex-wrap gap-2 pt-4">{actions}</div>}
      </Dialog>
    </div>
  )
}
