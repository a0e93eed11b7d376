// The lines of a statement that are not the period's records: decisions on held records, adjustments, and amounts carried
// over.
import { formatMicro } from '@tollgate/contract/money.ts'
import type { AdjustmentLine, DecidedLine } from '@tollgate/contract/statements/statement-format.ts'
import type { Db } from '../platform/db.ts'
import type { AccountSpan } from '../billing/index.ts'
import { walkDecided, type DecidedRecord } from '../records/index.ts'
import type { StatementArchive } from './archive.ts'
import type { HashChain } from './format.ts'
import { adjustmentEntries, type AdjustmentEntry } from './store.ts'

/** Reads the entries for a range of clients. The cycle is closed, so they do not change any more. */
export async function readAdjustments(
  db: Db,
  cycleId: number,
  clients: AccountSpan,
): Promise<(userId: number) => readonly AdjustmentEntry[]> {
  const all = new Map<number, AdjustmentEntry[]>()
  for (const entry of await adjustmentEntries(db, cycleId, clients)) {
    const ofClient = all.get(entry.userId) ?? []
    ofClient.push(entry)
    all.set(entry.userId, ofClient)
  }
  return (userId) => all.get(userId) ?? []
}

/** What the decided messages of a statement come to. */
export interface DecidedTotals {
  readonly count: number
  readonly release: bigint
  readonly refusal: bigint
}

export const noneDecided: DecidedTotals = { count: 0, release: 0n, refusal: 0n }

/** Adds a line for each message of the client that was decided in the cycle, after those of the records; a page in memory. */
export async function archiveDecided(
  db: Db,
  { cycleId, userId }: { readonly cycleId: number; readonly userId: number },
  { chain, archive }: { readonly chain: HashChain; readonly archive: StatementArchive },
): Promise<DecidedTotals> {
  const totals = { count: 0, release: 0n, refusal: 0n }
  for await (const page of walkDecided(db, cycleId, userId)) {
    for (const record of page) {
      archive.addLine(chain.append(toDecidedLine(record)))
      totals.count += 1
      totals[record.kind] += record.amountMicro
    }
    await archive.flush(false)
  }
  await archive.flush(true)
  return totals
}

function toDecidedLine(record: DecidedRecord): DecidedLine {
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
