// The lines of a statement that are not the period's records: decisions on held records, adjustments, and amounts carried
// over.
import { formatMicro } from '@tollgate/contract/money.ts'
import type { AdjustmentLine, DecidedLine } from '@tollgate/contract/statements/statement-format.ts'
import type { Db } from '../platform/db.ts'
import type { AccountSpan } from '../billing/index.ts'
import { decidedRecords, type DecidedRecord } from '../records/index.ts'
import { adjustmentEntries, type AdjustmentEntry } from './store.ts'

export interface StatementAdjustments {
  readonly decided: readonly DecidedRecord[]
  readonly entries: readonly AdjustmentEntry[]
}

/** Reads them for a range of clients. The cycle is closed, so they do not change any more. */
export async function readAdjustments(
  db: Db,
  cycleId: number,
  clients: AccountSpan,
): Promise<(userId: number) => StatementAdjustments> {
  const all = new Map<number, { decided: DecidedRecord[]; entries: AdjustmentEntry[] }>()
  const adjustmentsOf = (userId: number) => {
    let found = all.get(userId)
    if (found === undefined) all.set(userId, (found = { decided: [], entries: [] }))
    return found
  }
  for (const record of await decidedRecords(db, cycleId, clients))
    adjustmentsOf(record.userId).decided.push(record)
  for (const entry of await adjustmentEntries(db, cycleId, clients))
    adjustmentsOf(entry.userId).entries.push(entry)
  return adjustmentsOf
}

export function sumOfDecided(decided: readonly DecidedRecord[], kind: DecidedRecord['kind']): bigint {
  return decided.reduce((sum, record) => (record.kind === kind ? sum + record.amountMicro : sum), 0n)
}

export function toDecidedLine(record: DecidedRecord): DecidedLine {
  return {
    type: record.kind,
    id: record.messageId,
    at: record.at.toISOString(),
    number: record.number,
    sender: record.sender,
    amount: formatMicro(record.amountMicro, 2),
    heldIn: `${record.heldCycleId}-${record.userId}`,
    decidedAt: record.decidedAt.toISOString(),
  }
}

/** Adjustments and carried amounts as one line. `amountMicro` is the part of the bill that is not messages. */
export function toAdjustmentLine(
  entries: readonly AdjustmentEntry[],
  amountMicro: bigint,
  closedAt: Date,
): AdjustmentLine[] {
  const unexplained = entries.reduce((left, entry) => left - entry.amountMicro, amountMicro)
  const all: AdjustmentEntry[] =
    unexplained === 0n
      ? [...entries]
      : [...entries, { userId: 0, kind: 'other', at: closedAt, amountMicro: unexplained, reason: '' }]
  if (all.length === 0) return []
  return [
    {
      type: 'adjustment',
      amount: formatMicro(amountMicro, 2),
      entries: all.map((entry) => ({
        kind: entry.kind,
        at: entry.at.toISOString(),
        amount: formatMicro(entry.amountMicro, 2),
        reason: entry.reason,
      })),
    },
  ]
}
