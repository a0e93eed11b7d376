import { Card } from '../ui/Card.tsx'
import { ErrorState, Skeleton } from '../ui/States.tsx'
import { messageOf, requestIdOf } from './api-error.ts'

export interface FailedFetch {
  readonly error: Error | null
  readonly refetch: () => unknown
}

interface FetchFailureProps {
  readonly of: FailedFetch
  /** The specification's text: 'Failed to fetch records'. */
  readonly title: string
  /** It stands in a card of its own. */
  readonly isCard?: boolean
}

/** Says why a fetch failed, with its request id and a button that tries again. */
export function FetchFailure({ of, title, isCard = false }: FetchFailureProps) {
  const shown = (
    <ErrorState
      title={title}
      reason={messageOf(of.error)}
      requestId={requestIdOf(of.error)}
      onRetry={() => void of.refetch()}
    />
  )
  return isCard ? <Card>{shown}</Card> : shown
}

/** Instead of what is not there yet: why its fetch failed, or a grey bar of this size while it loads. */
export function Unfetched({ className, ...props }: FetchFailureProps & { readonly className: string }) {
  return props.of.error ? <FetchFailure {...props} /> : <Skeleton className={className} />
}

/** The `failure` of a DataTable; present only when its list could not be fetched. */
export function failureOf(list: FailedFetch, title: string) {
  return list.error ? { failure: <FetchFailure of={list} title={title} /> } : {}
}

/** The rows of a DataTable, its next pages, and its failure if there is one. */
export function tableOf<List extends FailedFetch & { readonly rows: unknown }>(list: List, title: string) {
  return { rows: list.rows as List['rows'], more: list, ...failureOf(list, title) }
}
