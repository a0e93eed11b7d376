import type { EndpointTest } from '@tollgate/contract/endpoints/endpoints.ts'
import { Notice } from '../ui/Notice.tsx'
import { describeEndpointTest } from './queries.ts'
import { t } from '../language/t.ts'

/** The result of testing an endpoint. */
export function EndpointTestResult({ result }: { result: EndpointTest }) {
  return (
    <Notice
      tone={result.success ? 'ok' : 'bad'}
      title={result.success ? t('Test Successful') : t('Test Failed')}
      isAlert
    >
      {describeEndpointTest(result)}
    </Notice>
  )
}
