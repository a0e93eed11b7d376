// Accounts and settings that wait for staff, as alerts.
import { sql, type RawBuilder } from 'kysely'
import { sentence, type Sentence } from '@tollgate/contract/sentences.ts'
import { alertTexts, type FoundAlert } from '@tollgate/contract/alerts/alerts.ts'
import { row, type Db } from '../../platform/db.ts'

interface Waiting {
  readonly count: number
  readonly since: Date | null
  readonly last: Date | null
}

interface Queue extends Pick<FoundAlert, 'key' | 'kind' | 'about'> {
  readonly name: Sentence
  readonly advice: Sentence
}

/** Sign-ups that wait for approval, second factors to be removed, and changes of settings that wait for another admin. */
export async function accountAlerts(db: Db): Promise<FoundAlert[]> {
  const found = await Promise.all([
    waiting(db, sql`select created_at as at from users where awaits_approval`, {
      key: 'sign_up:waiting',
      kind: 'sign_up',
      name: sentence('Sign-ups'),
      advice: sentence('Approve or reject them in Users Management.'),
      about: {},
    }),
    waiting(db, sql`select requested_at as at from factor_resets`, {
      key: 'approval:factors',
      kind: 'approval',
      name: sentence('Second factors to remove'),
      advice: sentence('Somebody other than the person who asked removes them in Users Management.'),
      about: { way: 'factors' },
    }),
    waiting(
      db,
      sql`select requested_at as at from setting_changes where status = 'pending' and approved_at is null`,
      {
        key: 'approval:settings',
        kind: 'approval',
        name: sentence('Changes to settings'),
        advice: sentence('An admin other than the one who asked approves or cancels them in Admin Settings.'),
        about: { way: 'settings' },
      },
    ),
  ])
  return found.flat()
}

/** `times` gives the time of each that waits. */
async function waiting(
  db: Db,
  times: RawBuilder<unknown>,
  { name, advice, ...queue }: Queue,
): Promise<FoundAlert[]> {
  const found = await row<Waiting>(
    db,
    sql`select count(*)::int as count, min(at) as since, max(at) as last from (${times}) w`,
  )
  if (found === undefined || found.since === null || found.last === null) return []
  const { count, since, last } = found
  const what = count === 1 ? sentence('1 is waiting.') : sentence('{count} are waiting.', { count })
  return [
    {
      ...queue,
      ...alertTexts({ name, what: [what], advice }),
      severity: 'notice',
      since: since.toISOString(),
      last: last.toISOString(),
      count,
      hours: [],
    },
  ]
}
