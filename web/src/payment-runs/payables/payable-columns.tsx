import type { Payable } from '@tollgate/contract/payment-runs/payables.ts'
import { ObjectLink } from '../../api/ObjectLink.tsx'
import { formatAge, formatDay, formatEdge } from '../../format/dates.ts'
import { formatCount } from '../../format/money.ts'
import { formatPhone } from '../../format/phone.ts'
import { formatBillingPeriod } from '../../money/bill-text.ts'
import { AddressCell, DebtAmount } from '../../money/cells.tsx'
import { RecordsLink } from '../../money/RecordsLink.tsx'
import { StatusBadge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { useNow } from '../../ui/use-now.ts'
import { actionsColumn, type Column, subject } from '../../ui/table/column.ts'
import { t } from '../../language/t.ts'

/** How people name it. */
export const debtName = (debt: Payable): string =>
  debt.kind === 'bill'
    ? t('bill {reference}', { reference: debt.reference })
    : t('payout of {number}', { number: formatPhone(debt.number) })

export type PayableAction = 'pay' | 'decide' | 'run'

interface PayableColumnsProps {
  /** A person who has requested a payment cannot approve it. */
  readonly viewer: string
  readonly onOpen: (debt: Payable) => void
  readonly onAct: (action: PayableAction, debt: Payable) => void
}

/** Spec §2, Pending Bills, of bills and payouts. The age of a debt counts from when its bill was sent, or the payout was made. */
export function payableColumns({ viewer, onOpen, onAct }: PayableColumnsProps): readonly Column<Payable>[] {
  return [
    {
      ...subject,
      id: 'user',
      header: t('User'),
      sortBy: 'userName',
      isControl: true,
      cell: ({ userId, userName }) => (
        <ObjectLink kind="person" id={userId}>
          {userName}
        </ObjectLink>
      ),
    },
    {
      id: 'period',
      header: t('Period'),
      isControl: true,
      card: 'fact',
      cell: (debt) => <Period debt={debt} onOpen={onOpen} />,
    },
    {
      id: 'count',
      stackUnder: 'period',
      header: t('SMS Count'),
      align: 'right',
      cell: (debt) => (
        <RecordsLink
          url={debt.recordsUrl}
          label={t('Records of {debt}, {userName}', { debt: debtName(debt), userName: debt.userName })}
        >
          {formatCount(debt.smsCount)}
        </RecordsLink>
      ),
    },
    {
      id: 'amount',
      header: t('Amount'),
      sortBy: 'dueAmount',
      align: 'right',
      card: 'end',
      cell: (debt) => <DebtAmount debt={debt} total={debt.amount} />,
    },
    {
      id: 'address',
      stackUnder: 'status',
      header: t('USDT Address'),
      cell: ({ usdtAddress }) => <AddressCell address={usdtAddress} />,
    },
    { id: 'status', header: t('Status'), cell: (debt) => <NextStep debt={debt} /> },
    { id: 'age', header: t('Owed since'), sortBy: 'owedSince', cell: (debt) => <OwedSince debt={debt} /> },
    actionsColumn((debt) => {
      const act = actOf(debt, viewer)
      return (
        act && (
          <Button size="sm" aria-label={act.name} onClick={() => onAct(act.action, debt)}>
            {act.label}
          </Button>
        )
      )
    }),
  ]
}

/** The one thing that this viewer can do about it; undefined where there is none. */
function actOf(debt: Payable, viewer: string) {
  const { kind, step, userName } = debt
  const isBill = kind === 'bill'
  const name = isBill
    ? `${userName}, ${formatBillingPeriod(debt)}`
    : `${formatPhone(debt.number)}, ${userName}`
  if (step === 'pay')
    return isBill
      ? { action: 'pay' as const, label: t('Mark as Paid'), name: t('Mark as Paid {name}', { name }) }
      : { action: 'pay' as const, label: t('Process'), name: t('Process {name}', { name }) }
  if (step === 'approve' && debt.askedBy !== viewer)
    return {
      action: 'pay' as const,
      label: t('Approve'),
      name: isBill ? t('Approve payment of {name}', { name }) : t('Approve payout of {name}', { name }),
    }
  if (step === 'decide' || step === 'approve')
    return { action: 'decide' as const, label: t('Decide'), name: t('Decide on payment of {name}', { name }) }
  if (step === 'in_run')
    return { action: 'run' as const, label: t('Open run'), name: t('Open run of {name}', { name }) }
  return undefined
}

function Period({ debt, onOpen }: { debt: Payable; onOpen: (debt: Payable) => void }) {
  const period = formatBillingPeriod(debt)
  if (debt.kind === 'payout')
    return (
      <span className="block">
        {period}
        <span className="block text-xs text-ink-3">
          {t('Payout, {number}', { number: formatPhone(debt.number) })}
        </span>
      </span>
    )
  return (
    <span className="block">
      <button
        type="button"
        aria-label={t('Show bill {bill}', { bill: `${debt.userName}, ${period}` })}
        onClick={() => onOpen(debt)}
        className="rounded-xs text-accent-ink underline decoration-line-strong underline-offset-2 hover:decoration-current"
      >
        {period}
      </button>
      <span className="block text-xs text-ink-3">{t('Bill {reference}', { reference: debt.reference })}</span>
    </span>
  )
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

function NextStep({ debt: { step, runId, payableFrom, askedBy } }: { debt: Payable }) {
  return (
    <span className="inline-flex flex-wrap items-center gap-x-2 gap-y-0.5">
      <StatusBadge kind="payable" status={step} />
      {runId !== null && <span className="text-xs text-ink-2">#{runId}</span>}
      {askedBy !== '' && (
        <span className="text-xs text-ink-3">
          {t('approval asked by {requestedBy}', { requestedBy: askedBy })}
        </span>
      )}
      {step === 'not_yet' && (
        <span className="text-xs text-ink-2">
          {t('until {payableFrom} UTC', { payableFrom: formatEdge(payableFrom) })}
        </span>
      )}
    </span>
  )
}
