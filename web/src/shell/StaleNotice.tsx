import { formatInstant } from '../format/dates.ts'
import { Notice } from '../ui/Notice.tsx'
import { t } from '../language/t.ts'

/** Says that the figures on screen are old, and from when. `since` is in ms. */
export function StaleNotice({ since }: { since: number }) {
  return (
    <Notice
      tone="warn"
      title={t('No answer from the server since {since}', { since: formatInstant(since) })}
      isAlert
    >
      {t('What you see is from then. The page continues automatically once the server answers.')}
    </Notice>
  )
}
