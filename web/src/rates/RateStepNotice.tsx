import { closeRoutes } from '@tollgate/contract/billing/close.ts'
import { useApiQuery } from '../api/use-api.ts'
import { formatCount, formatRate, formatUsdt } from '../format/money.ts'
import { t } from '../language/t.ts'
import { PriceStepNotice, type PriceStep } from '../money/price-step.tsx'

interface RateStepNoticeProps {
  readonly step: PriceStep
  /** USD per SMS. */
  readonly next: string
  /** Of one client; undefined: the global rate. */
  readonly userId?: number
}

/** Asks about a large step of a rate, with what it would have made of the open period. */
export function RateStepNotice({ step, next, userId }: RateStepNoticeProps) {
  const query = { rate: next, periodsBack: 0, ...(userId !== undefined && { userId }) }
  const { data, error } = useApiQuery(closeRoutes.whatIf, { query }, { isEnabled: step.large !== undefined })
  const outcome = () => {
    if (error) return t('What this period would have come to could not be calculated.')
    if (data === undefined) return t('What this period would have come to is being calculated.')
    if (data.smsCount === 0) return t('Nothing has come in at this rate in this period yet.')
    return t('The {smsCount} SMS of this period so far come to {before}. At {next} they would be {after}.', {
      smsCount: formatCount(data.smsCount),
      before: formatUsdt(data.before),
      next: formatRate(next),
      after: formatUsdt(data.after),
    })
  }
  return (
    <PriceStepNotice step={step} price={formatRate(next)}>
      <p>{outcome()}</p>
    </PriceStepNotice>
  )
}
