import { Link } from '@tanstack/react-router'
import type { LucideIcon } from 'lucide-react'
import { Tooltip } from '../ui/Tooltip.tsx'

interface LinkButtonProps {
  readonly icon: LucideIcon
  /** Its name, for screen readers and the tooltip: 'Records of +44 909 879 0142'. */
  readonly label: string
  readonly to: string
  /** The other page's filters. */
  readonly search: Readonly<Record<string, string>>
}

/** A row action that opens another page. */
export function LinkButton({ icon: Icon, label, to, search }: LinkButtonProps) {
  return (
    <Tooltip text={label}>
      <Link
        to={to}
        // The type belongs to the other page's schema; the router only knows that a search is an object.
        search={search as never}
        aria-label={label}
        className="inline-grid size-7 shrink-0 place-items-center rounded-md text-ink-3 transition-colors duration-(--fast) hover:bg-surface-3 hover:text-ink pointer-coarse:size-11"
      >
        <Icon size={16} strokeWidth={1.6} aria-hidden="true" />
      </Link>
    </Tooltip>
  )
}
