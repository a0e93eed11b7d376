import { type BillingPeriod, billingRoutes, type ownPeriodSorts } from '@tollgate/contract/billing/bills.ts'
import { parseMicro } from '@tollgate/contract/money.ts'
import { ChevronRight, Download } from 'lucide-react'
import type { ReactNode } from 'react'
import { urlOf } from '../../api/call.ts'
import { FetchFailure } from '../../api/FetchFailure.tsx'
import { RefreshNote } from '../../api/RefreshNote.tsx'
import { formatDay } from '../../format/dates.ts'
import { formatAmountFigure, formatCount, formatUsdt } from '../../format/money.ts'
import { CsvFormChoice, CsvLink } from '../../ui/ExportCsv.tsx'
import { StatusBadge } from '../../ui/Badge.tsx'
import { Button, buttonClass } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { classNames } from '../../ui/class-names.ts'
import { IconButton } from '../../ui/IconButton.tsx'
import { EmptyState, Skeleton } from '../../ui/States.tsx'
import { SortMenu } from '../../ui/table/TableBar.tsx'
import { urlSort, useUrlState } from '../../url-state.ts'
import { useOwnHistory } from '../../money/queries.ts'
import { billState, isUnpaid } from '../../amendments/amendment-words.ts'
import { BillDrawer } from './BillDrawer.tsx'
import { paymentSearch } from '../search.ts'
import { describeCost, formatBillingPeriod, describeUnbilled } from '../../money/bill-text.ts'
import { TransactionHash } from '../payments/TransactionHash.tsx'
import { t } from '../../language/t.ts'

interface BillingHistoryProps {
  readonly openId: string
  readonly onOpen: (id: string) => void
}

// The list has no column heads to click.
const sorts: readonly { readonly header: string; readonly sortBy: (typeof ownPeriodSorts)[number] }[] = [
  { header: t('Period'), sortBy: 'newest' },
  { header: t('Status'), sortBy: 'due' },
  { header: t('SMS Count'), sortBy: 'totalSmsCount' },
  { header: t('Total Cost'), sortBy: 'totalCost' },
]

export function BillingHistory({ openId, onOpen }: BillingHistoryProps) {
  const url = useUrlState(paymentSearch)
  const list = useOwnHistory(url.state.sort, url.state.order)
  const bills = list.rows?.filter(({ status }) => status !== 'pending')
  const shown = bills?.find(({ id }) => id === openId)
  return (
    <Card
      title={t('Billing History')}
      isFlush
      aside={
        <span className="flex flex-wrap items-center gap-1">
          {bills?.length !== 0 && <SortMenu columns={sorts} {...urlSort(url)} />}
          <CsvFormChoice />
          <CsvLink href={urlOf(billingRoutes.exportPeriods)} className={buttonClass('ghost', 'sm')}>
            <Download size={15} strokeWidth={1.6} aria-hidden="true" />
            {t('Export CSV')}
          </CsvLink>
        </span>
      }
    >
      <div className="px-4 pb-1.5 empty:hidden">
        <RefreshNote of={[list]} />
      </div>
      {bills === undefined ? (
        list.error ? (
          <FetchFailure of={list} title={t('Failed to fetch billing periods')} />
        ) : (
          <LoadingHistory />
        )
      ) : bills.length === 0 ? (
        <EmptyState title={t('No billing history yet')}>
          {t('The first bill is made when the current period ends.')}
        </EmptyState>
      ) : (
        <ul aria-label={t('Billing History')} className="@container divide-y divide-line">
          {bills.map((bill) => (
            <HistoryItem key={bill.id} bill={bill} isOpen={bill.id === openId} onOpen={onOpen} />
          ))}
        </ul>
      )}
      {list.hasMore && (
        <div className="border-t border-line p-2 text-center">
          <Button
            tone="ghost"
            isBusy={list.isLoadingMore}
            busyLabel={t('Loading...')}
            onClick={list.loadMore}
          >
            {t('Show more results')}
          </Button>
        </div>
      )}
      {shown && <BillDrawer bill={shown} onClose={() => onOpen('')} />}
    </Card>
  )
}

function LoadingHistory() {
  return (
    <div
      role="status"
      aria-busy="true"
      aria-label={t('Loading billing history...')}
      className="divide-y divide-line"
    >
      {[1, 2, 3].map((row) => (
        <div key={row} className="flex justify-between gap-8 px-5 py-5">
          <Skeleton className="w-48" />
          <Skeleton className="w-64" />
          <Skeleton className="w-24" />
        </div>
      ))}
    </div>
  )
}

interface HistoryItemProps {
  readonly bill: BillingPeriod
  readonly isOpen: boolean
  readonly onOpen: (id: string) => void
}

/** Spec §2: date range, status, Period ID, total, 'count SMS × cost USDT', Bill Sent, Payment Date, hash. */
function HistoryItem({ bill, isOpen, onOpen }: HistoryItemProps) {
  return (
    <li
      className={classNames(
        'relative grid gap-x-6 gap-y-3 px-5 py-3.5 hover:bg-surface-3 @xl:grid-cols-[minmax(13rem,1.4fr)_1fr_1fr] @xl:pe-12 @3xl:grid-cols-[minmax(15rem,1.7fr)_5.5rem_5.5rem_minmax(13rem,1.6fr)_11rem] @3xl:items-center',
        isOpen &&
          'bg-accent-soft before:absolute before:inset-y-0 before:start-0 before:w-0.75 before:bg-accent',
      )}
    >
      <div className="min-w-0 pe-10 @xl:pe-0">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <span className="font-semibold">{formatBillingPeriod(bill)}</span>
          <StatusBadge kind="billing" status={billState(bill)} />
        </p>
        <p className="text-ink-3">{t('Period ID: #{id}', { id: bill.id })}</p>
      </div>
      <LabelledValue label={t('Bill Sent')}>
        {bill.billSentAt === null ? t('Not sent') : formatDay(bill.billSentAt)}
      </LabelledValue>
      {bill.status === 'no_bill' ? (
        <p className="min-w-0 text-ink-2 @xl:col-span-2">
          {t('Nothing to pay:')} {describeUnbilled(bill)}
        </p>
      ) : (
        <PaymentFacts bill={bill} />
      )}
      <div className="@xl:text-end">
        <p>
          <strong className="text-md">{formatAmountFigure(bill.totalCost)}</strong>{' '}
          <span className="text-ink-3">{t('USDT')}</span>
        </p>
        {parseMicro(bill.creditedAmount) !== 0n && (
          <p className="text-ink-2">
            {t('−{creditedAmount} credit note', { creditedAmount: formatUsdt(bill.creditedAmount) })}
          </p>
        )}
        {isUnpaid(bill) && bill.dueAmount !== bill.totalCost && (
          <p className="text-warn-ink">{t('{dueAmount} due', { dueAmount: formatUsdt(bill.dueAmount) })}</p>
        )}
        <p className="text-ink-3">
          {bill.status === 'no_bill'
            ? t('{totalSmsCount} SMS', { totalSmsCount: formatCount(bill.totalSmsCount) })
            : describeCost(bill)}
        </p>
      </div>
      <span className="absolute top-3 end-3 @xl:top-1/2 @xl:-translate-y-1/2">
        <IconButton
          icon={ChevronRight}
          label={t('Show bill {bill}', { bill: formatBillingPeriod(bill) })}
          onClick={() => onOpen(bill.id)}
        />
      </span>
    </li>
  )
}

function PaymentFacts({ bill }: Pick<HistoryItemProps, 'bill'>) {
  return (
    <>
      <LabelledValue label={t('Payment Date')}>
        {bill.paidAt === null ? (
          <span className="text-ink-2">{bill.status === 'void' ? t('nothing to pay') : t('Pending')}</span>
        ) : (
          formatDay(bill.paidAt)
        )}
      </LabelledValue>
      <LabelledValue label={t('Transaction Hash')} isWide>
        {bill.paymentTxHash === null ? (
          <span className="text-ink-2">{t('not paid yet')}</span>
        ) : (
          <TransactionHash hash={bill.paymentTxHash} verification={bill.paymentVerification} />
        )}
      </LabelledValue>
    </>
  )
}

interface LabelledValueProps {
  readonly label: string
  /** Two columns wide where an item stands in two lines, as beside a drawer. */
  readonly isWide?: boolean
  readonly children: ReactNode
}

function LabelledValue({ label, isWide = false, children }: LabelledValueProps) {
  return (
    <dl
      className={classNames(
        'min-w-0 @max-xl:flex @max-xl:flex-wrap @max-xl:justify-between @max-xl:gap-x-4',
        isWide && '@xl:@max-3xl:col-span-2',
      )}
    >
      <dt className="text-ink-3">{label}</dt>
      <dd className="min-w-0">{children}</dd>
    </dl>
  )
}
