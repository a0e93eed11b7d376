import { recordsRoutes } from '@tollgate/contract/records/records.ts'
import { Search, X } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { useUser } from '../api/session.tsx'
import { useApiQuery } from '../api/use-api.ts'
import { Button } from '../ui/Button.tsx'
import { DateField } from '../ui/DateField.tsx'
import { SelectField, TextField, type Option } from '../ui/Field.tsx'
import { FilterBar, type FilterChip } from '../ui/FilterBar.tsx'
import { StatusIcon } from '../ui/StatusIcon.tsx'
import { Count } from '../ui/Tabs.tsx'
import { phoneQuery, useMediaQuery } from '../ui/use-media-query.ts'
import type { UrlState } from '../url-state.ts'
import { allChips, linkedChips } from './filter-chips.ts'
import { statusOptions } from './status-options.ts'
import { MoneyFilterFields, moneyFiltersOf, type MoneyFilters } from './MoneyFilterFields.tsx'
import { dayZoneOf, readTime, recordsSearch, type RecordsSearch } from './search.ts'
import { zoneName } from '../language/reader.ts'
import { t } from '../language/t.ts'

type FilterDraft = Pick<
  RecordsSearch,
  'dateFrom' | 'dateTo' | 'time' | 'within' | 'range' | 'client' | 'gateway' | 'sender' | 'search' | 'status'
> &
  MoneyFilters

function draftOf(search: RecordsSearch): FilterDraft {
  const { dateFrom, dateTo, time, within, range, client, gateway, sender, search: text, status } = search
  return {
    dateFrom,
    dateTo,
    time,
    within,
    range,
    client,
    gateway,
    sender,
    search: text,
    status,
    ...moneyFiltersOf(search),
  }
}

const noFilters = draftOf(recordsSearch.parse({}))

/** The fields of `after` that differ from `before`. */
function changedFrom(before: FilterDraft, after: FilterDraft): Partial<FilterDraft> {
  const was: Readonly<Record<string, unknown>> = before
  return Object.fromEntries(Object.entries(after).filter(([name, value]) => was[name] !== value))
}

/** Says that the list does not show yet what is chosen. */
function DraftMark({ onDiscard }: { readonly onDiscard: () => void }) {
  return (
    <span role="status" className="inline-flex items-center gap-1.5 text-warn-ink">
      <StatusIcon shape="ring" tone="warn" />
      {t('Not searched yet')}
      <Button tone="ghost" size="sm" onClick={onDiscard}>
        {t('Discard')}
      </Button>
    </span>
  )
}

/** The option for all first. The value in the address is an option even before the server has answered. */
function choices(all: string, values: readonly string[] | undefined, chosen: string): readonly Option[] {
  const listed = values ?? []
  const named = chosen === '' || listed.includes(chosen) ? listed : [chosen, ...listed]
  return [{ value: '', label: all }, ...named.map((value) => ({ value, label: value }))]
}

/** As it is searched; undefined when a field is wrong. */
function toSearch(draft: FilterDraft): FilterDraft | undefined {
  const time = readTime(draft.time)
  return time === undefined || isBackwards(draft) ? undefined : { ...draft, time }
}

function isBackwards({ dateFrom, dateTo }: FilterDraft): boolean {
  return dateFrom !== '' && dateTo !== '' && dateTo < dateFrom
}

const unsetMoney: Readonly<Record<string, string>> = moneyFiltersOf(recordsSearch.parse({}))

interface RecordFilterBarProps {
  readonly url: UrlState<RecordsSearch>
  /** The order of the list, on a phone in the same line. */
  readonly sort: ReactNode
}

/** Spec §2: Date From, Date To, Range, Client, Search Query and Show Report. */
export function RecordFilterBar({ url, sort }: RecordFilterBarProps) {
  const isPhone = useMediaQuery(phoneQuery)
  const applied = draftOf(url.state)
  const appliedKey = JSON.stringify(applied)
  const [draft, setDraft] = useState(applied)
  const [seen, setSeen] = useState(applied)
  // A field follows its filter when that changes, by Back or a removed chip. What was chosen in other fields stays.
  if (JSON.stringify(seen) !== appliedKey) {
    setSeen(applied)
    setDraft({ ...draft, ...changedFrom(seen, applied) })
  }
  const ready = toSearch(draft)
  const [isMoneyShown, setMoneyShown] = useState(false)
  const moneyCount = Object.entries(moneyFiltersOf(draft)).filter(
    ([name, value]) => value !== unsetMoney[name],
  ).length
  const isUnapplied = JSON.stringify(ready ?? draft) !== appliedKey
  const change = (part: Partial<FilterDraft>) => setDraft({ ...draft, ...part })
  return (
    <div className="space-y-2">
      <FilterBar
        chips={allChips(url)}
        sort={sort}
        onReset={() => {
          setDraft(noFilters)
          url.reset()
        }}
        onSubmit={() => {
          if (ready !== undefined && isUnapplied) url.set(ready, true)
        }}
        actions={
          <>
            <Button tone="primary" icon={Search} type="submit" isDisabled={ready === undefined}>
              {t('Search Query')}
            </Button>
            <Button
              isDisabled={ready === undefined}
              onClick={() => url.set({ ...ready, report: 'day' }, true)}
            >
              {t('Show Report')}
            </Button>
            {!isPhone && (
              <Button tone="ghost" aria-expanded={isMoneyShown} onClick={() => setMoneyShown(!isMoneyShown)}>
                {isMoneyShown ? t('Fewer filters') : t('More filters')}
                {moneyCount > 0 && <Count value={moneyCount} />}
              </Button>
            )}
            {isUnapplied && <DraftMark onDiscard={() => setDraft(applied)} />}
          </>
        }
      >
        <RecordFields draft={draft} zone={dayZoneOf(url.state)} isPhone={isPhone} onChange={change} />
        {(isPhone || isMoneyShown) && <MoneyFilterFields draft={draft} onChange={change} />}
      </FilterBar>
      {!isPhone && <LinkedChips chips={linkedChips(url)} />}
    </div>
  )
}

interface FieldsProps {
  readonly draft: FilterDraft
  /** Of the days. */
  readonly zone: string
  readonly isPhone: boolean
  readonly onChange: (change: Partial<FilterDraft>) => void
}

function RecordFields({ draft, zone, isPhone, onChange }: FieldsProps) {
  const options = useApiQuery(recordsRoutes.listRecordFilters)
  const { role } = useUser()
  return (
    <>
      <DateField
        label={t('Date From')}
        zone={zone}
        value={draft.dateFrom}
        onChange={({ target }) => onChange({ dateFrom: target.value })}
      />
      <DateField
        label={t('Date To')}
        zone={zone}
        value={draft.dateTo}
        error={isBackwards(draft) ? t('Date To must not be before Date From') : undefined}
        onChange={({ target }) => onChange({ dateTo: target.value })}
      />
      <TimeFields {...draft} onChange={onChange} />
      <SelectField
        label={t('Range')}
        value={draft.range}
        options={choices(t('All Ranges'), options.data?.ranges, draft.range)}
        onChange={({ target }) => onChange({ range: target.value })}
      />
      {/* A client sees its own records alone. */}
      {role !== 'user' && role !== 'test' && (
        <SelectField
          label={t('Client')}
          value={draft.client}
          options={choices(t('All Clients'), options.data?.clients, draft.client)}
          onChange={({ target }) => onChange({ client: target.value })}
        />
      )}
      <SelectField
        label={t('Supplier')}
        value={draft.gateway}
        options={choices(t('All Suppliers'), options.data?.gateways, draft.gateway)}
        onChange={({ target }) => onChange({ gateway: target.value })}
      />
      {/* The test role sees senders masked. */}
      {role !== 'test' && (
        <TextField
          label={t('Sender')}
          type="search"
          placeholder={t('4477 or ACME')}
          value={draft.sender}
          maxLength={100}
          onChange={({ target }) => onChange({ sender: target.value })}
        />
      )}
      {/* On a wide screen these two stand above the table and apply at once. */}
      {isPhone && (
        <>
          <TextField
            label={t('Search')}
            type="search"
            placeholder={t('Number, client or sender')}
            value={draft.search}
            maxLength={100}
            onChange={({ target }) => onChange({ search: target.value })}
          />
          <SelectField
            label={t('Status')}
            value={draft.status}
            options={statusOptions(draft.status)}
            onChange={({ target }) => onChange({ status: target.value as RecordsSearch['status'] })}
          />
        </>
      )}
    </>
  )
}

const withinOptions = recordsSearch.shape.within
  .unwrap()
  .options.map((value) => ({ value, label: t('± {minutes} min', { minutes: value }) }))

// What may still become a time while it is typed.
const timeBegun = /^([01]?\d|2[0-3])[:.h ]?[0-5]?$/

type TimeProps = Pick<FilterDraft, 'time' | 'within'> & Pick<FieldsProps, 'onChange'>

/** A time of day and the minutes around it. */
function TimeFields({ time, within, onChange }: TimeProps) {
  const [isTyping, setTyping] = useState(false)
  const isWrong = readTime(time) === undefined && !(isTyping && timeBegun.test(time))
  return (
    <div className="flex basis-46! gap-1.5">
      <TextField
        label={t('Time')}
        title={zoneName()}
        placeholder="14:05"
        value={time}
        maxLength={5}
        error={isWrong ? t('Enter a time such as 14:05') : undefined}
        onFocus={() => setTyping(true)}
        onBlur={() => setTyping(false)}
        onChange={({ target }) => onChange({ time: target.value })}
        fieldClassName="grow basis-16"
      />
      <SelectField
        label={t('Tolerance')}
        value={within}
        options={withinOptions}
        onChange={({ target }) => onChange({ within: target.value as FilterDraft['within'] })}
        fieldClassName="grow basis-26"
      />
    </div>
  )
}

function LinkedChips({ chips }: { chips: readonly FilterChip[] }) {
  if (chips.length === 0) return null
  return (
    <div className="flex flex-wrap gap-2">
      {chips.map(({ label, onRemove }) => (
        <button
          key={label}
          type="button"
          aria-label={t('Remove filter {label}', { label })}
          onClick={onRemove}
          className="inline-flex h-7 items-center gap-1.5 rounded-md border border-accent-line bg-accent-soft px-2 text-xs font-medium text-accent-ink"
        >
          {label}
          <X size={14} strokeWidth={1.6} aria-hidden="true" />
        </button>
      ))}
    </div>
  )
}
