// What backdating a holding is worth: the messages that the number received while nobody held it, at the prices of their
// time. They are read before the traffic gate is closed; under it only what came in between is read.
import { Refusal } from '@tollgate/contract/errors.ts'
import { correctionMaxMicro } from '@tollgate/contract/money.ts'
import { sentence } from '@tollgate/contract/sentences.ts'
import type { Db } from '../platform/db.ts'
import { rateReader } from '../rates/index.ts'
import { logEnd, type LogPosition } from '../ingest/index.ts'
import { readUnowned, readUnownedSince, type UnownedRecord } from '../records/index.ts'
import type { Backdating, CreditedRecord } from './backdating-store.ts'

// An adjustment names each message. More than this are credited in steps, from the newest backwards.
const recordsMax = 10_000
// No message is from further ahead (read-row.ts).
const aheadMs = 86_400_000

/** What a number received from a time on. */
export interface Backlog {
  readonly records: readonly UnownedRecord[]
  /** What was stored after this may be missing. */
  readonly readUpTo: LogPosition
}

export async function readBacklog(db: Db, of: Pick<Backdating, 'numberId' | 'from'>): Promise<Backlog> {
  const readUpTo = await logEnd(db)
  const to = new Date(Date.now() + aheadMs)
  return { records: await readUnowned(db, { ...of, to }, recordsMax + 1), readUpTo }
}

/** What the holding would be credited with, by time. Throws Refusal unprocessable when it is too much for one adjustment. */
export async function priceBacklog(
  db: Db,
  holding: Backdating,
  records: readonly UnownedRecord[],
): Promise<CreditedRecord[]> {
  const within = records.filter(({ createdAt }) => createdAt >= holding.from && createdAt < holding.to)
  if (within.length > recordsMax) throw tooMany()
  const rateAt = await rateReader(db, holding)
  const priced = within.map(({ createdAt, id, cycleId, smsCount }) => {
    const { rateId, rateMicro } = rateAt(createdAt.getTime())
    return { createdAt, id, cycleId, rateId, amountMicro: BigInt(rateMicro) * BigInt(smsCount) }
  })
  if (sumOfCredits(priced) > correctionMaxMicro) throw tooMuch()
  return priced
}

/** The backlog as it is now. The caller has closed the traffic gate. */
export async function completeBacklog(
  tx: Db,
  holding: Backdating,
  backlog: Backlog,
): Promise<UnownedRecord[]> {
  const since = await readUnownedSince(tx, holding, backlog.readUpTo)
  const all = new Map([...backlog.records, ...since].map((record) => [record.id, record]))
  return [...all.values()].toSorted((a, b) => a.createdAt.getTime() - b.createdAt.getTime())
}

export function sumOfCredits(records: readonly Pick<CreditedRecord, 'amountMicro'>[]): bigint {
  return records.reduce((sum, { amountMicro }) => sum + amountMicro, 0n)
}

const laterStart = { fields: { from: 'Choose a later time first' } }

const tooMany = () =>
  new Refusal(
    'unprocessable',
    sentence(
      'The number received more than {count} SMS since then. Backdate it from a later time first, then further back.',
      { count: recordsMax },
    ),
    laterStart,
  )

const tooMuch = () =>
  new Refusal(
    'unprocessable',
    'That is worth more than 1,000,000 USDT, which no single correction may be. Choose a later time.',
    laterStart,
  )
