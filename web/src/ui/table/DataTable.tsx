import type { ReactNode } from 'react'
import { cx } from '../cx.ts'
import { Notice } from '../Notice.tsx'
import { phoneQuery, useMedia } from '../use-media.ts'
import type { DataTableProps } from './column.ts'
import { SelectionBar, TableBar } from './TableBar.tsx'
import { TableCards } from './TableCards.tsx'
import { TableGrid } from './TableGrid.tsx'
import { useRows } from './use-rows.ts'
import { useTableChoices } from './use-table-choices.ts'

/** Rows of one kind: bar, sticky head, rows, foot; cards under 640 px. Visual language §7, §14. */
export function DataTable<Row extends object>(props: DataTableProps<Row>) {
  const { columns, rows, rowId, selection, title, actions, storageName, foot, failure } = props
  const isPhone = useMedia(phoneQuery)
  const choices = useTableChoices(storageName, columns)
  const model = useRows({
    columns,
    rows,
    rowId,
    visibility: choices.visibility,
    ...(selection && { selection }),
  })
  const hasSelection = selection !== undefined && selection.ids.size > 0
  const hasBar =
    title !== undefined || actions !== undefined || storageName !== undefined || selection !== undefined
  const bar = selection && hasSelection && (
    <SelectionBar selection={selection} shownIds={model.rows.map((row) => row.id)} isStuck={isPhone} />
  )
  // With rows on screen a failed refresh says so above them: old figures stay.
  const stale = failure !== undefined && rows !== undefined && rows.length > 0 && (
    <div className="p-2">
      <Notice tone="warn" title="These rows could not be refreshed" isAlert>
        {failure}
      </Notice>
    </div>
  )
  if (isPhone)
    return (
      <div className="space-y-3">
        {(title !== undefined || actions !== undefined) && (
          <div className="flex flex-wrap items-center justify-between gap-2">
            <div className="text-md font-semibold">{title}</div>
            {actions}
          </div>
        )}
        {stale}
        <TableCards {...props} model={model} />
        {(hasSelection || foot !== undefined) && (
          <StickyBottom>
            {bar}
            {foot !== undefined && <Foot>{foot}</Foot>}
          </StickyBottom>
        )}
      </div>
    )
  return (
    <section className="overflow-clip rounded-lg border border-line bg-surface shadow-card">
      {hasBar &&
        (bar || (
          <TableBar
            {...{ title, actions, columns, choices }}
            {...(storageName !== undefined && { storageName })}
          />
        ))}
      {stale}
      <TableGrid {...props} model={model} density={choices.density} />
      {foot !== undefined && <Foot isInCard>{foot}</Foot>}
    </section>
  )
}

/** Stays above the home bar of a phone. */
function StickyBottom({ children }: { children: ReactNode }) {
  return (
    <div className="sticky bottom-0 z-10 -mx-4 border-t border-line bg-surface pb-[env(safe-area-inset-bottom)]">
      {children}
    </div>
  )
}

function Foot({ children, isInCard = false }: { children: ReactNode; isInCard?: boolean }) {
  return (
    <div
      className={cx(
        'flex min-h-12 flex-wrap items-center gap-x-6 gap-y-2 px-4 py-2',
        isInCard && 'border-t border-line bg-surface-2',
      )}
    >
      {children}
    </div>
  )
}

interface TotalProps {
  /** The specification's words: 'Total Records'. */
  readonly label: string
  readonly value: ReactNode
}

/** One total in a table's foot, with a bold figure; stacked on a phone. */
export function Total({ label, value }: TotalProps) {
  return (
    <span className="flex gap-x-2 max-sm:flex-col">
      <span className="text-ink-3 max-sm:text-xs">{label}</span>
      <strong className="font-semibold">{value}</strong>
    </span>
  )
}
