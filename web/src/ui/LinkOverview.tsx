import { Pencil, Trash2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from './Button.tsx'
import { Card, Pairs, type Pair } from './Card.tsx'
import { t } from '../language/t.ts'

interface LinkOverviewProps {
  /** What is wrong, with its cure. */
  readonly fault: ReactNode
  readonly acts: ReactNode
  readonly onOpen: (dialog: 'edit' | 'delete') => void
  readonly facts: readonly Pair[]
  /** Its dialogs, and what stands beside the facts. */
  readonly children: ReactNode
}

/** A link on its page: what is wrong and what cures it, what may be done, and its settings. */
export function LinkOverview({ fault, acts, onOpen, facts, children }: LinkOverviewProps) {
  return (
    <div className="space-y-4">
      {fault}
      <div className="flex flex-wrap gap-2">
        {acts}
        <Button icon={Pencil} onClick={() => onOpen('edit')}>
          {t('Edit')}
        </Button>
        <Button icon={Trash2} onClick={() => onOpen('delete')}>
          {t('Delete')}
        </Button>
      </div>
      <div className="grid grid-cols-1 items-start gap-4 lg:grid-cols-2">
        <Card>
          <Pairs items={facts} />
        </Card>
        {children}
      </div>
    </div>
  )
}

/** The first button of a page with a fault: it opens the form at what is wrong. */
export function Cure({ label, onClick }: { label: string; onClick: () => void }) {
  return (
    <div className="pt-2">
      <Button tone="primary" icon={Pencil} onClick={onClick}>
        {label}
      </Button>
    </div>
  )
}
