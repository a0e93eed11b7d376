// How old the newest answer of each route may be, in seconds: what the server says in `x-read-from`.
import type { Route } from '@tollgate/contract/route.ts'

const ages = new Map<string, number>()
const watchers = new Set<() => void>()

/** Notes who answered: `replica; age=3`, `primary`, or null where there is no replica. */
export function noteReadFrom({ path }: Pick<Route, 'path'>, readFrom: string | null): void {
  const seconds = Number(/^replica; age=(\d+)$/.exec(readFrom ?? '')?.[1] ?? 0)
  if (seconds === (ages.get(path) ?? 0)) return
  ages.set(path, seconds)
  for (const watcher of watchers) watcher()
}

/** 0: from the primary, or from a replica that had everything. */
export const readAgeSeconds = ({ path }: Pick<Route, 'path'>): number => ages.get(path) ?? 0

export function watchReadAges(watcher: () => void): () => void {
  watchers.add(watcher)
  return () => void watchers.delete(watcher)
}
