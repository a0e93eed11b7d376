import type { Payable } from '@tollgate/contract/payment-runs/payables.ts'
import type { PayableStep } from '@tollgate/contract/vocabulary.ts'
import { formatAge, formatDay, formatEdge } from '../../format/dates.ts'
import { formatPhone } from '../../format/phone.ts'
import { AddressCell, Amount, DebtAmount } from '../../money/cells.tsx'
import { StatusBadge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { useNow } from '../../ui/use-now.ts'
import { actionsColumn, type Column } from '../../ui/table/column.ts'
import { formatBillingPeriod } from '../../money/bill-text.ts'
import { t } from '../../language/t.ts'

/** How people name it. */
export const debtName = (debt: Payable): string =>
  debt.kind === 'bill'
    ? t('bill {reference}', { reference: debt.reference })
    : t('payout of {number}', { number: formatPhone(debt.number) })

// Nothing can be done about one that is looked up.
const acts: Readonly<Record<PayableStep, string | undefined>> = {
  pay: t('Pay'),
  approve: t('Approve'),
  confirming: undefined,
  in_run: t('Open run'),
  decide: t('Decide'),
  stopped: t('Open bill'),
  parked: undefined,
  no_address: undefined,
  not_yet: undefined,
}

/** The age of a debt counts from when its bill was sent, or the payout was made. */
export function payableColumns(onNext: (debt: Payable) => void): readonly Column<Payable>[] {
  return [
    {
      id: 'user',
      header: t('User'),
      sortBy: 'userName',
      isSubject: true,
      isHideable: false,
      card: 'title',
      cell: ({ userName }) => userName,
    },
    {
      id: 'debt',
      header: t('For'),
      card: 'fact',
      cell: (debt) => (
        <span className="block">
          {debt.kind === 'bill'
            ? t('Bill {reference}', { reference: debt.reference })
            : t('Payout, {number}', { number: formatPhone(debt.number) })}
          <span className="block text-xs text-ink-3">{formatBillingPeriod(debt)}</span>
        </span>
      ),
    },
    { id: 'age', header: t('Owed since'), sortBy: 'owedSince', cell: (debt) => <OwedSince debt={debt} /> },
    {
      id: 'amount',
      header: t('Amount'),
      align: 'right',
      isHiddenByDefault: true,
      cell: (debt) => <DebtAmount debt={debt} total={debt.amount} />,
    },
    {
      id: 'due',
      header: t('Due'),
      sortBy: 'dueAmount',
      align: 'right',
      card: 'end',
      cell: ({ dueAmount }) => <Amount value={dueAmount} />,
    },
    {
      id: 'address',
      header: t('USDT Address'),
      cell: ({ usdtAddress }) => <AddressCell address={usdtAddress} />,
    },
    { id: 'step', header: t('Next step'), cell: (debt) => <NextStep debt={debt} /> },
    actionsColumn((debt) => {
      const act = acts[debt.step]
      return (
        act && (
          <Button
            size="sm"
            aria-label={`${act}: ${debt.userName}, ${debtName(debt)}`}
            onClick={() => onNext(debt)}
          >
            {act}
          </Button>
        )
      )
    }),
  ]
}

function OwedSince({ debt: { owedSince } }: { debt: Payable }) {
  const now = useNow(60_000)
  return (
    <span className="block whitespace-nowrap">
      {formatDay(owedSince)}
      <span className="block text-xs text-ink-3">{formatAge(owedSince, now)}</span>
    </span>
  )
}

function NextStep({ debt: { step, runId, payableFrom } }: { debt: Payable }) {
  return (
    <span className="inline-flex flex-wrap items-center gap-x-2 gap-y-0.5">
      <StatusBadge kind="payable" status={step} />
      {runId !== null && <span className="text-xs text-ink-2">#{runId}</span>}
      {step === 'not_yet' && (
        <span className="text-xs text-ink-2">
          {t('until {payableFrom} UTC', { payableFrom: formatEdge(payableFrom) })}
        </span>
      )}
    </span>
  )
}
