// The filters of SMS Records in words.
import { formatDay, formatUtcHour } from '../format/dates.ts'
import type { FilterChip } from '../ui/FilterBar.tsx'
import { statusLook } from '../ui/status.ts'
import type { UrlState } from '../url-state.ts'
import { holdWords, settlementWords, testWords } from './MoneyFilterFields.tsx'
import { zoneName } from '../language/reader.ts'
import { dayZoneOf, type RecordsSearch } from './search.ts'
import { t } from '../language/t.ts'

/** The filters that have no field in sight: most come from links on other screens. */
export function linkedChips({ state, set }: UrlState<RecordsSearch>): readonly FilterChip[] {
  const { number, country, hour } = state
  return [
    ...(number === ''
      ? []
      : [{ label: t('Number {number}', { number }), onRemove: () => set({ number: '' }) }]),
    ...(country === ''
      ? []
      : [{ label: t('Country {country}', { country }), onRemove: () => set({ country: '' }) }]),
    ...(hour === ''
      ? []
      : [
          {
            label: t('Hour {hour} UTC', { hour: formatUtcHour(hour) }),
            onRemove: () => set({ hour: '' }),
          },
        ]),
    ...settlingChips(state, set),
  ]
}

/** What a link from a figure of a bill adds. */
function settlingChips(
  { period, rate, rateId, settlement, hold, late, unowned, test, correction }: RecordsSearch,
  set: UrlState<RecordsSearch>['set'],
): readonly FilterChip[] {
  const chip = (label: string, cleared: Partial<RecordsSearch>) => [{ label, onRemove: () => set(cleared) }]
  return [
    ...(period === '' ? [] : chip(t('Period #{id}', { id: period }), { period: '' })),
    ...(rate === '' && rateId === ''
      ? []
      : chip(rate === '' ? t('Rate #{id}', { id: rateId }) : t('Rate {rate}', { rate }), {
          rate: '',
          rateId: '',
        })),
    ...(settlement === '' ? [] : chip(settlementWords[settlement], { settlement: '' })),
    ...(hold === '' ? [] : chip(holdWords[hold], { hold: '' })),
    ...(late === '' ? [] : chip(late === 'true' ? t('Came late') : t('Came in time'), { late: '' })),
    ...(correction === ''
      ? []
      : chip(t('Credited by adjustment {correction}', { correction }), { correction: '' })),
    ...(unowned === '' ? [] : chip(t('Nobody held the number'), { unowned: '' })),
    ...(test === '' ? [] : chip(testWords[test], { test: '' })),
  ]
}

/** A chip for each filter, in the order of the fields. */
export function allChips(url: UrlState<RecordsSearch>): readonly FilterChip[] {
  const { state, set } = url
  const { dateFrom, dateTo, time, within, range, client, gateway, sender, search, status } = state
  const zone = dayZoneOf(state)
  // The fields say the zone; a list whose days are not the reader's says it here too.
  const dayOf = (day: string) => (zone === zoneName() ? formatDay(day) : `${formatDay(day)} ${zone}`)
  return [
    ...(dateFrom === ''
      ? []
      : [
          {
            label: t('From {dateFrom}', { dateFrom: dayOf(dateFrom) }),
            onRemove: () => set({ dateFrom: '' }),
          },
        ]),
    ...(dateTo === ''
      ? []
      : [{ label: t('To {dateTo}', { dateTo: dayOf(dateTo) }), onRemove: () => set({ dateTo: '' }) }]),
    ...(time === ''
      ? []
      : [{ label: t('{time} ± {within} min', { time, within }), onRemove: () => set({ time: '' }) }]),
    ...(range === '' ? [] : [{ label: t('Range {range}', { range }), onRemove: () => set({ range: '' }) }]),
    ...(client === ''
      ? []
      : [{ label: t('Client {client}', { client }), onRemove: () => set({ client: '' }) }]),
    ...(gateway === ''
      ? []
      : [{ label: t('Supplier {supplier}', { supplier: gateway }), onRemove: () => set({ gateway: '' }) }]),
    ...(sender === ''
      ? []
      : [{ label: t('Sender {sender}', { sender }), onRemove: () => set({ sender: '' }) }]),
    ...(search === '' ? [] : [{ label: `“${search}”`, onRemove: () => set({ search: '' }) }]),
    ...(status === 'all'
      ? []
      : [{ label: statusLook('record', status).label, onRemove: () => set({ status: 'all' }) }]),
    ...linkedChips(url),
  ]
}

/** The filters as a text, for what is printed: whoever reads it sees no chips. */
export function describeFilters(url: UrlState<RecordsSearch>): string {
  const labels = allChips(url).map(({ label }) => label)
  return labels.length === 0 ? t('All records') : t('Records: {filters}', { filters: labels.join(', ') })
}
