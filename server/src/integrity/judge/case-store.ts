// SQL on cases and their members.
import { sql } from 'kysely'
import type { Sentence } from '@tollgate/contract/sentences.ts'
import type { CaseLevel } from '@tollgate/contract/vocabulary.ts'
import { caseDueHours } from '@tollgate/contract/integrity/integrity.ts'
import { changed, row, type Db } from '../../platform/db.ts'
import type { Facts, Rule } from '../rules/rule.ts'

/** What a rule found at a client on a day, and what a case would say of it. */
export interface Finding {
  readonly rule: Rule
  readonly subject: string
  readonly level: CaseLevel
  readonly facts: Facts
  readonly words: readonly Sentence[]
  readonly senders: readonly string[]
}

interface NewCase extends Finding {
  readonly versionId: number
  readonly clientId: number
  readonly day: string
  readonly now: Date
  readonly isEnforced: boolean
}

const hourMs = 3_600_000

/**
 * Adds a case, or what is new of it. A hold does not become a flag again, and its senders are only added to; those of a
 * flag are what was found last, so that a hold names nobody who was once noted.
 */
export async function saveCase(tx: Db, found: NewCase): Promise<void> {
  const flag = await row<{ id: string }>(
    tx,
    sql`select id from integrity_cases where rule = ${found.rule.name} and client_id = ${found.clientId}
          and subject = ${found.subject} and day = ${found.day}::date and level = 'flag' for update`,
  )
  if (flag !== undefined)
    await sql`delete from integrity_members where case_id = ${flag.id}::bigint`.execute(tx)
  const isHolding = found.isEnforced && found.level === 'hold'
  const dueAt = new Date(found.now.getTime() + caseDueHours * hourMs)
  const saved = await row<{ id: string; is_new: boolean; is_open: boolean }>(
    tx,
    sql`insert into integrity_cases as kept (rule, version_id, client_id, subject, day, level, from_day, facts, words, sender_count,
          message_count, amount_micro, first_at, created_at, state, due_at)
        values (${found.rule.name}, ${found.versionId}, ${found.clientId}, ${found.subject}, ${found.day}::date, ${found.level},
          ${found.day}::date - ${found.rule.backDays}::int, ${JSON.stringify(found.facts)}::jsonb,
          ${JSON.stringify(found.words)}::jsonb, 0, 0, 0, ${found.now}, ${found.now},
          ${isHolding ? 'open' : 'dry'}, ${isHolding ? dueAt : null}::timestamptz)
        on conflict (rule, client_id, subject, day) do update set
          state = case when kept.state = 'dry' then excluded.state else kept.state end,
          due_at = case when kept.state = 'dry' then excluded.due_at else kept.due_at end,
          level = case when excluded.level = 'hold' then 'hold' else kept.level end,
          version_id = case when excluded.level = 'hold' or kept.level = 'flag' then excluded.version_id else kept.version_id end,
          facts = case when excluded.level = 'hold' or kept.level = 'flag' then excluded.facts else kept.facts end,
          words = case when excluded.level = 'hold' or kept.level = 'flag' then excluded.words else kept.words end
        returning id, state = 'open' as is_open, held_count = 0 and apply_from is null as is_new`,
  )
  const id = saved?.id ?? ''
  const added = await changed(
    tx,
    sql`insert into integrity_members (case_id, sender)
    select ${id}::bigint, unnest(${[...found.senders]}::text[]) order by 2 on conflict do nothing`,
  )
  // Its messages are held behind this, see apply/: from its first day on, and also those that a new sender wrote before.
  if (saved?.is_open === true && (saved.is_new || added > 0))
    await sql`update integrity_cases set apply_from = from_day::timestamp at time zone 'UTC', apply_to_at = null,
        apply_to_id = null where id = ${id}::bigint`.execute(tx)
  await sql`update integrity_cases c set sender_count = s.senders, message_count = s.messages,
      amount_micro = s.amount, first_at = s.first_at
    from (
      select count(distinct d.sender) as senders, sum(d.message_count) as messages, sum(d.amount_micro) as amount,
        min(d.first_at) as first_at
      from integrity_members m join integrity_cases o on o.id = m.case_id
      join sender_days d on d.sender = m.sender and d.client_id = o.client_id and d.day between o.from_day and o.day
      where m.case_id = ${id}::bigint
    ) s
    where c.id = ${id}::bigint and s.senders > 0`.execute(tx)
}
