import { StatusBadge } from '../ui/Badge.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import { lazyComponent } from '../ui/lazy-component.ts'
import { TabSkeleton } from '../ui/States.tsx'
import { Tabs } from '../ui/Tabs.tsx'
import { useUrlState } from '../url-state.ts'
import { smppControlSearch } from '../gateway/search.ts'
import { gatewayState, useSmppStatus } from '../gateway/smpp-status.ts'
import { t } from '../language/t.ts'

const ServerInfoTab = lazyComponent(() => import('../gateway/ServerInfoTab.tsx'), 'ServerInfoTab')
const ConnectionsTab = lazyComponent(() => import('./ConnectionsTab.tsx'), 'ConnectionsTab')
const MonitoringTab = lazyComponent(() => import('../gateway/MonitoringTab.tsx'), 'MonitoringTab')

/** Spec §2, SMPP Control. */
export function SmppControlPage() {
  const url = useUrlState(smppControlSearch)
  const status = useSmppStatus()
  // What was read last is not known to be so now.
  const links = status.isError ? undefined : status.data?.outbound.connections
  const failingCount = links?.filter(({ status }) => status === 'error').length ?? 0
  return (
    <>
      <PageHeader
        title={t('SMPP Control')}
        actions={<StatusBadge kind="gateway" status={gatewayState(status)} size="lg" />}
      >
        {t('The SMPP server, who is bound to it, and our own links out')}
      </PageHeader>
      <Tabs
        label={t('SMPP Control')}
        value={url.state.tab}
        onChange={(tab) => url.set({ tab }, true)}
        tabs={[
          { value: 'server', label: t('Server Info'), content: <ServerInfoTab waiting={<TabSkeleton />} /> },
          {
            value: 'connections',
            label: t('Connections'),
            count: failingCount,
            countTone: 'bad',
            content: <ConnectionsTab waiting={<TabSkeleton />} />,
          },
          {
            value: 'monitoring',
            label: t('Monitoring'),
            content: <MonitoringTab waiting={<TabSkeleton />} />,
          },
        ]}
      />
    </>
  )
}
