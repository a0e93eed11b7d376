// What is known of a number, for its drawer and its page.
import type { NumberDetail } from '@tollgate/contract/numbers/numbers.ts'
import { ObjectLink } from '../../api/ObjectLink.tsx'
import { formatDateTime } from '../../format/dates.ts'
import { formatRate, formatTariff, formatUsdt } from '../../format/money.ts'
import { t } from '../../language/t.ts'
import { NextRate } from '../../money/NextRate.tsx'
import { WeekByNumber } from '../../records/CycleSplit.tsx'
import type { Pair } from '../../ui/Card.tsx'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { CountryCell } from '../cells.tsx'
import { numberTypeLabels } from '../type-labels.ts'

/** What is known of a number beside its state, in the order of its page. */
export function numberFacts(number: NumberDetail, isMasked: boolean, isStaff: boolean): Pair[] {
  const { range, holder } = number
  return [
    {
      label: t('Number'),
      value: isMasked ? (
        number.phoneNumber
      ) : (
        <span className="inline-flex items-center gap-1 font-mono">
          +{number.phoneNumber}
          <CopyButton value={`+${number.phoneNumber}`} what={t('number')} />
        </span>
      ),
    },
    ...(isStaff
      ? [
          {
            label: t('Holder'),
            value: holder ? (
              <ObjectLink kind="person" id={holder.id}>
                {holder.username}
              </ObjectLink>
            ) : (
              t('Nobody')
            ),
          },
        ]
      : []),
    { label: t('Held since'), value: holder ? formatDateTime(holder.since) : '–' },
    { label: t('Type'), value: numberTypeLabels[number.type] },
    { label: t('Country'), value: <CountryCell country={number.country} code={number.countryCode} /> },
    ...(number.operator === '' ? [] : [{ label: t('Operator'), value: number.operator }]),
    {
      label: t('Range'),
      value:
        range === null ? (
          '–'
        ) : isMasked ? (
          range.rangeNumber
        ) : (
          <ObjectLink kind="range" id={range.id}>
            {range.rangeNumber}
          </ObjectLink>
        ),
    },
    { label: t('Rate'), value: t('{amount} for each SMS', { amount: formatTariff(number.rate) }) },
    ...(number.usdPerSms === ''
      ? []
      : [
          {
            label: t('USD per SMS'),
            value: (
              <>
                {formatRate(number.usdPerSms)}
                <NextRate next={number.scheduled} ended={t('Weekly bill')} />
              </>
            ),
          },
        ]),
    ...(number.earned === ''
      ? []
      : [
          {
            label: t('Earned this cycle'),
            value: <WeekByNumber>{formatUsdt(number.earned)}</WeekByNumber>,
          },
        ]),
    ...(isMasked
      ? []
      : [
          {
            label: t('Settles in'),
            value: number.pricePerSms === '' ? t('the weekly bill') : t('payouts of its own'),
          },
        ]),
  ]
}

/** Who held it when. */
export function Holdings({ holdings, isStaff }: { holdings: NumberDetail['holdings']; isStaff: boolean }) {
  if (holdings.length === 0) return <p className="text-ink-3">{t('Nobody has held it yet.')}</p>
  return (
    <ol className="divide-y divide-line">
      {holdings.map(({ userId, username, from, to }) => (
        <li key={from} className="flex flex-wrap justify-between gap-x-4 py-2">
          {isStaff ? (
            <ObjectLink kind="person" id={userId}>
              {username}
            </ObjectLink>
          ) : (
            username
          )}
          <span className="text-ink-2">
            {formatDateTime(from)} – {to === null ? t('now') : formatDateTime(to)}
          </span>
        </li>
      ))}
    </ol>
  )
}
