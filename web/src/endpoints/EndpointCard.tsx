import type { Endpoint } from '@tollgate/contract/endpoints/endpoints.ts'
import { Zap } from 'lucide-react'
import { formatAge } from '../format/dates.ts'
import { formatCount, formatDecimal, unknownFigure } from '../format/money.ts'
import { StatusBadge } from '../ui/Badge.tsx'
import { Button } from '../ui/Button.tsx'
import { Card, Pairs } from '../ui/Card.tsx'
import { Notice } from '../ui/Notice.tsx'
import { endpointProblem } from './endpoint-problem.ts'
import { EndpointTestResult } from './EndpointTestResult.tsx'
import { useEndpointTest } from './queries.ts'
import { t } from '../language/t.ts'

/** The status of one endpoint, with a button that tests it. */
export function EndpointCard({ endpoint, now }: { endpoint: Endpoint; now: number }) {
  const { id, name, totalRequests, successRate, waiting, lastUsed } = endpoint
  const test = useEndpointTest()
  const alert = endpointProblem(endpoint, now)
  return (
    <Card title={name} aside={<StatusBadge kind="endpoint" status={endpoint.status} />}>
      <div className="flex h-full flex-col justify-between gap-4">
        <Pairs
          items={[
            { label: t('Last used'), value: lastUsed === null ? t('Never') : formatAge(lastUsed, now) },
            { label: t('Requests'), value: formatCount(totalRequests) },
            {
              label: t('Success rate'),
              value: totalRequests === 0 ? unknownFigure : `${formatDecimal(successRate, 1)} %`,
            },
            { label: t('Waiting'), value: formatCount(waiting) },
          ]}
        />
        {alert !== '' && <Notice tone="bad" title={alert} />}
        {test.data && <EndpointTestResult result={test.data} />}
        <div>
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
        </div>
      </div>
    </Card>
  )
}
