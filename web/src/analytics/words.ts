// The words and figures of Analytics.
import type { AnalyticsDimension, AnalyticsReport } from '@tollgate/contract/analytics/analytics.ts'
import { formatMicro, parseMicro } from '@tollgate/contract/money.ts'
import { formatDay, formatUtcHour } from '../format/dates.ts'
import {
  decimalText,
  formatCount,
  formatShare,
  formatShekels,
  formatUsd,
  unknownFigure,
} from '../format/money.ts'
import { formatPhone } from '../format/phone.ts'
import { statusLook } from '../ui/status.ts'
import { t } from '../language/t.ts'
import type { Measure } from './search.ts'

export const dimensionWords: Record<AnalyticsDimension, string> = {
  range: t('Range'),
  number: t('Number'),
  country: t('Country'),
  client: t('Client'),
  gateway: t('Supplier'),
  status: t('Status'),
  hour: t('Hour'),
  day: t('Day'),
  week: t('Week'),
  month: t('Month'),
}

export const measureWords: Record<Measure, string> = {
  messages: t('Messages'),
  success: t('Success'),
  bill: t('Bill'),
  earned: t('Earned'),
}

export type Figures = AnalyticsReport['total']

/** The name of a group, as people read it. */
export function groupName(dimension: AnalyticsDimension, group: string): string {
  if (group === '') return emptyWords[dimension] ?? unknownFigure
  if (dimension === 'status') return statusLook('record', group).label
  if (dimension === 'number') return formatPhone(group)
  if (dimension === 'hour') return formatUtcHour(group)
  if (dimension === 'week') return t('Week from {day}', { day: formatDay(group) })
  if (dimension === 'day') return formatDay(group)
  return dimension === 'month' ? `${group.slice(5)}/${group.slice(0, 4)}` : group
}

const emptyWords: Partial<Record<AnalyticsDimension, string>> = {
  client: t('Nobody held the number'),
  range: t('In no range'),
  country: t('Of no country'),
}

export function successOf({ count, delivered }: Figures): number | undefined {
  return delivered === null || count === 0 ? undefined : delivered / count
}

/** What came in the hours or days before one of them; all of a report without it. */
export function figuresUpTo({ total, rows }: AnalyticsReport, end: string | undefined): Figures {
  if (end === undefined) return total
  const reached = rows.filter(({ group }) => group < end)
  const sum = (of: (row: Figures) => string) =>
    reached.reduce((micro, row) => micro + (parseMicro(of(row)) ?? 0n), 0n)
  return {
    count: reached.reduce((count, row) => count + row.count, 0),
    delivered: reached.reduce((count, row) => count + (row.delivered ?? 0), 0),
    bill: formatMicro(
      sum(({ bill }) => bill),
      2,
    ),
    amountUsd: formatMicro(sum(({ amountUsd }) => amountUsd)),
  }
}

/** What a measure says of these figures. */
export function figureOf(measure: Measure, figures: Figures): string {
  if (measure === 'messages') return formatCount(figures.count)
  if (measure === 'success') return formatShare(successOf(figures))
  return measure === 'bill' ? formatShekels(figures.bill) : formatUsd(figures.amountUsd)
}

/** The same as a height for a chart. */
export function heightOf(measure: Measure, figures: Figures | undefined): number {
  if (figures === undefined) return 0
  if (measure === 'messages') return figures.count
  if (measure === 'success') return (successOf(figures) ?? 0) * 100
  return Number(measure === 'bill' ? figures.bill : figures.amountUsd)
}

/** Writes a height. */
export const heightFormats: Record<Measure, (height: number) => string> = {
  messages: (height) => formatCount(height),
  success: (height) => formatShare(height / 100),
  bill: (height) => formatShekels(decimalText(height, 2)),
  earned: (height) => formatUsd(decimalText(height, 6)),
}
