import type { Provider } from '@tollgate/contract/providers/providers.ts'
import type { useProviders, useWorkers } from './queries.ts'
import { Card } from '../ui/Card.tsx'
import { EmptyState } from '../ui/States.tsx'
import { ProviderCard } from './ProviderCard.tsx'
import { Unfetched } from '../api/FetchFailure.tsx'
import { QueueFailure } from '../api/QueueFailure.tsx'
import { RefreshNote } from '../api/RefreshNote.tsx'
import { t } from '../language/t.ts'

interface ProvidersTabProps {
  readonly providers: ReturnType<typeof useProviders>
  readonly workers: ReturnType<typeof useWorkers>
}

export function ProvidersTab({ providers, workers }: ProvidersTabProps) {
  if (providers.data === undefined)
    return (
      <Unfetched
        isCard
        of={providers}
        title={t('Failed to fetch providers')}
        className="h-72 w-full rounded-lg"
      />
    )
  if (providers.data.length === 0)
    return (
      <Card>
        <EmptyState title={t('No HTTP providers configured yet')}>
          {t('Configure one, and its records come in automatically.')}
        </EmptyState>
      </Card>
    )
  const workerOf = ({ id }: Provider) => workers.data?.workers.find(({ providerId }) => providerId === id)
  return (
    <div data-stale={workers.isError || undefined}>
      {workers.error && !workers.data && (
        <div className="pb-4">
          <QueueFailure of={workers} title={t('Failed to fetch worker statistics')} />
        </div>
      )}
      <div className="grid gap-4 lg:grid-cols-2">
        {providers.data.map((provider) => (
          <ProviderCard key={provider.id} provider={provider} worker={workerOf(provider)} />
        ))}
      </div>
      <RefreshNote of={[providers, workers]} />
    </div>
  )
}
