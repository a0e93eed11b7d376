import {
  marginRoutes,
  purchasePriceInputSchema,
  type PurchasePrice,
} from '@tollgate/contract/books/margin.ts'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { tableOf } from '../api/FetchFailure.tsx'
import { SaveDialog } from '../api/SaveDialog.tsx'
import { fieldOf, useApiForm } from '../api/use-api-form.ts'
import { useApiPages } from '../api/use-api.ts'
import { formatDay } from '../format/dates.ts'
import { formatCostPerSms } from '../format/money.ts'
import { Button } from '../ui/Button.tsx'
import { DateField } from '../ui/DateField.tsx'
import { TextField } from '../ui/Field.tsx'
import { EmptyState } from '../ui/States.tsx'
import type { Column } from '../ui/table/column.ts'
import { DataTable } from '../ui/table/DataTable.tsx'
import { t } from '../language/t.ts'

/** What suppliers pay for each message to a range, newest entry first. */
export function PurchasePrices() {
  const list = useApiPages(marginRoutes.listPurchasePrices, { query: { limit: 27 } })
  const [isAdding, setAdding] = useState(false)
  return (
    <>
      <DataTable<PurchasePrice>
        label={t('Purchase prices')}
        title={t('Purchase prices')}
        columns={columns}
        {...tableOf(list, t('Failed to fetch the purchase prices'))}
        rowId={({ id }) => id}
        rowLabel={({ range, startsOn }) => t('{range} from {startsOn}', { range, startsOn })}
        loadingLabel={t('Loading purchase prices...')}
        actions={
          <Button size="sm" icon={Plus} onClick={() => setAdding(true)}>
            {t('Add Price')}
          </Button>
        }
        empty={
          <EmptyState title={t('No purchase prices yet')}>
            {t('Enter what a supplier pays for each message to a range, and the margin shows.')}
          </EmptyState>
        }
      />
      {isAdding && <AddPriceDialog onClose={() => setAdding(false)} />}
    </>
  )
}

const columns: readonly Column<PurchasePrice>[] = [
  { id: 'range', header: t('Range'), isSubject: true, card: 'title', cell: ({ range }) => range },
  { id: 'supplier', header: t('Supplier'), cell: ({ supplier }) => supplier },
  { id: 'from', header: t('Valid from'), card: 'fact', cell: ({ startsOn }) => formatDay(startsOn) },
  {
    id: 'price',
    header: t('Price per message'),
    align: 'right',
    card: 'end',
    cell: ({ price }) => formatCostPerSms(price),
  },
  { id: 'by', header: t('Entered by'), cell: ({ enteredBy }) => enteredBy },
]

function AddPriceDialog({ onClose }: { readonly onClose: () => void }) {
  const form = useApiForm(purchasePriceInputSchema, { range: '', supplier: '', price: '', startsOn: '' })
  return (
    <SaveDialog
      form={form}
      route={marginRoutes.createPurchasePrice}
      title={t('Add Price')}
      description={t(
        'What a supplier pays us for each message to a range. It counts until the next price of the range.',
      )}
      consequence={t('Prices are only ever added. If there are two for one day, the newer one counts.')}
      refetch={['/api/books']}
      success={t('The purchase price has been saved.')}
      failure={t('The price was not saved')}
      submitLabel={t('Save')}
      onClose={onClose}
      callOf={(body) => ({ body })}
    >
      <TextField label={t('Range')} hint={t('Its number, as in Number Ranges')} {...fieldOf(form, 'range')} />
      <TextField label={t('Supplier')} {...fieldOf(form, 'supplier')} />
      <TextField label={t('Price per message (USDT)')} inputMode="decimal" {...fieldOf(form, 'price')} />
      <DateField label={t('From')} zone="UTC" {...fieldOf(form, 'startsOn')} />
    </SaveDialog>
  )
}
