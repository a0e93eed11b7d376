import { stockRoutes, type OfferedNumber } from '@tollgate/contract/numbers/stock.ts'
import { parseMicro } from '@tollgate/contract/money.ts'
import { numberTypes, type StockOffer } from '@tollgate/contract/vocabulary.ts'
import { Plus } from 'lucide-react'
import { useMemo, useState } from 'react'
import type { z } from 'zod'
import { ConfirmMutation } from '../../api/ConfirmMutation.tsx'
import { tableOf } from '../../api/FetchFailure.tsx'
import { useUser } from '../../api/session.tsx'
import { useApiPages, useApiQuery } from '../../api/use-api.ts'
import { formatCount, formatRate } from '../../format/money.ts'
import { formatPhone } from '../../format/phone.ts'
import { NextRate } from '../../money/NextRate.tsx'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { NumberField, SelectField } from '../../ui/Field.tsx'
import { ListFilters } from '../../ui/ListFilters.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { PhoneNumber } from '../../ui/PhoneNumber.tsx'
import { EmptyState } from '../../ui/States.tsx'
import { actionsColumn, type Column, subject } from '../../ui/table/column.ts'
import { DataTable } from '../../ui/table/DataTable.tsx'
import { filterChips, quoted, urlSelect, urlSort, useUrlState } from '../../url-state.ts'
import { CountryCell } from '../cells.tsx'
import { numberPaths } from '../queries.ts'
import { RequestNumberDialog } from '../requests/RequestNumberDialog.tsx'
import { numberTypeLabels } from '../type-labels.ts'
import { stockSearch } from './search.ts'
import { t } from '../../language/t.ts'

const stockPaths = ['/api/number-stock', ...numberPaths] as const
const typeOptions = [
  { value: 'all', label: t('All Types') },
  ...numberTypes.map((value) => ({ value, label: numberTypeLabels[value] })),
]

/** A request may be for any number. */
type StockChoice =
  | { readonly act: 'request'; readonly number?: OfferedNumber }
  | { readonly act: 'take'; readonly number: OfferedNumber }

/** The filters as the API takes them. */
function queryOf({ search, country, type, price, sort, order }: z.output<typeof stockSearch>) {
  return {
    search,
    ...(country !== '' && { country }),
    ...(type !== 'all' && { type }),
    // Half a figure, as it is typed, is no filter yet.
    ...((parseMicro(price) ?? 0n) > 0n && { priceMin: price }),
    sort,
    order,
  }
}

/** The numbers that staff offer: to search, and to request or take. */
export function NumberStockPage() {
  const url = useUrlState(stockSearch)
  const { role } = useUser()
  const terms = useApiQuery(stockRoutes.getStockTerms)
  const list = useApiPages(stockRoutes.listStock, { query: queryOf(url.state) })
  const [choice, setChoice] = useState<StockChoice>()
  const offer = terms.data?.offer
  const mayTake = offer === 'take' && role === 'user' && (terms.data?.takesLeft ?? 0) > 0
  const columns = useMemo(
    () => stockColumns(mayTake, (act, number) => setChoice({ act, number })),
    [mayTake, setChoice],
  )
  const chips = filterChips(url, {
    search: quoted,
    country: (value) => value,
    type: (value) => typeOptions.find((option) => option.value === value)?.label ?? value,
    price: (value) => t('from {rate}', { rate: formatRate(value) }),
  })
  return (
    <>
      <PageHeader
        title={t('Number Stock')}
        actions={
          role === 'user' && (
            <Button icon={Plus} onClick={() => setChoice({ act: 'request' })}>
              {t('Request Number')}
            </Button>
          )
        }
      >
        {stockWords(offer, terms.data?.takesLeft ?? 0, role === 'user')}
      </PageHeader>
      {offer === 'off' ? (
        <Card>
          <EmptyState title={t('Numbers in stock are not shown here')}>
            {t('Request a number instead: support finds one for you.')}
          </EmptyState>
        </Card>
      ) : (
        <>
          <ListFilters
            page="number-stock"
            url={url}
            chips={chips}
            placeholder={t('Search by digits or country...')}
          >
            <SelectField
              label={t('Country')}
              options={[
                { value: '', label: t('All') },
                ...(terms.data?.countries ?? []).map((value) => ({ value, label: value })),
              ]}
              {...urlSelect(url, 'country')}
            />
            <SelectField label={t('Number Type')} options={typeOptions} {...urlSelect(url, 'type')} />
            <NumberField
              label={t('USD per SMS from')}
              step="0.01"
              min="0"
              value={url.state.price}
              onChange={(event) => url.set({ price: event.target.value })}
            />
          </ListFilters>
          <DataTable
            label={t('Numbers in stock')}
            storageName="number-stock"
            columns={columns}
            rowId={({ id }) => id}
            rowLabel={({ number }) => formatPhone(number)}
            loadingLabel={t('Loading numbers...')}
            {...urlSort(url)}
            {...tableOf(list, t('Failed to fetch numbers'))}
            empty={<NoStock isFiltered={chips.length > 0} onReset={url.reset} />}
          />
        </>
      )}
      {choice && <ChoiceDialog choice={choice} onClose={() => setChoice(undefined)} />}
    </>
  )
}

function ChoiceDialog({ choice, onClose }: { choice: StockChoice; onClose: () => void }) {
  if (choice.act === 'take') return <TakeDialog number={choice.number} onClose={onClose} />
  return <RequestNumberDialog onClose={onClose} start={{ requestedNumber: choice.number?.number ?? '' }} />
}

function NoStock({ isFiltered, onReset }: { isFiltered: boolean; onReset: () => void }) {
  if (!isFiltered) return <EmptyState title={t('No number is in stock now')} />
  return (
    <EmptyState
      title={t('No number in stock matches the filters')}
      action={<Button onClick={onReset}>{t('Reset filters')}</Button>}
    />
  )
}

function stockWords(offer: StockOffer | undefined, takesLeft: number, isClient: boolean): string {
  if (offer !== 'take')
    return t('Available numbers and what each SMS to them earns; request the one you want')
  if (!isClient) return t('Available numbers as clients see them; clients may take one at once')
  return takesLeft === 0
    ? t('You have taken as many numbers as you may in a day; you can still request one')
    : t('Available numbers and what each SMS to them earns; you may take {takesLeft} more today', {
        takesLeft: formatCount(takesLeft),
      })
}

function TakeDialog({ number, onClose }: { number: OfferedNumber; onClose: () => void }) {
  return (
    <ConfirmMutation
      onClose={onClose}
      title={t('Take {number}?', { number: formatPhone(number.number) })}
      route={stockRoutes.takeNumber}
      refetch={stockPaths}
      success={t('Number taken successfully')}
      failure={t('Failed to take number')}
      call={{ params: { id: number.id } }}
      confirmLabel={t('Take Number')}
      busyLabel={t('Taking...')}
      tone="primary"
    >
      {t('You hold it from now on. Each SMS to it earns you {pricePerSms}, paid out per number.', {
        pricePerSms: formatRate(number.pricePerSms),
      })}
      <NextRate next={number.scheduled} ended={t('Weekly bill')} />
    </ConfirmMutation>
  )
}

function stockColumns(
  mayTake: boolean,
  onAction: (act: StockChoice['act'], number: OfferedNumber) => void,
): readonly Column<OfferedNumber>[] {
  return [
    {
      ...subject,
      id: 'number',
      header: t('Number'),
      sortBy: 'number',
      cell: ({ number }) => <PhoneNumber value={number} />,
    },
    {
      id: 'country',
      header: t('Country'),
      sortBy: 'country',
      card: 'fact',
      cell: ({ country, countryCode }) => <CountryCell country={country} code={countryCode} />,
    },
    { id: 'type', header: t('Type'), card: 'fact', cell: ({ type }) => numberTypeLabels[type] },
    {
      id: 'operator',
      header: t('Operator'),
      cell: ({ operator }) => (operator === '' ? <span className="text-ink-3">–</span> : operator),
    },
    {
      id: 'price',
      header: t('USD per SMS'),
      sortBy: 'pricePerSms',
      align: 'right',
      card: 'end',
      cell: ({ pricePerSms, scheduled }) => (
        <>
          {formatRate(pricePerSms)}
          <NextRate next={scheduled} ended={t('Weekly bill')} />
        </>
      ),
    },
    actionsColumn((row) => (
      <span className="inline-flex gap-1">
        {mayTake && (
          <Button
            size="sm"
            aria-label={t('Take {number}', { number: formatPhone(row.number) })}
            onClick={() => onAction('take', row)}
          >
            {t('Take')}
          </Button>
        )}
        <Button
          size="sm"
          tone={mayTake ? 'ghost' : 'secondary'}
          aria-label={t('Request {number}', { number: formatPhone(row.number) })}
          onClick={() => onAction('request', row)}
        >
          {t('Request')}
        </Button>
      </span>
    )),
  ]
}
