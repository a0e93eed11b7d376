import type { Endpoint } from '@tollgate/contract/endpoints/endpoints.ts'
import { StatusBadge } from '../ui/Badge.tsx'
import { useNow } from '../ui/use-now.ts'
import { endpointBadge, endpointProblem } from './endpoint-problem.ts'

/** The state of an endpoint in a list, with the problem below it. */
export function EndpointState({ endpoint }: { endpoint: Endpoint }) {
  const problem = endpointProblem(endpoint, useNow())
  return (
    <span className="inline-flex flex-col items-start gap-0.5 py-1">
      <StatusBadge kind="endpoint" status={endpointBadge(endpoint)} />
      {problem !== '' && (
        <span className="max-w-56 text-xs font-normal whitespace-normal text-bad-ink sm:min-w-36">
          {problem}
        </span>
      )}
    </span>
  )
}
