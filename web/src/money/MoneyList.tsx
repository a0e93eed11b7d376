import type { ReactNode } from 'react'
import type { PagedRows } from '../api/use-api.ts'
import { Button } from '../ui/Button.tsx'
import { SelectField } from '../ui/Field.tsx'
import { FilterBar } from '../ui/FilterBar.tsx'
import { SavedViews } from '../ui/SavedViews.tsx'
import { EmptyState } from '../ui/States.tsx'
import type { DataTableProps } from '../ui/table/column.ts'
import { DataTable } from '../ui/table/DataTable.tsx'
import { filterChips, quoted, urlSort, type UrlState } from '../url-state.ts'
import { ExportCsv } from '../ui/ExportCsv.tsx'
import { tableOf } from '../api/FetchFailure.tsx'
import { SearchBox } from '../ui/SearchBox.tsx'
import { t } from '../language/t.ts'

/** The names of a list's filters and sort in the address: several lists of one page share it. */
interface ListNames<State> {
  /** Absent where there is no search field. */
  readonly search?: keyof State & string
  /** Absent where the list has one status. */
  readonly status?: keyof State & string
  readonly sort: keyof State & string
  readonly order: keyof State & string
}

interface MoneyListProps<Row extends object, State extends object> extends Omit<
  DataTableProps<Row>,
  'rows' | 'more' | 'sort' | 'onSort' | 'failure' | 'empty' | 'foot' | 'storageName'
> {
  /** The name under which saved views and column settings are kept. */
  readonly storageName: string
  readonly url: UrlState<State>
  readonly names: ListNames<State>
  readonly placeholder?: string
  readonly statuses?: readonly string[]
  /** The name of that filter; 'Status' by default. */
  readonly statusTitle?: string
  /** The label of a status, in the filter and on its chip. 'all' is always 'All' in the filter. */
  readonly statusLabel?: (status: string) => string
  /** Filters that only an address sets: their chips. */
  readonly chipLabels?: Readonly<Record<string, (value: string) => string>>
  /** Totals, before the export. */
  readonly totals?: ReactNode
  /** Another filter beside it. */
  readonly also?: {
    readonly name: keyof State & string
    readonly title: string
    readonly options: readonly { readonly value: string; readonly label: string }[]
  }
  readonly list: PagedRows<Row>
  /** 'Failed to fetch payments'. */
  readonly failure: string
  readonly exportHref: string
  /** Shown without rows: 'No payments yet' and how the first one comes, or `filtered` when a filter is set. */
  readonly empty: { readonly title: string; readonly text: ReactNode; readonly filtered: string }
}

/** A list of bills, payments, adjustments or holds: search, status, saved views, sort and export around a table. */
export function MoneyList<Row extends object, State extends object>(props: MoneyListProps<Row, State>) {
  const {
    url,
    names,
    statuses = [],
    statusTitle = t('Status'),
    statusLabel = String,
    chipLabels = {},
    totals,
    also,
    list,
    empty,
    exportHref,
    failure,
    placeholder = '',
    ...table
  } = props
  const chips = filterChips(url, {
    ...(names.search && { [names.search]: quoted }),
    ...(names.status && { [names.status]: statusLabel }),
    ...chipLabels,
    ...(also && {
      [also.name]: (value: string) => also.options.find((each) => each.value === value)?.label ?? value,
    }),
  })
  const reset = () => {
    const filters: readonly (string | undefined)[] = [
      names.search,
      names.status,
      also?.name,
      ...Object.keys(chipLabels),
    ]
    url.apply(Object.fromEntries(Object.entries(url.changed).filter(([name]) => !filters.includes(name))))
  }
  const set = (name: string, value: string) => url.set({ [name]: value } as unknown as Partial<State>)
  const options = ['all', ...statuses].map((value) => ({
    value,
    label: value === 'all' ? t('All') : statusLabel(value),
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
            value={String(url.state[names.search])}
            onSearch={(text) => names.search && set(names.search, text)}
          />
        )}
        {names.status && (
          <SelectField
            label={statusTitle}
            value={String(url.state[names.status])}
            options={options}
            onChange={(event) => names.status && set(names.status, event.target.value)}
          />
        )}
        {also && (
          <SelectField
            label={also.title}
            value={String(url.state[also.name])}
            options={also.options}
            onChange={(event) => set(also.name, event.target.value)}
          />
        )}
      </FilterBar>
      <DataTable<Row>
        {...table}
        {...urlSort(url, names)}
        {...tableOf(list, failure)}
        empty={
          chips.length > 0 ? (
            <EmptyState
              title={empty.filtered}
              action={<Button onClick={reset}>{t('Reset filters')}</Button>}
            />
          ) : (
            <EmptyState title={empty.title}>{empty.text}</EmptyState>
          )
        }
        foot={
          <>
            {totals}
            <ExportCsv href={exportHref} />
          </>
        }
      />
    </div>
  )
}
