import { useStored } from '../use-stored.ts'
import type { Column } from './column.ts'

export type Density = 'normal' | 'compact'

interface Choices {
  readonly visible: Readonly<Record<string, boolean>>
  readonly density: Density
}

function isChoices(value: unknown): value is Choices {
  return (
    typeof value === 'object' &&
    value !== null &&
    'density' in value &&
    (value.density === 'normal' || value.density === 'compact') &&
    'visible' in value &&
    typeof value.visible === 'object' &&
    value.visible !== null
  )
}

const noChoices: Choices = { visible: {}, density: 'normal' }

/** Which columns the reader wants and how dense, kept in this browser per table. */
export function useTableChoices<Row>(storageName: string | undefined, columns: readonly Column<Row>[]) {
  const [choices, setChoices] = useStored(`table.${storageName ?? 'unnamed'}`, noChoices, isChoices)
  const isChosen = (column: Column<Row>) => choices.visible[column.id] ?? column.isHiddenFirst !== true
  return {
    density: storageName === undefined ? ('normal' as const) : choices.density,
    /** For the table's state: column id → shown. */
    visibility: Object.fromEntries(
      columns.map((column) => [column.id, column.isHideable === false || isChosen(column)]),
    ),
    setDensity: (density: Density) => setChoices({ ...choices, density }),
    toggle: (column: Column<Row>) =>
      setChoices({ ...choices, visible: { ...choices.visible, [column.id]: !isChosen(column) } }),
    reset: () => setChoices(noChoices),
  }
}

export type TableChoices = ReturnType<typeof useTableChoices>
