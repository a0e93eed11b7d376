// The description of a table by its page.
import type { ReactNode } from 'react'
import { t } from '../../language/t.ts'

/** The position of a column's value on the card of a phone. */
export type CardSlot = 'title' | 'end' | 'fact' | 'labelled' | 'actions' | 'hidden'

export interface Column<Row> {
  readonly id: string
  /** The specification's label. */
  readonly header: string
  /** What the label stands for, where it does not say so itself. */
  readonly meaning?: string
  readonly cell: (row: Row) => ReactNode
  /** Figures and actions are aligned right. */
  readonly align?: 'left' | 'right'
  /** The server's name for sorting by this column. Without it the column cannot be sorted. */
  readonly sortBy?: string
  /** Names the row; drawn in medium weight. */
  readonly isSubject?: boolean
  /** Its value is a link or a button, which must not stand in the button that opens the row. */
  readonly isControl?: boolean
  /** Its buttons are there for the row under the pointer or the focus alone: others stand in the row's drawer. */
  readonly isOnPointer?: boolean
  /** Whether the reader may hide it; true by default. */
  readonly isHideable?: boolean
  /** Hidden until the reader switches it on. */
  readonly isHiddenByDefault?: boolean
  /**
   * The column below whose value this one's goes when the table is wider than its place. The last such column goes
   * first. When that column has gone below another one, both are there.
   */
  readonly stackUnder?: string
  /**
   * On a phone: title and end on the first line, facts on a quiet line, labelled values below. 'labelled' by default.
   */
  readonly card?: CardSlot
  /** A labelled value that may grow after its card is there has a line of its own, so that nothing below it moves. */
  readonly hasOwnLine?: true
  readonly className?: string
}

/** What makes a column the one that names its row, on a phone as the title of its card. */
export const subject = { isSubject: true, isHideable: false, card: 'title' } as const

/** The column that names the row. */
export function subjectOf<Row>(columns: readonly Column<Row>[]): Column<Row> | undefined {
  return columns.find(({ isSubject }) => isSubject) ?? columns[0]
}

/** The last column: the buttons of a row. */
export function actionsColumn<Row>(cell: Column<Row>['cell']): Column<Row> {
  return { id: 'actions', header: t('Actions'), align: 'right', isHideable: false, card: 'actions', cell }
}

export interface TableSort {
  readonly by: string
  readonly order: 'asc' | 'desc'
}

// Sorts of the server whose values are words. Other values are times and figures.
const wordSorts = new Set([
  'accountNumber',
  'action',
  'actor',
  'assignedTo',
  'client',
  'clientName',
  'country',
  'endNumber',
  'name',
  'number',
  'phoneNumber',
  'processedBy',
  'rangeNumber',
  'requestedBy',
  'requestedNumber',
  'role',
  'startNumber',
  'status',
  'userName',
  'username',
])

/** The sort after a click on a head: words from A to Z first, times and figures from the newest or largest. */
export function nextSort(sort: TableSort | undefined, by: string): TableSort {
  const first = wordSorts.has(by) ? 'asc' : 'desc'
  const other = first === 'asc' ? 'desc' : 'asc'
  return { by, order: sort?.by === by && sort.order === first ? other : first }
}

export interface Selection {
  readonly ids: ReadonlySet<string>
  readonly onChange: (ids: ReadonlySet<string>) => void
  /** Their sum or similar, beside '4 selected'. */
  readonly summary?: ReactNode
  /** Buttons: Copy Selected (4). */
  readonly actions?: ReactNode
  /** All rows that the filters match, for actions that can take them. */
  readonly matching?: MatchingRows
}

interface MatchingRows {
  /** Undefined until it is known. */
  readonly count: number | undefined
  /** Whether all of them are selected, also those that are not on screen. */
  readonly isChosen: boolean
  readonly onChoose: () => void
}

interface LoadMore {
  readonly hasMore: boolean
  readonly isLoadingMore: boolean
  readonly loadMore: () => void
}

export interface DataTableProps<Row> {
  /** Its name for screen readers. */
  readonly label: string
  readonly columns: readonly Column<Row>[]
  /** undefined while the first page is loading. */
  readonly rows: readonly Row[] | undefined
  readonly rowId: (row: Row) => string
  /** The name of a row, for its checkbox: '+44 909 879 0142'. */
  readonly rowLabel: (row: Row) => string
  /** Shown when there are no rows. */
  readonly empty: ReactNode
  /** Shown when the rows could not be fetched. */
  readonly failure?: ReactNode
  /** Announced while loading: 'Loading SMS records...'. */
  readonly loadingLabel?: string
  /** How many rows are drawn while it loads, so that what stands below moves little; 8 by default. */
  readonly loadingRows?: number
  readonly sort?: TableSort
  readonly onSort?: (sort: TableSort) => void
  readonly more?: LoadMore
  readonly selection?: Selection
  /** The row shown in the drawer. */
  readonly openId?: string | undefined
  /** A click anywhere on the row calls it, and the subject as a button; no button where the subject is a control. */
  readonly onOpen?: (row: Row) => void
  /** Rows that have just come live. They are highlighted for a moment. */
  readonly newIds?: ReadonlySet<string>
  /** Left in the bar. There is no bar without title and actions: the head has the column settings then. */
  readonly title?: ReactNode
  readonly actions?: ReactNode
  /** Totals of the filtered rows, with the specification's labels. */
  readonly foot?: ReactNode
  /** Below the rows in the same card: a chart of them. */
  readonly under?: ReactNode
  /** The name under which columns and density are kept. */
  readonly storageName?: string
}
