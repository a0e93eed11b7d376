import type { Provider } from '@tollgate/contract/providers/providers.ts'
import type { Refreshed } from '../api/RefreshNote.tsx'
import { formatInstant } from '../format/dates.ts'
import { formatCount } from '../format/money.ts'
import { RecordsLink } from '../money/RecordsLink.tsx'
import { paths, recordsPath } from '../paths.ts'
import { ProviderOverview } from '../providers/ProviderCard.tsx'
import { useProviders, useWorkers } from '../providers/queries.ts'
import { StatusBadge } from '../ui/Badge.tsx'
import { ObjectPage, ObjectState, useObjectId } from './ObjectPage.tsx'
import { trafficTab, useStaffTabs } from './shared-tabs.tsx'
import { t } from '../language/t.ts'

const home = { label: t('HTTP Providers'), path: paths.httpProviders }

/** One HTTP source: how it is polled, what it brought and what may be done. */
export function ProviderPage() {
  const id = useObjectId()
  const list = useProviders()
  const provider = list.data?.find((each) => each.id === id)
  if (!provider)
    return <ObjectState of={list} kind="provider" home={home} isUnknown={list.data !== undefined} />
  return <ProviderView provider={provider} list={list} />
}

function ProviderView({ provider, list }: { provider: Provider; list: Refreshed }) {
  const workers = useWorkers()
  const worker = workers.data?.workers.find(({ providerId }) => providerId === provider.id)
  const staffTabs = useStaffTabs('provider', provider.id)
  return (
    <ObjectPage
      name={provider.name}
      what={t('an HTTP source that is polled for records')}
      home={home}
      {...(worker && { badge: <StatusBadge kind="worker" status={worker.status} /> })}
      readFrom={[list, workers]}
      facts={[
        {
          label: t('Since'),
          value: worker?.statusSince ? formatInstant(worker.statusSince) : '–',
        },
        {
          label: t('Messages Synced'),
          value: (
            <RecordsLink url={recordsPath({ gateway: provider.name })} label={t('SMS Records')}>
              {formatCount(worker?.messagesSynced)}
            </RecordsLink>
          ),
        },
        { label: t('Errors'), value: formatCount(worker?.errors) },
        { label: t('Last Sync'), value: worker?.lastSync ? formatInstant(worker.lastSync) : t('Never') },
      ]}
      tabs={[
        {
          value: 'overview',
          label: t('Overview'),
          content: (
            <div data-stale={workers.isError || undefined}>
              <ProviderOverview provider={provider} worker={worker} />
            </div>
          ),
        },
        trafficTab({ gateway: provider.name }, 'gateway'),
        ...staffTabs,
      ]}
    />
  )
}
