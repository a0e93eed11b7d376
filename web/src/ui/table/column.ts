// How a page describes its table; DataTable does the rest.
import type { ReactNode } from 'react'

/** Where a column's value stands on a phone's card. */
export type CardSlot = 'title' | 'end' | 'fact' | 'labelled' | 'actions' | 'hidden'

export interface Column<Row> {
  readonly id: string
  /** The specification's word. */
  readonly header: string
  readonly cell: (row: Row) => ReactNode
  /** Figures and actions stand right. */
  readonly align?: 'left' | 'right'
  /** The server's name for sorting by this column; without it the head is plain text. */
  readonly sortBy?: string
  /** Bears the row's subject, in 500. */
  readonly isSubject?: boolean
  /** The reader may hide it; true unless said. */
  readonly isHideable?: boolean
  /** Hidden until the reader asks for it. */
  readonly isHiddenByDefault?: boolean
  /** On a phone: title and end on the first line, facts on a quiet line, labelled values below; 'labelled' unless said. */
  readonly card?: CardSlot
  readonly className?: string
}

export interface Sort {
  readonly by: string
  readonly order: 'asc' | 'desc'
}

/** The sort after a click on a head: descending first, since newest and largest are asked for most. */
export function nextSort(sort: Sort | undefined, by: string): Sort {
  return { by, order: sort?.by === by && sort.order === 'desc' ? 'asc' : 'desc' }
}

export interface Selection {
  readonly ids: ReadonlySet<string>
  readonly onChange: (ids: ReadonlySet<string>) => void
  /** Their sum or the like, beside '4 selected'. */
  readonly summary?: ReactNode
  /** Buttons: Copy Selected (4). */
  readonly actions?: ReactNode
}

export interface LoadMore {
  readonly hasMore: boolean
  readonly isLoadingMore: boolean
  readonly loadMore: () => void
}

export interface DataTableProps<Row> {
  /** Its name for screen readers. */
  readonly label: string
  readonly columns: readonly Column<Row>[]
  /** undefined while the first page is on its way. */
  readonly rows: readonly Row[] | undefined
  readonly rowId: (row: Row) => string
  /** Names a row, for its checkbox: '+44 909 879 0142'. */
  readonly rowLabel: (row: Row) => string
  /** What stands there when there are no rows. */
  readonly empty: ReactNode
  /** What stands there when the rows could not be fetched: an ErrorState. */
  readonly failure?: ReactNode
  /** Said while loading: 'Loading SMS records...'. */
  readonly loadingLabel?: string
  readonly sort?: Sort
  readonly onSort?: (sort: Sort) => void
  readonly more?: LoadMore
  readonly selection?: Selection
  /** The row shown in the drawer. */
  readonly openId?: string | undefined
  readonly onOpen?: (row: Row) => void
  /** Rows that just arrived live: tinted for a moment. */
  readonly newIds?: ReadonlySet<string>
  /** Left in the bar; without title, actions, storage and selection there is no bar. */
  readonly title?: ReactNode
  readonly actions?: ReactNode
  /** Totals of the filter, in the specification's words. */
  readonly foot?: ReactNode
  /** Under the rows, in the same card: a chart of what they add up to. */
  readonly under?: ReactNode
  /** Keeps the choice of columns and density under this name. */
  readonly storageName?: string
}
