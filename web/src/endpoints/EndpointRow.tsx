import { Link } from '@tanstack/react-router'
import type { Endpoint } from '@tollgate/contract/endpoints/endpoints.ts'
import { Zap } from 'lucide-react'
import { formatAge } from '../format/dates.ts'
import { formatCount, formatDecimal, unknownFigure } from '../format/money.ts'
import { paths } from '../paths.ts'
import { StatusBadge } from '../ui/Badge.tsx'
import { Button } from '../ui/Button.tsx'
import { endpointBadge, endpointProblem } from './endpoint-problem.ts'
import { EndpointTestResult } from './EndpointTestResult.tsx'
import { useEndpointTest } from './queries.ts'
import { t } from '../language/t.ts'

/** One endpoint in a line, with a button that tests it; its drawer has the rest. */
export function EndpointRow({ endpoint, now }: { endpoint: Endpoint; now: number }) {
  const { id, name, totalRequests, successRate, waiting, lastUsed } = endpoint
  const test = useEndpointTest()
  const problem = endpointProblem(endpoint, now)
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-2.5">
      <span className="min-w-40 grow basis-40 space-y-0.5">
        <Link
          to={`${paths.interconnectionApi}?tab=endpoints&open=${id}`}
          className="rounded-xs font-medium text-accent-ink underline decoration-line-strong underline-offset-2 hover:decoration-current"
        >
          {name}
        </Link>
        <span className="block text-xs text-ink-3">
          {lastUsed === null ? t('Never used') : t('Last used {at}', { at: formatAge(lastUsed, now) })}
        </span>
      </span>
      <span className="min-w-48 grow basis-64 space-y-0.5">
        <StatusBadge kind="endpoint" status={endpointBadge(endpoint)} />
        {problem !== '' && <span className="block text-xs text-bad-ink">{problem}</span>}
      </span>
      <span className="basis-72 text-ink-2">
        {t('{requests} requests, {rate} successful, {waiting} waiting', {
          requests: formatCount(totalRequests),
          rate: totalRequests === 0 ? unknownFigure : `${formatDecimal(successRate, 1)} %`,
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
      {test.data && (
        <div className="w-full">
          <EndpointTestResult result={test.data} />
        </div>
      )}
    </li>
  )
}
