import { Fragment } from 'react'
import { Button } from '../Button.tsx'
import { Checkbox } from '../Checkbox.tsx'
import { classNames } from '../class-names.ts'
import { Skeleton } from '../States.tsx'
import { subjectOf, type CardSlot, type Column, type DataTableProps } from './column.ts'
import type { TableRow, useRows } from './use-rows.ts'
import { t } from '../../language/t.ts'

interface TableCardsProps<Row extends object> extends DataTableProps<Row> {
  readonly model: ReturnType<typeof useRows<Row>>
}

/** The table on a phone: one card for each row. Hidden values are in the drawer. */
export function TableCards<Row extends object>(props: TableCardsProps<Row>) {
  const { label, model, rows, more, empty, failure, loadingLabel } = props
  if (rows === undefined && failure === undefined)
    return (
      <div className="space-y-3">
        <span role="status" className="sr-only">
          {loadingLabel ?? t('Loading...')}
        </span>
        {Array.from({ length: 5 }, (_, index) => (
          <div key={index} className="space-y-3 rounded-lg border border-line bg-surface p-3.5">
            <Skeleton className="w-2/3" />
            <Skeleton className="w-full" />
          </div>
        ))}
      </div>
    )
  if (rows === undefined || rows.length === 0)
    return <div className="rounded-lg border border-line bg-surface">{failure ?? empty}</div>
  return (
    <>
      <ul aria-label={label} className="space-y-3">
        {model.rows.map((row) => (
          <RowCard key={row.id} row={row} {...props} />
        ))}
      </ul>
      {more?.hasMore === true && (
        <div className="grid place-items-center pt-3">
          <Button isBusy={more.isLoadingMore} busyLabel={t('Loading...')} onClick={more.loadMore}>
            {t('Show more results')}
          </Button>
        </div>
      )}
    </>
  )
}

function placed<Row>(columns: readonly Column<Row>[], place: CardSlot): readonly Column<Row>[] {
  return columns.filter((column) => (column.card ?? 'labelled') === place)
}

/** What names the card. One that opens has a name also where the usual title is left out: its button needs it. */
function titlesOf<Row>(columns: readonly Column<Row>[], opens: boolean): readonly Column<Row>[] {
  const titles = placed(columns, 'title')
  const subject = subjectOf(columns)
  return opens && titles.length === 0 && subject ? [subject] : titles
}

function RowCard<Row extends object>(props: TableCardsProps<Row> & { row: TableRow<Row> }) {
  const { row, model, selection, openId, onOpen, rowLabel, newIds } = props
  const isSelected = row.getIsSelected()
  const isOpen = row.id === openId
  const titles = titlesOf(model.shown, onOpen !== undefined)
  const others = model.shown.filter((column) => !titles.includes(column))
  const facts = placed(others, 'fact')
  const labelled = placed(others, 'labelled')
  const actions = placed(others, 'actions')
  const cells = (columns: readonly Column<Row>[]) =>
    columns.map((column) => <Fragment key={column.id}>{column.cell(row.original)}</Fragment>)
  const title = cells(titles)
  return (
    <li
      className={classNames(
        'space-y-2 overflow-hidden rounded-lg border p-3.5 shadow-card',
        // Cards out of sight are laid out when they come into sight.
        '[contain-intrinsic-block-size:auto_11rem] [content-visibility:auto]',
        isSelected || isOpen ? 'gate border-accent-line bg-accent-soft' : 'border-line bg-surface',
        newIds?.has(row.id) === true && 'new-row',
      )}
    >
      <div className="flex items-center gap-3">
        {selection && (
          <Checkbox
            label={t('Select {original}', { original: rowLabel(row.original) })}
            isLabelHidden
            checked={isSelected}
            onChange={(event) => row.toggleSelected(event.target.checked)}
            className="-my-2"
          />
        )}
        {onOpen && !titles.some(({ isControl }) => isControl) ? (
          <button
            type="button"
            onClick={() => onOpen(row.original)}
            className="min-h-6 min-w-0 grow text-start font-medium"
          >
            {title}
          </button>
        ) : (
          <span className="min-w-0 grow font-medium">{title}</span>
        )}
        <span className="font-semibold">{cells(placed(others, 'end'))}</span>
      </div>
      {facts.length > 0 && (
        <p className="flex flex-wrap gap-x-1.5 text-ink-3">
          {facts.map((column, index) => (
            <Fragment key={column.id}>
              {index > 0 && (
                <span aria-hidden="true" className="text-ink-mute">
                  •
                </span>
              )}
              <span>{column.cell(row.original)}</span>
            </Fragment>
          ))}
        </p>
      )}
      {labelled.length > 0 && (
        <dl className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1.5">
          {labelled.map((column) => (
            <div
              key={column.id}
              className={classNames(
                'flex min-w-0 items-center gap-2',
                column.hasOwnLine === true && 'basis-full',
              )}
            >
              <dt className="shrink-0 text-xs text-ink-3">{column.header}</dt>
              <dd className="min-w-0">{column.cell(row.original)}</dd>
            </div>
          ))}
        </dl>
      )}
      {actions.length > 0 && (
        <div className="-mt-1 -mb-1.5 flex flex-wrap justify-end gap-2">{cells(actions)}</div>
      )}
    </li>
  )
}
