import { booksRoutes, type Accruals } from '@tollgate/contract/books/books.ts'
import { FetchFailure } from '../api/FetchFailure.tsx'
import { RefreshNote } from '../api/RefreshNote.tsx'
import { urlOf } from '../api/call.ts'
import { useApiQuery } from '../api/use-api.ts'
import { formatInstant } from '../format/dates.ts'
import { formatCount, formatUsdt, unknownFigure } from '../format/money.ts'
import { Amount } from '../money/cells.tsx'
import { ExportCsv } from '../ui/ExportCsv.tsx'
import { DateField } from '../ui/DateField.tsx'
import { FilterBar } from '../ui/FilterBar.tsx'
import { EmptyState } from '../ui/States.tsx'
import { type Column, subject } from '../ui/table/column.ts'
import { DataTable, Total } from '../ui/table/DataTable.tsx'
import { filterChips, useUrlState } from '../url-state.ts'
import { booksSearch } from './search.ts'
import { t } from '../language/t.ts'

type AccruedClient = Accruals['clients'][number]

/** The end of a day in UTC, as an instant. */
const endOf = (day: string) => new Date(Date.parse(`${day}T00:00:00Z`) + 86_400_000).toISOString()

/** What was earned and not billed, and billed and not paid, at the end of a day. */
export function AccrualsTab() {
  const url = useUrlState(booksSearch)
  const { at } = url.state
  const query = at === '' ? {} : { at: endOf(at) }
  const accruals = useApiQuery(booksRoutes.getAccruals, { query })
  const { data } = accruals
  if (accruals.error && !data) return <FetchFailure of={accruals} title={t('Failed to fetch the accruals')} />
  const chips = filterChips(url, { at: (day) => t('End of {day}', { day }) })
  return (
    <div className="space-y-4">
      <RefreshNote of={[accruals]} />
      <FilterBar chips={chips} onReset={() => url.set({ at: '' })}>
        <DateField
          label={t('At the end of')}
          zone="UTC"
          value={at}
          hint={data && t('As of {at}', { at: formatInstant(data.at) })}
          onChange={(event) => url.set({ at: event.target.value })}
        />
      </FilterBar>
      <DataTable<AccruedClient>
        label={t('Accruals by client')}
        columns={columns}
        rows={data?.clients}
        rowId={({ userId }) => String(userId)}
        rowLabel={({ userName }) => userName}
        loadingLabel={t('Loading the accruals...')}
        empty={
          <EmptyState title={t('Nothing was owed')}>{t('No client had earned anything by then.')}</EmptyState>
        }
        foot={
          <>
            {figures.map(([name, label]) => (
              <Total key={name} label={label} value={data ? formatUsdt(data.totals[name]) : unknownFigure} />
            ))}
            {data && data.clients.length < data.clientCount && (
              <p className="text-ink-3">
                {t('The {count} to whom most is owed, of {clientCount}. The export has all.', {
                  count: formatCount(data.clients.length),
                  clientCount: formatCount(data.clientCount),
                })}
              </p>
            )}
            <ExportCsv href={urlOf(booksRoutes.exportAccruals, { query })} />
          </>
        }
      />
    </div>
  )
}

const figures = [
  ['unbilled', t('Not billed')],
  ['held', t('Held')],
  ['billed', t('Billed')],
  ['credit', t('Credit')],
  ['owed', t('Owed in all')],
] as const

const columns: readonly Column<AccruedClient>[] = [
  { ...subject, id: 'user', header: t('User'), cell: ({ userName }) => userName },
  ...figures.map(([name, header]): Column<AccruedClient> => ({
    id: name,
    header,
    align: 'right',
    card: name === 'owed' ? 'end' : 'labelled',
    cell: (client) =>
      client[name] === '0.00' ? <span className="text-ink-3">0.00</span> : <Amount value={client[name]} />,
  })),
]
