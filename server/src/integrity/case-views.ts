// What the rules found, for the people who review it.
import { sql } from 'kysely'
import {
  caseSendersMax,
  type CaseSender,
  type IntegrityCase,
} from '@tollgate/contract/integrity/integrity.ts'
import { Refusal } from '@tollgate/contract/errors.ts'
import { formatMicro } from '@tollgate/contract/money.ts'
import { inEnglish, type Sentence } from '@tollgate/contract/sentences.ts'
import { dayStart } from '@tollgate/contract/zones.ts'
import type { CaseLevel, CaseState, HoldAction } from '@tollgate/contract/vocabulary.ts'
import { cutPage } from '../http/lists/cursor.ts'
import { allOf, keyset } from '../http/lists/sorted-page.ts'
import { row, rows, type Db } from '../platform/db.ts'
import { blockOf } from './rules/pieces.ts'

interface CaseFilter {
  readonly id?: string
  readonly state?: CaseState | undefined
  readonly level?: CaseLevel | undefined
  readonly userId?: number | undefined
  readonly decidedFrom?: string | undefined
  readonly decidedTo?: string | undefined
  readonly zone?: string | undefined
}

interface CaseRow {
  readonly id: string
  readonly rule: string
  readonly level: CaseLevel
  readonly state: CaseState
  readonly client_id: number
  readonly username: string
  readonly day: string
  readonly words: readonly Sentence[]
  readonly sender_count: number
  readonly message_count: string
  readonly amount_micro: string
  readonly first_at: Date
  readonly version_id: number
  readonly created_at: Date
  readonly held_count: string
  readonly held_micro: string
  readonly late_count: string
  readonly late_micro: string
  readonly is_being_held: boolean
  readonly billed_from: Date | null
  readonly owner: string | null
  readonly due_at: Date | null
  readonly requested_action: HoldAction | null
  readonly requested_by: string | null
  readonly requested_at: Date | null
  readonly requested_reason: string
  readonly decided_by: string | null
  readonly decided_at: Date | null
  readonly decision_reason: string
  readonly remembered_until: Date | null
  readonly sort_key: string
}

/** A page of cases, the newest first. */
export async function listCases(
  db: Db,
  { id, level, state, userId, decidedFrom, decidedTo, zone }: CaseFilter,
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
): Promise<{ items: IntegrityCase[]; next: string | undefined }> {
  // The queue: what is due first, first.
  const set =
    state === 'open'
      ? keyset({ expression: sql`c.due_at`, kind: 'time' }, sql`c.id`, 'asc', cursor)
      : keyset({ expression: sql`c.id`, kind: 'id' }, sql`c.id`, 'desc', cursor)
  const condition = allOf([
    id !== undefined && sql`c.id = ${id}::bigint`,
    state !== undefined && sql`c.state = ${state}`,
    level !== undefined && sql`c.level = ${level}`,
    userId !== undefined && sql`c.client_id = ${userId}::int`,
    decidedFrom !== undefined && sql`c.decided_at >= ${dayStart(decidedFrom, zone)}`,
    decidedTo !== undefined && sql`c.decided_at < ${dayStart(decidedTo, zone, 1)}`,
    set.after,
  ])
  const found = await rows<CaseRow>(
    db,
    sql`select c.id, c.rule, c.level, c.state, c.client_id, u.username, c.day::text as day, c.words, c.sender_count,
          c.message_count, c.amount_micro, c.first_at, c.version_id, c.created_at, c.held_count, c.held_micro, c.late_count,
          c.late_micro, c.apply_from is not null as is_being_held, c.billed_from, o.username as owner, c.due_at, c.requested_action,
          a.username as requested_by, c.requested_at, c.requested_reason, d.username as decided_by, c.decided_at,
          c.decision_reason, c.remembered_until, ${set.key} as sort_key
        from integrity_cases c join users u on u.id = c.client_id left join users o on o.id = c.owner_id
        left join users a on a.id = c.requested_by left join users d on d.id = c.decided_by
        where ${condition} order by ${set.orderBy} limit ${limit + 1}`,
  )
  const cut = cutPage(found, limit, ({ sort_key: key, id }) => [key, id])
  return { items: cut.rows.map(toCase), next: cut.next }
}

const iso = (at: Date | null) => at?.toISOString() ?? null

function toCase(found: CaseRow): IntegrityCase {
  const { id, rule, level, state, day, words } = found
  return {
    id,
    rule,
    level,
    state,
    userId: found.client_id,
    userName: found.username,
    day,
    explanation: inEnglish(...words),
    explanationWords: [...words],
    senderCount: found.sender_count,
    messageCount: Number(found.message_count),
    amountUsd: formatMicro(BigInt(found.amount_micro), 2),
    firstAt: found.first_at.toISOString(),
    versionId: found.version_id,
    createdAt: found.created_at.toISOString(),
    heldCount: Number(found.held_count),
    heldUsd: formatMicro(BigInt(found.held_micro), 2),
    lateCount: Number(found.late_count),
    lateUsd: formatMicro(BigInt(found.late_micro), 2),
    isBeingHeld: found.is_being_held,
    billedFrom: iso(found.billed_from),
    owner: found.owner ?? '',
    dueAt: iso(found.due_at),
    asked:
      state !== 'open' || found.requested_action === null
        ? null
        : {
            action: found.requested_action,
            by: found.requested_by ?? '',
            at: found.requested_at?.toISOString() ?? '',
            reason: found.requested_reason,
          },
    decidedBy: found.decided_by ?? '',
    decidedAt: iso(found.decided_at),
    decisionReason: found.decision_reason,
    rememberedUntil: iso(found.remembered_until),
  }
}

/** One case. Throws Refusal not_found. */
export async function findCase(db: Db, id: string): Promise<IntegrityCase> {
  const [found] = (await listCases(db, { id }, { limit: 1 })).items
  if (found === undefined) throw new Refusal('not_found', 'There is no such case.')
  return found
}

interface SenderRow {
  readonly sender: string
  readonly block: string
  readonly messages: string
  readonly amount_micro: string
  readonly first_at: Date
  readonly last_at: Date
}

/** The senders of a case as a ladder: in the order of their numbers, so that neighbours stand together. */
export async function listCaseSenders(db: Db, id: string): Promise<CaseSender[]> {
  const known = await row(db, sql`select from integrity_cases where id = ${id}::bigint`)
  if (known === undefined) throw new Refusal('not_found', 'There is no such case.')
  // Counts older than what is kept are gone, and their senders with them.
  const found = await rows<SenderRow>(
    db,
    sql`select m.sender, ${blockOf('m.sender')} as block, d.messages, d.amount_micro, d.first_at, d.last_at
        from (
          select sender from integrity_members where case_id = ${id}::bigint order by sender limit ${caseSendersMax}::int
        ) m
        cross join lateral (
          select sum(s.message_count) as messages, sum(s.amount_micro) as amount_micro, min(s.first_at) as first_at,
            max(s.last_at) as last_at
          from sender_days s join integrity_cases c on c.id = ${id}::bigint and s.client_id = c.client_id
            and s.day between c.from_day and c.day
          where s.sender = m.sender
        ) d
        where d.messages > 0 order by m.sender`,
  )
  return found.map(({ sender, block, messages, amount_micro: amount, first_at, last_at }) => ({
    sender,
    block,
    messageCount: Number(messages),
    amountUsd: formatMicro(BigInt(amount), 2),
    firstAt: first_at.toISOString(),
    lastAt: last_at.toISOString(),
  }))
}
