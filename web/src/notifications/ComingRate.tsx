import { Notice } from '../ui/Notice.tsx'
import { useNow } from '../ui/use-now.ts'
import { t } from '../language/t.ts'
import { pricedNumbers, rateChange, useOwnNotifications } from './own.ts'

/** The changes of the client's rate, and of the prices of its numbers, that are announced; nothing without one. */
export function ComingRate() {
  const now = useNow(60_000)
  const { data = [] } = useOwnNotifications()
  const rates = data.flatMap((each) =>
    each.kind === 'rate' && Date.parse(each.startsAt) > now ? [each] : [],
  )
  const prices = data.flatMap((each) =>
    each.kind === 'price' && Date.parse(each.startsAt) > now ? [each] : [],
  )
  if (rates.length === 0 && prices.length === 0) return null
  return (
    <Notice title={rates.length === 0 ? t('Prices of your numbers change') : t('Your rate changes')}>
      {rates.map((each) => (
        <p key={each.startsAt}>{rateChange(each)}</p>
      ))}
      {rates.length > 0 && <p>{t('Numbers with a price of their own keep it.')}</p>}
      {prices.map((each) => (
        <p key={`${each.startsAt} ${each.before} ${each.number}`}>
          {t('{numbers}: {change}', { numbers: pricedNumbers(each), change: rateChange(each) })}
        </p>
      ))}
    </Notice>
  )
}
