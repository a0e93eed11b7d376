import { marginRoutes, type MarginRow } from '@tollgate/contract/books/margin.ts'
import type { RouteAnswer } from '@tollgate/contract/route.ts'
import { marginViews } from '@tollgate/contract/vocabulary.ts'
import { failureOf } from '../api/FetchFailure.tsx'
import { urlOf } from '../api/call.ts'
import { useApiQuery } from '../api/use-api.ts'
import { formatAmountFigure, formatCount, formatUsdt, unknownFigure } from '../format/money.ts'
import { Amount } from '../money/cells.tsx'
import { ExportCsv } from '../ui/ExportCsv.tsx'
import { SelectField } from '../ui/Field.tsx'
import { FilterBar } from '../ui/FilterBar.tsx'
import { EmptyState } from '../ui/States.tsx'
import { StatStrip, type Stat } from '../ui/StatStrip.tsx'
import { type Column, subject } from '../ui/table/column.ts'
import { DataTable } from '../ui/table/DataTable.tsx'
import { useUrlState } from '../url-state.ts'
import { SignedAmount } from '../money/SignedAmount.tsx'
import { SpanFields, useSpan } from './SpanFields.tsx'
import { PurchasePrices } from './PurchasePrices.tsx'
import { booksSearch } from './search.ts'
import { t } from '../language/t.ts'

const viewLabels = { range: t('Range'), client: t('Client'), supplier: t('Supplier') }
const listLabels = {
  range: t('Margin by range'),
  client: t('Margin by client'),
  supplier: t('Margin by supplier'),
}

/** What suppliers pay for messages, less what clients earn by them. */
export function MarginTab() {
  const url = useUrlState(booksSearch)
  const { from, to } = useSpan(url)
  const { by } = url.state
  const query = { from, to, by }
  const margin = useApiQuery(marginRoutes.getMargin, { query })
  const { data } = margin
  const shown = (figure: string | undefined) => figure ?? (margin.error ? unknownFigure : undefined)
  return (
    <div className="space-y-4">
      <FilterBar chips={[]} onReset={() => url.set({ from: '', to: '' })}>
        <SpanFields from={from} to={to} onChange={(changed) => url.set(changed)} />
        <SelectField
          label={t('By')}
          value={by}
          options={marginViews.map((value) => ({ value, label: viewLabels[value] }))}
          onChange={(event) => url.set({ by: event.target.value as typeof by })}
        />
      </FilterBar>
      <StatStrip
        label={t('Margin')}
        stats={[
          {
            label: t('Margin'),
            figure: shown(data && figureOf(data.totals.margin)),
            unit: t('USDT'),
            note:
              data?.totals.margin === null ? t('no purchase price yet') : t('before holds and corrections'),
          },
          {
            label: t('Revenue'),
            figure: shown(data && figureOf(data.totals.revenue)),
            unit: t('USDT'),
            note: data
              ? t('from suppliers, {count} SMS', { count: formatCount(data.totals.smsCount) })
              : t('from suppliers'),
          },
          {
            label: t('Cost'),
            figure: shown(data && figureOf(data.totals.cost)),
            unit: t('USDT'),
            note: t('earned by clients'),
          },
          unpricedStat(data?.totals, margin.error !== null),
        ]}
      />
      <DataTable<MarginRow>
        label={listLabels[by]}
        columns={columnsOf(viewLabels[by])}
        rows={data?.rows}
        {...failureOf(margin, t('Failed to fetch the margin'))}
        rowId={({ id }) => id}
        rowLabel={({ name }) => name}
        loadingLabel={t('Loading the margin...')}
        empty={<EmptyState title={t('No messages')}>{t('None were received on these days.')}</EmptyState>}
        foot={<ExportCsv href={urlOf(marginRoutes.exportMargin, { query })} />}
      />
      <PurchasePrices />
    </div>
  )
}

/** SMS that count in no margin. It has its place while it loads, so that nothing moves. */
function unpricedStat(totals: Margin['totals'] | undefined, hasFailed: boolean): Stat {
  const label = t('Without a price')
  if (!totals) return { label, figure: hasFailed ? unknownFigure : undefined, note: undefined }
  const { unpricedCount, unpricedCost } = totals
  return {
    label,
    figure: <span className={unpricedCount > 0 ? 'text-warn-ink' : ''}>{formatCount(unpricedCount)}</span>,
    note:
      unpricedCount === 0
        ? t('every SMS has one')
        : t('clients earned {unpricedCost}', { unpricedCost: formatUsdt(unpricedCost) }),
  }
}

type Margin = RouteAnswer<typeof marginRoutes.getMargin>

const figureOf = (amount: string | null) => (amount === null ? unknownFigure : formatAmountFigure(amount))

const none = <span className="text-ink-3">–</span>

const columnsOf = (header: string): readonly Column<MarginRow>[] => [
  { ...subject, id: 'name', header, cell: ({ name }) => name },
  { id: 'count', header: t('SMS'), align: 'right', cell: ({ smsCount }) => formatCount(smsCount) },
  {
    id: 'revenue',
    header: t('Revenue'),
    align: 'right',
    cell: ({ revenue }) => (revenue === null ? none : <Amount value={revenue} />),
  },
  {
    id: 'cost',
    header: t('Cost'),
    align: 'right',
    cell: ({ cost, revenue }) => (revenue === null ? none : <Amount value={cost} />),
  },
  {
    id: 'unpriced',
    header: t('Without a price'),
    align: 'right',
    cell: ({ unpricedCount }) =>
      unpricedCount === 0 ? (
        none
      ) : (
        <span className="text-warn-ink">
          {t('{unpricedCount} SMS', { unpricedCount: formatCount(unpricedCount) })}
        </span>
      ),
  },
  {
    id: 'margin',
    header: t('Margin'),
    align: 'right',
    card: 'end',
    cell: ({ margin }) => (margin === null ? none : <SignedAmount value={margin} />),
  },
]
