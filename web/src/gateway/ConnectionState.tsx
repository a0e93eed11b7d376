import type { Connection } from '@tollgate/contract/connections/connections.ts'
import { formatDateTime } from '../format/dates.ts'
import { t } from '../language/t.ts'
import { StatusBadge } from '../ui/Badge.tsx'
import { connectionBadge, connectionError, stateSince } from './link-state.ts'

/** Below a state: since when it is so. */
export function StateSince({ at }: { readonly at: string }) {
  return (
    <span className="text-xs font-normal text-ink-3">{t('since {time}', { time: formatDateTime(at) })}</span>
  )
}

/** The state of a connection and since when, with its reason below: 'Error Code 14: Invalid Password'. */
export function ConnectionState({ connection }: { readonly connection: Connection }) {
  const fault = connectionError(connection)
  const since = stateSince(connection)
  return (
    <span className="inline-flex flex-col items-start gap-0.5 py-1">
      <StatusBadge kind="connection" status={connectionBadge(connection)} />
      {since !== null && <StateSince at={since} />}
      {fault !== '' && <span className="text-xs font-normal whitespace-normal text-ink-3">{fault}</span>}
    </span>
  )
}
