// Connections that should be up and are not, as alerts.
import { sql } from 'kysely'
import { sentence, sentencesOf, type Sentence } from '@tollgate/contract/sentences.ts'
import { alertTexts, type FoundAlert } from '@tollgate/contract/alerts/alerts.ts'
import { rows, type Db } from '../platform/db.ts'
import { connectionFault } from './messages.ts'
import { viewConnections, type ConnectionView } from './views.ts'

// One attempt that fails is mended by the next one.
const attemptsMin = 2

/** Wanted connections in error, or whose attempts do not succeed. */
export async function connectionAlerts(db: Db): Promise<FoundAlert[]> {
  const failing = (await viewConnections(db)).filter(
    ({ isWanted, status, attempts }) =>
      isWanted && (status === 'error' || (status === 'connecting' && attempts >= attemptsMin)),
  )
  if (failing.length === 0) return []
  const since = await downSince(
    db,
    failing.map(({ id }) => id),
  )
  return failing.map((connection) => toAlert(connection, since.get(connection.id)))
}

/** When each connection was last lost, or first failed after it was last connected. */
async function downSince(db: Db, ids: readonly number[]): Promise<Map<number, Date>> {
  const found = await rows<{ id: number; since: Date }>(
    db,
    sql`
      select e.connection_id as id, min(e.at) as since from connection_events e
      where e.connection_id = any(${ids}::int[]) and e.event in ('lost', 'failed') and e.id > coalesce((
        select max(c.id) from connection_events c where c.connection_id = e.connection_id and c.event = 'connected'
      ), 0) group by 1`,
  )
  return new Map(found.map(({ id, since }) => [id, since]))
}

function toAlert(connection: ConnectionView, since: Date | undefined): FoundAlert {
  const { id, name, attempts, lastAttemptAt, lastErrorCode, updatedAt } = connection
  const tries =
    attempts === 1
      ? sentence('Not connected after 1 attempt.')
      : sentence('Not connected after {count} attempts.', { count: attempts })
  return {
    ...alertTexts({
      name,
      what: [tries, ...faultOf(connection)],
      advice:
        lastErrorCode === null
          ? sentence('Test the connection: it shows the step that fails.')
          : sentence('Correct its settings, or ask the upstream; attempts continue automatically.'),
    }),
    key: `connection:${id}`,
    kind: 'connection',
    severity: 'critical',
    since: (since ?? updatedAt).toISOString(),
    last: (lastAttemptAt ?? since ?? updatedAt).toISOString(),
    count: null,
    hours: [],
    about: { connectionId: String(id) },
  }
}

function faultOf({ lastErrorCode: code, lastError: text }: ConnectionView): Sentence[] {
  return code === null && text === ''
    ? [sentence('The other side does not answer.')]
    : sentencesOf(connectionFault(code, text))
}
