// Reads and changes server data from components: contract routes over TanStack Query.
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
import { usersRoutes } from '@tollgate/contract/users/users.ts'
import { useCallback, useEffect, useMemo, useRef, useState, type RefObject } from 'react'
import { showToast } from '../ui/toasts.ts'
import { messageOf } from './api-error.ts'
import { call, callPage } from './call.ts'
import { CallKeys, inputKey } from './idempotency-key.ts'
import { t } from '../language/t.ts'

/** The cache key of a route's answer. The path comes first, so that a change can name the lists that it affects. */
export function keyOf(route: Route, input: RouteCall<Route> = {}): readonly unknown[] {
  return [route.path, input.params ?? null, input.query ?? null]
}

interface ReadOptions {
  readonly refetchIntervalMs?: number
  readonly isEnabled?: boolean
}

interface QueryOptions extends ReadOptions {
  /** Whether the answer stays in the cache when no screen shows it. A secret does not, nor what each opening reads anew. */
  readonly isKept?: boolean
}

/** Reads a route. Polls only if `refetchIntervalMs` is set (Spec §9), and not in a hidden tab. */
export function useApiQuery<R extends Route>(
  route: R,
  input: RouteCall<R> = {},
  { refetchIntervalMs, isEnabled = true, isKept = true }: QueryOptions = {},
): UseQueryResult<RouteAnswer<R>, Error> {
  return useQuery<RouteAnswer<R>, Error>({
    queryKey: keyOf(route, input),
    queryFn: ({ signal }) => call(route, input, signal),
    enabled: isEnabled,
    refetchInterval: refetchIntervalMs ?? false,
    ...(!isKept && { gcTime: 0 }),
  })
}

type PageRow<T> = T extends readonly (infer Row)[] ? Row : never

/** A paged list for a DataTable. `rows` is undefined until the first page is there. */
export interface PagedRows<Row> {
  readonly rows: readonly Row[] | undefined
  readonly error: Error | null
  /** When the rows were read, in milliseconds; 0 until they are there. */
  readonly dataUpdatedAt: number
  readonly isFetching: boolean
  readonly hasMore: boolean
  readonly isLoadingMore: boolean
  readonly loadMore: () => void
  readonly refetch: () => void
  /** Reads only the first page again. The rows stay on screen until it is there. */
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
    dataUpdatedAt: pages.dataUpdatedAt,
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

/**
 * Fetches everything again that was read from these paths or below them. Spec §7: after each change the related list.
 */
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

/** What a call is made with, and what its maker needs to tell what came of it. */
export type MutationInput<R extends Route, Context = unknown> = RouteCall<R> & {
  /** Not sent. */
  readonly context?: Context
}

export interface MutationOptions<R extends Route, Context = unknown> {
  /** API paths whose data this call changes. */
  readonly refetch?: readonly string[]
  /** The success toast. A string is the text under the title 'Success' (Spec §8). */
  readonly success?: string | ToastMessage
  /**
   * The title of the failure toast; the server's message stands below it. `false` when the caller shows the failure
   * itself.
   */
  readonly failure?: string | ToastMessage | false
  /** Whether the caller shows the failure where it stands. Then a toast tells it only when that is no longer on screen. */
  readonly isShownInPlace?: boolean
  /**
   * Called also when the page was left or another call was begun meanwhile, where `onSuccess` of `mutate` is not: what
   * tells of the call, or offers to undo it, belongs here.
   */
  readonly onSuccess?: (answer: RouteAnswer<R>, context: Context) => void
  /** For a public route that means something else without a session: makes sure first that there is one. */
  readonly isSignedInOnly?: boolean
}

function failureMessage(failure: string | ToastMessage, error: unknown): ToastMessage {
  return typeof failure === 'string' ? { title: failure, text: messageOf(error) } : failure
}

export function useIsOnScreen(): RefObject<boolean> {
  const isOnScreen = useRef(false)
  useEffect(() => {
    isOnScreen.current = true
    return () => void (isOnScreen.current = false)
  }, [])
  return isOnScreen
}

/**
 * Performs a changing call, shows a toast, then fetches the related lists again. The same call is sent once, however often
 * it is made before that is done. If the route takes an Idempotency-Key, the call carries one.
 */
export function useApiMutation<R extends Route, Context = unknown>(
  route: R,
  {
    refetch = [],
    success,
    failure = t('Error'),
    isShownInPlace = false,
    onSuccess,
    isSignedInOnly = false,
  }: MutationOptions<R, Context> = {},
): UseMutationResult<RouteAnswer<R>, Error, MutationInput<R, Context>> {
  const client = useQueryClient()
  // A dialog is mounted only while it is open, so each opening has its own keys.
  const [keys] = useState(() => new CallKeys())
  const running = useRef<string>(undefined)
  const isOnScreen = useIsOnScreen()
  const mutation = useMutation<RouteAnswer<R>, Error, MutationInput<R, Context>>({
    mutationFn: async (input) => {
      if (isSignedInOnly) await call(usersRoutes.currentUser)
      return call(route, input, undefined, { idempotencyKey: keys.keyFor(route, input) })
    },
    onSuccess: (answer, input) => {
      keys.forget(input)
      if (success !== undefined)
        showToast(typeof success === 'string' ? { title: t('Success'), text: success } : success)
      onSuccess?.(answer, input.context as Context)
    },
    onError: (error) => {
      running.current = undefined
      const isTold = isShownInPlace && isOnScreen.current
      if (failure !== false && !isTold) showToast({ tone: 'bad', ...failureMessage(failure, error) })
    },
    // The lists are fetched again also after a refusal, because outdated data on screen may be its cause.
    onSettled: async (_answer, _error, input) => {
      await refetchPaths(client, refetch)
      if (running.current === inputKey(input)) running.current = undefined
    },
  })
  const { mutate } = mutation
  // A second click comes before the button is drawn as busy, and would report that there was nothing left to do.
  const mutateOnce = useCallback<typeof mutate>(
    (input, options) => {
      if (running.current === inputKey(input)) return
      running.current = inputKey(input)
      mutate(input, options)
    },
    [mutate],
  )
  return { ...mutation, mutate: mutateOnce }
}
