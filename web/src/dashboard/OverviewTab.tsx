import { GatewayHealth } from './GatewayHealth.tsx'
import { LatestRecords } from './LatestRecords.tsx'
import { OpenCycle } from './OpenCycle.tsx'
import { TodayActivity } from './TodayActivity.tsx'

/** The gateway today. */
export function OverviewTab({ now }: { now: number }) {
  return (
    <div className="grid gap-4 lg:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
      <TodayActivity now={now} />
      <GatewayHealth />
      <LatestRecords />
      <OpenCycle now={now} />
    </div>
  )
}
