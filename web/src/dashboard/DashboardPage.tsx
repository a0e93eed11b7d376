import { Navigate } from '@tanstack/react-router'
import { useCallback } from 'react'
import { useSession, useUser } from '../api/session.tsx'
import { formatAge, formatLongDay } from '../format/dates.ts'
import { zoneName } from '../language/reader.ts'
import { useLivePaths } from '../records/queries.ts'
import { StatusBadge } from '../ui/Badge.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import { lazyComponent } from '../ui/lazy-component.ts'
import { Skeleton, TabSkeleton } from '../ui/States.tsx'
import { Tabs } from '../ui/Tabs.tsx'
import { isBoolean, useScreenSetting } from '../ui/screen-settings.ts'
import { useNow } from '../ui/use-now.ts'
import { paths } from '../paths.ts'
import { useUrlState, type UrlState } from '../url-state.ts'
import { livePaths } from './queries.ts'
import { dashboardSearch, type DashboardSearch } from './search.ts'
import { gatewayState, useSmppStatus } from '../gateway/smpp-status.ts'
import { t } from '../language/t.ts'

// The tabs are loaded when they are opened, so that the first page stays small.
const FirstSteps = lazyComponent(() => import('./FirstSteps.tsx'), 'FirstSteps')
const BeforeLive = lazyComponent(() => import('./BeforeLive.tsx'), 'BeforeLive')
const OverviewTab = lazyComponent(() => import('./OverviewTab.tsx'), 'OverviewTab')
const BindingTab = lazyComponent(() => import('./BindingTab.tsx'), 'BindingTab')
const AnalyticsTab = lazyComponent(() => import('../analytics/AnalyticsTab.tsx'), 'AnalyticsTab')
const RecordsTab = lazyComponent(() => import('./RecordsTab.tsx'), 'RecordsTab')

/** The first page: the gateway today. A supplier's is its own traffic, unless a link leads to a tab. */
export function DashboardPage() {
  const { isSupplier } = useUser()
  const url = useUrlState(dashboardSearch)
  return isSupplier === true && Object.keys(url.changed).length === 0 ? (
    <Navigate to={paths.smppTraffic as string} replace />
  ) : (
    <Dashboard url={url} />
  )
}

/** What a person has to do, before the figures. */
function TopCards() {
  const { role } = useUser()
  const [hasNoSteps, setNoSteps] = useScreenSetting('dashboard.first-steps-over', false, isBoolean)
  const endSteps = useCallback(() => setNoSteps(true), [setNoSteps])
  const [isLive, setLive] = useScreenSetting('dashboard.before-live-over', false, isBoolean)
  const endLive = useCallback(() => setLive(true), [setLive])
  return (
    <>
      {!hasNoSteps && role !== 'test' && (
        <FirstSteps isStaff={role !== 'user'} onEnd={endSteps} waiting={<div data-unknown />} />
      )}
      {role === 'admin' && !isLive && (
        <BeforeLive onEnd={endLive} waiting={<Skeleton className="h-26 w-full rounded-lg max-sm:h-85" />} />
      )}
    </>
  )
}

function Dashboard({ url }: { readonly url: UrlState<DashboardSearch> }) {
  const now = useNow(60_000)
  const { role } = useUser()
  const isStaff = useSession().may('interconnectionApi')
  useLivePaths(livePaths)
  const status = useSmppStatus()
  const outbound = status.isError ? undefined : status.data?.outbound
  const failing = outbound?.connections.filter((link) => link.status === 'error').length ?? 0
  // A failing link is the operator's to mend.
  const alerts = isStaff && outbound?.failing ? Math.max(1, failing) : 0
  return (
    <>
      <PageHeader title={t('Dashboard')} actions={<GatewayBadge />}>
        {t('{now} · all times {zoneName}', { now: formatLongDay(now), zoneName: zoneName() })}
        {role === 'test' && (
          <span className="block">
            {t('This account is for trying the console: it sees what a client sees, with numbers masked.')}
          </span>
        )}
      </PageHeader>
      <TopCards />
      <Tabs
        label={t('Dashboard')}
        value={url.state.tab}
        onChange={(tab) => url.set({ tab }, true)}
        tabs={[
          {
            value: 'overview',
            label: t('Overview'),
            content: <OverviewTab now={now} waiting={<TabSkeleton />} />,
          },
          {
            value: 'connections',
            label: t('Connections'),
            count: isStaff && status.isPending ? undefined : alerts,
            countTone: 'bad',
            content: <BindingTab waiting={<TabSkeleton />} />,
          },
          {
            value: 'analytics',
            label: t('Analytics'),
            content: <AnalyticsTab url={url} now={now} waiting={<TabSkeleton />} />,
          },
          {
            value: 'records',
            label: t('Records'),
            content: <RecordsTab url={url} waiting={<TabSkeleton />} />,
          },
        ]}
      />
    </>
  )
}

/** Spec §2: Gateway Online or Gateway Offline, and how old this information is. */
function GatewayBadge() {
  const status = useSmppStatus()
  const now = useNow()
  if (status.isPending) return <Skeleton className="h-6.5 w-32" />
  return (
    <>
      {status.dataUpdatedAt > 0 && (
        <span className={status.isError ? 'text-warn-ink' : 'text-ink-3 max-sm:hidden'}>
          {status.isError
            ? t('no answer, last {age}', { age: formatAge(status.dataUpdatedAt, now) })
            : t('live, {age}', { age: formatAge(status.dataUpdatedAt, now) })}
        </span>
      )}
      <StatusBadge kind="gateway" status={gatewayState(status)} size="lg" />
    </>
  )
}
