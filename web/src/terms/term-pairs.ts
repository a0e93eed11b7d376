// Terms in words, the same for staff and for the client.
import type { OwnTerms, Terms } from '@tollgate/contract/terms/terms.ts'
import { counted } from '../format/counted.ts'
import { formatCount, formatUsdt } from '../format/money.ts'
import { t } from '../language/t.ts'

interface TermPair {
  readonly label: string
  readonly value: string
}

const days = (count: number) => counted(count, '1 day', '{count} days')

const countOf = (count: number | null | undefined) => (count == null ? undefined : formatCount(count))

/** Each term with its value, and how much of it is used. */
export function termPairs(terms: Terms, used?: OwnTerms['used']): TermPair[] {
  const { numbersMax, smsPerDayMax, valuePerCycleMax, payableAfterDays, reservePercent, reserveDays } = terms
  const limit = (max: string | undefined, now: string | undefined) => {
    if (max === undefined) return t('no limit')
    return now === undefined ? max : t('{now} of {max}', { now, max })
  }
  return [
    {
      label: t('Numbers held'),
      value: limit(countOf(numbersMax), countOf(used?.numbers)),
    },
    {
      label: t('SMS a day'),
      value: limit(countOf(smsPerDayMax), countOf(used?.smsToday)),
    },
    {
      label: t('Value of a period'),
      value: limit(
        valuePerCycleMax === null ? undefined : formatUsdt(valuePerCycleMax),
        used && formatUsdt(used.valueThisCycle),
      ),
    },
    {
      label: t('Paid'),
      value:
        payableAfterDays === 0
          ? t('from the close of the period on')
          : t('{days} after the close', { days: days(payableAfterDays) }),
    },
    {
      label: t('Reserve'),
      value:
        reservePercent === 0
          ? t('none')
          : t('{percent} % for {days}', { percent: reservePercent, days: days(reserveDays) }),
    },
  ]
}

/** All terms as one line. */
export const termsLine = (terms: Terms): string =>
  termPairs(terms)
    .map(({ label, value }) => `${label}: ${value}`)
    .join(' · ')
