// The rows of the palette for a query: pages first, then a search in the records, then actions.
import { recordsPath, paths } from '../paths.ts'
import type { ConsolePage } from './console-page.ts'

export interface PaletteRow {
  readonly id: string
  readonly group: 'Pages' | 'Search' | 'Acts'
  readonly label: string
  readonly run: () => void
}

interface PaletteInput {
  readonly query: string
  /** The pages that the person may see. */
  readonly pages: readonly ConsolePage[]
  readonly go: (href: string) => void
  readonly actions: readonly { readonly label: string; readonly run: () => void }[]
}

/** Whether `text` contains all letters of `query` in that order: "pm" finds "Payment Management". */
function isMatch(text: string, query: string): boolean {
  const letters = text.toLowerCase()
  let from = 0
  for (const letter of query.toLowerCase().replace(/\s/g, '')) {
    from = letters.indexOf(letter, from) + 1
    if (from === 0) return false
  }
  return true
}

// Shorter texts match too many records.
const searchLengthMin = 3

/** The palette's rows, best first. */
export function paletteRows({ query, pages, go, actions }: PaletteInput): readonly PaletteRow[] {
  const text = query.trim()
  const starts = (title: string) => Number(title.toLowerCase().startsWith(text.toLowerCase()))
  const found = pages
    .filter((page) => !page.path.includes('$') && isMatch(page.title, text))
    .toSorted((a, b) => starts(b.title) - starts(a.title))
    .map((page): PaletteRow => ({
      id: page.path,
      group: 'Pages',
      label: page.title,
      run: () => go(page.path),
    }))
  const canSearch = text.length >= searchLengthMin && pages.some((page) => page.path === paths.records)
  const search: PaletteRow[] = canSearch
    ? [
        {
          id: 'search-records',
          group: 'Search',
          label: `Find “${text}” in SMS Records`,
          run: () => go(recordsPath({ search: text })),
        },
      ]
    : []
  const matching = actions
    .filter((act) => isMatch(act.label, text))
    .map((act): PaletteRow => ({ id: act.label, group: 'Acts', ...act }))
  return [...found, ...search, ...matching]
}
