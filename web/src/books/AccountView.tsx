import { booksRoutes, type ClientAccount, type Movement } from '@tollgate/contract/books/books.ts'
import { movementTypes } from '@tollgate/contract/vocabulary.ts'
import type { UseQueryResult } from '@tanstack/react-query'
import { useMemo } from 'react'
import { FetchFailure, tableOf } from '../api/FetchFailure.tsx'
import { RefreshNote } from '../api/RefreshNote.tsx'
import { urlOf } from '../api/call.ts'
import { useApiPages, useApiQuery, type PagedRows } from '../api/use-api.ts'
import { formatDay } from '../format/dates.ts'
import { formatAmountFigure, formatUsdt } from '../format/money.ts'
import { linkedFigure } from '../money/linked-figure.tsx'
import { moneyPollMs } from '../money/queries.ts'
import { paths } from '../paths.ts'
import { useWeek } from '../records/queries.ts'
import { Button } from '../ui/Button.tsx'
import { Card, Pairs } from '../ui/Card.tsx'
import { ExportCsv } from '../ui/ExportCsv.tsx'
import { DateField } from '../ui/DateField.tsx'
import { SelectField } from '../ui/Field.tsx'
import { FilterBar } from '../ui/FilterBar.tsx'
import { EmptyState } from '../ui/States.tsx'
import { StatStrip } from '../ui/StatStrip.tsx'
import { DataTable, Total } from '../ui/table/DataTable.tsx'
import { filterChips, type UrlState } from '../url-state.ts'
import { AgedTotals } from './aged.tsx'
import { movementColumns } from './movement-columns.tsx'
import { labelsFor } from './movement-text.ts'
import type { AccountSearch } from '../billing/search.ts'
import { t } from '../language/t.ts'

interface AccountProps {
  readonly url: UrlState<AccountSearch>
}

interface AccountViewProps extends AccountProps {
  readonly account: UseQueryResult<ClientAccount, Error>
  readonly list: PagedRows<Movement>
  readonly exportHref: string
  readonly isStaff: boolean
}

/** What the filters ask for; nothing is read while the days are backwards. */
function queryOf({ from, to, movement }: AccountSearch) {
  const span = { ...(from !== '' && { from }), ...(to !== '' && { to }) }
  const isBackwards = from !== '' && to !== '' && to < from
  return {
    span,
    filter: { ...span, ...(movement !== 'all' && { type: movement }) },
    isBackwards,
    polled: { refetchIntervalMs: moneyPollMs, isEnabled: !isBackwards },
  }
}

/** The viewer's own account. */
export function OwnAccount({ url }: AccountProps) {
  const { span, filter, polled } = queryOf(url.state)
  const account = useApiQuery(booksRoutes.getOwnAccount, { query: span }, polled)
  const list = useApiPages(booksRoutes.listOwnMovements, { query: filter }, polled)
  const exportHref = urlOf(booksRoutes.exportOwnMovements, { query: filter })
  return <AccountView url={url} account={account} list={list} exportHref={exportHref} isStaff={false} />
}

/** A client's account, for staff. */
export function AccountOf({ userId, url }: AccountProps & { readonly userId: number }) {
  const { span, filter, polled } = queryOf(url.state)
  const params = { id: userId }
  const account = useApiQuery(booksRoutes.getAccount, { params, query: span }, polled)
  const list = useApiPages(booksRoutes.listMovements, { params, query: filter }, polled)
  const exportHref = urlOf(booksRoutes.exportMovements, { params, query: filter })
  return <AccountView url={url} account={account} list={list} exportHref={exportHref} isStaff />
}

/** What a client is owed, by age, and every movement of the account with the balance after it. */
function AccountView({ url, account, list, exportHref, isStaff }: AccountViewProps) {
  const { from, to, movement } = url.state
  const { isBackwards } = queryOf(url.state)
  const labels = labelsFor(isStaff)
  const columns = useMemo(() => movementColumns(isStaff), [isStaff])
  if (account.error && !account.data)
    return <FetchFailure of={account} title={t('Failed to fetch the account')} />
  const reset = () => url.set({ from: '', to: '', movement: 'all' })
  const chips = filterChips(url, {
    from: (day) => t('From {day}', { day: formatDay(day) }),
    to: (day) => t('To {day}', { day: formatDay(day) }),
    movement: (type) => labels[type as keyof typeof labels],
  })
  return (
    <div className="space-y-4">
      <AccountFigures account={account.data} isStaff={isStaff} />
      <RefreshNote of={[account]} />
      {account.data && account.data.reserves.length > 0 && <Reserves account={account.data} />}
      <FilterBar chips={chips} onReset={reset}>
        <DateField
          label={t('Date From')}
          zone="UTC"
          value={from}
          onChange={(event) => url.set({ from: event.target.value })}
        />
        <DateField
          label={t('Date To')}
          zone="UTC"
          value={to}
          error={isBackwards ? t('Date To must not be before Date From') : undefined}
          onChange={(event) => url.set({ to: event.target.value })}
        />
        <SelectField
          label={t('Movement')}
          value={movement}
          options={['all' as const, ...movementTypes].map((value) => ({
            value,
            label: value === 'all' ? t('All') : labels[value],
          }))}
          onChange={(event) => url.set({ movement: event.target.value as AccountSearch['movement'] })}
        />
      </FilterBar>
      <DataTable<Movement>
        label={t('Movements')}
        storageName="account-movements"
        columns={columns}
        {...tableOf(list, t('Failed to fetch the movements'))}
        rowId={({ id }) => id}
        rowLabel={({ type, amount }) => `${labels[type]}, ${amount} USDT`}
        loadingLabel={t('Loading movements...')}
        empty={
          chips.length > 0 ? (
            <EmptyState
              title={t('No movement matches')}
              action={<Button onClick={reset}>{t('Reset filters')}</Button>}
            />
          ) : (
            <EmptyState title={t('No movements yet')}>
              {t('The first bill shows here when a period is closed.')}
            </EmptyState>
          )
        }
        foot={
          <>
            {account.data && <SpanSums span={account.data.span} />}
            <ExportCsv href={exportHref} />
          </>
        }
      />
    </div>
  )
}

/** What is kept, and when it is released. */
function Reserves({ account: { reserves, reserved } }: { readonly account: ClientAccount }) {
  return (
    <Card title={t('Reserve')} aside={t('{amount} in all', { amount: formatUsdt(reserved) })}>
      <Pairs
        items={reserves.map(({ periodId, amount, releaseAt }) => ({
          label: t('of bill #{id}', { id: periodId }),
          value: t('{amount} on {day}', { amount: formatUsdt(amount), day: formatDay(releaseAt) }),
        }))}
      />
    </Card>
  )
}

function AccountFigures({
  account,
  isStaff,
}: {
  readonly account: ClientAccount | undefined
  readonly isStaff: boolean
}) {
  const cycle = useWeek().data?.cycleId ?? null
  const figure = (amount: string | undefined) => amount && formatAmountFigure(amount)
  // Each leads to its messages.
  const ofRecords = (amount: string | undefined, label: string, filters: Readonly<Record<string, string>>) =>
    linkedFigure(figure(amount), label, paths.records, {
      ...(account && isStaff && { client: account.userName }),
      ...filters,
    })
  return (
    <>
      <StatStrip
        label={t('Account')}
        stats={[
          {
            label: isStaff ? t('Balance') : t('Due to you'),
            figure: figure(account?.balance),
            unit: t('USDT'),
            note:
              account && account.credit !== '0.00'
                ? t('{billed} billed, less a credit of {credit}', {
                    billed: formatUsdt(account.billed),
                    credit: formatUsdt(account.credit),
                  })
                : t('billed and not paid'),
          },
          {
            label: t('Not billed yet'),
            figure:
              account && cycle !== null
                ? ofRecords(account.unbilled, t('Not billed yet'), {
                    period: `${cycle}-${account.userId}`,
                    hold: 'none',
                    test: 'false',
                  })
                : figure(account?.unbilled),
            unit: t('USDT'),
            note: t('earned in the open period'),
          },
          {
            label: t('Held'),
            figure: ofRecords(account?.held, t('Held'), { hold: 'held' }),
            unit: t('USDT'),
            note: t('until somebody has reviewed it'),
          },
          {
            label: isStaff ? t('Received') : t('Paid to you'),
            figure: figure(account?.received),
            unit: t('USDT'),
            note: t('by all payments'),
          },
        ]}
      />
      <div role="group" aria-label={t('Owed by age')} className="flex flex-wrap gap-x-5 gap-y-1 px-1">
        <span className="text-ink-3 max-sm:w-full">{t('Owed by age')}:</span>
        <AgedTotals sums={account} />
      </div>
    </>
  )
}

function SpanSums({ span }: { readonly span: ClientAccount['span'] }) {
  const sums = [
    [t('Opening'), span.opening],
    [t('Added'), span.added],
    [t('Settled'), span.settled],
    [t('Closing'), span.closing],
  ] as const
  return sums.map(([label, amount]) => <Total key={label} label={label} value={formatUsdt(amount)} />)
}
