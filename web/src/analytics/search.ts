// What Analytics keeps in the dashboard's address, and what it asks the API for.
import {
  analyticsDimensions,
  analyticsHourDays,
  analyticsRefusal,
  analyticsSorts,
  analyticsSteps,
  type AnalyticsDimension,
  type AnalyticsLook,
} from '@tollgate/contract/analytics/analytics.ts'
import { recordStatuses, type RecordStatus } from '@tollgate/contract/vocabulary.ts'
import { z } from 'zod'
import { toDayInput } from '../format/dates.ts'

const dayMs = 86_400_000

const periods = ['week', 'lastWeek', '1', '7', '14', '30', '90', 'own'] as const
export const measures = ['messages', 'success', 'bill', 'earned'] as const
export type Measure = (typeof measures)[number]

const day = z.iso.date().catch('')
const word = z.string().max(100).catch('')

export const analyticsFields = {
  period: z.enum(periods).catch('14'),
  from: day,
  to: day,
  step: z.enum(['auto', ...analyticsSteps]).catch('auto'),
  compare: z.enum(['weekdays', 'before', 'year', 'none']).catch('weekdays'),
  measure: z.enum(measures).catch('messages'),
  by: z.enum(analyticsDimensions).catch('range'),
  andBy: z.enum(['', ...analyticsDimensions]).catch(''),
  range: word,
  country: word,
  client: word,
  gateway: word,
  state: z.enum(['', ...recordStatuses]).catch(''),
  sort: z.enum(['', ...analyticsSorts]).catch(''),
  order: z.enum(['asc', 'desc']).catch('desc'),
}
const analyticsState = z.object(analyticsFields)
export type AnalyticsState = z.output<typeof analyticsState>

/** What stands in an address that says nothing. */
export const usualAnalytics = analyticsState.parse({})

export interface Days {
  /** UTC days, both included. */
  readonly dateFrom: string
  readonly dateTo: string
}

/** A day some days later. */
export const shift = (from: string, days: number) => toDayInput(Date.parse(from) + days * dayMs)

/** How many days it has. */
export function lengthOf({ dateFrom, dateTo }: Days): number {
  return Math.round((Date.parse(dateTo) - Date.parse(dateFrom)) / dayMs) + 1
}

/** The chosen period; a period of one's own that is not whole yet is the last two weeks. */
export function daysOf({ period, from, to }: AnalyticsState, now: number): Days {
  const today = toDayInput(now)
  if (period === 'own' && from !== '' && to !== '' && from <= to) return { dateFrom: from, dateTo: to }
  const monday = mondayOf(today)
  if (period === 'week') return { dateFrom: monday, dateTo: today }
  if (period === 'lastWeek') return { dateFrom: shift(monday, -7), dateTo: shift(monday, -1) }
  const length = period === 'own' ? 14 : Number(period)
  return { dateFrom: shift(today, 1 - length), dateTo: today }
}

/** Monday of a day's week, with which the weekly bills begin. Spec §9. */
const mondayOf = (day: string) => shift(day, -((new Date(day).getUTCDay() + 6) % 7))

/** The same weekdays before, as many days just before, or a year earlier; undefined when nothing is compared. */
export function comparedDays({ compare }: AnalyticsState, days: Days): Days | undefined {
  if (compare === 'none') return undefined
  const length = lengthOf(days)
  const back = compare === 'year' ? 364 : compare === 'before' ? length : Math.ceil(length / 7) * 7
  return { dateFrom: shift(days.dateFrom, -back), dateTo: shift(days.dateTo, -back) }
}

/** How the table is sorted when nobody has chosen: times in their order, everything else by its count. */
export function sortOf({ sort, order, by, andBy }: AnalyticsState) {
  if (sort !== '') return { by: sort, order }
  const isOfTime = isTime(by) || isTime(andBy)
  return { by: isOfTime ? 'group' : 'count', order: isOfTime ? ('asc' as const) : ('desc' as const) }
}

/** The days that are over, or all of them when none is: what is compared must have had the same time. */
export function daysOver(days: Days, now: number): Days {
  const today = toDayInput(now)
  return days.dateTo < today || days.dateFrom >= today ? days : { ...days, dateTo: shift(today, -1) }
}

type Step = (typeof analyticsSteps)[number]

/** Whether the hours of these days are kept. */
export function hasHours(days: Days, now: number): boolean {
  return days.dateFrom >= shift(toDayInput(now), -analyticsHourDays)
}

/** The chosen step, where the period allows it. */
export function stepOf({ step }: AnalyticsState, days: Days, now: number): Step {
  const length = lengthOf(days)
  if (step !== 'auto' && (step !== 'hour' || hasHours(days, now))) return step
  if (length <= 2 && hasHours(days, now)) return 'hour'
  if (length <= 62) return 'day'
  return length <= 200 ? 'week' : 'month'
}

/** Whether a dimension is of time. */
export function isTime(dimension: AnalyticsDimension | ''): boolean {
  return (analyticsSteps as readonly string[]).includes(dimension)
}

/** Whether the server tells such groups apart for these days. */
export function isAnswered(state: AnalyticsState, days: Days, now: number): boolean {
  return analyticsRefusal({ ...days, ...lookAsChosen(state) }, new Date(now)) === undefined
}

/** What an address asks, without what cannot be told: hours that are not kept, groups that do not go together. */
export function answerable(chosen: AnalyticsState, now: number): AnalyticsState {
  const days = daysOf(chosen, now)
  const isKept = hasHours(days, now)
  const by = chosen.by === 'hour' && !isKept ? 'day' : chosen.by
  const step = chosen.step === 'hour' && !isKept ? 'auto' : chosen.step
  const state = { ...chosen, by, step, andBy: chosen.andBy === by ? ('' as const) : chosen.andBy }
  const tries = [
    state,
    { ...state, andBy: '' as const },
    { ...state, andBy: '' as const, state: '' as const },
  ]
  return tries.find((each) => isAnswered(each, days, now)) ?? state
}

interface ChosenFilters {
  readonly range?: string
  readonly country?: string
  readonly client?: string
  readonly gateway?: string
  readonly status?: RecordStatus
}

/** The filters of the state, as the API takes them. */
export function filtersOf({ range, country, client, gateway, state }: AnalyticsState): ChosenFilters {
  return {
    ...(range !== '' && { range }),
    ...(country !== '' && { country }),
    ...(client !== '' && { client }),
    ...(gateway !== '' && { gateway }),
    ...(state !== '' && { status: state }),
  }
}

/** What the table shows, without its period. */
export function lookOf(state: AnalyticsState): AnalyticsLook {
  return lookAsChosen({ ...state, andBy: state.andBy === state.by ? '' : state.andBy })
}

function lookAsChosen(state: AnalyticsState): AnalyticsLook {
  const { by, andBy } = state
  return { ...filtersOf(state), by, ...(andBy !== '' && { andBy }) }
}

const lastDayOf = (month: string) =>
  toDayInput(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5, 7)), 0))

/** The days of a bucket of time within the period. */
function within(days: Days, first: string, last: string): Readonly<Record<string, string>> {
  return {
    dateFrom: first > days.dateFrom ? first : days.dateFrom,
    dateTo: last < days.dateTo ? last : days.dateTo,
  }
}

/** What a group adds to the filters of the records list; undefined for one that no filter names. */
function groupFilters(
  dimension: AnalyticsDimension,
  group: string,
  days: Days,
): Readonly<Record<string, string>> | undefined {
  if (group === '') return dimension === 'client' ? { unowned: 'true' } : undefined
  if (dimension === 'hour') return { hour: group }
  if (dimension === 'day') return within(days, group, group)
  if (dimension === 'week') return within(days, group, shift(group, 6))
  if (dimension === 'month') return within(days, `${group}-01`, lastDayOf(group))
  return { [dimension]: group }
}

/** The filters of exactly the messages of these groups. */
export function recordFiltersOf(
  state: AnalyticsState,
  days: Days,
  groups: readonly (readonly [AnalyticsDimension, string])[],
): Readonly<Record<string, string>> | undefined {
  let filters: Readonly<Record<string, string>> = { ...days, zone: 'UTC', ...filtersOf(state) }
  for (const [dimension, group] of groups) {
    const added = groupFilters(dimension, group, days)
    if (added === undefined) return undefined
    filters = { ...filters, ...added }
  }
  return filters
}

/** The buckets of time of a period, as the API names them. */
export function bucketsOf(days: Days, step: Step): readonly string[] {
  const names = Array.from({ length: lengthOf(days) }, (_, index) => shift(days.dateFrom, index)).flatMap(
    (each) => {
      if (step === 'hour')
        return Array.from({ length: 24 }, (_, hour) => `${each}T${String(hour).padStart(2, '0')}`)
      if (step === 'day') return [each]
      return [step === 'month' ? each.slice(0, 7) : mondayOf(each)]
    },
  )
  return [...new Set(names)]
}
