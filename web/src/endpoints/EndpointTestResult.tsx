import type { EndpointTest } from '@tollgate/contract/endpoints/endpoints.ts'
import { formatWords } from '../format/sentences.ts'
import { t } from '../language/t.ts'
import { Notice } from '../ui/Notice.tsx'

/** The result of testing an endpoint, last in a line that wraps; nothing before there is one. */
export function EndpointTestResult({ result }: { result: EndpointTest | undefined }) {
  if (result === undefined) return null
  const { success, error, responseStatus = '', durationMs } = result
  const failure = error === undefined ? t('Connection test failed') : formatWords(error)
  return (
    <div className="order-last w-full">
      <Notice tone={success ? 'ok' : 'bad'} title={success ? t('Test Successful') : t('Test Failed')} isAlert>
        {success
          ? t('Answered {responseStatus} in {durationMs} ms.', { responseStatus, durationMs })
          : failure}
      </Notice>
    </div>
  )
}
