// A case as the judge leaves it, of the first senders that a client has messages from.
import { sql } from 'kysely'
import { sentence } from '@tollgate/contract/sentences.ts'
import { row, rows, type Db } from '../../platform/db.ts'
import type { Clock } from '../../platform/clock.ts'
import { transaction } from '../../platform/transaction.ts'
import { saveCase } from '../judge/case-store.ts'
import { clockwork } from '../rules/clockwork.ts'
import { paced } from '../rules/paced.ts'

const rules = { clockwork, paced }

interface CaseSpec {
  readonly client: number
  /** How many of the client's senders, the first ones first. */
  readonly senders: number
  readonly rule?: keyof typeof rules
  readonly isEnforced?: boolean
}

/** The mode is enforce from then on. Needs the records as ingest leaves them; no counts of senders. */
export async function newCase(
  { db, clock }: { readonly db: Db; readonly clock: Clock },
  { client, senders, rule = 'paced', isEnforced = true }: CaseSpec,
): Promise<{ readonly id: string }> {
  if (isEnforced)
    await sql`insert into settings (key, value) values ('integrity_mode', 'enforce')
      on conflict (key) do update set value = excluded.value`.execute(db)
  const found = await rows<{ sender: string }>(
    db,
    sql`select sender from records where client_id = ${client} group by sender order by min(id) limit ${senders}`,
  )
  const day = clock.now().toISOString().slice(0, 10)
  await transaction(db, (tx) =>
    saveCase(tx, {
      rule: rules[rule],
      versionId: 1,
      clientId: client,
      subject: '',
      day,
      level: 'hold',
      facts: {},
      words: [sentence('Held for review')],
      senders: found.map(({ sender }) => sender),
      now: clock.now(),
      isEnforced,
    }),
  )
  const saved = await row<{ id: string }>(
    db,
    sql`select id from integrity_cases where client_id = ${client} and rule = ${rule} and day = ${day}::date`,
  )
  return { id: saved?.id ?? '' }
}
