// What somebody released, with the wish that its rule remember it, is not found again for a while.
import { sql } from 'kysely'
import { rows, type Db } from '../../platform/db.ts'
import type { Finding } from './case-store.ts'

interface ExemptRow {
  readonly id: string
  readonly rule: string
  readonly subject: string
}

/**
 * The findings without what is exempt at this client: a block or a number as a whole, otherwise the senders of the case
 * that was released.
 */
export async function withoutExempt(
  db: Db,
  clientId: number,
  found: readonly Finding[],
  now: Date,
): Promise<Finding[]> {
  if (found.length === 0) return []
  const exempt = await rows<ExemptRow>(
    db,
    sql`select id, rule, subject from integrity_cases
        where client_id = ${clientId}::int and remembered_until > ${now}`,
  )
  if (exempt.length === 0) return [...found]
  const left: Finding[] = []
  for (const finding of found) {
    const ofRule = exempt.filter(({ rule }) => rule === finding.rule.name)
    if (ofRule.some(({ subject }) => subject !== '' && subject === finding.subject)) continue
    const senders = ofRule.length === 0 ? finding.senders : await sendersLeft(db, ofRule, finding.senders)
    if (senders.length > 0) left.push({ ...finding, senders })
  }
  return left
}

async function sendersLeft(
  db: Db,
  cases: readonly ExemptRow[],
  senders: readonly string[],
): Promise<string[]> {
  const found = await rows<{ sender: string }>(
    db,
    sql`select sender from unnest(${[...senders]}::text[]) sender
        where not exists (select from integrity_members m
          where m.case_id = any(${cases.map(({ id }) => id)}::bigint[]) and m.sender = sender.sender)`,
  )
  return found.map(({ sender }) => sender)
}
