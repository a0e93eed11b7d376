import { t } from '../language/t.ts'
import { Notice } from '../ui/Notice.tsx'

/** Instead of a notice about the server, when its status could not be read again. `since`: the words of staleWords. */
export function StatusUnknown({ since }: { since: string }) {
  return (
    <Notice tone="warn" title={t('Failed to fetch SMPP status')} isAlert>
      {since}
    </Notice>
  )
}
