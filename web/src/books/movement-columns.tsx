import type { Movement } from '@tollgate/contract/books/books.ts'
import type { MovementType } from '@tollgate/contract/vocabulary.ts'
import { parseMicro } from '@tollgate/contract/money.ts'
import { Link } from '@tanstack/react-router'
import { formatDateTime } from '../format/dates.ts'
import { Amount } from '../money/cells.tsx'
import { paths } from '../paths.ts'
import { type Column, subject } from '../ui/table/column.ts'
import { SignedAmount } from '../money/SignedAmount.tsx'
import { TransactionHash } from '../billing/payments/TransactionHash.tsx'
import { debtOf, describeMovement, isPayoutPaid, labelsFor } from './movement-text.ts'
import { linkName } from '../ui/link-name.ts'
import { t } from '../language/t.ts'

// What lowers the balance because it was paid, or stands elsewhere in the account, is no loss.
const goodTypes: readonly MovementType[] = ['payment', 'credit_used', 'set_off', 'credit', 'carry']

const linkClass = 'text-accent-ink underline underline-offset-2'

export function movementColumns(isStaff: boolean): readonly Column<Movement>[] {
  return [
    { id: 'at', header: t('Date'), card: 'fact', cell: ({ at }) => formatDateTime(at) },
    {
      ...subject,
      id: 'movement',
      header: t('Movement'),
      cell: (movement) => <What movement={movement} isStaff={isStaff} />,
    },
    {
      id: 'hash',
      header: t('Transaction Hash'),
      cell: ({ transactionHash }) =>
        transactionHash === '' ? (
          <span className="text-ink-3">–</span>
        ) : (
          <TransactionHash hash={transactionHash} isForStaff={isStaff} />
        ),
    },
    {
      id: 'amount',
      header: isStaff ? t('Amount') : t('Owed to you by it'),
      align: 'right',
      card: 'end',
      cell: ({ amount, type }) =>
        parseMicro(amount) === 0n ? (
          <span className="text-ink-3">0.00</span>
        ) : (
          <SignedAmount value={amount} isGood={goodTypes.includes(type)} />
        ),
    },
    {
      id: 'balance',
      header: t('Balance'),
      align: 'right',
      cell: ({ balance }) => <Amount value={balance} />,
    },
  ]
}

function What({ movement, isStaff }: { readonly movement: Movement; readonly isStaff: boolean }) {
  const text = describeMovement(movement)
  const debt = isPayoutPaid(movement) ? '' : debtOf(movement)
  return (
    <span className="block max-w-120 whitespace-normal sm:min-w-60">
      {isPayoutPaid(movement)
        ? isStaff
          ? t('Payment of payout #{id}', { id: movement.payoutId })
          : t('Paid to you, payout #{id}', { id: movement.payoutId })
        : labelsFor(isStaff)[movement.type]}
      {debt !== '' && (
        <span className="font-normal">
          {' '}
          <DebtLink movement={movement} isStaff={isStaff} />
        </span>
      )}
      {text !== '' && <span className="block text-xs font-normal text-ink-3">{text}</span>}
    </span>
  )
}

/** Leads to the bill, or for staff to the list of payouts. */
function DebtLink({ movement, isStaff }: { readonly movement: Movement; readonly isStaff: boolean }) {
  if (movement.periodId === null) return debtOf(movement)
  // The type belongs to the other page's schema; the router only knows that a search is an object.
  const search = isStaff ? { open: movement.periodId } : { tab: 'billing', open: movement.periodId }
  return (
    <Link
      to={isStaff ? paths.paymentManagement : paths.payment}
      search={search as never}
      aria-label={linkName(`#${movement.periodId}`, t('Open {movement}', { movement: debtOf(movement) }))}
      className={linkClass}
    >
      #{movement.periodId}
    </Link>
  )
}
