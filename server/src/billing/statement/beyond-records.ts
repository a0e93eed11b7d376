// What a statement holds beyond its records: what was decided on held ones, corrections, and what is carried.
import { formatMicro } from '@tollgate/contract/money.ts'
import type { AdjustmentLine, DecidedLine } from '@tollgate/contract/statement.ts'
import type { Db } from '../../platform/db.ts'
import { decidedRecords, type DecidedRecord } from '../decided-records.ts'
import { entriesBeyond, type BeyondEntry, type ClientRange } from './store.ts'

export interface Beyond {
  readonly decided: readonly DecidedRecord[]
  readonly entries: readonly BeyondEntry[]
}

/** Of some clients, by client. The cycle is closed, so none of it changes any more. */
export async function readBeyond(
  db: Db,
  cycleId: number,
  clients: ClientRange,
): Promise<(userId: number) => Beyond> {
  const all = new Map<number, { decided: DecidedRecord[]; entries: BeyondEntry[] }>()
  const of = (userId: number) => {
    let beyond = all.get(userId)
    if (beyond === undefined) all.set(userId, (beyond = { decided: [], entries: [] }))
    return beyond
  }
  for (const record of await decidedRecords(db, cycleId, clients)) of(record.userId).decided.push(record)
  for (const entry of await entriesBeyond(db, cycleId, clients)) of(entry.userId).entries.push(entry)
  return of
}

export function sumOf(decided: readonly DecidedRecord[], kind: DecidedRecord['kind']): bigint {
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

/** The corrections and what was carried, as one line. `amountMicro` is all that the bill holds beyond its messages. */
export function adjustmentOf(
  entries: readonly BeyondEntry[],
  amountMicro: bigint,
  closedAt: Date,
): AdjustmentLine[] {
  const rest = entries.reduce((left, entry) => left - entry.amountMicro, amountMicro)
  const all: BeyondEntry[] =
    rest === 0n
      ? [...entries]
      : [...entries, { userId: 0, kind: 'other', at: closedAt, amountMicro: rest, reason: '' }]
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
