import type { FileColumn, FileColumns } from '@tollgate/contract/numbers/import.ts'
import { importColumns, type ImportColumn } from '@tollgate/contract/numbers/numbers.ts'
import { SelectField } from '../../ui/Field.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { t } from '../../language/t.ts'

// In the order of importColumns.
const labels = [
  t('Number'),
  t('Description'),
  t('Rate'),
  t('Status'),
  t('Country'),
  t('Country Code'),
  t('Client, by username'),
]
const meanings = importColumns.map((value, at) => ({ value, label: labels[at] ?? value }))

/** Whether it is enough for an import. */
export function isMapped({ columns }: FileColumns): boolean {
  return columns.some(({ column }) => column === 'Number')
}

interface ColumnMappingProps {
  readonly mapping: FileColumns
  readonly onChange: (mapping: FileColumns) => void
  /** With 0 no line names the columns. */
  readonly onHeaderLine: (line: number) => void
}

/** Asks what the columns of a file are whose first line does not say it. */
export function ColumnMapping({ mapping, onChange, onHeaderLine }: ColumnMappingProps) {
  // A meaning that moves to another column leaves its former one.
  const choose = (place: number, column: ImportColumn | null) =>
    onChange({
      ...mapping,
      columns: mapping.columns.map((each, at) =>
        at === place
          ? { ...each, column }
          : column !== null && each.column === column
            ? { ...each, column: null }
            : each,
      ),
    })
  return (
    <section aria-label={t('Columns of the file')} className="space-y-3">
      <Notice tone="warn" title={t('What are the columns of this file?')} isAlert>
        {t('Its first line does not say it. Only Number is needed; columns that are left out are not read.')}
      </Notice>
      <SelectField
        label={t('The line that names the columns')}
        hint={t('What stands above it, such as a title, is not read.')}
        value={String(mapping.headerLine)}
        options={[
          { value: '0', label: t('None') },
          ...mapping.firstLines.map(({ line, text }) => ({
            value: String(line),
            label: t('Line {line}: {text}', { line: String(line), text }),
          })),
        ]}
        onChange={(event) => onHeaderLine(Number(event.target.value))}
      />
      <div className="grid gap-3 sm:grid-cols-2 lg:grid-cols-3">
        {mapping.columns.map((column, place) => (
          // Columns may have the same name or none.
          // eslint-disable-next-line react/no-array-index-key
          <MappedColumn key={place} place={place} column={column} onChoose={(next) => choose(place, next)} />
        ))}
      </div>
    </section>
  )
}

interface MappedColumnProps {
  readonly place: number
  readonly column: FileColumn
  readonly onChoose: (column: ImportColumn | null) => void
}

function MappedColumn({ place, column, onChoose }: MappedColumnProps) {
  const label = column.name === '' ? t('Column {place}', { place: place + 1 }) : column.name
  const samples = column.samples.filter((sample) => sample !== '')
  return (
    <SelectField
      label={label}
      hint={samples.length === 0 ? t('empty in the first lines') : samples.join(' · ')}
      value={column.column ?? ''}
      options={[{ value: '', label: t('Leave out') }, ...meanings]}
      onChange={(event) => onChoose(importColumns.find((name) => name === event.target.value) ?? null)}
    />
  )
}
