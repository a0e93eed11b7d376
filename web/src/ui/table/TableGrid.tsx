import { ArrowDown, ArrowUp } from 'lucide-react'
import { Fragment, useRef, useState, type FocusEvent, type MouseEvent, type ReactNode } from 'react'
import { Button } from '../Button.tsx'
import { Checkbox } from '../Checkbox.tsx'
import { classNames } from '../class-names.ts'
import { Skeleton } from '../States.tsx'
import { nextSort, subjectOf, type Column, type DataTableProps, type TableSort } from './column.ts'
import { useFit, type TableFit } from './use-fit.ts'
import { useVirtualRows } from './use-virtual-rows.ts'
import type { TableRow, useRows } from './use-rows.ts'
import type { Density } from '../../language/choices.ts'
import { t } from '../../language/t.ts'

interface TableGridProps<Row extends object> extends DataTableProps<Row> {
  readonly model: ReturnType<typeof useRows<Row>>
  readonly density: Density
  /** The column settings lie over the end of the head. */
  readonly hasSettings: boolean
  /** The selection bar lies over the head. */
  readonly isHeadCovered: boolean
}

/** The maximal height of the scrolling area, as in its class. */
function fullHeightPx(): number {
  const rem = 16
  return Math.max(24 * rem, window.innerHeight - 17.25 * rem)
}

/** The height of a row, as in its classes. */
function rowPx(density: Density, hasTwoLines: boolean): number {
  if (density === 'compact') return hasTwoLines ? 39 : 32
  return hasTwoLines ? 45 : 40
}

/** The table on wide screens: sticky head, scrolling inside the card, fixed columns of checkboxes and subject. */
export function TableGrid<Row extends object>(props: TableGridProps<Row>) {
  const { label, model, rows, selection, failure, loadingLabel, loadingRows = 8, density } = props
  const scroller = useRef<HTMLDivElement>(null)
  const fit = useFit({ columns: model.shown, rows: model.rows, scroller })
  const columnCount = fit.shown.length + (selection ? 1 : 0)
  const isLoading = rows === undefined && failure === undefined
  const drawn = useVirtualRows({
    count: model.rows.length,
    rowPx: rowPx(density, fit.below.size > 0),
    scroller,
    heightPx: fullHeightPx,
  })
  return (
    <div
      ref={scroller}
      // A scrolling area must be reachable by keyboard.
      tabIndex={0}
      role="region"
      aria-label={label}
      className="soft-edge relative max-h-[max(24rem,calc(100dvh-17.25rem))] overflow-auto -outline-offset-2"
    >
      <table
        aria-rowcount={drawn.isPart ? model.rows.length + 1 : undefined}
        aria-busy={isLoading}
        className="w-full border-separate border-spacing-0"
      >
        <caption className="sr-only">{label}</caption>
        <TableHead {...props} fit={fit} />
        <tbody>
          {isLoading && (
            <SkeletonRows
              columns={fit.shown}
              isSelectable={selection !== undefined}
              label={loadingLabel}
              count={loadingRows}
            />
          )}
          <EmptyRow {...props} columnCount={columnCount} />
          <Spacer columnCount={columnCount} heightPx={drawn.beforePx} />
          {drawn.places.map((place) => {
            const row = model.rows[place]
            // The head counts as the first row.
            const ariaRowIndex = drawn.isPart ? { ariaRowIndex: place + 2 } : {}
            return row && <BodyRow key={row.id} row={row} fit={fit} {...ariaRowIndex} {...props} />
          })}
          <Spacer columnCount={columnCount} heightPx={drawn.afterPx} />
          <LoadMoreRow {...props} columnCount={columnCount} />
        </tbody>
      </table>
    </div>
  )
}

/** Shown instead of rows: nothing matched, or they could not be fetched. */
function EmptyRow<Row>({ rows, failure, empty, columnCount }: DataTableProps<Row> & { columnCount: number }) {
  if (rows === undefined ? failure === undefined : rows.length > 0) return null
  return (
    <tr>
      <td colSpan={columnCount} className="whitespace-normal">
        {failure ?? empty}
      </td>
    </tr>
  )
}

/** The last row of the body. Spec §2: Show more results. */
function LoadMoreRow<Row>({ rows, more, columnCount }: DataTableProps<Row> & { columnCount: number }) {
  if (rows === undefined || more?.hasMore !== true) return null
  return (
    <tr>
      <td colSpan={columnCount} className="py-2 text-center">
        <Button size="sm" isBusy={more.isLoadingMore} busyLabel={t('Loading...')} onClick={more.loadMore}>
          {t('Show more results')}
        </Button>
      </td>
    </tr>
  )
}

function Spacer({ columnCount, heightPx }: { columnCount: number; heightPx: number }) {
  if (heightPx === 0) return null
  return (
    <tr aria-hidden="true">
      <td colSpan={columnCount} style={{ height: heightPx, padding: 0 }} />
    </tr>
  )
}

const padding = (isTight: boolean) => (isTight ? 'px-1' : 'px-2.5')

const headCell =
  'sticky top-0 z-10 h-8.5 border-b border-line bg-surface-2 text-xs font-medium whitespace-nowrap text-ink-3 first:ps-4'

/** The subject stays at the left while the rest scrolls: after the checkboxes, if there are any. */
function pinClass(hasBoxes: boolean): string {
  return hasBoxes ? 'sticky start-10.5' : 'sticky start-0'
}

interface FitProps<Row extends object> extends TableGridProps<Row> {
  readonly fit: TableFit<Row>
}

function TableHead<Row extends object>(props: FitProps<Row>) {
  const { model, fit, selection, sort, hasSettings, isHeadCovered } = props
  // Nobody presses a button that is covered.
  const onSort = isHeadCovered ? undefined : props.onSort
  const pinned = subjectOf(fit.shown)
  const pinAt = pinClass(selection !== undefined)
  return (
    <thead>
      <tr>
        {selection && (
          <th scope="col" className={classNames(headCell, padding(fit.isTight), 'start-0 z-11 w-8')}>
            {/* While rows are selected the checkbox stands in the selection bar. */}
            {selection.ids.size === 0 ? (
              <Checkbox
                label={t('Select all rows')}
                isLabelHidden
                checked={false}
                disabled={model.rows.length === 0}
                onChange={() => model.selectAll(true)}
              />
            ) : (
              <span className="sr-only">{t('Selected')}</span>
            )}
          </th>
        )}
        {fit.shown.map((column) => {
          const isSorted = column.sortBy !== undefined && sort?.by === column.sortBy
          // A stacked column's head shows only while the table is sorted by it.
          const sortedBelow = fit.below
            .get(column.id)
            ?.find(({ sortBy }) => sortBy !== undefined && sortBy === sort?.by)
          return (
            <th
              key={column.id}
              scope="col"
              title={column.meaning}
              {...((isSorted || sortedBelow) && {
                'aria-sort': sort?.order === 'asc' ? 'ascending' : 'descending',
              })}
              className={classNames(
                headCell,
                padding(fit.isTight),
                hasSettings ? 'last:pe-11' : 'last:pe-4',
                column.align === 'right' ? 'text-end' : 'text-start',
                pinned === column && classNames(pinAt, 'z-11'),
              )}
            >
              <HeadWord column={column} sort={sort} onSort={onSort} />
              {sortedBelow && (
                <>
                  {', '}
                  <HeadWord column={sortedBelow} sort={sort} onSort={onSort} />
                </>
              )}
            </th>
          )
        })}
      </tr>
    </thead>
  )
}

interface HeadWordProps<Row> {
  readonly column: Column<Row>
  readonly sort: TableSort | undefined
  readonly onSort: ((sort: TableSort) => void) | undefined
}

/** A column's name; a button if the table can be sorted by it. */
function HeadWord<Row>({ column: { header, sortBy }, sort, onSort }: HeadWordProps<Row>) {
  if (sortBy === undefined || !onSort) return header
  const isSorted = sort?.by === sortBy
  const Arrow = sort?.order === 'asc' ? ArrowUp : ArrowDown
  return (
    <button
      type="button"
      onClick={() => onSort(nextSort(sort, sortBy))}
      className={classNames(
        'inline-flex h-6 items-center gap-1 rounded-xs hover:text-ink',
        isSorted && 'text-ink',
      )}
    >
      {header}
      {isSorted && <Arrow size={13} strokeWidth={1.6} aria-hidden="true" />}
    </button>
  )
}

/** Whether a click was meant for the row, and not for a control in it or a text selection. */
function isRowClick(event: MouseEvent<HTMLElement>): boolean {
  const target = event.target as HTMLElement
  const isControl = target.closest('a, button:not([data-opens-row]), input, label, select, [role="menu"]')
  // A key selects no text, whatever is selected.
  const isByKey = event.detail === 0
  return (
    isControl === null &&
    event.currentTarget.contains(target) &&
    (isByKey || getSelection()?.isCollapsed !== false)
  )
}

interface BodyRowProps<Row extends object> extends FitProps<Row> {
  readonly row: TableRow<Row>
  /** Set if only some of the rows are rendered. */
  readonly ariaRowIndex?: number
}

function BodyRow<Row extends object>(props: BodyRowProps<Row>) {
  const { row, fit, selection, density, openId, onOpen, rowLabel, newIds, ariaRowIndex } = props
  const pinned = subjectOf(fit.shown)
  const pinAt = pinClass(selection !== undefined)
  const isOpen = row.id === openId
  const isTinted = isOpen || row.getIsSelected()
  const { isAttended, ...attention } = useAttention()
  const cell = classNames(
    'border-b border-line whitespace-nowrap first:ps-4 last:pe-4',
    padding(fit.isTight),
    // The padding matters only where a cell has two lines.
    density === 'compact' ? 'h-8 py-px' : 'h-(--row) py-1',
  )
  return (
    <tr
      {...attention}
      data-open={isOpen || undefined}
      aria-rowindex={ariaRowIndex}
      aria-selected={selection ? row.getIsSelected() : undefined}
      onClick={onOpen && ((event) => isRowClick(event) && onOpen(row.original))}
      className={classNames(
        'group',
        onOpen && 'cursor-pointer',
        isTinted ? 'bg-accent-soft' : 'bg-surface hover:bg-surface-3',
        newIds?.has(row.id) === true && 'new-row',
      )}
    >
      {selection && (
        <td className={classNames(cell, 'sticky start-0 z-1 bg-inherit', isOpen && 'gate')}>
          <Checkbox
            label={t('Select {original}', { original: rowLabel(row.original) })}
            isLabelHidden
            checked={row.getIsSelected()}
            onChange={(event) => row.toggleSelected(event.target.checked)}
          />
        </td>
      )}
      {fit.shown.map((column, index) => (
        <td
          key={column.id}
          className={classNames(
            cell,
            column.align === 'right' && 'text-end',
            column.isSubject === true && 'font-medium',
            pinned === column && classNames(pinAt, 'z-1 bg-inherit'),
            index === 0 && !selection && isOpen && 'gate',
            column.className,
          )}
        >
          {column.isOnPointer === true && !isAttended && !isOpen ? (
            <span className="block h-7 w-15" />
          ) : onOpen && pinned === column && column.isControl !== true ? (
            <RowOpener isAtEnd={column.align === 'right'}>{column.cell(row.original)}</RowOpener>
          ) : (
            column.cell(row.original)
          )}
          <StackedValues
            columns={fit.below.get(column.id)}
            row={row.original}
            isAtEnd={column.align === 'right'}
          />
        </td>
      ))}
    </tr>
  )
}

/** Whether the pointer or the focus is in a row. */
function useAttention() {
  const [isPointed, setPointed] = useState(false)
  const [isFocused, setFocused] = useState(false)
  return {
    isAttended: isPointed || isFocused,
    onPointerEnter: () => setPointed(true),
    onPointerLeave: () => setPointed(false),
    onFocus: () => setFocused(true),
    onBlur: ({ currentTarget, relatedTarget }: FocusEvent<HTMLElement>) =>
      setFocused(currentTarget.contains(relatedTarget)),
  }
}

/**
 * The subject of a row as a button, so that the row can be opened by keyboard. Its click event bubbles to the row,
 * which opens once.
 */
function RowOpener({ isAtEnd, children }: { isAtEnd: boolean; children: ReactNode }) {
  return (
    <button
      type="button"
      data-opens-row
      className={classNames('block rounded-xs select-text', isAtEnd ? 'ms-auto text-end' : 'text-start')}
    >
      {children}
    </button>
  )
}

interface StackedValuesProps<Row> {
  readonly columns: readonly Column<Row>[] | undefined
  readonly row: Row
  readonly isAtEnd: boolean
}

/** A quiet line below another value. Labels are for screen readers and the pointer: on sight the place tells them. */
function StackedValues<Row>({ columns, row, isAtEnd }: StackedValuesProps<Row>) {
  if (columns === undefined) return null
  return (
    <span className={classNames('flex gap-x-1.5 text-xs font-normal text-ink-3', isAtEnd && 'justify-end')}>
      {columns.map(({ id, header, cell }, place) => (
        <Fragment key={id}>
          {place > 0 && <span aria-hidden="true">·</span>}
          <span title={header}>
            <span className="sr-only">{`${header}: `}</span>
            {cell(row)}
          </span>
        </Fragment>
      ))}
    </span>
  )
}

interface SkeletonRowsProps<Row> {
  readonly columns: readonly Column<Row>[]
  readonly isSelectable: boolean
  readonly label: ReactNode
  readonly count: number
}

function SkeletonRows<Row>({ columns, isSelectable, label, count }: SkeletonRowsProps<Row>) {
  return (
    <>
      {Array.from({ length: count }, (_, index) => (
        <tr key={index}>
          {isSelectable && (
            <td className="h-(--row) border-b border-line ps-4">
              <Skeleton className="size-4" />
            </td>
          )}
          {columns.map((column, place) => (
            <td key={column.id} className="h-(--row) border-b border-line px-2.5 first:ps-4">
              {index === 0 && place === 0 && (
                <span role="status" className="sr-only">
                  {label ?? t('Loading...')}
                </span>
              )}
              <Skeleton className={classNames('w-full max-w-24', column.align === 'right' && 'ms-auto')} />
            </td>
          ))}
        </tr>
      ))}
    </>
  )
}
