// SQL on cases and their members.
import { sql } from 'kysely'
import type { Sentence } from '@tollgate/contract/sentences.ts'
import type { CaseLevel } from '@tollgate/contract/vocabulary.ts'
import { row, type Db } from '../../platform/db.ts'
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
}

/** Adds a case, or what is new of it: its senders are only added to, and a hold does not become a flag again. */
export async function saveCase(tx: Db, found: NewCase): Promise<void> {
  const saved = await row<{ id: string }>(
    tx,
    sql`insert into integrity_cases as kept (rule, version_id, client_id, subject, day, level, from_day, facts, words, sender_count,
          message_count, amount_micro, first_at, created_at)
        values (${found.rule.name}, ${found.versionId}, ${found.clientId}, ${found.subject}, ${found.day}::date, ${found.level},
          ${found.day}::date - ${found.rule.backDays}::int, ${JSON.stringify(found.facts)}::jsonb,
          ${JSON.stringify(found.words)}::jsonb, 0, 0, 0, ${found.now}, ${found.now})
        on conflict (rule, client_id, subject, day) do update set
          level = case when excluded.level = 'hold' then 'hold' else kept.level end,
          version_id = case when excluded.level = 'hold' or kept.level = 'flag' then excluded.version_id else kept.version_id end,
          facts = case when excluded.level = 'hold' or kept.level = 'flag' then excluded.facts else kept.facts end,
          words = case when excluded.level = 'hold' or kept.level = 'flag' then excluded.words else kept.words end
        returning id`,
  )
  const id = saved?.id ?? ''
  await sql`insert into integrity_members (case_id, sender)
    select ${id}::bigint, unnest(${[...found.senders]}::text[]) order by 2 on conflict do nothing`.execute(tx)
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
