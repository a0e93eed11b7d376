// Connections that should be up and are not, as alerts.
import { sentence, sentencesOf, type Sentence } from '@tollgate/contract/sentences.ts'
import { alertTexts, type FoundAlert } from '@tollgate/contract/alerts/alerts.ts'
import type { Db } from '../platform/db.ts'
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
  return failing.map(toAlert)
}

function toAlert(connection: ConnectionView): FoundAlert {
  const { id, name, attempts, downSince, lastAttemptAt, lastErrorCode, updatedAt } = connection
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
    since: (downSince ?? updatedAt).toISOString(),
    last: (lastAttemptAt ?? downSince ?? updatedAt).toISOString(),
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
