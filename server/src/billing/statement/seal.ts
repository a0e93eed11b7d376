// Makes the statements of closed cycles, behind the traffic: walks each client's records once, chains and sums them,
// compares the sums with the bill, and signs. Nothing of it is on the way of a message.
import { sql } from 'kysely'
import { formatMicro, parseMicro } from '@tollgate/contract/money.ts'
import type { Db } from '../../platform/db.ts'
import type { Signer } from '../../platform/signing.ts'
import { createdBetween } from '../views.ts'
import {
  Chain,
  countingOf,
  recordsPerCheckpoint,
  signedText,
  statementFormat,
  toRecordLine,
  type AdjustmentLine,
  type EndLine,
  type Header,
  type Names,
  type StoredRecord,
  type SumLine,
} from './format.ts'
import {
  clientsWithout,
  closedSums,
  corrections,
  findUnsealed,
  insertStatement,
  numberNames,
  periodFacts,
  rateValues,
  setSealed,
  walkRecords,
  type PeriodFacts,
} from './store.ts'

export interface SealDeps {
  readonly db: Db
  readonly clock: { now(): Date }
  readonly signer: Signer
}

const clientsPerPage = 200

/**
 * Makes all statements that are missing. Harmless when run twice or cut off: a statement is one row, and the first
 * stays. Throws, after all others are made, when records and bill of somebody differ; those are tried again.
 */
export async function sealStatements(deps: SealDeps, signal?: AbortSignal): Promise<void> {
  const { db } = deps
  for (;;) {
    const cycleId = await findUnsealed(db)
    if (cycleId === undefined) return
    const bounds = await createdBetween(db, cycleId)
    const differing: string[] = []
    let afterUserId = 0
    for (;;) {
      const clients = await clientsWithout(db, cycleId, afterUserId, clientsPerPage)
      for (const userId of clients) {
        if (signal?.aborted === true) return
        // The counters may know of records outside the bounds that the batches gave.
        const isSealed =
          (await sealOne(deps, cycleId, userId, bounds)) || (await sealOne(deps, cycleId, userId, sql`true`))
        if (!isSealed) differing.push(`${cycleId}-${userId}`)
        afterUserId = userId
      }
      if (clients.length < clientsPerPage) break
    }
    if (differing.length > 0)
      throw new Error(`Records and bill differ, so there is no statement: ${differing.join(', ')}`)
    await setSealed(db, cycleId)
  }
}

async function sealOne(
  { db, clock, signer }: SealDeps,
  cycleId: number,
  userId: number,
  bounds: Parameters<typeof walkRecords>[3],
): Promise<boolean> {
  const facts = await periodFacts(db, cycleId, userId)
  if (facts === undefined) return false
  const chain = new Chain()
  const preamble = `${chain.add(headerOf(facts, cycleId, userId))}\n`
  const sheet = new SumSheet(db)
  const checkpoints: Buffer[] = []
  for await (const page of walkRecords(db, cycleId, userId, bounds)) {
    await sheet.learn(page)
    for (const record of page) {
      chain.add(toRecordLine(record, sheet))
      sheet.add(record)
      if (sheet.recordCount % recordsPerCheckpoint === 0) checkpoints.push(chain.hash)
    }
  }
  const billMicro = BigInt(facts.total_micro)
  const isWhole = sheet.recordCount === Number(facts.record_count)
  if (!isWhole || !agrees(sheet, await closedSums(db, cycleId, userId), billMicro > 0n)) return false
  const at = clock.now()
  const lines = [
    ...sheet.lines(),
    ...(await adjustmentOf(db, cycleId, userId, billMicro - sheet.micro('bill'))),
  ]
  const closing = [
    ...lines.map((line) => chain.add(line)),
    JSON.stringify(endOf(chain, sheet, billMicro, at, signer)),
  ]
  await insertStatement(db, {
    cycleId,
    userId,
    preamble,
    closing: `${closing.join('\n')}\n`,
    recordCount: sheet.recordCount,
    checkpoints: Buffer.concat(checkpoints),
    at,
  })
  return true
}

function headerOf(facts: PeriodFacts, cycleId: number, userId: number): Header {
  return {
    type: 'statement',
    format: statementFormat,
    period: `${cycleId}-${userId}`,
    userId,
    client: facts.username,
    periodStart: facts.starts_at.toISOString(),
    periodEnd: facts.ends_at.toISOString(),
    closedAt: facts.closed_at.toISOString(),
    currency: 'USDT',
  }
}

/** Sums by counting, number and rate, with the names it has met. */
class SumSheet implements Names {
  readonly #db: Db
  readonly #numbers = new Map<number, string>()
  readonly #rates = new Map<number, bigint>()
  readonly #sums = new Map<
    string,
    { line: Omit<SumLine, 'smsCount' | 'amount'>; count: number; micro: bigint }
  >()
  recordCount = 0

  constructor(db: Db) {
    this.#db = db
  }

  number(id: number): string {
    return this.#numbers.get(id) ?? ''
  }

  rate(id: number): string {
    const micro = this.#rates.get(id)
    return micro === undefined ? '' : formatMicro(micro, 2)
  }

  /** Looks up the numbers and rates of a page. */
  async learn(page: readonly StoredRecord[]): Promise<void> {
    const missing = <T>(ids: (number | null)[], known: Map<number, T>) => [
      ...new Set(ids.filter((id) => id !== null && !known.has(id)) as number[]),
    ]
    const numbers = missing(
      page.map(({ number_id }) => number_id),
      this.#numbers,
    )
    const rates = missing(
      page.map(({ rate_id }) => rate_id),
      this.#rates,
    )
    if (numbers.length > 0)
      for (const [id, number] of await numberNames(this.#db, numbers)) this.#numbers.set(id, number)
    if (rates.length > 0)
      for (const [id, micro] of await rateValues(this.#db, rates)) this.#rates.set(id, micro)
  }

  add(record: StoredRecord): void {
    const counts = countingOf(record)
    const [numberId, rateId] = [record.number_id, record.rate_id ?? 0]
    const key = `${counts} ${numberId} ${rateId}`
    let sum = this.#sums.get(key)
    if (sum === undefined) {
      const [number, rate] = [this.number(numberId), this.rate(rateId)]
      sum = { line: { type: 'sum', counts, numberId, number, rateId, rate }, count: 0, micro: 0n }
      this.#sums.set(key, sum)
    }
    sum.count += 1
    sum.micro += BigInt(record.amount_micro)
    this.recordCount += 1
  }

  micro(counts: SumLine['counts']): bigint {
    let total = 0n
    for (const { line, micro } of this.#sums.values()) if (line.counts === counts) total += micro
    return total
  }

  lines(): SumLine[] {
    return [...this.#sums.values()]
      .toSorted((a, b) => (orderOf(a.line) < orderOf(b.line) ? -1 : 1))
      .map(({ line, count, micro }) => ({ ...line, smsCount: count, amount: formatMicro(micro, 2) }))
  }
}

const orderOf = ({ counts, number, rateId }: Pick<SumLine, 'counts' | 'number' | 'rateId'>) =>
  `${counts} ${number} ${String(rateId).padStart(10, '0')}`

/** Whether the close came to the same counts and amounts. Without a bill (corrections ate it) it wrote no lines. */
function agrees(sheet: SumSheet, closed: Awaited<ReturnType<typeof closedSums>>, hasBill: boolean): boolean {
  const ours = new Map<string, { count: number; micro: bigint }>()
  for (const { counts, numberId, rateId, smsCount, amount } of sheet.lines()) {
    if (counts === 'held' || (counts === 'bill' && !hasBill)) continue
    const key = counts === 'bill' ? `bill ${numberId} ${rateId}` : `payout ${numberId}`
    const sum = ours.get(key) ?? { count: 0, micro: 0n }
    ours.set(key, { count: sum.count + smsCount, micro: sum.micro + (parseMicro(amount) ?? 0n) })
  }
  for (const { key, smsCount, amountMicro } of closed) {
    const sum = ours.get(key)
    if (sum?.count !== smsCount || sum.micro !== amountMicro) return false
    ours.delete(key)
  }
  // The close writes nothing for what is worth nothing.
  return [...ours.values()].every(({ micro }) => micro === 0n)
}

async function adjustmentOf(
  db: Db,
  cycleId: number,
  userId: number,
  differenceMicro: bigint,
): Promise<AdjustmentLine[]> {
  if (differenceMicro === 0n) return []
  const entries = (await corrections(db, cycleId, userId)).map(({ at, amount_micro, reason }) => ({
    at: at.toISOString(),
    amount: formatMicro(BigInt(amount_micro), 2),
    reason: reason ?? '',
  }))
  return [{ type: 'adjustment', amount: formatMicro(differenceMicro, 2), entries }]
}

function endOf(chain: Chain, sheet: SumSheet, billMicro: bigint, at: Date, signer: Signer): EndLine {
  const end = {
    type: 'end',
    records: sheet.recordCount,
    bill: formatMicro(billMicro, 2),
    payouts: formatMicro(sheet.micro('payout'), 2),
    held: formatMicro(sheet.micro('held'), 2),
    sealedAt: at.toISOString(),
    chain: chain.hash.toString('hex'),
    publicKey: signer.publicKey,
    signature: '',
  } as const satisfies EndLine
  return { ...end, signature: signer.sign(signedText(end)) }
}
