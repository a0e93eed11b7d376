import { Notice } from '../ui/Notice.tsx'
import { useNow } from '../ui/use-now.ts'
import { t } from '../language/t.ts'
import { rateChange, useOwnNotifications } from './own.ts'

/** The changes of the client's rate that are announced; nothing without one. */
export function ComingRate() {
  const now = useNow(60_000)
  const { data } = useOwnNotifications()
  const coming = data?.flatMap((each) =>
    each.kind === 'rate' && Date.parse(each.startsAt) > now ? [each] : [],
  )
  if (coming === undefined || coming.length === 0) return null
  return (
    <Notice title={t('Your rate changes')}>
      {coming.map((each) => (
        <p key={each.startsAt}>{rateChange(each)}</p>
      ))}
      <p>{t('Numbers with a price of their own keep it.')}</p>
    </Notice>
  )
}
