import { analyticsSteps, type AnalyticsDimension } from '@tollgate/contract/analytics/analytics.ts'
import { recordsRoutes } from '@tollgate/contract/records/records.ts'
import { recordStatuses } from '@tollgate/contract/vocabulary.ts'
import { useSession } from '../api/session.tsx'
import { useApiQuery } from '../api/use-api.ts'
import { DateField } from '../ui/DateField.tsx'
import { SelectField, type Option } from '../ui/Field.tsx'
import { FilterBar } from '../ui/FilterBar.tsx'
import { SavedViews } from '../ui/SavedViews.tsx'
import { statusLook } from '../ui/status.ts'
import { filterChips, urlSelect, type UrlState } from '../url-state.ts'
import { t } from '../language/t.ts'
import { AnalyticsMails } from './AnalyticsMails.tsx'
import { hasHours, isAnswered, lookOf, type AnalyticsState, type Days } from './search.ts'
import { dimensionWords } from './words.ts'

const periodOptions: readonly Option[] = [
  { value: 'week', label: t('This week') },
  { value: 'lastWeek', label: t('Last week') },
  { value: '1', label: t('Today') },
  { value: '7', label: t('7 days') },
  { value: '14', label: t('14 days') },
  { value: '30', label: t('30 days') },
  { value: '90', label: t('90 days') },
  { value: 'own', label: t('From – to') },
]
const stepOptions: readonly Option[] = [
  { value: 'auto', label: t('Automatic') },
  ...analyticsSteps.map((value) => ({ value, label: dimensionWords[value] })),
]
const compareOptions: readonly Option[] = [
  { value: 'weekdays', label: t('Same weekdays before') },
  { value: 'before', label: t('Days before') },
  { value: 'year', label: t('52 weeks before') },
  { value: 'none', label: t('No comparison') },
]
const dimensionOptions: readonly Option[] = [
  'range',
  'number',
  'country',
  'client',
  'gateway',
  'status',
  ...analyticsSteps,
].map((value) => ({ value, label: dimensionWords[value as AnalyticsDimension] }))
const statusChoices: readonly Option[] = [
  { value: '', label: t('All Statuses') },
  ...recordStatuses.map((value) => ({ value, label: statusLook('record', value).label })),
]

/** The option for all first; the value in the address is an option even before the server has answered. */
function choices(all: string, values: readonly string[] | undefined, chosen: string): readonly Option[] {
  const listed = values ?? []
  const named = chosen === '' || listed.includes(chosen) ? listed : [chosen, ...listed]
  return [{ value: '', label: all }, ...named.map((value) => ({ value, label: value }))]
}

const labelOf = (options: readonly Option[]) => (value: string) =>
  options.find((option) => option.value === value)?.label ?? value
const itself = (value: string) => value

interface AnalyticsFiltersProps<State extends AnalyticsState> {
  readonly url: UrlState<State>
  readonly days: Days
  readonly now: number
}

/** Period, step, comparison, grouping and filters; they apply at once. */
export function AnalyticsFilters<State extends AnalyticsState>({
  url,
  days,
  now,
}: AnalyticsFiltersProps<State>) {
  const { state } = url
  const { user } = useSession()
  const isStaff = user?.role === 'admin' || user?.role === 'support'
  const options = useApiQuery(recordsRoutes.listRecordFilters)
  const set = (patch: Partial<AnalyticsState>) => url.set(patch as Partial<State>)
  // Only what is answered is offered; a first group that goes with no second one takes its place.
  const offered = (options: readonly Option[], patch: (value: string) => Partial<AnalyticsState>) =>
    options.filter(({ value }) => isAnswered({ ...state, ...patch(value) }, days, now))
  const byNumber = state.by === 'number' || state.andBy === 'number'
  const chips = filterChips(url, {
    period: labelOf(periodOptions),
    range: itself,
    country: itself,
    client: itself,
    gateway: itself,
    state: labelOf(statusChoices),
  })
  return (
    <FilterBar
      chips={chips}
      onReset={() => url.apply({ tab: 'analytics' })}
      actions={
        <>
          <SavedViews page="analytics" current={url.changed} onApply={url.apply} />
          <AnalyticsMails look={lookOf(state)} />
        </>
      }
    >
      <SelectField label={t('Period')} options={periodOptions} {...urlSelect(url, 'period')} />
      {state.period === 'own' && <OwnDays state={state} days={days} set={set} />}
      <SelectField
        label={t('Step')}
        options={stepOptions.filter(({ value }) => value !== 'hour' || hasHours(days, now))}
        {...urlSelect(url, 'step')}
      />
      <SelectField label={t('Compare with')} options={compareOptions} {...urlSelect(url, 'compare')} />
      <SelectField
        label={t('Group by')}
        options={offered(dimensionOptions, (value) => ({ by: value as AnalyticsDimension, andBy: '' }))}
        {...urlSelect(url, 'by')}
      />
      <SelectField
        label={t('And by')}
        options={[
          { value: '', label: t('No second group') },
          ...offered(dimensionOptions, (value) => ({ andBy: value as AnalyticsDimension })),
        ]}
        {...urlSelect(url, 'andBy')}
      />
      <SelectField
        label={t('Range')}
        options={choices(t('All Ranges'), options.data?.ranges, state.range)}
        {...urlSelect(url, 'range')}
      />
      <SelectField
        label={t('Country')}
        options={choices(t('All countries'), options.data?.countries, state.country)}
        {...urlSelect(url, 'country')}
      />
      {isStaff && (
        <SelectField
          label={t('Client')}
          options={choices(t('All Clients'), options.data?.clients, state.client)}
          {...urlSelect(url, 'client')}
        />
      )}
      <SelectField
        label={t('Supplier')}
        options={choices(t('All suppliers'), options.data?.gateways, state.gateway)}
        {...urlSelect(url, 'gateway')}
      />
      <SelectField
        label={t('Status')}
        options={offered(statusChoices, (value) => ({ state: value as AnalyticsState['state'] }))}
        {...(byNumber && { hint: t('Numbers are counted without states') })}
        {...urlSelect(url, 'state')}
      />
    </FilterBar>
  )
}

interface OwnDaysProps {
  readonly state: AnalyticsState
  readonly days: Days
  readonly set: (patch: Partial<AnalyticsState>) => void
}

/** The first and the last day of a period of one's own. */
function OwnDays({ state, days, set }: OwnDaysProps) {
  return (
    <>
      <DateField
        label={t('Date From')}
        zone="UTC"
        value={state.from === '' ? days.dateFrom : state.from}
        onChange={({ target }) => set({ from: target.value, to: state.to === '' ? days.dateTo : state.to })}
      />
      <DateField
        label={t('Date To')}
        zone="UTC"
        value={state.to === '' ? days.dateTo : state.to}
        error={
          state.from !== '' && state.to !== '' && state.to < state.from
            ? t('Date To must not be before Date From')
            : undefined
        }
        onChange={({ target }) =>
          set({ to: target.value, from: state.from === '' ? days.dateFrom : state.from })
        }
      />
    </>
  )
}
