import type { Payment } from '@tollgate/contract/billing/payments.ts'
import { formatDateTime } from '../../format/dates.ts'
import { Gavel, Replace } from 'lucide-react'
import { StatusBadge, StatusWord } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { Menu } from '../../ui/Menu.tsx'
import { actionsColumn, type Column, subject } from '../../ui/table/column.ts'
import { AddressCell, Amount } from '../../money/cells.tsx'
import { TransactionHash } from './TransactionHash.tsx'
import { formatWords } from '../../format/sentences.ts'
import { t } from '../../language/t.ts'

export type PaymentAction = 'decide' | 'replaceHash'

/** Spec §2, Payment History: an empty Processed By reads 'System'. */
export function paymentColumns(
  onAction: (action: PaymentAction, payment: Payment) => void,
): readonly Column<Payment>[] {
  return [
    { ...subject, id: 'user', header: t('User'), sortBy: 'userName', cell: (payment) => payment.userName },
    {
      id: 'amount',
      header: t('Amount'),
      sortBy: 'amount',
      align: 'right',
      card: 'end',
      cell: (payment) => <Amount value={payment.amount} />,
    },
    {
      id: 'received',
      stackUnder: 'amount',
      header: t('Received'),
      align: 'right',
      card: 'fact',
      cell: (payment) => <Amount value={payment.receivedAmount} />,
    },
    {
      id: 'address',
      header: t('USDT Address'),
      cell: ({ usdtAddress }) => <AddressCell address={usdtAddress} />,
    },
    {
      id: 'hash',
      stackUnder: 'address',
      header: t('Transaction Hash'),
      cell: ({ transactionHash }) =>
        transactionHash === '' ? (
          <span className="text-ink-3">–</span>
        ) : (
          <TransactionHash hash={transactionHash} isForStaff />
        ),
    },
    {
      id: 'status',
      header: t('Status'),
      sortBy: 'status',
      cell: (payment) => <PaymentState payment={payment} />,
    },
    { id: 'for', header: t('For'), isHiddenByDefault: true, card: 'fact', cell: purposeOf },
    {
      id: 'processedBy',
      stackUnder: 'date',
      header: t('Processed By'),
      sortBy: 'processedBy',
      card: 'fact',
      cell: ({ processedBy }) => processedBy || t('System'),
    },
    {
      id: 'date',
      header: t('Date'),
      sortBy: 'createdAt',
      card: 'fact',
      cell: ({ createdAt }) => formatDateTime(createdAt),
    },
    { id: 'notes', header: t('Notes'), isHiddenByDefault: true, cell: ({ notes }) => notes || '–' },
    actionsColumn((payment) => <PaymentActions payment={payment} onAction={onAction} />),
  ]
}

interface PaymentActionsProps {
  readonly payment: Payment
  readonly onAction: (action: PaymentAction, payment: Payment) => void
}

function PaymentActions({ payment, onAction }: PaymentActionsProps) {
  const decide = () => onAction('decide', payment)
  const isUrgent = waitsHere(payment)
  const items = [
    ...(!isUrgent && payment.status === 'pending'
      ? [{ label: t('Decide'), icon: Gavel, onSelect: decide }]
      : []),
    ...(hasReplaceableHash(payment)
      ? [{ label: t('Replace hash'), icon: Replace, onSelect: () => onAction('replaceHash', payment) }]
      : []),
  ]
  return (
    <span className="inline-flex items-center justify-end gap-1">
      {isUrgent && (
        <Button
          size="sm"
          aria-label={t('Decide on payment of {userName}', { userName: payment.userName })}
          onClick={decide}
        >
          {t('Decide')}
        </Button>
      )}
      {items.length > 0 && (
        <Menu
          trigger={t('More actions for {userName}, {amount} USDT', {
            userName: payment.userName,
            amount: payment.amount,
          })}
          groups={[items]}
        />
      )}
    </span>
  )
}

/** It is looked up or waits for approval, or counts by somebody's word. */
const hasReplaceableHash = ({
  status,
  transactionHash,
  paymentVerification,
  approval,
  replacedWith,
}: Payment) =>
  transactionHash !== '' &&
  replacedWith === null &&
  (status === 'pending'
    ? approval !== null || paymentVerification === 'confirming'
    : status === 'confirmed' && paymentVerification === 'unverified')

/** Nothing happens to it without a person. */
const waitsHere = ({ status, periodId, payoutId, paymentVerification }: Payment): boolean =>
  status === 'pending' &&
  ((periodId === null && payoutId === null && paymentVerification === null) ||
    paymentVerification === 'underpaid' ||
    paymentVerification === 'overpaid')

function purposeOf({ periodId, payoutId }: Payment): string {
  if (periodId !== null) return t('Bill #{id}', { id: periodId })
  return payoutId === null ? t('Outside the bills') : t('Payout #{id}', { id: payoutId })
}

const decisionWords: Readonly<Record<NonNullable<Payment['proposal']>['decision'], string>> = {
  owe: t('Keeping the rest due'),
  waive: t('Giving up the difference'),
  credit: t('Crediting the surplus'),
  reject: t('Rejecting it'),
}

function PaymentState({ payment }: { payment: Payment }) {
  return (
    <span
      className="inline-flex flex-wrap items-center gap-x-2 gap-y-0.5"
      title={formatWords(payment.verificationNote)}
    >
      <StatusBadge kind="payment" status={payment.status} />
      {payment.proposal !== null && (
        <span className="text-xs text-ink-3">
          {t('{decision} proposed by {requestedBy}', {
            decision: decisionWords[payment.proposal.decision],
            requestedBy: payment.proposal.requestedBy,
          })}
        </span>
      )}
      {payment.approval !== null && (
        <span className="text-xs text-ink-3">
          {t('approval asked by {requestedBy}', { requestedBy: payment.approval.requestedBy })}
        </span>
      )}
      {payment.replacedWith !== null && payment.status !== 'confirmed' && (
        <span className="text-xs text-ink-2">{t('hash replaced')}</span>
      )}
      {payment.paymentVerification !== null && (
        <span className="text-xs text-ink-2">
          <StatusWord kind="paymentCheck" status={payment.paymentVerification} />
        </span>
      )}
    </span>
  )
}
