import { payoutRoutes } from '@tollgate/contract/payouts.ts'
import { inventoryRoutes } from '@tollgate/contract/inventory.ts'
import { useApiQuery } from '../../api/use-api.ts'
import { formatAmountFigure, formatCount } from '../../format/money.ts'
import { moneyPollMs } from '../../money/queries.ts'
import { StatStrip } from '../../ui/StatStrip.tsx'

/** Spec §2: the figures of the whole inventory and all payouts, independent of the filters below. */
export function InventoryStats() {
  const { data, error } = useApiQuery(inventoryRoutes.summariseInventory)
  const payouts = useApiQuery(payoutRoutes.getPayoutSummary, {}, { refetchIntervalMs: moneyPollMs })
  // An unknown figure is a dash, not a zero and not an endless skeleton.
  const figure = (count: number | undefined, fault: Error | null) =>
    count === undefined && !fault ? undefined : formatCount(count)
  return (
    <StatStrip
      label="Inventory"
      stats={[
        {
          label: 'Total Numbers',
          figure: figure(data?.count, error),
          note: data
            ? `${formatCount(data.available)} available, ${formatCount(data.suspended)} suspended`
            : error
              ? 'not known'
              : 'in stock',
        },
        {
          label: 'Assigned Numbers',
          figure: figure(data?.assigned, error),
          note: error ? 'not known' : 'held by a user',
        },
        {
          label: 'Total Revenue',
          figure:
            payouts.data === undefined && !payouts.error
              ? undefined
              : formatAmountFigure(payouts.data?.totalRevenue),
          unit: 'USDT',
          note: payouts.error ? 'not known' : 'paid out, all time',
        },
        {
          label: 'Pending Payouts',
          figure: figure(payouts.data?.pendingCount, payouts.error),
          note: payouts.error ? 'not known' : 'wait to be processed',
        },
      ]}
    />
  )
}
