// Reading and changing server data from components: contract routes over TanStack Query.
import {
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
  type QueryClient,
  type UseMutationResult,
  type UseQueryResult,
} from '@tanstack/react-query'
import type { Route, RouteAnswer, RouteCall } from '@tollgate/contract/route.ts'
import { useMemo, useState } from 'react'
import { showToast } from '../ui/toasts.ts'
import { messageOf } from './api-error.ts'
import { call, callPage } from './call.ts'
import { CallKeys } from './idempotency-key.ts'

/** Cache key of a route's answer: its path first, so that a change can name the lists it touches. */
export function keyOf(route: Route, input: RouteCall<Route> = {}): readonly unknown[] {
  return [route.path, input.params ?? null, input.query ?? null]
}

interface ReadOptions {
  readonly refetchIntervalMs?: number
  readonly isEnabled?: boolean
}

interface QueryOptions extends ReadOptions {
  /** Forgotten as soon as no screen shows it. */
  readonly isSecret?: boolean
}

/** Reads a route. Polls only when told to (Spec §9), and not in a hidden tab. */
export function useApiQuery<R extends Route>(
  route: R,
  input: RouteCall<R> = {},
  { refetchIntervalMs, isEnabled = true, isSecret = false }: QueryOptions = {},
): UseQueryResult<RouteAnswer<R>, Error> {
  return useQuery<RouteAnswer<R>, Error>({
    queryKey: keyOf(route, input),
    queryFn: ({ signal }) => call(route, input, signal),
    enabled: isEnabled,
    refetchInterval: refetchIntervalMs ?? false,
    ...(isSecret && { gcTime: 0 }),
  })
}

type PageRow<T> = T extends readonly (infer Row)[] ? Row : never

/** A keyset list as tables take it. `rows` is undefined until the first page is there. */
export interface PagedRows<Row> {
  readonly rows: readonly Row[] | undefined
  readonly error: Error | null
  readonly isFetching: boolean
  readonly hasMore: boolean
  readonly isLoadingMore: boolean
  readonly loadMore: () => void
  readonly refetch: () => void
  /** Reads the first page alone, anew; the rows on screen stay until it is there. */
  readonly restart: () => Promise<void>
}

/** Reads a paged route; "Show more results" appends the next page. */
export function useApiPages<R extends Route>(
  route: R,
  input: RouteCall<R> = {},
  { refetchIntervalMs, isEnabled = true }: ReadOptions = {},
): PagedRows<PageRow<RouteAnswer<R>>> {
  const client = useQueryClient()
  const queryKey = [...keyOf(route, input), 'pages']
  const pages = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) =>
      callPage(
        route,
        { ...input, query: { ...(input.query as object | undefined), cursor: pageParam } } as RouteCall<R>,
        signal,
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor,
    enabled: isEnabled,
    refetchInterval: refetchIntervalMs ?? false,
  })
  const rows = useMemo(
    () => pages.data?.pages.flatMap((page) => page.rows as PageRow<RouteAnswer<R>>[]),
    [pages.data],
  )
  return {
    rows,
    error: pages.error,
    isFetching: pages.isFetching,
    hasMore: pages.hasNextPage,
    isLoadingMore: pages.isFetchingNextPage,
    loadMore: () => void pages.fetchNextPage(),
    refetch: () => void pages.refetch(),
    restart: async () => {
      client.setQueryData<typeof pages.data>(
        queryKey,
        (kept) => kept && { pages: kept.pages.slice(0, 1), pageParams: kept.pageParams.slice(0, 1) },
      )
      await pages.refetch()
    },
  }
}

/** Fetches again whatever was read from these paths or below them. Spec §7: after each change the related list. */
export async function refetchPaths(client: QueryClient, paths: readonly string[]): Promise<void> {
  await client.invalidateQueries({
    predicate: ({ queryKey: [path] }) =>
      typeof path === 'string' && paths.some((prefix) => path === prefix || path.startsWith(`${prefix}/`)),
  })
}

interface ToastMessage {
  readonly title: string
  readonly text?: string
}

interface MutationOptions<R extends Route> {
  /** API paths whose data the act changes. */
  readonly refetch?: readonly string[]
  /** The success toast; a bare string is the text under the title 'Success' (Spec §8). */
  readonly success?: string | ToastMessage
  /** The failure toast's title; the server's message stands below. `false` when the caller shows it alone. */
  readonly failure?: string | ToastMessage | false
  readonly onSuccess?: (answer: RouteAnswer<R>) => void
}

function failureMessage(failure: string | ToastMessage, error: unknown): ToastMessage {
  return typeof failure === 'string' ? { title: failure, text: messageOf(error) } : failure
}

/**
 * Performs a changing call: toasts in the specification's words, then fetches the related lists again. Where the route
 * takes an Idempotency-Key the call carries one: sent twice, it is done once.
 */
export function useApiMutation<R extends Route>(
  route: R,
  { refetch = [], success, failure = 'Error', onSuccess }: MutationOptions<R> = {},
): UseMutationResult<RouteAnswer<R>, Error, RouteCall<R>> {
  const client = useQueryClient()
  // Dialogs stand only while they are open, so each opened one has keys of its own.
  const [keys] = useState(() => new CallKeys())
  return useMutation<RouteAnswer<R>, Error, RouteCall<R>>({
    mutationFn: (input) => call(route, input, undefined, { idempotencyKey: keys.keyFor(route, input) }),
    onSuccess: (answer, input) => {
      keys.forget(input)
      if (success !== undefined)
        showToast(typeof success === 'string' ? { title: 'Success', text: success } : success)
      onSuccess?.(answer)
    },
    onError: (error) => {
      if (failure !== false) showToast({ tone: 'bad', ...failureMessage(failure, error) })
    },
    // After a refusal, too: what is on screen may be what made the server say no.
    onSettled: () => refetchPaths(client, refetch),
  })
}
