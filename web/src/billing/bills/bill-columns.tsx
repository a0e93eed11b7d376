import { ObjectLink } from '../../api/ObjectLink.tsx'
import type { BillingPeriod } from '@tollgate/contract/billing/bills.ts'
import { parseMicro } from '@tollgate/contract/money.ts'
import { formatAmountFigure, formatCount } from '../../format/money.ts'
import { formatSentences } from '../../format/sentences.ts'
import { AddressCell, DebtAmount } from '../../money/cells.tsx'
import { RecordsLink } from '../../money/RecordsLink.tsx'
import { StatusBadge, StatusWord } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { Menu } from '../../ui/Menu.tsx'
import { useNow } from '../../ui/use-now.ts'
import { actionsColumn, type Column, subject } from '../../ui/table/column.ts'
import { approvalNote, formatBillingPeriod } from '../../money/bill-text.ts'
import { TransactionHash } from '../payments/TransactionHash.tsx'
import { amendmentWords, billState } from '../../amendments/amendment-words.ts'
import { notPayableReason } from '../payments/payable.ts'
import { billMenu, type BillAction, type BillViewer } from './bill-menu.ts'
import { t } from '../../language/t.ts'

interface BillColumnsProps {
  /** A person who has requested a payment cannot approve it. */
  readonly viewer: BillViewer
  readonly onAction: (action: BillAction, bill: BillingPeriod) => void
}

/** Spec §2, Pending Bills. */
export function billColumns({ viewer, onAction }: BillColumnsProps): readonly Column<BillingPeriod>[] {
  return [
    {
      ...subject,
      id: 'user',
      header: t('User'),
      sortBy: 'userName',
      isControl: true,
      cell: (bill) => (
        <ObjectLink kind="person" id={bill.userId}>
          {bill.userName}
        </ObjectLink>
      ),
    },
    {
      id: 'period',
      header: t('Period'),
      sortBy: 'newest',
      isControl: true,
      card: 'fact',
      cell: (bill) => (
        <ObjectLink kind="bill" id={bill.id}>
          {formatBillingPeriod(bill)}
        </ObjectLink>
      ),
    },
    {
      id: 'count',
      stackUnder: 'period',
      header: t('SMS Count'),
      sortBy: 'totalSmsCount',
      align: 'right',
      cell: (bill) => (
        <RecordsLink
          url={bill.recordsUrl}
          label={t('Records of the bill of {userName}', { userName: bill.userName })}
        >
          {formatCount(bill.totalSmsCount)}
        </RecordsLink>
      ),
    },
    {
      id: 'amount',
      header: t('Amount'),
      sortBy: 'totalCost',
      align: 'right',
      card: 'end',
      cell: (bill) => <DebtAmount debt={bill} total={bill.totalCost} />,
    },
    {
      id: 'address',
      stackUnder: 'status',
      header: t('USDT Address'),
      // A period without a bill needs no address.
      cell: ({ status, usdtAddress }) =>
        status === 'no_bill' ? <span className="text-ink-3">–</span> : <AddressCell address={usdtAddress} />,
    },
    {
      id: 'hash',
      stackUnder: 'status',
      header: t('Transaction Hash'),
      isHiddenByDefault: true,
      cell: (bill) =>
        bill.paymentTxHash === null ? (
          <span className="text-ink-3">–</span>
        ) : (
          <TransactionHash hash={bill.paymentTxHash} isForStaff />
        ),
    },
    { id: 'status', header: t('Status'), sortBy: 'due', cell: (bill) => <BillStatus bill={bill} /> },
    actionsColumn((bill) => <BillRowActions bill={bill} viewer={viewer} onAction={onAction} />),
  ]
}

function BillStatus({ bill }: { bill: BillingPeriod }) {
  return (
    <span className="inline-flex flex-wrap items-center gap-x-2 gap-y-0.5">
      <StatusBadge kind="billingManagement" status={billState(bill)} />
      {bill.parkedWords !== undefined && (
        <span className="text-xs text-bad-ink" title={formatSentences(bill.parkedWords)}>
          {t('account parked')}
        </span>
      )}
      {bill.pendingAmendment !== null && (
        <span className="text-xs text-warn-ink" title={bill.pendingAmendment.reason}>
          {t('{act}: asked for by {name}', {
            act: amendmentWords[bill.pendingAmendment.kind].act,
            name: bill.pendingAmendment.requestedBy,
          })}
        </span>
      )}
      {bill.runId !== null && (
        <span className="text-xs text-ink-2">{t('in payment run #{runId}', { runId: bill.runId })}</span>
      )}
      {parseMicro(bill.creditedAmount) !== 0n && (
        <span className="text-xs text-ink-2">
          {t('{creditedAmount} credited', { creditedAmount: formatAmountFigure(bill.creditedAmount) })}
        </span>
      )}
      {bill.approval !== null ? (
        <span className="text-xs text-ink-3">{approvalNote(bill.approval)}</span>
      ) : (
        bill.paymentVerification !== null && (
          <span className="text-xs text-ink-2">
            <StatusWord kind="paymentCheck" status={bill.paymentVerification} />
          </span>
        )
      )}
    </span>
  )
}

function BillRowActions({ bill, viewer, onAction }: BillColumnsProps & { bill: BillingPeriod }) {
  const name = `${bill.userName}, ${formatBillingPeriod(bill)}`
  const now = useNow(60_000)
  const mayApprove = bill.approval !== null && bill.approval.requestedBy !== viewer.username
  // Spec §4: offered only when the bill is ready and has an address.
  const isPayable = notPayableReason(bill, now) === undefined
  return (
    <span className="inline-flex items-center justify-end gap-1">
      {mayApprove ? (
        <Button
          size="sm"
          aria-label={t('Approve payment of {name}', { name })}
          onClick={() => onAction('pay', bill)}
        >
          {t('Approve')}
        </Button>
      ) : (
        isPayable && (
          <Button
            size="sm"
            aria-label={t('Mark as Paid {name}', { name })}
            onClick={() => onAction('pay', bill)}
          >
            {t('Mark as Paid')}
          </Button>
        )
      )}
      <Menu trigger={t('More actions for {name}', { name })} groups={billMenu(bill, viewer, onAction)} />
    </span>
  )
}
