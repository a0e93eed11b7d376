import { Copy } from 'lucide-react'
import { Button } from './Button.tsx'
import { t } from '../language/t.ts'

interface CopySelectedProps {
  /** How many rows are selected. */
  readonly ids: ReadonlySet<string>
  /** The selected rows that are in the list. */
  readonly rows: readonly unknown[]
  readonly onCopy: () => void
}

/** In the selection bar: copies the selected rows, once all of them are in the list. */
export function CopySelected({ ids, rows, onCopy }: CopySelectedProps) {
  return (
    <Button size="sm" icon={Copy} isDisabled={rows.length < ids.size} onClick={onCopy}>
      {t('Copy Selected ({count})', { count: ids.size })}
    </Button>
  )
}
