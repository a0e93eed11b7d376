// Texts for the drawer and the printed report of a record.
import type { RecordDetail } from '@tollgate/contract/records/records.ts'
import { formatDay, formatPeriod, toDayInput } from '../format/dates.ts'
import { formatAmountFigure, formatCount, formatRate, formatShekels, unknownFigure } from '../format/money.ts'
import { t } from '../language/t.ts'
import { isTest } from './matches-filters.ts'

const rateSources: Record<RecordDetail['rate']['from'], string> = {
  number: t("the number's own price"),
  user: t('client rate'),
  global: t('global rate'),
  none: t('nobody held the number'),
}

const sources: Record<RecordDetail['source'], string> = {
  smpp: t('bind'),
  connection: t('connection'),
  provider: t('provider'),
  api: t('test'),
}

/** Where the record came in. */
export function sourceLabel(record: RecordDetail): string {
  return sources[record.source]
}

/** Why a record counts as no SMS. */
const nothingLabel = (record: RecordDetail): string =>
  isTest(record) ? t('a test earns nothing') : t('acknowledgements earn nothing')

/** "478 SMS". */
export function describeSms(record: RecordDetail): string {
  const { smsCount } = record
  if (smsCount === 0) return isTest(record) ? t('No SMS: a test') : t('No SMS: an acknowledgement')
  return `${formatCount(smsCount)} SMS`
}

/** "2 of 10, reference 17". */
export function describePart({ position, total, reference }: NonNullable<RecordDetail['part']>): string {
  return t('{position} of {total}, reference {reference}', { position, total, reference })
}

/** "0.050 USD, global rate". */
export function describeRate(record: RecordDetail): string {
  const { rate, smsCount } = record
  if (smsCount === 0) return nothingLabel(record)
  return rate.from === 'none' ? rateSources.none : `${formatRate(rate.usd)}, ${rateSources[rate.from]}`
}

/** "16/11 – 23/11" in UTC. The year stands in the time of receipt. */
function formatCycle({ settlesIn: { settlement, periodStart, periodEnd } }: RecordDetail): string {
  if (settlement === 'none') return unknownFigure
  return [periodStart, periodEnd].map((edge) => formatDay(toDayInput(edge)).slice(0, 5)).join(' – ')
}

/** "Bill of 16/11/2026 – 23/11/2026". */
export function describeSettlement(record: RecordDetail): string {
  const {
    smsCount,
    settlesIn: { settlement, periodStart, periodEnd },
  } = record
  if (smsCount === 0) return t('Not settled: {why}', { why: nothingLabel(record) })
  if (settlement === 'none') return t('Not settled: nobody held the number')
  const period = formatPeriod(periodStart, periodEnd)
  return settlement === 'bill' ? t('Bill of {period}', { period }) : t('Payout of {period}', { period })
}

/** What the record costs its caller, what the client earns, and where it settles. */
export function moneyCells(record: RecordDetail) {
  return [
    { label: t('Bill'), value: formatShekels(record.bill) },
    {
      label: t('Client earns'),
      value: (
        <>
          {formatAmountFigure(record.amountUsd)}{' '}
          <span className="text-xs font-normal text-ink-3">{t('USD')}</span>
        </>
      ),
    },
    { label: t('Settles in'), value: formatCycle(record) },
  ]
}
