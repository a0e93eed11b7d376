import type { ReactNode } from 'react'
import { phoneQuery, useMediaQuery } from '../use-media-query.ts'
import type { DataTableProps, Selection } from './column.ts'
import { SelectionBar, SettingsMenu, SortMenu, TableBar } from './TableBar.tsx'
import { TableCards } from './TableCards.tsx'
import { TableGrid } from './TableGrid.tsx'
import { useRows } from './use-rows.ts'
import { useTableSettings } from './use-table-settings.ts'

type TableModel<Row extends object> = ReturnType<typeof useRows<Row>>
type TableSettings<Row> = ReturnType<typeof useTableSettings<Row>>

interface LayoutProps<Row extends object> {
  readonly props: DataTableProps<Row>
  readonly model: TableModel<Row>
  readonly choices: TableSettings<Row>
}

/** A table: bar, sticky head, rows, foot; cards below 640 px. Visual language §7, §14. */
export function DataTable<Row extends object>(props: DataTableProps<Row>) {
  const { columns, rows, rowId, selection, storageName } = props
  const isPhone = useMediaQuery(phoneQuery)
  const choices = useTableSettings(storageName, columns)
  const { visibility } = choices
  const model = useRows({ columns, rows, rowId, visibility, ...(selection && { selection }) })
  const Layout = isPhone ? CardLayout : GridLayout
  return <Layout props={props} model={model} choices={choices} />
}

function GridLayout<Row extends object>({ props, model, choices }: LayoutProps<Row>) {
  const { title, actions, storageName, selection, foot, under, failure } = props
  const hasBar = title !== undefined || actions !== undefined
  const isSelected = isSelecting(selection)
  const hasSettings = !hasBar && storageName !== undefined
  return (
    <section
      data-stale={failure !== undefined || undefined}
      className="overflow-clip rounded-lg border border-line bg-surface shadow-card"
    >
      {hasBar &&
        (isSelected ? (
          <SelectionBar selection={selection} shownIds={idsOf(model)} />
        ) : (
          <TableBar {...props} choices={choices} />
        ))}
      <RefreshFailure {...props} />
      {/* Without a bar its place is the head's, and nothing moves when rows are selected. */}
      <div className="relative">
        {!hasBar &&
          (isSelected ? (
            <SelectionBar selection={selection} shownIds={idsOf(model)} place="head" />
          ) : (
            hasSettings && (
              <div className="absolute end-3 top-0.75 z-12">
                <SettingsMenu columns={props.columns} choices={choices} isInHead />
              </div>
            )
          ))}
        <TableGrid
          {...props}
          model={model}
          density={choices.density}
          hasSettings={hasSettings}
          isHeadCovered={isSelected && !hasBar}
        />
      </div>
      {under !== undefined && <div className="p-4">{under}</div>}
      {foot !== undefined && (
        <div className={`${footClass} flex-wrap border-t border-line bg-surface-2`}>{foot}</div>
      )}
    </section>
  )
}

function CardLayout<Row extends object>({ props, model }: LayoutProps<Row>) {
  const { title, actions, selection, foot, under, onSort, rows, failure } = props
  // An empty list has no order.
  const canSort = onSort !== undefined && rows?.length !== 0
  return (
    <div data-stale={failure !== undefined || undefined} className="space-y-3">
      {(title !== undefined || actions !== undefined || canSort) && (
        <div className="flex flex-wrap items-center justify-between gap-2">
          {title !== undefined && <div className="text-md font-semibold">{title}</div>}
          {canSort && <SortMenu {...props} />}
          {actions}
        </div>
      )}
      <RefreshFailure {...props} />
      <TableCards {...props} model={model} />
      {under !== undefined && <div className="rounded-lg border border-line bg-surface p-4">{under}</div>}
      <StickyBottom>
        {isSelecting(selection) && (
          <SelectionBar selection={selection} shownIds={idsOf(model)} place="bottom" />
        )}
        {foot !== undefined && (
          // On a phone one line, which scrolls sideways: it covers rows.
          <div
            role="region"
            aria-label={props.label}
            tabIndex={0}
            className={`${footClass} soft-edge overflow-x-auto -outline-offset-2 [scrollbar-width:none] *:shrink-0 min-[30rem]:flex-wrap`}
          >
            {foot}
          </div>
        )}
      </StickyBottom>
    </div>
  )
}

function isSelecting(selection: Selection | undefined): selection is Selection {
  return selection !== undefined && selection.ids.size > 0
}

function idsOf<Row extends object>(model: TableModel<Row>): readonly string[] {
  return model.rows.map((row) => row.id)
}

/** When a refetch fails, the old rows stay with grey status icons, and the failure is shown above them. */
function RefreshFailure<Row>({ failure, rows }: Pick<DataTableProps<Row>, 'failure' | 'rows'>) {
  if (failure === undefined || rows === undefined || rows.length === 0) return null
  return (
    <div className="border-b border-warn-line bg-warn-soft" role="alert">
      {failure}
    </div>
  )
}

/** Stays above the home bar of a phone. */
function StickyBottom({ children }: { children: ReactNode }) {
  return (
    <div className="sticky bottom-0 z-10 -mx-4 border-line bg-surface pb-[env(safe-area-inset-bottom)] empty:hidden [&:has(>*)]:border-t">
      {children}
    </div>
  )
}

const footClass = 'flex min-h-12 items-center gap-x-6 gap-y-2 px-4 py-2 max-sm:gap-x-3.5'

interface TotalProps {
  /** The specification's label: 'Total Records'. */
  readonly label: string
  readonly value: ReactNode
}

/** One total in the foot of a table; stacked on a phone. */
export function Total({ label, value }: TotalProps) {
  return (
    <span className="flex gap-x-2 max-sm:flex-col">
      <span className="text-ink-3 max-sm:text-xs">{label}</span>
      <strong className="font-semibold">{value}</strong>
    </span>
  )
}
