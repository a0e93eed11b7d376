// How old figures are at most that a read replica answered.
import { useSyncExternalStore } from 'react'
import type { Route } from '@tollgate/contract/route.ts'
import { formatDuration } from '../format/dates.ts'
import { t } from '../language/t.ts'
import { readAgeSeconds, watchReadAges } from './read-ages.ts'

/** Says how old the answers of a route may be. It stands below its figures; nothing while the primary answers. */
export function ReadAgeNote({ of }: { of: Route }) {
  const seconds = useSyncExternalStore(watchReadAges, () => readAgeSeconds(of))
  if (seconds === 0) return null
  return (
    <p className="px-1 pt-1.5 text-xs text-ink-3">
      {t('From the read replica, up to {age} old', { age: formatDuration(seconds * 1_000) })}
    </p>
  )
}
