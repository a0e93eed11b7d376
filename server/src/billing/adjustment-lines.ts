// What a period holds beyond its messages, one line for each reason.
import { sql } from 'kysely'
import type { PeriodLine } from '@tollgate/contract/billing.ts'
import { formatMicro } from '@tollgate/contract/money.ts'
import { rows, type Db } from '../platform/db.ts'
import { decidedRecords, heldRecords, type HeldPlace } from './decided-records.ts'

interface EntryRow {
  readonly kind: 'adjustment' | 'release' | 'carry'
  readonly at: Date | null
  readonly reason: string | null
  readonly amount_micro: string
}

const words: Record<EntryRow['kind'], (entry: EntryRow, releasedCount: number) => string> = {
  adjustment: ({ reason }) => reason ?? '',
  release: (_, releasedCount) => releasedWords(releasedCount),
  carry: () => 'Carried over from the period before',
}

/**
 * Corrections one by one; what was released from holds of earlier periods, with its messages, and what was carried over,
 * as one line each. Then, for nothing, what was refused in the period, and what of it was held when it closed.
 * `rest` is what a closed bill's lines hold beyond its messages: a line of its own for what the entries do not explain.
 */
export async function adjustmentLines(
  db: Db,
  cycleId: number,
  userId: number,
  rest?: { readonly amountMicro: bigint; readonly smsCount: number },
): Promise<PeriodLine[]> {
  const found = await rows<EntryRow>(
    db,
    sql`select kind, min(at) as at, min(reason) as reason,
          sum(amount_micro)::text as amount_micro
        from ledger_entries e
        where user_id = ${userId} and cycle_id = ${cycleId} and account = 'payable'
          and (kind in ('adjustment', 'release')
            -- What this cycle itself carried into the next one is not a part of it.
            or kind = 'carry' and reference <> ${`${cycleId}-${userId}`})
        group by kind, case kind when 'adjustment' then id else 0 end
        order by kind, min(id)`,
  )
  const decided = await decidedRecords(db, cycleId, { from: userId, to: userId })
  const released = decided.filter(({ kind }) => kind === 'release')
  const refused = decided.filter(({ kind }) => kind === 'refusal')
  const held = await heldRecords(db, cycleId, userId)
  const isPaid = found.some(({ kind }) => kind === 'release')
  const lines = found.map((entry) => ({
    ...lineOf(
      words[entry.kind](entry, released.length),
      BigInt(entry.amount_micro),
      entry.kind === 'adjustment' ? entry.at : null,
    ),
    messages: entry.kind === 'release' ? released.map((of) => messageOf(of, userId)) : [],
  }))
  const reviewed = [
    // Worth nothing, all of them, so that there is no entry.
    ...(isPaid ? [] : reviewLine(releasedWords(released.length), released, userId)),
    ...reviewLine(`Refused after review: ${refused.length} SMS, not paid`, refused, userId),
    ...reviewLine(`Held for review: ${held.length} SMS, in no bill until released`, held, userId),
  ]
  if (rest === undefined) return [...lines, ...reviewed]
  const unexplained = found.reduce((left, entry) => left - BigInt(entry.amount_micro), rest.amountMicro)
  if (unexplained === 0n && rest.smsCount === 0) return [...lines, ...reviewed]
  return [...lines, { ...lineOf('Adjustment', unexplained, null), smsCount: rest.smsCount }, ...reviewed]
}

const releasedWords = (count: number) => `Released after review: ${count} SMS of earlier periods`

/** Messages that move no money of this period: they are named so that each has its place. */
function reviewLine(reason: string, of: readonly HeldPlace[], userId: number): PeriodLine[] {
  if (of.length === 0) return []
  const messages = of.map((record) => messageOf(record, userId))
  return [{ ...lineOf(reason, 0n, null), kind: 'review', messages }]
}

function messageOf({ messageId, at, number, amountMicro, heldCycleId }: HeldPlace, userId: number) {
  return {
    id: messageId,
    at: at.toISOString(),
    number,
    amount: formatMicro(amountMicro, 2),
    heldIn: `${heldCycleId}-${userId}`,
  }
}

function lineOf(reason: string, amountMicro: bigint, at: Date | null): PeriodLine {
  return {
    number: '',
    kind: 'adjustment',
    reason,
    at: at?.toISOString() ?? null,
    rate: '',
    smsCount: 0,
    amount: formatMicro(amountMicro, 2),
    recordsUrl: '',
    messages: [],
  }
}
