// Keeps filters, sort, tab and open row in the address, so that a screen can be linked, reloaded and gone back to.
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import type { z } from 'zod'
import type { FilterChip } from './ui/FilterBar.tsx'

/** Parses a query into plain strings: "0900" stays a string. */
export function parseSearch(search: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(search))
}

/** An address holds strings, numbers and booleans. Anything else is an error in the page's schema. */
function toText(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  throw new Error('An address holds only strings, numbers and booleans')
}

/** Writes a query. Empty values are left out. */
export function stringifySearch(search: Readonly<Record<string, unknown>>): string {
  const filled = Object.entries(search).flatMap(([name, value]): [string, string][] =>
    value == null || value === '' ? [] : [[name, toText(value)]],
  )
  const text = new URLSearchParams(filled).toString()
  return text === '' ? '' : `?${text}`
}

/** Keeps the values that differ from the schema's defaults. */
function withoutDefaults(
  state: Readonly<Record<string, unknown>>,
  defaults: Readonly<Record<string, unknown>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(state).flatMap(([name, value]) =>
      value == null || value === defaults[name] ? [] : [[name, toText(value)]],
    ),
  )
}

export interface UrlState<State> {
  readonly state: State
  /** Changes some values. Replaces the current history entry, or adds one if `isStep`. */
  readonly set: (patch: Partial<State>, isStep?: boolean) => void
  readonly reset: () => void
  /** The values that differ from the defaults, as strings: for chips, saved views and links. */
  readonly changed: Readonly<Record<string, string>>
  /** Replaces all values, for saved views. */
  readonly apply: (values: Readonly<Record<string, string>>) => void
}

/**
 * The page's state in the address. Each field of `schema` must have a default for a missing or broken value:
 * `z.object({ status: z.enum([...]).catch('all'), search: z.string().catch('') })`.
 */
export function useUrlState<Schema extends z.ZodType<Record<string, unknown>>>(
  schema: Schema,
): UrlState<z.output<Schema>> {
  type State = z.output<Schema>
  const search: unknown = useSearch({ strict: false })
  const navigate = useNavigate()
  const defaults = useMemo(() => schema.parse({}), [schema])
  const state = useMemo(() => schema.parse(search), [schema, search])
  const go = useCallback(
    (values: Record<string, string>, isStep: boolean) => {
      // The type belongs to the page's schema; the router only knows that a search is an object.
      void navigate({ to: '.', search: values as never, replace: !isStep, resetScroll: false })
    },
    [navigate],
  )
  return useMemo(
    () => ({
      state,
      changed: withoutDefaults(state, defaults),
      set: (patch: Partial<State>, isStep = false) =>
        go(withoutDefaults({ ...state, ...patch }, defaults), isStep),
      reset: () => go({}, false),
      apply: (values) => go(withoutDefaults(schema.parse(values), defaults), true),
    }),
    [state, defaults, go, schema],
  )
}

/** One chip for each filter in `labels` that differs from its default. Sort and tab are not filters. */
export function filterChips(
  url: Pick<UrlState<unknown>, 'changed' | 'apply'>,
  labels: Readonly<Record<string, (value: string) => string>>,
): FilterChip[] {
  return Object.entries(url.changed).flatMap(([name, value]) => {
    const labelOf = labels[name]
    if (!labelOf) return []
    const { [name]: _, ...rest } = url.changed
    return [{ label: labelOf(value), onRemove: () => url.apply(rest) }]
  })
}

/** The chip label of a search text. */
export const quoted = (value: string): string => `"${value}"`

interface SortNames<State> {
  readonly sort: keyof State & string
  readonly order: keyof State & string
}

/** The `sort` and `onSort` of a DataTable, kept in the address. `names` is needed where a page has several lists. */
export function urlSort<State extends object>(
  url: Pick<UrlState<State>, 'state' | 'set'>,
  names = { sort: 'sort', order: 'order' } as SortNames<State>,
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

/** The `value` and `onChange` of a select whose choice is kept in the address. */
export function urlSelect<State extends object>(
  url: Pick<UrlState<State>, 'state' | 'set'>,
  name: keyof State & string,
) {
  return {
    value: String(url.state[name]),
    onChange: ({ target }: { readonly target: { readonly value: string } }) =>
      url.set({ [name]: target.value } as Partial<State>),
  }
}
