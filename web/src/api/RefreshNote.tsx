import { formatSecond } from '../format/dates.ts'
import { t } from '../language/t.ts'
import { messageOf } from './api-error.ts'

/** A query that is read again and again. `dataUpdatedAt` is 0 until it was answered once. */
export interface Refreshed {
  readonly error: Error | null
  readonly dataUpdatedAt: number
}

/** Since when what is on screen is not refreshed, and why; undefined while it is, and where nothing was ever read. */
export function staleWords(of: readonly Refreshed[]): string | undefined {
  const [oldest] = of
    .filter(({ error, dataUpdatedAt }) => error !== null && dataUpdatedAt > 0)
    .toSorted((a, b) => a.dataUpdatedAt - b.dataUpdatedAt)
  return (
    oldest &&
    t('Not refreshed since {dataUpdatedAt}: {error}', {
      dataUpdatedAt: formatSecond(oldest.dataUpdatedAt),
      error: messageOf(oldest.error),
    })
  )
}

/** Says that figures are old. It stands below them: they stay when a refresh fails, and would pass for fresh ones. */
export function RefreshNote({ of }: { of: readonly Refreshed[] }) {
  const words = staleWords(of)
  if (words === undefined) return null
  return (
    <p role="status" className="px-1 pt-1.5 text-xs text-warn-ink">
      {words}
    </p>
  )
}
