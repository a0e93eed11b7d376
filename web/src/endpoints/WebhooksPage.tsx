import { endpointsPerClientMax } from '@tollgate/contract/endpoints/endpoints.ts'
import { PageHeader } from '../ui/PageHeader.tsx'
import { useUrlState } from '../url-state.ts'
import { OwnEndpoints } from './endpoint-calls.tsx'
import { EndpointsTab } from './EndpointsTab.tsx'
import { useEndpoints } from './queries.ts'
import { endpointsSearch } from './search.ts'
import { t } from '../language/t.ts'

/** A client's own webhooks. Staff see them among all endpoints, on Interconnection API. */
export function WebhooksPage() {
  return (
    <OwnEndpoints>
      <PageHeader title={t('Webhooks')}>
        {t(
          'Addresses of your own programs that are notified of your messages, bills, payments and requests, up to {endpointsPerClientMax}',
          { endpointsPerClientMax },
        )}
      </PageHeader>
      <OwnList />
    </OwnEndpoints>
  )
}

function OwnList() {
  return <EndpointsTab list={useEndpoints()} url={useUrlState(endpointsSearch)} />
}
