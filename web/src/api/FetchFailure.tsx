// What stands on the screen instead of data: the failure of its fetch, or a placeholder while it loads.
import type { ReactNode } from 'react'
import { ErrorState } from '../ui/States.tsx'
import { messageOf, requestIdOf } from './api-error.ts'

interface FailedFetch {
  readonly error: Error | null
  readonly refetch: () => unknown
}

interface FetchFailureProps {
  readonly of: FailedFetch
  /** The specification's text: 'Failed to fetch records'. */
  readonly title: string
}

/** Says why a fetch failed, with its request id and a button that tries again. */
export function FetchFailure({ of, title }: FetchFailureProps) {
  return (
    <ErrorState
      title={title}
      reason={messageOf(of.error)}
      requestId={requestIdOf(of.error)}
      onRetry={() => void of.refetch()}
    />
  )
}

/** The `failure` of a DataTable; present only when its list could not be fetched. */
export function failureOf(list: FailedFetch, title: string) {
  return list.error ? { failure: <FetchFailure of={list} title={title} /> } : {}
}

interface FetchedProps<Data> {
  readonly query: FailedFetch & { readonly data: Data | undefined }
  /** The specification's text for the failed fetch. */
  readonly failure: string
  /** Stands here while the data is on its way. */
  readonly loading: ReactNode
  readonly children: (data: Data) => ReactNode
}

/** Draws fetched data. Data that is there stays on screen when a refetch fails. */
export function Fetched<Data>({ query, failure, loading, children }: FetchedProps<Data>) {
  if (query.data !== undefined) return children(query.data)
  return query.error ? <FetchFailure of={query} title={failure} /> : loading
}
