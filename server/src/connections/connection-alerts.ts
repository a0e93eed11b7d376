// Connections that should be up and are not, or whose own CA is about to end, as alerts.
import { sentence, sentencesOf, type Sentence } from '@tollgate/contract/sentences.ts'
import { alertTexts, type FoundAlert } from '@tollgate/contract/alerts/alerts.ts'
import type { Db } from '../platform/db.ts'
import { connectionFault } from './messages.ts'
import { trustedCertificates } from './own-ca.ts'
import { viewConnections, type ConnectionView } from './views.ts'

// One attempt that fails is mended by the next one.
const attemptsMin = 2

/** Wanted connections in error, or whose attempts do not succeed. */
export async function connectionAlerts(db: Db, now: Date): Promise<FoundAlert[]> {
  const wanted = (await viewConnections(db)).filter(({ isWanted }) => isWanted)
  const failing = wanted.filter(
    ({ status, attempts }) => status === 'error' || (status === 'connecting' && attempts >= attemptsMin),
  )
  return [...failing.map(toAlert), ...wanted.flatMap((connection) => caAlerts(connection, now))]
}

const dayMs = 86_400_000
const warningDays = 14

/** Of an authority that is there twice, the one that ends later takes over. */
function caAlerts({ id, name, tlsCa }: ConnectionView, now: Date): FoundAlert[] {
  const ends = new Map<string, number>()
  for (const { subject, validTo } of trustedCertificates(tlsCa))
    ends.set(subject, Math.max(ends.get(subject) ?? 0, Date.parse(validTo)))
  return [...ends]
    .filter(([, endMs]) => endMs - now.getTime() <= warningDays * dayMs)
    .map(([subject, endMs]): FoundAlert => {
      const values = { subject, day: new Date(endMs).toISOString().slice(0, 10) }
      return {
        ...alertTexts({
          name,
          what: [
            endMs > now.getTime()
              ? sentence('Its own CA {subject} ends on {day}.', values)
              : sentence('Its own CA {subject} ended on {day}.', values),
          ],
          advice: sentence('Ask the upstream for its new CA, and enter it beside this one.'),
        }),
        key: `certificate:connection-${id}:${subject}`,
        kind: 'certificate',
        severity: 'warning',
        since: new Date(endMs - warningDays * dayMs).toISOString(),
        last: now.toISOString(),
        count: null,
        hours: [],
        about: { connectionId: String(id) },
      }
    })
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
