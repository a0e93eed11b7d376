// What the screens of numbers read and change. One row of the server stands behind three lists, so a change touches all.
import { useQueryClient, type QueryClient } from '@tanstack/react-query'
import { numbersRoutes } from '@tollgate/contract/numbers.ts'
import type { Route, RouteAnswer } from '@tollgate/contract/route.ts'
import { useCallback } from 'react'
import { useAct } from '../api/use-call.ts'
import { showToast } from '../ui/toasts.ts'

/** The lists in which a number shows. design.md 1: one number, one row. */
export const numberPaths = ['/api/premium-numbers', '/api/number-inventory', '/api/numbers'] as const

interface Pages {
  readonly pages: readonly { readonly rows: readonly { readonly id: string }[] }[]
}

/** Changes one row in what was fetched of a list, before the server has answered; gives the way back. */
export function patchRow<R extends Route>(
  client: QueryClient,
  route: R,
  id: string,
  patch: RouteAnswer<R> extends readonly (infer Row)[] ? Partial<Row> : never,
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

/** {@link patchRow} with this console's store; stable while the route is. */
export function usePatchRow<R extends Route>(route: R) {
  const client = useQueryClient()
  return useCallback(
    (id: string, patch: Parameters<typeof patchRow<R>>[3]) => patchRow(client, route, id, patch),
    [client, route],
  )
}

interface StatusGroup {
  readonly status: 'active' | 'inactive' | 'suspended'
  readonly ids: readonly string[]
}

/** The rows' ids by the status they have now: what an undo has to restore. */
export function groupByStatus(rows: readonly { id: string; status: StatusGroup['status'] }[]): StatusGroup[] {
  const groups = new Map<StatusGroup['status'], string[]>()
  for (const { id, status } of rows) groups.set(status, [...(groups.get(status) ?? []), id])
  return [...groups].map(([status, ids]) => ({ status, ids }))
}

/** Sets the status of several numbers at once; the toast offers the way back. */
export function useSetStatuses() {
  const act = useAct(numbersRoutes.bulkSetNumberStatus, {
    refetch: numberPaths,
    failure: 'Failed to update number',
  })
  const set = (
    rows: readonly { id: string; status: StatusGroup['status'] }[],
    status: StatusGroup['status'],
    onSuccess: () => void,
  ) => {
    const before = groupByStatus(rows.filter((row) => row.status !== status))
    act.mutate(
      { body: { ids: rows.map((row) => row.id), status } },
      {
        onSuccess: ({ changed }) => {
          onSuccess()
          showToast({
            title: 'Success',
            text: changed === 1 ? 'Number updated successfully' : `${changed} numbers updated successfully`,
            ...(before.length > 0 && {
              undo: () => {
                for (const group of before)
                  act.mutate({ body: { ids: [...group.ids], status: group.status } })
              },
            }),
          })
        },
      },
    )
  }
  return { set, isPending: act.isPending }
}
