// What a period holds beyond its messages, one line for each reason.
import { sql } from 'kysely'
import type { PeriodLine, ReleasedMessage } from '@tollgate/contract/billing.ts'
import { formatMicro } from '@tollgate/contract/money.ts'
import { rows, type Db } from '../platform/db.ts'
import { decidedRecords } from './decided-records.ts'

interface EntryRow {
  readonly kind: 'adjustment' | 'release' | 'carry'
  readonly at: Date | null
  readonly reason: string | null
  readonly entry_count: number
  readonly amount_micro: string
}

const words: Record<EntryRow['kind'], (entry: EntryRow) => string> = {
  adjustment: ({ reason }) => reason ?? '',
  release: ({ entry_count: count }) => `Released after review: ${count} SMS of earlier periods`,
  carry: () => 'Carried over from the period before',
}

/**
 * Corrections one by one; what was released from holds of earlier periods, with its messages, and what was carried over,
 * as one line each.
 * `rest` is what a closed bill's lines hold beyond its messages: whatever the entries do not explain stands last.
 */
export async function adjustmentLines(
  db: Db,
  cycleId: number,
  userId: number,
  rest?: { readonly amountMicro: bigint; readonly smsCount: number },
): Promise<PeriodLine[]> {
  const found = await rows<EntryRow>(
    db,
    sql`select kind, min(at) as at, min(reason) as reason, count(*)::int as entry_count,
          sum(amount_micro)::text as amount_micro
        from ledger_entries e
        where user_id = ${userId} and cycle_id = ${cycleId} and account = 'payable'
          and (kind in ('adjustment', 'release')
            -- What this cycle itself carried into the next one is not a part of it.
            or kind = 'carry' and reference <> ${`${cycleId}-${userId}`})
        group by kind, case kind when 'adjustment' then id else 0 end
        order by kind, min(id)`,
  )
  const messages = found.some(({ kind }) => kind === 'release') ? await released(db, cycleId, userId) : []
  const lines = found.map((entry) => ({
    ...lineOf(
      words[entry.kind](entry),
      BigInt(entry.amount_micro),
      entry.kind === 'adjustment' ? entry.at : null,
    ),
    messages: entry.kind === 'release' ? messages : [],
  }))
  if (rest === undefined) return lines
  const unexplained = found.reduce((left, entry) => left - BigInt(entry.amount_micro), rest.amountMicro)
  return unexplained === 0n && rest.smsCount === 0
    ? lines
    : [...lines, { ...lineOf('Adjustment', unexplained, null), smsCount: rest.smsCount }]
}

async function released(db: Db, cycleId: number, userId: number): Promise<ReleasedMessage[]> {
  const decided = await decidedRecords(db, cycleId, { from: userId, to: userId })
  return decided
    .filter(({ kind }) => kind === 'release')
    .map(({ messageId, at, number, amountMicro, heldCycleId }) => ({
      id: messageId,
      at: at.toISOString(),
      number,
      amount: formatMicro(amountMicro, 2),
      heldIn: `${heldCycleId}-${userId}`,
    }))
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
