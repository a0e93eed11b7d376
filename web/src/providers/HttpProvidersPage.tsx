import { customProviderId } from '@tollgate/contract/providers/providers.ts'
import { Plus, Settings2 } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../ui/Button.tsx'
import { Menu } from '../ui/Menu.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import { Tabs } from '../ui/Tabs.tsx'
import { phoneQuery, useMediaQuery } from '../ui/use-media-query.ts'
import { useUrlState } from '../url-state.ts'
import { ProviderDialog } from './ProviderDialog.tsx'
import { ProvidersTab } from './ProvidersTab.tsx'
import { useProviders, useWorkers } from './queries.ts'
import { providersSearch } from './search.ts'
import { StatisticsTab } from './StatisticsTab.tsx'
import { WorkersTab } from './WorkersTab.tsx'
import { t } from '../language/t.ts'

/** Spec §2, HTTP Providers. */
export function HttpProvidersPage() {
  const url = useUrlState(providersSearch)
  const providers = useProviders()
  const workers = useWorkers()
  const isPhone = useMediaQuery(phoneQuery)
  const [open, setOpen] = useState<'custom' | 'add'>()
  const close = () => setOpen(undefined)
  const custom = providers.data?.find(({ id }) => id === customProviderId)
  const failingCount = workers.data?.workers.filter(({ status }) => status === 'error').length ?? 0
  return (
    <>
      <PageHeader
        title={t('HTTP Providers')}
        actions={
          <>
            {isPhone ? (
              // Two buttons with labels would double the height of a phone's top bar.
              <Menu
                groups={[[{ label: t('Add Provider'), icon: Plus, onSelect: () => setOpen('add') }]]}
                trigger={t('More actions for providers')}
              />
            ) : (
              <Button icon={Plus} onClick={() => setOpen('add')}>
                {t('Add Provider')}
              </Button>
            )}
            <Button
              tone="primary"
              icon={Settings2}
              isDisabled={providers.data === undefined}
              onClick={() => setOpen('custom')}
            >
              {t('Configure Provider')}
            </Button>
          </>
        }
      >
        {t('Sources that are polled for records, and what their workers do')}
      </PageHeader>
      <Tabs
        label={t('HTTP Providers')}
        value={url.state.tab}
        onChange={(tab) => url.set({ tab }, true)}
        tabs={[
          {
            value: 'providers',
            label: t('Providers'),
            content: <ProvidersTab providers={providers} workers={workers} />,
          },
          {
            value: 'workers',
            label: t('Worker Status'),
            count: failingCount,
            countTone: 'bad',
            content: <WorkersTab workers={workers} />,
          },
          { value: 'statistics', label: t('Statistics'), content: <StatisticsTab workers={workers} /> },
        ]}
      />
      {open === 'add' && <ProviderDialog kind="add" onClose={close} />}
      {open === 'custom' && (
        <ProviderDialog kind="custom" onClose={close} {...(custom && { provider: custom })} />
      )}
    </>
  )
}
