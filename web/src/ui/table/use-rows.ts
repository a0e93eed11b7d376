// The model of the table over TanStack Table: visible columns and selected rows.
import {
  columnVisibilityFeature,
  rowSelectionFeature,
  tableFeatures,
  useTable,
  type ColumnDef,
} from '@tanstack/react-table'
import { useMemo } from 'react'
import type { Column, DataTableProps } from './column.ts'

const features = tableFeatures({ columnVisibilityFeature, rowSelectionFeature })

// A new empty array at each render would rebuild the row model.
const noRows: readonly never[] = []
const noIds: ReadonlySet<string> = new Set()

interface RowsInput<Row> extends Pick<DataTableProps<Row>, 'columns' | 'rows' | 'rowId' | 'selection'> {
  readonly visibility: Record<string, boolean>
}

/** The visible columns, the rows, and the selection of all rows. */
export function useRows<Row extends object>({ columns, rows, rowId, selection, visibility }: RowsInput<Row>) {
  const byId = useMemo(() => new Map(columns.map((column) => [column.id, column])), [columns])
  const definitions = useMemo<ColumnDef<typeof features, Row>[]>(
    () => columns.map(({ id, header, isHideable = true }) => ({ id, header, enableHiding: isHideable })),
    [columns],
  )
  const ids = selection?.ids ?? noIds
  const rowSelection = useMemo(() => Object.fromEntries([...ids].map((id) => [id, true as const])), [ids])
  const table = useTable<typeof features, Row>({
    features,
    columns: definitions,
    data: rows ?? noRows,
    getRowId: rowId,
    enableRowSelection: selection !== undefined,
    state: { columnVisibility: visibility, rowSelection },
    onRowSelectionChange: (update) => {
      const next = typeof update === 'function' ? update(rowSelection) : update
      selection?.onChange(new Set(Object.keys(next).filter((id) => next[id] === true)))
    },
  })
  return {
    shown: table.getVisibleLeafColumns().flatMap(({ id }): Column<Row>[] => {
      const column = byId.get(id)
      return column ? [column] : []
    }),
    rows: table.getRowModel().rows,
    selectAll: (isSelected: boolean) => table.toggleAllRowsSelected(isSelected),
  }
}

export type TableRow<Row extends object> = ReturnType<typeof useRows<Row>>['rows'][number]
