import { Copy } from 'lucide-react'
import { Button } from './Button.tsx'

/** In the selection bar: copies the selected rows. */
export function CopySelected({ count, onCopy }: { count: number; onCopy: () => void }) {
  return (
    <Button size="sm" icon={Copy} onClick={onCopy}>
      Copy Selected ({count})
    </Button>
  )
}
