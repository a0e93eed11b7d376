// Holds records that are in a bill already. The bill stays as it is: a credit note takes their amount off, and posts the
// lines of the ledger.
import { Refusal } from '@tollgate/contract/errors.ts'
import type { Db } from '../platform/db.ts'
import { changeRecords, parseMessageId, type RecordKey } from '../ingest/index.ts'
import { insertHold, lockBilled, type BilledRecord } from './store.ts'

/** Whose bill, of which cycle. */
interface BillOf {
  readonly cycleId: number
  readonly userId: number
}

const billSettlement = 1
// A person noticed it, so no rule has a score.
const cause = { rule: 'review', score: 0 }

/**
 * The records behind these message ids and what they are worth together, locked until the transaction ends. Throws
 * Refusal invalid when one is not in this bill, and wrong_state when one was held before.
 */
export async function findBilled(
  tx: Db,
  bill: BillOf,
  messageIds: readonly string[],
): Promise<{ readonly keys: readonly RecordKey[]; readonly amountMicro: bigint }> {
  const records = await lockAll(tx, bill, messageIds.map(keyOf))
  return { keys: records, amountMicro: records.reduce((sum, { amountMicro }) => sum + amountMicro, 0n) }
}

/** Holds them, with one hold for each number. Returns the ids of the holds. Throws as {@link findBilled} does. */
export async function holdBilled(
  tx: Db,
  bill: BillOf,
  keys: readonly RecordKey[],
  reason: string,
): Promise<string[]> {
  const records = await lockAll(tx, bill, keys)
  const ids: string[] = []
  for (const number of new Set(records.map(({ numberId }) => numberId))) {
    const [first, ...more] = records.filter(({ numberId }) => numberId === number)
    if (first !== undefined)
      ids.push(await insertHold(tx, first, { ...cause, explanation: reason }, { more, isBilled: true }))
  }
  await changeRecords(tx, keys, { isHeld: true })
  return ids
}

async function lockAll(tx: Db, bill: BillOf, keys: readonly RecordKey[]): Promise<BilledRecord[]> {
  const requested = new Map(keys.map((key) => [key.recordId, key]))
  const records = await lockBilled(tx, [...requested.values()])
  const isBilled = ({ userId, cycleId, settlement }: BilledRecord) =>
    userId === bill.userId && cycleId === bill.cycleId && settlement === billSettlement
  if (records.length < requested.size || !records.every(isBilled)) throw notInBill()
  if (records.some(({ wasHeld }) => wasHeld))
    throw new Refusal('wrong_state', 'One of these messages was held for review before. Decide on its hold.')
  return records
}

function keyOf(messageId: string): RecordKey {
  const key = parseMessageId(messageId)
  if (key === undefined) throw notInBill()
  return key
}

const notInBill = () =>
  new Refusal('invalid', 'One of these messages is not in this bill.', {
    fields: { messageIds: 'No message of this bill' },
  })
