// What ranges earned in a chosen period: the figures of the list and of a range's own page. Each leads to its messages.
import { rangeEarningsRoutes } from '@tollgate/contract/books/range-earnings.ts'
import type { AccountStatus } from '@tollgate/contract/vocabulary.ts'
import { useMemo } from 'react'
import { useApiQuery } from '../../api/use-api.ts'
import { toDayInput } from '../../format/dates.ts'
import { formatAmountFigure, formatCount, unknownFigure } from '../../format/money.ts'
import { RecordsLink } from '../../money/RecordsLink.tsx'
import { trafficPath } from '../../paths.ts'
import { Segmented } from '../../ui/Segmented.tsx'
import { Skeleton } from '../../ui/States.tsx'
import { t } from '../../language/t.ts'
import type { EarningPeriod } from './search.ts'

const dayMs = 86_400_000

const options = [
  { value: '1', label: t('Today') },
  { value: '7', label: t('7 days') },
  { value: '30', label: t('30 days') },
  { value: '90', label: t('90 days') },
] as const

interface EarningPeriodChoiceProps {
  readonly value: EarningPeriod
  readonly onChange: (period: EarningPeriod) => void
}

/** The days until today of which the earnings are shown. */
export function EarningPeriodChoice(props: EarningPeriodChoiceProps) {
  return (
    <span className="flex flex-wrap items-center gap-x-2 gap-y-1 text-sm font-normal">
      <span className="text-ink-3" aria-hidden="true">
        {t('Earned in')}
      </span>
      <Segmented label={t('Earned in')} options={options} {...props} />
    </span>
  )
}

/** UTC days, both included. */
export interface EarningDays {
  readonly dateFrom: string
  readonly dateTo: string
}

/** The last days until today. */
export function earningDays(period: EarningPeriod, now: number): EarningDays {
  return { dateFrom: toDayInput(now - (Number(period) - 1) * dayMs), dateTo: toDayInput(now) }
}

interface EarningFilters {
  readonly id?: string
  readonly search?: string
  readonly status?: AccountStatus | undefined
}

/** What one range brought; undefined while it is loading, null when it is not known. */
export type RangeFigures =
  | { readonly count: number; readonly amountUsd: string; readonly margin: string | null }
  | null
  | undefined

const nothing = { count: 0, amountUsd: '0', margin: null }

/** What the ranges that the filters match earned on these days: in all, and each. */
export function useRangeEarnings(filters: EarningFilters, { dateFrom, dateTo }: EarningDays) {
  const { data, error } = useApiQuery(rangeEarningsRoutes.getRangeEarnings, {
    query: { ...filters, dateFrom, dateTo },
  })
  return useMemo(() => {
    const byId = new Map(data?.rows.map((row) => [row.id, row]))
    // A range without a row had no message, unless there were too many rows.
    const unlisted = !data ? (error ? null : undefined) : data.left > 0 ? null : nothing
    const figuresOf = (id: string): RangeFigures => byId.get(id) ?? unlisted
    return { days: { dateFrom, dateTo }, total: data?.total, figuresOf }
  }, [data, error, dateFrom, dateTo])
}
export type RangeEarnings = ReturnType<typeof useRangeEarnings>

interface RangeFigureProps {
  readonly range: { readonly id: string; readonly rangeNumber: string }
  readonly earnings: RangeEarnings
  readonly shows: 'count' | 'amountUsd'
}

/** A figure of a range that leads to exactly its messages. */
export function RangeFigure({ range, earnings: { days, figuresOf }, shows }: RangeFigureProps) {
  const figures = figuresOf(range.id)
  if (figures === undefined) return <Skeleton className="inline-block h-4 w-16" />
  if (figures === null) return <span className="text-ink-3">{unknownFigure}</span>
  const figure = shows === 'count' ? formatCount(figures.count) : formatAmountFigure(figures.amountUsd)
  if (figures.count === 0 || range.rangeNumber === '') return <span className="text-ink-3">{figure}</span>
  return (
    <RecordsLink
      url={trafficPath({ range: range.rangeNumber, ...days })}
      label={t('SMS records of {at}', { at: range.rangeNumber })}
    >
      {figure}
    </RecordsLink>
  )
}
