import type { Density } from '../../language/choices.ts'
import { readChoices } from '../../language/choices.ts'
import { useScreenSetting } from '../screen-settings.ts'
import type { Column } from './column.ts'

interface Settings {
  readonly visible: Readonly<Record<string, boolean>>
  /** Left out until it is chosen for this table: then the reader's own density holds. */
  readonly density?: Density
}

function isChoices(value: unknown): value is Settings {
  return (
    typeof value === 'object' &&
    value !== null &&
    (!('density' in value) || value.density === 'normal' || value.density === 'compact') &&
    'visible' in value &&
    typeof value.visible === 'object' &&
    value.visible !== null
  )
}

const noChoices: Settings = { visible: {} }

/** The reader's choice of columns and density, kept with the account for each table. */
export function useTableSettings<Row>(storageName: string | undefined, columns: readonly Column<Row>[]) {
  const [choices, setChoices] = useScreenSetting(`table.${storageName ?? 'unnamed'}`, noChoices, isChoices)
  const isChosen = (column: Column<Row>) => choices.visible[column.id] ?? column.isHiddenByDefault !== true
  return {
    density: (storageName === undefined ? undefined : choices.density) ?? readChoices().density,
    /** For the state of the table: column id → visible. */
    visibility: Object.fromEntries(
      columns.map((column) => [column.id, column.isHideable === false || isChosen(column)]),
    ),
    setDensity: (density: Density) => setChoices({ ...choices, density }),
    toggle: (column: Column<Row>) =>
      setChoices({ ...choices, visible: { ...choices.visible, [column.id]: !isChosen(column) } }),
    reset: () => setChoices(noChoices),
  }
}
