// Holds for the review, with their records and the records that those repeat.
import { sql } from 'kysely'
import { searchedDigits } from '@tollgate/contract/fields.ts'
import type { HoldRecord, Hold, holdSorts } from '@tollgate/contract/integrity/integrity.ts'
import { formatMicro } from '@tollgate/contract/money.ts'
import { quote, sentence, type Sentence } from '@tollgate/contract/sentences.ts'
import type { HoldAction, HoldStatus } from '@tollgate/contract/vocabulary.ts'
import { cutPage } from '../http/lists/cursor.ts'
import { csvOfList, exportPageRows, type CsvColumn } from '../files/formats/csv.ts'
import { rows, type Db } from '../platform/db.ts'
import type { StreamReply } from '../http/handlers.ts'
import { containsPattern } from '../http/lists/search-pattern.ts'
import { allOf, isChosen, keyset, type Sort, type SortedPage } from '../http/lists/sorted-page.ts'
import { messageIdOf } from '../ingest/index.ts'
import { type LaterSteps, type TimelineStep } from '../records/index.ts'

interface HoldRow {
  readonly id: string
  readonly user_id: number
  readonly username: string
  readonly number: string
  readonly rule: string
  readonly explanation: string
  /** Null for a hold from before they were kept. */
  readonly words: readonly Sentence[] | null
  readonly score: number
  readonly amount_micro: string
  readonly status: HoldStatus
  readonly requested_action: HoldAction | null
  readonly requested_by: string | null
  readonly requested_at: Date | null
  readonly requested_reason: string
  readonly decided_by: string | null
  readonly decided_at: Date | null
  readonly decision_reason: string
  readonly created_at: Date
}

export interface HoldFilter {
  readonly ids?: readonly string[]
  readonly status?: HoldStatus | undefined
  readonly search?: string | undefined
  readonly userId?: number | undefined
  readonly numberId?: string | undefined
}

const sorts: Record<(typeof holdSorts)[number], Sort> = {
  // As they came.
  createdAt: { expression: sql`h.id`, kind: 'id' },
  number: { expression: sql`n.number`, kind: 'text' },
  userName: { expression: sql`lower(u.username)`, kind: 'text' },
  amount: { expression: sql`h.amount_micro`, kind: 'id' },
  status: { expression: sql`h.status`, kind: 'text' },
}

/** A page of holds. */
export async function listHolds(
  db: Db,
  filter: HoldFilter,
  page: SortedPage<(typeof holdSorts)[number]>,
): Promise<{ items: Hold[]; next: string | undefined }> {
  const set = keyset(sorts[page.sort], sql`h.id`, page.order, page.cursor)
  const search = filter.search ?? ''
  const id = /^#(\d{1,18})$/.exec(search)?.[1]
  const pattern = containsPattern(search)
  const digits = containsPattern(searchedDigits(search) ?? search)
  const condition = allOf([
    // What a case holds is decided with it, and is in the list of cases.
    filter.ids === undefined && filter.numberId === undefined && id === undefined && sql`h.case_id is null`,
    filter.ids !== undefined && isChosen(sql`h.id`, filter.ids),
    filter.status !== undefined && sql`h.status = ${filter.status}`,
    filter.userId !== undefined && sql`h.user_id = ${filter.userId}`,
    filter.numberId !== undefined && sql`h.number_id = ${filter.numberId}::bigint`,
    id === undefined
      ? search !== '' && sql`(u.username ilike ${pattern} or n.number like ${digits})`
      : sql`h.id = ${id}::bigint`,
    set.after,
  ])
  const found = await rows<HoldRow & { sort_key: string }>(
    db,
    sql`select h.id, h.user_id, u.username, n.number, h.rule, h.explanation, h.words, h.score, h.amount_micro, h.status,
          h.requested_action, a.username as requested_by, h.requested_at, h.requested_reason, d.username as decided_by, h.decided_at,
          h.decision_reason, h.created_at, ${set.key} as sort_key
        from holds h join users u on u.id = h.user_id join numbers n on n.id = h.number_id
        left join users a on a.id = h.requested_by left join users d on d.id = h.decided_by
        where ${condition} order by ${set.orderBy} limit ${page.limit + 1}`,
  )
  const cut = cutPage(found, page.limit, ({ sort_key: key, id }) => [key, id])
  const evidence = await evidenceOf(
    db,
    cut.rows.map(({ id }) => id),
  )
  return { items: cut.rows.map((hold) => toHold(hold, evidence.get(hold.id))), next: cut.next }
}

const columns: readonly CsvColumn<Hold>[] = [
  ['Hold ID', ({ id }) => id],
  ['Date', ({ createdAt }) => createdAt],
  ['User', ({ userName }) => userName],
  ['Number', ({ number }) => `+${number}`],
  ['Amount (USDT)', ({ amountUsd }) => amountUsd],
  ['Messages', ({ messageIds }) => messageIds.join(' ')],
  ['Repeats', ({ original }) => original?.messageId ?? ''],
  ['Why', ({ explanation }) => explanation],
  // The words of the screen.
  ['Status', ({ status }) => statusWords[status]],
  ['Decided by', ({ status, decidedBy }) => (status === 'open' ? '' : decidedBy || 'System')],
  ['Decided', ({ decidedAt }) => decidedAt ?? ''],
  ['Decision', ({ decisionReason }) => decisionReason],
]
const statusWords: Record<HoldStatus, string> = { open: 'open', released: 'released', confirmed: 'refused' }

/** Holds as CSV, newest first. */
export function exportHolds(db: Db, filter: HoldFilter): StreamReply {
  return csvOfList('holds.csv', columns, (cursor) =>
    listHolds(db, filter, { sort: 'createdAt', order: 'desc', limit: exportPageRows, cursor }),
  )
}

interface Evidence {
  readonly records: HoldRecord[]
  original: HoldRecord | null
}

const recordsPerHoldMax = 100

/** The first records of each hold, and the record that the first of them repeats. */
async function evidenceOf(db: Db, holdIds: readonly string[]): Promise<Map<string, Evidence>> {
  const found = await rows<{
    hold_id: string
    is_original: boolean
    created_at: Date
    id: string
    sender: string
    gateway: string
    amount_micro: string
  }>(
    db,
    sql`with parts as (
          select shown.* from unnest(${[...holdIds]}::bigint[]) chosen (id) cross join lateral (
            select hold_id, record_id, record_created_at from hold_records where hold_id = chosen.id
            order by record_created_at, record_id limit ${recordsPerHoldMax}::int
          ) shown
        ),
        wanted as (
          select hold_id, false as is_original, record_created_at as created_at, record_id as id from parts
          union all
          select p.hold_id, true, d.duplicate_of_created_at, d.duplicate_of_id
          from parts p join duplicate_records d on d.record_id = p.record_id
        )
        select w.hold_id, w.is_original, r.created_at, r.id, r.sender, coalesce(g.name, '') as gateway, r.amount_micro
        from wanted w join records r on r.created_at = w.created_at and r.id = w.id
        left join gateways g on g.id = r.gateway_id
        order by w.hold_id, w.is_original, r.created_at, r.id`,
  )
  const evidence = new Map<string, Evidence>()
  for (const { hold_id, is_original, ...record } of found) {
    const of = evidence.get(hold_id) ?? { records: [], original: null }
    evidence.set(hold_id, of)
    const shown: HoldRecord = {
      messageId: messageIdOf({ createdAtMs: record.created_at.getTime(), recordId: Number(record.id) }),
      createdAt: record.created_at.toISOString(),
      sender: record.sender,
      gateway: record.gateway,
      amountUsd: formatMicro(BigInt(record.amount_micro), 2),
    }
    if (is_original) of.original ??= shown
    else of.records.push(shown)
  }
  return evidence
}

function toHold(hold: HoldRow, evidence: Evidence | undefined): Hold {
  const records = evidence?.records ?? []
  return {
    id: hold.id,
    userId: hold.user_id,
    userName: hold.username,
    number: hold.number,
    rule: hold.rule,
    explanation: hold.explanation,
    explanationWords: wordsOf(hold),
    score: hold.score,
    amountUsd: formatMicro(BigInt(hold.amount_micro), 2),
    messageIds: records.map(({ messageId }) => messageId),
    records,
    original: evidence?.original ?? null,
    status: hold.status,
    asked:
      hold.status !== 'open' || hold.requested_action === null
        ? null
        : {
            action: hold.requested_action,
            by: hold.requested_by ?? '',
            at: hold.requested_at?.toISOString() ?? '',
            reason: hold.requested_reason,
          },
    decidedBy: hold.decided_by ?? '',
    decidedAt: hold.decided_at?.toISOString() ?? null,
    decisionReason: hold.decision_reason,
    createdAt: hold.created_at.toISOString(),
  }
}

interface StepRow extends Omit<HoldRow, 'username' | 'number' | 'requested_by'> {
  readonly original_id: string | null
  readonly original_at: Date | null
}

/** The review of a record, for its timeline. Only staff see why it was held: others would learn how to avoid it. */
export const holdSteps: LaterSteps = async (db, record, viewer) => {
  const isStaff = viewer.role === 'support' || viewer.role === 'admin'
  const found = await rows<StepRow>(
    db,
    sql`select h.*, d.username as decided_by, o.duplicate_of_id as original_id,
          o.duplicate_of_created_at as original_at
        from hold_records p join holds h on h.id = p.hold_id left join users d on d.id = h.decided_by
        left join duplicate_records o on o.record_id = p.record_id
        where p.record_id = ${record.id} and (${isStaff}::boolean or h.user_id = ${viewer.userId} and is_told(p.told_from))`,
  )
  return found.flatMap((hold) => [heldStep(hold, isStaff), ...decidedStep(hold, isStaff)])
}

function heldStep(hold: StepRow, isStaff: boolean): TimelineStep {
  const original =
    hold.original_id === null || hold.original_at === null
      ? []
      : [
          sentence('It repeats {id}.', {
            id: messageIdOf({ createdAtMs: hold.original_at.getTime(), recordId: Number(hold.original_id) }),
          }),
        ]
  return {
    at: hold.created_at.toISOString(),
    step: 'held',
    title: sentence('Held for review'),
    detail: isStaff
      ? [...wordsOf(hold), ...original]
      : sentence('Its amount is not in the bill until somebody has looked at it'),
    status: 'warn',
  }
}

function decidedStep(hold: StepRow, isStaff: boolean): TimelineStep[] {
  if (hold.status === 'open' || hold.decided_at === null) return []
  const isReleased = hold.status === 'released'
  const by = isStaff ? [quote(`${hold.decided_by ?? 'System'}: ${hold.decision_reason}`)] : []
  return [
    {
      at: hold.decided_at.toISOString(),
      step: isReleased ? 'released' : 'withheld',
      title: isReleased ? sentence('Released') : sentence('Refused after review'),
      detail: [isReleased ? sentence('Its amount counts.') : sentence('It is not paid.'), ...by],
      status: isReleased ? 'ok' : 'bad',
    },
  ]
}

const wordsOf = ({ words, explanation }: Pick<HoldRow, 'words' | 'explanation'>): Sentence[] => [
  ...(words ?? [quote(explanation)]),
]
