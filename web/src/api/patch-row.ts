// Optimistic updates: a row shows the requested change before the server has answered, and goes back when the server
// refuses.
import { useQueryClient, type QueryClient } from '@tanstack/react-query'
import type { Route, RouteAnswer } from '@tollgate/contract/route.ts'
import { useCallback } from 'react'

type RowId = string | number

/** A row of a list route's answer. */
export type RowOf<R extends Route> = RouteAnswer<R> extends readonly (infer Row)[] ? Row : never

interface Pages {
  readonly pages: readonly { readonly rows: readonly { readonly id: RowId }[] }[]
}

/** Changes one row in the cached pages of a list. Returns a function that undoes the change. */
function patchRow<R extends Route>(
  client: QueryClient,
  route: R,
  id: RowId,
  patch: Partial<RowOf<R>>,
): () => void {
  const filter = {
    predicate: ({ queryKey }: { queryKey: readonly unknown[] }) =>
      queryKey[0] === route.path && queryKey.at(-1) === 'pages',
  }
  const before = client.getQueriesData<Pages>(filter)
  client.setQueriesData<Pages>(
    filter,
    (data) =>
      data && {
        ...data,
        pages: data.pages.map((page) => ({
          ...page,
          rows: page.rows.map((row) => (row.id === id ? { ...row, ...patch } : row)),
        })),
      },
  )
  return () => {
    for (const [key, data] of before) client.setQueryData(key, data)
  }
}

/** {@link patchRow} with the console's query client. The function is stable while the route is. */
export function usePatchRow<R extends Route>(route: R) {
  const client = useQueryClient()
  return useCallback(
    (id: RowId, patch: Partial<RowOf<R>>) => patchRow(client, route, id, patch),
    [client, route],
  )
}
