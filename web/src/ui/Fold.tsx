import { ChevronRight } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { classNames } from './class-names.ts'

interface FoldProps {
  readonly label: ReactNode
  readonly startsOpen?: boolean
  /** Holds it open, for example while something in it was refused. */
  readonly isHeldOpen?: boolean
  /** Its content is made, and asks the server, once it is opened. */
  readonly isLazy?: boolean
  readonly className?: string
  readonly children: ReactNode
}

/** What is seldom needed, behind one line. */
export function Fold({
  label,
  startsOpen = false,
  isHeldOpen = false,
  isLazy = false,
  className,
  children,
}: FoldProps) {
  const [isOpen, setOpen] = useState(startsOpen)
  const [wasOpen, setWasOpen] = useState(startsOpen)
  return (
    <details
      className={classNames('group/fold', className)}
      open={isOpen || isHeldOpen}
      onToggle={({ currentTarget: { open } }) => {
        setOpen(open)
        if (open) setWasOpen(true)
      }}
    >
      <summary className="flex w-fit max-w-full cursor-pointer list-none items-center gap-1.5 rounded-xs text-ink-2 hover:text-ink [&::-webkit-details-marker]:hidden">
        <ChevronRight
          size={14}
          strokeWidth={1.6}
          aria-hidden="true"
          className="shrink-0 transition-transform duration-(--fast) group-open/fold:rotate-90 rtl:-scale-x-100 rtl:group-open/fold:-rotate-90"
        />
        {label}
      </summary>
      <div className="pt-3">{(wasOpen || !isLazy) && children}</div>
    </details>
  )
}
