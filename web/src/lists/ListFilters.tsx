import type { ReactNode } from 'react'
import { FilterBar, type FilterChip } from '../ui/FilterBar.tsx'
import { SavedViews } from '../ui/SavedViews.tsx'
import type { UrlState } from '../url-state.ts'
import { SearchBox } from './list-parts.tsx'

interface ListFiltersProps<State extends { search: string }> {
  /** The page's word in the store of saved views. */
  readonly page: string
  readonly url: UrlState<State>
  readonly chips: readonly FilterChip[]
  /** Unless the page's whole state is filters. */
  readonly onReset?: () => void
  readonly placeholder: string
  /** The filters beside the search box. */
  readonly children?: ReactNode
}

/** The bar above a list: search, its filters, what differs from the start, saved views. */
export function ListFilters<State extends { search: string }>({
  page,
  url,
  chips,
  onReset = url.reset,
  placeholder,
  children,
}: ListFiltersProps<State>) {
  return (
    <FilterBar
      chips={chips}
      onReset={onReset}
      actions={<SavedViews page={page} current={url.changed} onApply={url.apply} />}
    >
      <SearchBox
        placeholder={placeholder}
        value={url.state.search}
        onSearch={(search) => url.set({ search } as Partial<State>)}
      />
      {children}
    </FilterBar>
  )
}
