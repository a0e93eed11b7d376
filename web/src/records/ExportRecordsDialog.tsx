// Chooses the format and the columns of an export of records. Both are remembered for the person.
import { exportColumns, exportColumnsSchema } from '@tollgate/contract/records/export-columns.ts'
import { chosenRowsMax } from '@tollgate/contract/fields.ts'
import { recordsRoutes, type RecordFilters } from '@tollgate/contract/records/records.ts'
import type { CsvForm, Route } from '@tollgate/contract/route.ts'
import { Download } from 'lucide-react'
import { useState } from 'react'
import { z } from 'zod'
import { urlOf } from '../api/call.ts'
import { useFileExport } from '../api/use-file-export.ts'
import { formatCount } from '../format/money.ts'
import { Button, buttonClass } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { useCsvForm } from '../ui/csv-form.ts'
import { CsvFormChoice } from '../ui/ExportCsv.tsx'
import { SelectField } from '../ui/Field.tsx'
import { useScreenSetting } from '../ui/screen-settings.ts'
import { ExportColumnsField } from './ExportColumnsField.tsx'
import { t } from '../language/t.ts'

const choiceSchema = z.object({
  /** list: as the page shows it. */
  format: z.enum(['list', 'csv', 'parquet']),
  columns: z.union([z.literal(''), exportColumnsSchema]),
})
type Choice = z.infer<typeof choiceSchema>

const isChoice = (value: unknown): value is Choice => choiceSchema.safeParse(value).success
const nothingChosen: Choice = { format: 'csv', columns: exportColumns.join(',') }

const formats: Readonly<Record<Choice['format'], string>> = {
  list: t('CSV as this page shows it'),
  csv: t('CSV with chosen columns'),
  parquet: t('Apache Parquet with chosen columns'),
}

interface ExportRecordsDialogProps {
  readonly filters: RecordFilters
  /** How many the filters match, once it is known. */
  readonly count: number | undefined
  /** The selected records. */
  readonly ids: ReadonlySet<string>
  readonly onClose: () => void
}

export function ExportRecordsDialog({ filters, count, ids, onClose }: ExportRecordsDialogProps) {
  const [choice, setChoice] = useScreenSetting('export.sms-records', nothingChosen, isChoice)
  const [isSelected, setSelected] = useState(ids.size > 0 && ids.size <= chosenRowsMax)
  const { format, columns } = choice
  const csv = useCsvForm()
  const form = format === 'parquet' ? {} : csv.query
  const isList = format === 'list'
  const isReady = isList || columns !== ''
  const chosen = isList ? {} : { columns }
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t('Export SMS records')}
      description={t('Texts of messages are in no export.')}
      width="md"
      action={
        isSelected ? (
          <SaveSelected
            route={
              format === 'parquet'
                ? recordsRoutes.exportChosenRecordsAsParquet
                : recordsRoutes.exportChosenRecords
            }
            call={{ body: { ids: [...ids], ...chosen }, query: form }}
            isDisabled={!isReady}
            onDone={onClose}
          />
        ) : isReady ? (
          <a
            className={buttonClass('primary')}
            download=""
            href={urlOf(
              format === 'parquet' ? recordsRoutes.exportRecordsAsParquet : recordsRoutes.exportRecords,
              { query: { ...filters, ...chosen, ...form } },
            )}
            onClick={onClose}
          >
            <Download size={16} strokeWidth={1.6} aria-hidden="true" />
            {t('Export')}
          </a>
        ) : (
          <Button tone="primary" icon={Download} isDisabled>
            {t('Export')}
          </Button>
        )
      }
    >
      <div className="space-y-4">
        {ids.size > 0 && ids.size <= chosenRowsMax && (
          <SelectField
            label={t('Records')}
            value={isSelected ? 'selected' : 'all'}
            options={[
              { value: 'selected', label: t('The {count} selected ones', { count: formatCount(ids.size) }) },
              { value: 'all', label: t('All {count} that the filters match', { count: formatCount(count) }) },
            ]}
            onChange={({ target }) => setSelected(target.value === 'selected')}
          />
        )}
        <SelectField
          label={t('Format')}
          value={format}
          options={Object.entries(formats).map(([value, label]) => ({ value, label }))}
          onChange={({ target }) => setChoice({ ...choice, format: target.value as Choice['format'] })}
        />
        {format !== 'parquet' && <CsvFormChoice />}
        {!isList && (
          <ExportColumnsField
            columns={columns}
            error={isReady ? undefined : t('Choose one column at least')}
            onChange={(next) => setChoice({ ...choice, columns: next })}
          />
        )}
      </div>
    </Dialog>
  )
}

type ChosenRoute =
  | typeof recordsRoutes.exportChosenRecords
  | typeof recordsRoutes.exportChosenRecordsAsParquet

interface SaveSelectedProps {
  readonly route: ChosenRoute
  readonly call: {
    readonly body: { readonly ids: string[]; readonly columns?: string }
    readonly query: CsvForm
  }
  readonly isDisabled: boolean
  readonly onDone: () => void
}

function SaveSelected({ route, call, isDisabled, onDone }: SaveSelectedProps) {
  const { isBusy, save } = useFileExport()
  return (
    <Button
      tone="primary"
      icon={Download}
      isBusy={isBusy}
      isDisabled={isDisabled}
      onClick={() => void save<Route>(route, call, onDone)}
    >
      {t('Export')}
    </Button>
  )
}
