import type { TransferProposal, TreasuryTransfer } from '@tollgate/contract/treasury/transfers.ts'
import { TriangleAlert } from 'lucide-react'
import { formatDateTime } from '../format/dates.ts'
import { formatUsdt } from '../format/money.ts'
import { AddressCell, Amount } from '../money/cells.tsx'
import { StatusBadge } from '../ui/Badge.tsx'
import { Button } from '../ui/Button.tsx'
import { actionsColumn, type Column } from '../ui/table/column.ts'
import { TransactionHash } from '../billing/payments/TransactionHash.tsx'
import { labelOf } from '../payment-runs/PayeeFacts.tsx'
import { t } from '../language/t.ts'

export type TransferAction = 'match' | 'explain' | 'decide'

export function transferColumns(
  onAction: (kind: TransferAction, transfer: TreasuryTransfer) => void,
): readonly Column<TreasuryTransfer>[] {
  return [
    { id: 'at', sortBy: 'at', header: t('Date'), card: 'fact', cell: ({ at }) => formatDateTime(at) },
    {
      id: 'amount',
      sortBy: 'amount',
      header: t('Amount'),
      align: 'right',
      card: 'end',
      cell: ({ amount }) => <Amount value={amount} />,
    },
    {
      id: 'to',
      header: t('To'),
      isSubject: true,
      card: 'title',
      cell: ({ toAddress, lookAlikes }) => (
        <span className="block">
          <AddressCell address={toAddress} />
          {lookAlikes.length > 0 && (
            <span className="flex max-w-70 gap-1 text-xs font-normal whitespace-normal text-bad-ink">
              <TriangleAlert size={14} strokeWidth={1.6} aria-hidden="true" className="mt-px shrink-0" />
              {lookAlikes[0]?.userName
                ? t('Looks like an address of {name}', { name: lookAlikes[0].userName })
                : t('Looks like one of our addresses')}
            </span>
          )}
        </span>
      ),
    },
    {
      id: 'hash',
      stackUnder: 'to',
      header: t('Transaction'),
      cell: ({ transactionHash }) => <TransactionHash hash={transactionHash} isForStaff />,
    },
    {
      id: 'state',
      header: t('Status'),
      cell: ({ state }) => <StatusBadge kind="transfer" status={state} />,
    },
    { id: 'for', header: t('For'), cell: (transfer) => <Purpose transfer={transfer} /> },
    actionsColumn((transfer) => <Actions transfer={transfer} onAction={onAction} />),
  ]
}

/** What it is booked on, what a person said, or what it may be for. */
function Purpose({ transfer }: { transfer: TreasuryTransfer }) {
  const { state, references, userName, decision, proposals } = transfer
  const [best] = proposals
  return (
    <span className="block max-w-80 whitespace-normal sm:min-w-50">
      {state === 'booked' ? (
        <>
          {userName}, {references.map(labelOf).join(', ')}
        </>
      ) : state === 'open' ? (
        best === undefined ? (
          <span className="text-ink-3">{t('no debt to this address')}</span>
        ) : (
          <span className="text-ink-2">{t('proposed: {best}', { best: proposalText(best) })}</span>
        )
      ) : null}
      {decision !== null && (
        <span className="block text-xs break-words text-ink-3">
          {decision.references.length > 0 &&
            state === 'waiting' &&
            `${decision.references.map(labelOf).join(', ')}: `}
          {decision.reason} ({decision.requestedBy}
          {decision.decidedBy !== '' && `, ${decision.decidedBy}`})
        </span>
      )}
    </span>
  )
}

/** "client1, bill 3-17, payout 5: exactly 12.00 USDT". */
export function proposalText({ userName, references, dueAmount, fit }: TransferProposal): string {
  const due = formatUsdt(dueAmount)
  const words = {
    exact: t('exactly {due}', { due }),
    less: t('less than the {due} due', { due }),
    more: t('more than the {due} due', { due }),
  }
  return `${userName}, ${references.map(labelOf).join(', ')}: ${words[fit]}`
}

function Actions({
  transfer,
  onAction,
}: {
  transfer: TreasuryTransfer
  onAction: (kind: TransferAction, transfer: TreasuryTransfer) => void
}) {
  const { state, amount, id } = transfer
  const name = t('{amount}, transfer {id}', { amount: formatUsdt(amount), id })
  if (state === 'waiting')
    return (
      <Button
        size="sm"
        aria-label={t('Decide on {name}', { name })}
        onClick={() => onAction('decide', transfer)}
      >
        {t('Decide')}
      </Button>
    )
  if (state !== 'open') return null
  return (
    <span className="inline-flex justify-end gap-1">
      <Button size="sm" aria-label={t('Match {name}', { name })} onClick={() => onAction('match', transfer)}>
        {t('Match to...')}
      </Button>
      <Button
        size="sm"
        tone="ghost"
        aria-label={t('Explain {name}', { name })}
        onClick={() => onAction('explain', transfer)}
      >
        {t('Explain')}
      </Button>
    </span>
  )
}
