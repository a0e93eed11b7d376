import { customProviderId } from '@tollgate/contract/providers/providers.ts'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../ui/Button.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import { Tabs } from '../ui/Tabs.tsx'
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
  const [open, setOpen] = useState<'custom' | 'add'>()
  // The one of the specification comes first, by a call of its own.
  const hasCustom = providers.data?.some(({ id }) => id === customProviderId) === true
  const failingCount = workers.data?.workers.filter(({ status }) => status === 'error').length ?? 0
  return (
    <>
      <PageHeader
        title={t('HTTP Providers')}
        actions={
          <Button
            tone="primary"
            icon={Plus}
            isDisabled={providers.data === undefined}
            onClick={() => setOpen(hasCustom ? 'add' : 'custom')}
          >
            {t('Configure Provider')}
          </Button>
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
      {open && <ProviderDialog kind={open} onClose={() => setOpen(undefined)} />}
    </>
  )
}
