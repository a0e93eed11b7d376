import { formatAmountFigure } from '../format/money.ts'
import { classNames } from '../ui/class-names.ts'
import { leftToRight, t } from '../language/t.ts'

/** A credit or a debit: "+1.50 USDT", "−1.50 USDT". A debit is bad unless it is said to be none. */
export function SignedAmount({ value, isGood = false }: { value: string; isGood?: boolean }) {
  const isDebit = value.startsWith('-') && !isGood
  return (
    <span className={classNames('whitespace-nowrap', isDebit && 'text-bad-ink')}>
      {signedFigure(value)} <span className="font-normal text-ink-3">{t('USDT')}</span>
    </span>
  )
}

/** With a sign; the minus is as wide as the plus. */
export function signedFigure(value: string): string {
  return value.startsWith('-') ? formatAmountFigure(value) : leftToRight(`+${formatAmountFigure(value)}`)
}
