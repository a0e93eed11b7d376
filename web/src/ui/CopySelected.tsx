import { Copy } from 'lucide-react'
import { Button } from './Button.tsx'
import { t } from '../language/t.ts'

/** In the selection bar: copies the selected rows. */
export function CopySelected({ count, onCopy }: { count: number; onCopy: () => void }) {
  return (
    <Button size="sm" icon={Copy} onClick={onCopy}>
      {t('Copy Selected ({count})', { count })}
    </Button>
  )
}
