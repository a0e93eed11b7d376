import { dayRateInputSchema, journalRoutes, type DayRate } from '@tollgate/contract/books/journal.ts'
import { FileUp, Plus } from 'lucide-react'
import { useState } from 'react'
import { z } from 'zod'
import { tableOf } from '../../api/FetchFailure.tsx'
import { SaveDialog } from '../../api/SaveDialog.tsx'
import { useSession } from '../../api/session.tsx'
import { fieldOf, useApiForm } from '../../api/use-api-form.ts'
import { useApiPages } from '../../api/use-api.ts'
import { formatDay } from '../../format/dates.ts'
import { FileButton } from '../../ui/FileButton.tsx'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { DateField, TextAreaField, TextField } from '../../ui/Field.tsx'
import { EmptyState } from '../../ui/States.tsx'
import type { Column } from '../../ui/table/column.ts'
import { DataTable } from '../../ui/table/DataTable.tsx'
import { t } from '../../language/t.ts'

/** What one USDT was worth on each day, in the currency of the books. */
export function DayRates({ currency }: { readonly currency: string }) {
  const list = useApiPages(journalRoutes.listDayRates, { query: { limit: 31 } })
  const { may } = useSession()
  const [dialog, setDialog] = useState<'enter' | 'import'>()
  if (currency === 'USDT')
    return (
      <Card title={t('Rates of the day')}>
        <p className="text-ink-2">
          {t(
            'The books are in USDT. With another currency each day has a rate, and the journal its amounts in it.',
          )}
        </p>
      </Card>
    )
  const close = () => setDialog(undefined)
  return (
    <>
      <DataTable<DayRate>
        label={t('Rates of the day')}
        title={t('Rates of the day')}
        columns={columnsOf(currency)}
        {...tableOf(list, t('Failed to fetch the rates'))}
        rowId={({ day }) => day}
        rowLabel={({ day }) => day}
        loadingLabel={t('Loading rates...')}
        actions={
          may('adminSettings') && (
            <>
              <Button size="sm" icon={FileUp} onClick={() => setDialog('import')}>
                {t('Import')}
              </Button>
              <Button size="sm" icon={Plus} onClick={() => setDialog('enter')}>
                {t('Enter')}
              </Button>
            </>
          )
        }
        empty={
          <EmptyState title={t('No rates yet')}>
            {t('Enter one, or import a CSV with the columns day and rate.')}
          </EmptyState>
        }
      />
      {dialog === 'enter' && <EnterRateDialog currency={currency} onClose={close} />}
      {dialog === 'import' && <ImportRatesDialog currency={currency} onClose={close} />}
    </>
  )
}

const columnsOf = (currency: string): readonly Column<DayRate>[] => [
  { id: 'day', header: t('Day'), isSubject: true, card: 'title', cell: ({ day }) => formatDay(day) },
  {
    id: 'rate',
    header: t('One USDT in {currency}', { currency }),
    align: 'right',
    card: 'end',
    cell: ({ rate }) => rate,
  },
  { id: 'by', header: t('Entered by'), cell: ({ enteredBy }) => enteredBy },
]

interface RateDialogProps {
  readonly currency: string
  readonly onClose: () => void
}

function EnterRateDialog({ currency, onClose }: RateDialogProps) {
  const form = useApiForm(dayRateInputSchema, { day: '', rate: '' })
  return (
    <SaveDialog
      form={form}
      route={journalRoutes.putDayRate}
      title={t('Rate of a day')}
      description={t('What one USDT is worth in {currency}. A rate that stands for the day is replaced.', {
        currency,
      })}
      refetch={['/api/books']}
      success={t('The rate has been saved.')}
      failure={t('The rate was not saved')}
      submitLabel={t('Save')}
      onClose={onClose}
      callOf={(body) => ({ body })}
    >
      <DateField label={t('Day')} {...fieldOf(form, 'day')} />
      <TextField label={t('Rate')} inputMode="decimal" placeholder="0.9231" {...fieldOf(form, 'rate')} />
    </SaveDialog>
  )
}

const importSchema = z.object({ data: z.string().trim().min(1, t('Paste the lines, or choose a file')) })

function ImportRatesDialog({ currency, onClose }: RateDialogProps) {
  const form = useApiForm(importSchema, { data: '' })
  return (
    <SaveDialog
      form={form}
      route={journalRoutes.importDayRates}
      title={t('Import rates')}
      description={t('What one USDT is worth in {currency}, day by day. Every line is taken, or none.', {
        currency,
      })}
      refetch={['/api/books']}
      success={t('The rates have been imported.')}
      failure={t('Nothing was imported')}
      submitLabel={t('Import')}
      busyLabel={t('Importing...')}
      onClose={onClose}
      callOf={(body) => ({ body })}
    >
      <TextAreaField
        label={t('CSV with the columns day and rate')}
        isMono
        rows={8}
        spellCheck={false}
        placeholder={t('day,rate\n2026-11-01,0.9231')}
        {...fieldOf(form, 'data')}
      />
      <FileButton
        label={t('File of rates')}
        accept=".csv,text/csv"
        size="sm"
        icon={FileUp}
        onFile={(file) => void file.text().then((text) => form.setValue('data', text, { shouldDirty: true }))}
      >
        {t('Choose file')}
      </FileButton>
    </SaveDialog>
  )
}
