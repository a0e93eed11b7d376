// A list of Payment Management: search, status, saved views, sort, export; what its rows are is the tab's.
import type { ReactNode } from 'react'
import type { PagedRows } from '../api/use-call.ts'
import { chipsOf, ExportCsv, failureOf, SearchBox, searchChip, sortOf } from '../lists/list-parts.tsx'
import { Button } from '../ui/Button.tsx'
import { SelectField } from '../ui/Field.tsx'
import { FilterBar } from '../ui/FilterBar.tsx'
import { SavedViews } from '../ui/SavedViews.tsx'
import { EmptyState } from '../ui/States.tsx'
import type { DataTableProps } from '../ui/table/column.ts'
import { DataTable } from '../ui/table/DataTable.tsx'
import { useUrlState } from '../url-state.ts'
import { managementSearch, type ListNames } from './search.ts'

interface MoneyListProps<Row extends object> extends Omit<
  DataTableProps<Row>,
  'rows' | 'more' | 'sort' | 'onSort' | 'failure' | 'empty' | 'foot' | 'storageName'
> {
  /** The list's word in the stores of saved views and of columns. */
  readonly storageName: string
  readonly names: ListNames
  readonly placeholder?: string
  readonly statuses: readonly string[]
  /** A status filter in words, in its list and on its chip; 'all' is 'All' in the list. */
  readonly statusWord: (status: string) => string
  readonly list: PagedRows<Row>
  /** 'Failed to fetch payments'. */
  readonly failure: string
  readonly exportHref: string
  /** Without any row: 'No payments yet', and how the first one comes. */
  readonly empty: { readonly title: string; readonly text: ReactNode; readonly filtered: string }
}

const defaults = managementSearch.parse({})

export function MoneyList<Row extends object>(props: MoneyListProps<Row>) {
  const { names, statuses, statusWord, list, empty, exportHref, failure, placeholder = '', ...table } = props
  const url = useUrlState(managementSearch)
  const chips = chipsOf(url, {
    ...(names.search && { [names.search]: searchChip }),
    [names.status]: statusWord,
  })
  const reset = () =>
    url.set({
      ...(names.search && { [names.search]: defaults[names.search] }),
      [names.status]: defaults[names.status],
    })
  const options = ['all', ...statuses].map((value) => ({
    value,
    label: value === 'all' ? 'All' : statusWord(value),
  }))
  return (
    <div className="space-y-4">
      <FilterBar
        chips={chips}
        onReset={reset}
        actions={<SavedViews page={table.storageName} current={url.changed} onApply={url.apply} />}
      >
        {names.search && (
          <SearchBox
            placeholder={placeholder}
            value={url.state[names.search]}
            onSearch={(text) => names.search && url.set({ [names.search]: text })}
          />
        )}
        <SelectField
          label="Status"
          value={url.state[names.status]}
          options={options}
          onChange={(event) => url.set({ [names.status]: event.target.value })}
        />
      </FilterBar>
      <DataTable<Row>
        {...table}
        rows={list.rows}
        more={list}
        {...sortOf(url, names)}
        {...failureOf(list, failure)}
        empty={
          chips.length > 0 ? (
            <EmptyState title={empty.filtered} action={<Button onClick={reset}>Reset filters</Button>} />
          ) : (
            <EmptyState title={empty.title}>{empty.text}</EmptyState>
          )
        }
        foot={<ExportCsv href={exportHref} />}
      />
    </div>
  )
}
