import type { Endpoint } from '@tollgate/contract/endpoints/endpoints.ts'
import { Zap } from 'lucide-react'
import { ObjectLink } from '../api/ObjectLink.tsx'
import { formatAge } from '../format/dates.ts'
import { formatCount } from '../format/money.ts'
import { Button } from '../ui/Button.tsx'
import { successOf } from './endpoint-problem.ts'
import { EndpointState } from './EndpointState.tsx'
import { EndpointTestResult } from './EndpointTestResult.tsx'
import { useEndpointTest } from './queries.ts'
import { t } from '../language/t.ts'

/** One endpoint in a line, with a button that tests it; its page has the rest. */
export function EndpointRow({ endpoint, now }: { endpoint: Endpoint; now: number }) {
  const { id, name, totalRequests, waiting, lastUsed } = endpoint
  const test = useEndpointTest()
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-2.5">
      <span className="min-w-40 grow basis-40 space-y-0.5">
        <span className="block font-medium">
          <ObjectLink kind="endpoint" id={id}>
            {name}
          </ObjectLink>
        </span>
        <span className="block text-xs text-ink-3">
          {lastUsed === null ? t('Never used') : t('Last used {at}', { at: formatAge(lastUsed, now) })}
        </span>
      </span>
      <span className="min-w-48 grow basis-64">
        <EndpointState endpoint={endpoint} />
      </span>
      <span className="basis-72 text-ink-2">
        {t('{requests} requests, {rate} successful, {waiting} waiting', {
          requests: formatCount(totalRequests),
          rate: successOf(endpoint),
          waiting: formatCount(waiting),
        })}
      </span>
      <Button
        size="sm"
        icon={Zap}
        aria-label={t('Test {name}', { name })}
        isBusy={test.isPending}
        busyLabel={t('Testing...')}
        onClick={() => test.mutate({ params: { id } })}
      >
        {t('Test')}
      </Button>
      <EndpointTestResult result={test.data} />
    </li>
  )
}
