import { recordsRoutes } from '@tollgate/contract/records/records.ts'
import type { PagedRows } from '../../api/use-api.ts'
import type { BillingPeriod } from '@tollgate/contract/billing/bills.ts'
import { useLivePaths } from '../../records/queries.ts'
import { Card } from '../../ui/Card.tsx'
import { Skeleton } from '../../ui/States.tsx'
import { isUnpaid } from '../../amendments/amendment-words.ts'
import { BillDrawer } from './BillDrawer.tsx'
import { BillingHistory } from './BillingHistory.tsx'
import { CurrentPeriod } from './CurrentPeriod.tsx'
import { OwnPayouts } from '../payouts/OwnPayouts.tsx'
import { FetchFailure } from '../../api/FetchFailure.tsx'
import { t } from '../../language/t.ts'

interface BillingTabProps {
  readonly periods: PagedRows<BillingPeriod>
  readonly openId: string
  readonly onOpen: (id: string) => void
  readonly onProfile: () => void
}

// Paths whose data changes with every record.
const livePaths = ['/api/billing/periods', recordsRoutes.getWeek.path] as const

/** The current period, live, and all bills. */
export function BillingTab({ periods, openId, onOpen, onProfile }: BillingTabProps) {
  useLivePaths(livePaths)
  const open = periods.rows?.find(({ status }) => status === 'pending')
  const bills = periods.rows?.filter(({ status }) => status !== 'pending')
  const newest = bills?.[0]
  // While a period ends, one list has it as open and the other as a bill: one of them shows its drawer.
  const shownOpen = periods.rows?.find(({ id, status }) => status === 'pending' && id === openId)
  const failure = periods.error && <FetchFailure of={periods} title={t('Failed to fetch billing periods')} />
  return (
    <div className="space-y-4">
      {open ? (
        <CurrentPeriod
          period={open}
          {...(newest && isUnpaid(newest) && { lastBill: newest })}
          onOpen={onOpen}
          onProfile={onProfile}
        />
      ) : (
        !failure && <NoPeriod isLoaded={periods.rows !== undefined} />
      )}
      {failure && <Card>{failure}</Card>}
      {(!failure || bills) && <BillingHistory openId={shownOpen ? '' : openId} onOpen={onOpen} />}
      <OwnPayouts />
      {shownOpen && <BillDrawer bill={shownOpen} onClose={() => onOpen('')} />}
    </div>
  )
}

function NoPeriod({ isLoaded }: { readonly isLoaded: boolean }) {
  return (
    <Card title={t('Current Period')}>
      {isLoaded ? (
        <p className="text-ink-3">{t('No period is open. It opens with the first SMS.')}</p>
      ) : (
        <Skeleton className="h-64 w-full" />
      )}
    </Card>
  )
}
