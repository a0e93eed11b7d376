// The bar above bills and above payments: each tab has a search and a status of its own in one address.
import { chipsOf, SearchBox } from '../lists/list-parts.tsx'
import { SelectField, type Option } from '../ui/Field.tsx'
import { FilterBar } from '../ui/FilterBar.tsx'
import { SavedViews } from '../ui/SavedViews.tsx'
import type { UrlState } from '../url-state.ts'

interface MoneyFiltersProps<Status extends string> {
  /** The tab's word in the store of saved views. */
  readonly page: string
  readonly url: Pick<UrlState<unknown>, 'changed' | 'apply'>
  readonly chipWords: Readonly<Record<string, (value: string) => string>>
  readonly placeholder: string
  readonly search: string
  readonly onSearch: (text: string) => void
  readonly status: Status
  readonly statusOptions: readonly Option[]
  readonly onStatus: (status: Status) => void
  readonly onReset: () => void
}

export function MoneyFilters<Status extends string>(props: MoneyFiltersProps<Status>) {
  const { page, url, chipWords, placeholder, search, status, statusOptions } = props
  return (
    <FilterBar
      chips={chipsOf(url, chipWords)}
      onReset={props.onReset}
      actions={<SavedViews page={page} current={url.changed} onApply={url.apply} />}
    >
      <SearchBox placeholder={placeholder} value={search} onSearch={props.onSearch} />
      <SelectField
        label="Status"
        value={status}
        options={statusOptions}
        onChange={(event) => props.onStatus(event.target.value as Status)}
      />
    </FilterBar>
  )
}
