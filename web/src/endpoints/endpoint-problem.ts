import type { Endpoint } from '@tollgate/contract/endpoints.ts'
import { formatDuration } from '../format/dates.ts'

/** What is wrong with an address: why it was switched off, or for how long it takes nothing; empty when nothing is. */
export function endpointProblem({ status, statusReason, failingSince }: Endpoint, now: number): string {
  if (statusReason !== '') return statusReason
  if (failingSince === null || status === 'inactive') return ''
  return `Has taken nothing for ${formatDuration(now - new Date(failingSince).getTime())}`
}
