import type { Endpoint } from '@tollgate/contract/endpoints/endpoints.ts'
import { formatDuration } from '../format/dates.ts'
import { formatDecimal, unknownFigure } from '../format/money.ts'
import { formatWords } from '../format/sentences.ts'
import { leftToRight, t } from '../language/t.ts'

/** The problem of an endpoint: why it was switched off, or how long it has been failing. Empty without a problem. */
export function endpointProblem({ status, statusReason, failingSince }: Endpoint, now: number): string {
  if (statusReason !== '') return formatWords(statusReason)
  if (failingSince === null || status === 'inactive') return ''
  return t('Has accepted nothing for {duration}', {
    duration: formatDuration(now - new Date(failingSince).getTime()),
  })
}

/** The state for the badge: an active one that accepts nothing is not well. */
export function endpointBadge({ status, failingSince, totalRequests, successRate }: Endpoint): string {
  const acceptsNothing = failingSince !== null || (totalRequests > 0 && successRate === 0)
  return status === 'active' && acceptsNothing ? 'active_failing' : status
}

/** '90.0 %'. */
export function successOf({ totalRequests, successRate }: Endpoint): string {
  return totalRequests === 0 ? unknownFigure : leftToRight(`${formatDecimal(successRate, 1)} %`)
}
