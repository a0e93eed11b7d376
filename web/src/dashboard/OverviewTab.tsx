import { useUser } from '../api/session.tsx'
import { lazyComponent } from '../ui/lazy-component.ts'
import { Skeleton } from '../ui/States.tsx'
import { GatewayHealth } from './GatewayHealth.tsx'
import { GatewayStats } from './GatewayStats.tsx'
import { LatestRecords } from './LatestRecords.tsx'
import { OpenCycle } from './OpenCycle.tsx'
import { TodayActivity } from './TodayActivity.tsx'

const ClientMoney = lazyComponent(() => import('./ClientMoney.tsx'), 'ClientMoney')

/** The gateway today. A client reads its money first, and the figures of the gateway last. */
export function OverviewTab({ now }: { now: number }) {
  const { role, isSupplier } = useUser()
  const isClient = role === 'user' && !isSupplier
  const figures = <GatewayStats now={now} />
  return (
    <div className="space-y-4">
      {isClient ? (
        <ClientMoney waiting={<Skeleton className="h-34 w-full rounded-lg max-lg:h-102 max-sm:h-83" />} />
      ) : (
        figures
      )}
      <div className="grid gap-4 lg:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
        <TodayActivity now={now} />
        <GatewayHealth />
        <LatestRecords />
        <OpenCycle now={now} />
      </div>
      {isClient && figures}
    </div>
  )
}
