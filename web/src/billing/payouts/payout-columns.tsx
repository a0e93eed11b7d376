import type { Payout } from '@tollgate/contract/billing/payouts.ts'
import { Gavel } from 'lucide-react'
import { formatDay } from '../../format/dates.ts'
import { formatCount } from '../../format/money.ts'
import { formatPhone } from '../../format/phone.ts'
import { formatSentences, formatWords } from '../../format/sentences.ts'
import { AddressCell, DebtAmount } from '../../money/cells.tsx'
import { RecordsLink } from '../../money/RecordsLink.tsx'
import { formatBillingPeriod } from '../../money/bill-text.ts'
import { isProcessable, waitsForDecision } from '../payments/payable.ts'
import { TransactionHash } from '../payments/TransactionHash.tsx'
import { approvalNote } from '../../money/bill-text.ts'
import { StatusBadge, StatusWord } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { actionsColumn, type Column } from '../../ui/table/column.ts'
import { PhoneNumber } from '../../ui/PhoneNumber.tsx'
import { t } from '../../language/t.ts'

export type PayoutAction = 'process' | 'decide'

interface PayoutColumnsProps {
  /** The viewer's username. A person who has requested a payment cannot approve it. */
  readonly viewer: string
  readonly onAction: (action: PayoutAction, payout: Payout) => void
}

/** Spec §2: Date, User, Number, Amount with currency, Status, Actions. Other columns can be switched on. */
export function payoutColumns({ viewer, onAction }: PayoutColumnsProps): readonly Column<Payout>[] {
  return [
    {
      id: 'date',
      header: t('Date'),
      sortBy: 'createdAt',
      card: 'fact',
      cell: (payout) => formatDay(payout.createdAt),
    },
    {
      id: 'user',
      header: t('User'),
      sortBy: 'userName',
      isSubject: true,
      card: 'fact',
      cell: (payout) => payout.userName,
    },
    {
      id: 'number',
      header: t('Number'),
      sortBy: 'number',
      isHideable: false,
      card: 'title',
      cell: (payout) => <PhoneNumber value={payout.number} />,
    },
    {
      id: 'amount',
      header: t('Amount'),
      sortBy: 'amount',
      align: 'right',
      card: 'end',
      cell: (payout) => <DebtAmount debt={payout} total={payout.amount} />,
    },
    { id: 'period', header: t('Period'), isHiddenByDefault: true, cell: formatBillingPeriod },
    {
      id: 'count',
      header: t('SMS Count'),
      sortBy: 'smsCount',
      align: 'right',
      isHiddenByDefault: true,
      cell: (payout) => (
        <RecordsLink
          url={payout.recordsUrl}
          label={t('Records of the payout for {number}', { number: payout.number })}
        >
          {formatCount(payout.smsCount)}
        </RecordsLink>
      ),
    },
    {
      id: 'address',
      header: t('USDT Address'),
      isHiddenByDefault: true,
      cell: (payout) => <AddressCell address={payout.usdtAddress} />,
    },
    {
      id: 'status',
      header: t('Status'),
      sortBy: 'status',
      cell: (payout) => <PayoutState payout={payout} />,
    },
    {
      id: 'hash',
      header: t('Reference'),
      cell: (payout) =>
        payout.transactionHash === null ? (
          <span className="text-ink-3">–</span>
        ) : (
          <TransactionHash hash={payout.transactionHash} isForStaff />
        ),
    },
    actionsColumn((payout) => <PayoutRowActions payout={payout} viewer={viewer} onAction={onAction} />),
  ]
}

function PayoutState({ payout }: { payout: Payout }) {
  return (
    <span
      className="inline-flex flex-wrap items-center gap-x-2 gap-y-0.5"
      title={formatWords(payout.verificationNote)}
    >
      <StatusBadge kind="payout" status={payout.payoutStatus} />
      {payout.parkedWords !== undefined && (
        <span className="text-xs text-bad-ink" title={formatSentences(payout.parkedWords)}>
          {t('account parked')}
        </span>
      )}
      {payout.approval !== null ? (
        <span className="text-xs text-ink-3">{approvalNote(payout.approval)}</span>
      ) : (
        payout.paymentVerification !== null && (
          <span className="text-xs text-ink-2">
            <StatusWord kind="paymentCheck" status={payout.paymentVerification} />
          </span>
        )
      )}
    </span>
  )
}

function PayoutRowActions({ payout, viewer, onAction }: PayoutColumnsProps & { payout: Payout }) {
  const name = `${formatPhone(payout.number)}, ${payout.userName}`
  const mayApprove = payout.approval !== null && payout.approval.requestedBy !== viewer
  return (
    <span className="inline-flex items-center justify-end gap-1">
      {(mayApprove || isProcessable(payout)) && (
        <Button
          size="sm"
          aria-label={mayApprove ? t('Approve payout of {name}', { name }) : t('Process {name}', { name })}
          onClick={() => onAction('process', payout)}
        >
          {mayApprove ? t('Approve') : t('Process')}
        </Button>
      )}
      {payout.payoutStatus === 'pending' && waitsForDecision(payout) && (
        <IconButton
          icon={Gavel}
          label={t('Decide on payment of {name}', { name })}
          onClick={() => onAction('decide', payout)}
        />
      )}
    </span>
  )
}
