import type { ReactNode } from 'react'
import { FilterBar, type FilterChip } from './FilterBar.tsx'
import { SavedViews } from './SavedViews.tsx'
import { SearchBox } from './SearchBox.tsx'

/** The filters of a list, wherever they are kept. The console keeps them in the address (`useUrlState`). */
interface ListFilterState {
  readonly state: { readonly search: string }
  readonly set: (patch: { search: string }) => void
  readonly reset: () => void
  readonly changed: Readonly<Record<string, string>>
  readonly apply: (values: Readonly<Record<string, string>>) => void
}

interface ListFiltersProps {
  /** The name under which this list's saved views are kept. */
  readonly page: string
  readonly url: ListFilterState
  readonly chips: readonly FilterChip[]
  /** Replaces `url.reset` where the page's state holds more than filters. */
  readonly onReset?: () => void
  readonly placeholder: string
  /** The filters beside the search field. */
  readonly children?: ReactNode
}

/** The bar above a list: search, filters, chips of the active filters, saved views. */
export function ListFilters({
  page,
  url,
  chips,
  onReset = url.reset,
  placeholder,
  children,
}: ListFiltersProps) {
  return (
    <FilterBar
      chips={chips}
      onReset={onReset}
      actions={<SavedViews page={page} current={url.changed} onApply={url.apply} />}
    >
      <SearchBox
        placeholder={placeholder}
        value={url.state.search}
        onSearch={(search) => url.set({ search })}
      />
      {children}
    </FilterBar>
  )
}
