import { recordsRoutes } from '@tollgate/contract/records/records.ts'
import { Search, X } from 'lucide-react'
import { useState } from 'react'
import { useApiQuery } from '../api/use-api.ts'
import { Button } from '../ui/Button.tsx'
import { DateField, SelectField, TextField, type Option } from '../ui/Field.tsx'
import { FilterBar, type FilterChip } from '../ui/FilterBar.tsx'
import { StatusIcon } from '../ui/StatusIcon.tsx'
import { phoneQuery, useMediaQuery } from '../ui/use-media-query.ts'
import type { UrlState } from '../url-state.ts'
import { allChips, linkedChips } from './filter-chips.ts'
import { statusOptions } from './status-options.ts'
import { MoneyFilterFields, moneyFiltersOf, type MoneyFilters } from './MoneyFilterFields.tsx'
import { recordsSearch, type RecordsSearch } from './search.ts'
import { t } from '../language/t.ts'

type FilterDraft = Pick<RecordsSearch, 'dateFrom' | 'dateTo' | 'range' | 'client' | 'search' | 'status'> &
  MoneyFilters

function draftOf({ dateFrom, dateTo, range, client, search, status, ...more }: RecordsSearch): FilterDraft {
  return { dateFrom, dateTo, range, client, search, status, ...moneyFiltersOf(more) }
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

/** Spec §2: Date From, Date To, Range, Client, Search Query and Show Report. */
export function RecordFilterBar({ url }: { url: UrlState<RecordsSearch> }) {
  const isPhone = useMediaQuery(phoneQuery)
  const options = useApiQuery(recordsRoutes.listRecordFilters)
  const applied = draftOf(url.state)
  const appliedKey = JSON.stringify(applied)
  const [draft, setDraft] = useState(applied)
  const [seen, setSeen] = useState(applied)
  // A field follows its filter when that changes, by Back or a removed chip. What was chosen in other fields stays.
  if (JSON.stringify(seen) !== appliedKey) {
    setSeen(applied)
    setDraft({ ...draft, ...changedFrom(seen, applied) })
  }
  const isBackwards = draft.dateFrom !== '' && draft.dateTo !== '' && draft.dateTo < draft.dateFrom
  const [isMoneyShown, setMoneyShown] = useState(false)
  const isUnapplied = JSON.stringify(draft) !== appliedKey
  return (
    <div className="space-y-2">
      <FilterBar
        chips={allChips(url)}
        onReset={() => {
          setDraft(noFilters)
          url.reset()
        }}
        onSubmit={() => {
          if (isBackwards) return
          if (isUnapplied) url.set(draft, true)
        }}
        actions={
          <>
            <Button tone="primary" icon={Search} type="submit" isDisabled={isBackwards}>
              {t('Search Query')}
            </Button>
            <Button isDisabled={isBackwards} onClick={() => url.set({ ...draft, report: 'day' }, true)}>
              {t('Show Report')}
            </Button>
            {!isPhone && (
              <Button tone="ghost" aria-expanded={isMoneyShown} onClick={() => setMoneyShown(!isMoneyShown)}>
                {isMoneyShown ? t('Fewer filters') : t('More filters')}
              </Button>
            )}
            {isUnapplied && <DraftMark onDiscard={() => setDraft(applied)} />}
          </>
        }
      >
        <DateField
          label={t('Date From')}
          value={draft.dateFrom}
          onChange={(event) => setDraft({ ...draft, dateFrom: event.target.value })}
        />
        <DateField
          label={t('Date To')}
          value={draft.dateTo}
          error={isBackwards ? t('Date To must not be before Date From') : undefined}
          onChange={(event) => setDraft({ ...draft, dateTo: event.target.value })}
        />
        <SelectField
          label={t('Range')}
          value={draft.range}
          options={choices(t('All Ranges'), options.data?.ranges, draft.range)}
          onChange={(event) => setDraft({ ...draft, range: event.target.value })}
        />
        <SelectField
          label={t('Client')}
          value={draft.client}
          options={choices(t('All Clients'), options.data?.clients, draft.client)}
          onChange={(event) => setDraft({ ...draft, client: event.target.value })}
        />
        {/* On a wide screen these two stand above the table and apply at once. */}
        {isPhone && (
          <>
            <TextField
              label={t('Search')}
              type="search"
              placeholder={t('Number, client or sender')}
              value={draft.search}
              maxLength={100}
              onChange={(event) => setDraft({ ...draft, search: event.target.value })}
            />
            <SelectField
              label={t('Status')}
              value={draft.status}
              options={statusOptions(draft.status)}
              onChange={(event) =>
                setDraft({ ...draft, status: event.target.value as RecordsSearch['status'] })
              }
            />
          </>
        )}
        {(isPhone || isMoneyShown) && (
          <MoneyFilterFields draft={draft} onChange={(change) => setDraft({ ...draft, ...change })} />
        )}
      </FilterBar>
      {!isPhone && <LinkedChips chips={linkedChips(url)} />}
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
