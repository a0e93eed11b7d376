// Parts that the lists of several slices share: the search box, the status filter, chips, the failed fetch.
import { accountStatuses } from '@tollgate/contract/vocabulary.ts'
import { Copy } from 'lucide-react'
import { reasonOf, requestIdOf } from '../api/api-error.ts'
import { Button, buttonClass } from '../ui/Button.tsx'
import { TextField, type Option } from '../ui/Field.tsx'
import type { FilterChip } from '../ui/FilterBar.tsx'
import { ErrorState } from '../ui/States.tsx'
import { statusLook } from '../ui/status.ts'
import { useDebounced } from '../ui/use-debounced.ts'
import type { UrlState } from '../url-state.ts'

export const accountStatusOptions: readonly Option[] = [
  { value: 'all', label: 'All' },
  ...accountStatuses.map((status) => ({ value: status, label: statusLook('account', status).label })),
]

interface SearchBoxProps {
  readonly placeholder: string
  readonly value: string
  readonly onSearch: (text: string) => void
}

/** Asks the server after a pause in typing. */
export function SearchBox({ placeholder, value, onSearch }: SearchBoxProps) {
  const [text, setText] = useDebounced(value, onSearch)
  return (
    <TextField
      label="Search"
      type="search"
      placeholder={placeholder}
      maxLength={100}
      value={text}
      onChange={(event) => setText(event.target.value)}
    />
  )
}

/** One chip per filter that differs from its start; sort and tab are no filters. */
export function chipsOf(
  url: Pick<UrlState<unknown>, 'changed' | 'apply'>,
  words: Readonly<Record<string, (value: string) => string>>,
): FilterChip[] {
  return Object.entries(url.changed).flatMap(([name, value]) => {
    const word = words[name]
    if (!word) return []
    const { [name]: _, ...rest } = url.changed
    return [{ label: word(value), onRemove: () => url.apply(rest) }]
  })
}

export const searchChip = (value: string): string => `"${value}"`
export const statusChip = (value: string): string => statusLook('account', value).label

interface FailedList {
  readonly error: Error | null
  readonly refetch: () => void
}

/** The `failure` of a DataTable, present only when the list could not be fetched. */
export function failureOf({ error, refetch }: FailedList, title: string) {
  return error
    ? {
        failure: (
          <ErrorState
            title={title}
            reason={reasonOf(error)}
            requestId={requestIdOf(error)}
            onRetry={refetch}
          />
        ),
      }
    : {}
}

interface SortNames<State> {
  readonly sort: keyof State & string
  readonly order: keyof State & string
}

/** The sorting of a DataTable, kept in the address; `names` where one page has several lists. */
export function sortOf<State extends { readonly sort: string; readonly order: 'asc' | 'desc' }>(
  url: Pick<UrlState<State>, 'state' | 'set'>,
  names: SortNames<State> = { sort: 'sort', order: 'order' },
) {
  return {
    sort: {
      by: String(url.state[names.sort]),
      order: url.state[names.order] === 'asc' ? ('asc' as const) : ('desc' as const),
    },
    onSort: ({ by, order }: { by: string; order: 'asc' | 'desc' }) =>
      url.set({ [names.sort]: by, [names.order]: order } as unknown as Partial<State>),
  }
}

/** In a list's foot: all rows of the filter as a file. */
export function ExportCsv({ href }: { href: string }) {
  return (
    <a href={href} download className={`ml-auto ${buttonClass('secondary', 'sm')}`}>
      Export CSV
    </a>
  )
}

/** In the selection bar. Spec §8: 'Copied to clipboard' says how many rows. */
export function CopySelected({ count, onCopy }: { count: number; onCopy: () => void }) {
  return (
    <Button size="sm" icon={Copy} onClick={onCopy}>
      Copy Selected ({count})
    </Button>
  )
}
