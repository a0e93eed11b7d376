import { formatInstant } from '../format/dates.ts'
import { Notice } from '../ui/Notice.tsx'

/** Says that the figures on screen are old, and from when. `since` is in ms. */
export function StaleNotice({ since }: { since: number }) {
  return (
    <Notice tone="warn" title={`No word from the server since ${formatInstant(since)}`} isAlert>
      What you see is from then. The page goes on by itself once the server answers.
    </Notice>
  )
}
