import { Link } from '@tanstack/react-router'
import { payoutRoutes } from '@tollgate/contract/billing/payouts.ts'
import { inventoryRoutes } from '@tollgate/contract/numbers/inventory.ts'
import { paths } from '../../paths.ts'
import { RefreshNote } from '../../api/RefreshNote.tsx'
import type { ReactNode } from 'react'
import { useApiQuery } from '../../api/use-api.ts'
import { formatAmountFigure, formatCount } from '../../format/money.ts'
import { linkedFigure } from '../../money/linked-figure.tsx'
import { moneyPollMs } from '../../money/queries.ts'
import { StatStrip } from '../../ui/StatStrip.tsx'
import { t } from '../../language/t.ts'

/** Spec §2: the figures of the whole inventory and all payouts, independent of the filters below. */
export function InventoryStats() {
  const numbers = useApiQuery(inventoryRoutes.summariseInventory)
  const { data, error } = numbers
  const payouts = useApiQuery(payoutRoutes.getPayoutSummary, {}, { refetchIntervalMs: moneyPollMs })
  const isPayoutsUnknown = payouts.error !== null && payouts.data === undefined
  // An unknown figure is a dash, not a zero and not an endless skeleton.
  const figure = (count: number | undefined, fault: Error | null) =>
    count === undefined && !fault ? undefined : formatCount(count)
  return (
    <StatStrip
      label={t('Inventory')}
      under={<RefreshNote of={[numbers, payouts]} />}
      stats={[
        {
          label: t('Total Numbers'),
          figure: linkedFigure(figure(data?.count, error), t('Total Numbers'), paths.numberInventory),
          note: data
            ? t('{available} available, {suspended} suspended', {
                available: formatCount(data.available),
                suspended: formatCount(data.suspended),
              })
            : error
              ? t('not known')
              : t('in stock'),
        },
        {
          label: t('Assigned Numbers'),
          figure: linkedFigure(figure(data?.assigned, error), t('Assigned Numbers'), paths.numberInventory, {
            status: 'assigned',
          }),
          note: error && !data ? t('not known') : t('held by a user'),
        },
        {
          label: t('Total Revenue'),
          figure:
            payouts.data === undefined && !payouts.error
              ? undefined
              : formatAmountFigure(payouts.data?.totalRevenue),
          unit: t('USDT'),
          note: isPayoutsUnknown ? (
            t('not known')
          ) : (
            <PayoutsLink payout="completed">{t('paid to clients, all time')}</PayoutsLink>
          ),
        },
        {
          label: t('Pending Payouts'),
          figure: figure(payouts.data?.pendingCount, payouts.error),
          note: isPayoutsUnknown ? (
            t('not known')
          ) : (
            <PayoutsLink payout="pending">{t('wait to be processed')}</PayoutsLink>
          ),
        },
      ]}
    />
  )
}

/** Payouts are listed where they are paid. */
function PayoutsLink({ payout, children }: { payout: 'completed' | 'pending'; children: ReactNode }) {
  return (
    <Link
      to={paths.paymentManagement as string}
      search={{ view: 'payouts', payout } as never}
      className="text-accent-ink underline underline-offset-2"
    >
      {children}
    </Link>
  )
}
