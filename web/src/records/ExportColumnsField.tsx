import { exportColumns, type ExportColumn } from '@tollgate/contract/records/export-columns.ts'
import { Checkbox } from '../ui/Checkbox.tsx'
import { t } from '../language/t.ts'

interface ExportColumnsFieldProps {
  /** Names with commas between them. */
  readonly columns: string
  readonly error?: string | undefined
  readonly onChange: (columns: string) => void
}

/** Which columns a file of records has. They stand in the order of the list, whatever was chosen first. */
export function ExportColumnsField({ columns, error, onChange }: ExportColumnsFieldProps) {
  const chosen = columns.split(',')
  const toggle = (column: ExportColumn, isChosen: boolean) =>
    onChange(exportColumns.filter((each) => (each === column ? isChosen : chosen.includes(each))).join(','))
  return (
    <fieldset className="space-y-1">
      <legend className="pb-1 text-xs font-medium text-ink-2">
        {t('Columns ({count})', { count: columns === '' ? 0 : chosen.length })}
      </legend>
      <div className="grid grid-cols-2 gap-x-5 sm:grid-cols-3">
        {exportColumns.map((column) => (
          <Checkbox
            key={column}
            label={column}
            checked={chosen.includes(column)}
            onChange={({ target }) => toggle(column, target.checked)}
          />
        ))}
      </div>
      {error !== undefined && (
        <p role="alert" className="text-xs text-bad-ink">
          {error}
        </p>
      )}
    </fieldset>
  )
}
