import { Table2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { classNames } from '../class-names.ts'
import { t } from '../../language/t.ts'

export interface FigureTableProps {
  readonly label: string
  /** The heads of the columns after the time. */
  readonly heads: readonly string[]
  readonly rows: readonly {
    readonly label: string
    /** Shown instead of the label: the label as a link. */
    readonly lead?: ReactNode
    readonly figures: readonly string[]
  }[]
}

/** The figures of a chart as a table ("Show as table"). */
export function FigureTable({ label, heads, rows }: FigureTableProps) {
  const cell = 'h-7 border-b border-line px-2 text-end'
  const head = 'h-7 border-b border-line bg-surface-2 px-2 text-end text-xs font-medium text-ink-3'
  return (
    <div className="max-h-72 overflow-auto" tabIndex={0} role="region" aria-label={label}>
      <table className="w-full border-separate border-spacing-0">
        <caption className="sr-only">{label}</caption>
        <thead className="sticky top-0">
          <tr>
            <th scope="col" className={classNames(head, 'text-start')}>
              {t('Time')}
            </th>
            {heads.map((name) => (
              <th key={name} scope="col" className={head}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.label}>
              <th scope="row" className={classNames(cell, 'text-start font-normal')}>
                {row.lead ?? row.label}
              </th>
              {heads.map((name, at) => (
                <td key={name} className={cell}>
                  {row.figures[at]}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** Switches between chart and table. */
export function TableToggle({ isTable, onToggle }: { isTable: boolean; onToggle: () => void }) {
  return (
    <button
      type="button"
      aria-pressed={isTable}
      onClick={onToggle}
      className="flex h-7 items-center gap-1.5 rounded-md px-1.5 hover:bg-surface-3 hover:text-ink"
    >
      <Table2 size={15} strokeWidth={1.6} aria-hidden="true" />
      {t('Show as table')}
    </button>
  )
}
