// Makes the statements of closed cycles, behind the traffic: walks each client's records once, chains and sums them,
// compares the sums with the bill, and signs. Nothing of it is on the way of a message.
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { formatMicro, parseMicro } from '@tollgate/contract/money.ts'
import {
  signedText,
  statementFormat,
  type EndLine,
  type Header,
  type SumLine,
} from '@tollgate/contract/statement.ts'
import type { Db } from '../../platform/db.ts'
import type { Signer } from '../../platform/security/signing.ts'
import { createdBetween } from '../views.ts'
import { adjustmentOf, readBeyond, sumOf, toDecidedLine, type Beyond } from './beyond-records.ts'
import {
  Chain,
  countingOf,
  recordsPerCheckpoint,
  toRecordLine,
  type Names,
  type StoredRecord,
} from './format.ts'
import {
  clientsWithout,
  closedSums,
  findUnsealed,
  insertStatements,
  numberNames,
  rateValues,
  setSealed,
  scanRecords,
  type ClosedSum,
  type NewStatement,
  type PeriodFacts,
} from './store.ts'

export interface SealDeps {
  readonly db: Db
  readonly clock: { now(): Date }
  readonly signer: Signer
}

const clientsPerPage = 2_000
// What is read at once; the last client may be larger.
const recordsPerScan = 1_000_000
// More are read through and sorted.
const recordsByIndex = 100_000
// Signing so many takes a millisecond or two.
const statementsPerInsert = 10
// Rest for each millisecond of work: statements may wait, messages may not.
const rest = 0.5

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
    const sealing: Sealing = { ...deps, cycleId, names: new NameBook(db), signal }
    const differing: string[] = []
    let clients: PeriodFacts[] = []
    do {
      clients = upTo(
        recordsPerScan,
        await clientsWithout(db, cycleId, clients.at(-1)?.user_id ?? 0, clientsPerPage),
      )
      for (const client of await sealClients(sealing, clients, bounds))
        // The counters may know of records outside the bounds that the batches gave.
        for (const { user_id } of await sealClients(sealing, [client], sql`true`))
          differing.push(`${cycleId}-${user_id}`)
      if (signal?.aborted === true) return
    } while (clients.length > 0)
    if (differing.length > 0)
      throw new Error(`Records and bill differ, so there is no statement: ${differing.join(', ')}`)
    await setSealed(db, cycleId)
  }
}

/** The first clients that have so many records together; one at least. */
function upTo(records: number, clients: readonly PeriodFacts[]): PeriodFacts[] {
  let sum = 0
  return clients.filter(({ record_count: count }, place) => (sum += Number(count)) <= records || place === 0)
}

interface Sealing extends SealDeps {
  readonly cycleId: number
  readonly names: NameBook
  readonly signal: AbortSignal | undefined
}

/** Reads the clients' records in one go and makes their statements. Gives those whose sums do not agree. */
async function sealClients(
  sealing: Sealing,
  clients: readonly PeriodFacts[],
  bounds: Parameters<typeof scanRecords>[3],
): Promise<PeriodFacts[]> {
  const { db, cycleId, names, signal } = sealing
  const [first, last] = [clients[0], clients.at(-1)]
  if (first === undefined || last === undefined) return []
  const records = clients.reduce((sum, { record_count: count }) => sum + Number(count), 0)
  const range = { from: first.user_id, to: last.user_id, areMany: records > recordsByIndex }
  const chains = new Map(clients.map((client) => [client.user_id, new ClientChain(client, cycleId, names)]))
  let begun = performance.now()
  await scanRecords(db, cycleId, range, bounds, async (page) => {
    await names.learn(page)
    for (const record of page) chains.get(record.clientId)?.take(record)
    await sleep((performance.now() - begun) * rest)
    begun = performance.now()
    return signal?.aborted !== true
  })
  if (signal?.aborted === true) return []
  const closed = await closedSums(db, cycleId, range)
  const beyondOf = await readBeyond(db, cycleId, range)
  const made: NewStatement[] = []
  const differing: PeriodFacts[] = []
  for (const [userId, chain] of chains) {
    if (chain.agreesWith(closed.get(userId) ?? [])) made.push(finish(sealing, chain, beyondOf(userId)))
    else differing.push(chain.facts)
    if (made.length === statementsPerInsert) await insertStatements(db, made.splice(0))
  }
  if (made.length > 0) await insertStatements(db, made)
  return differing
}

/** A client's statement in the making. */
class ClientChain {
  readonly facts: PeriodFacts
  readonly preamble: string
  readonly chain = new Chain()
  readonly sheet: SumSheet
  readonly checkpoints: Buffer[] = []
  readonly #names: Names

  constructor(facts: PeriodFacts, cycleId: number, names: Names) {
    this.facts = facts
    this.#names = names
    this.sheet = new SumSheet(names)
    this.preamble = `${this.chain.add(headerOf(facts, cycleId))}\n`
  }

  take(record: StoredRecord): void {
    this.chain.take(toRecordLine(record, this.#names))
    this.sheet.add(record)
    if (this.sheet.recordCount % recordsPerCheckpoint === 0) this.checkpoints.push(this.chain.hash)
  }

  get billMicro(): bigint {
    return BigInt(this.facts.total_micro)
  }

  agreesWith(closed: readonly ClosedSum[]): boolean {
    return (
      this.sheet.recordCount === Number(this.facts.record_count) &&
      agrees(this.sheet, closed, this.billMicro > 0n)
    )
  }
}

/** Adds sums, what there is beyond the records, and the signed end. */
function finish(
  { cycleId, clock, signer }: Sealing,
  { facts, preamble, chain, sheet, checkpoints, billMicro }: ClientChain,
  { decided, entries }: Beyond,
): NewStatement {
  const at = clock.now()
  const userId = facts.user_id
  const restMicro = billMicro - sheet.micro('bill') - sumOf(decided, 'release')
  const lines = [
    ...sheet.lines(),
    ...decided.map(toDecidedLine),
    ...adjustmentOf(entries, restMicro, facts.closed_at),
  ]
  const closing = [
    ...lines.map((line) => chain.add(line)),
    JSON.stringify(endOf({ chain, sheet, decided }, billMicro, at, signer)),
  ]
  return {
    cycleId,
    userId,
    preamble,
    closing: `${closing.join('\n')}\n`,
    recordCount: sheet.recordCount,
    checkpoints: Buffer.concat(checkpoints),
    at,
  }
}

function headerOf(facts: PeriodFacts, cycleId: number): Header {
  return {
    type: 'statement',
    format: statementFormat,
    period: `${cycleId}-${facts.user_id}`,
    userId: facts.user_id,
    client: facts.username,
    periodStart: facts.starts_at.toISOString(),
    periodEnd: facts.ends_at.toISOString(),
    closedAt: facts.closed_at.toISOString(),
    currency: 'USDT',
  }
}

/** Digits of numbers and values of rates, looked up once. */
class NameBook implements Names {
  readonly #db: Db
  readonly #numbers = new Map<number, string>()
  readonly #rates = new Map<number, string>()

  constructor(db: Db) {
    this.#db = db
  }

  number(id: number): string {
    return this.#numbers.get(id) ?? ''
  }

  rate(id: number): string {
    return this.#rates.get(id) ?? ''
  }

  /** Looks up the numbers and rates of a page. */
  async learn(page: readonly StoredRecord[]): Promise<void> {
    const [numbers, rates] = [new Set<number>(), new Set<number>()]
    for (const { numberId, rateId } of page) {
      if (!this.#numbers.has(numberId)) numbers.add(numberId)
      if (rateId !== null && !this.#rates.has(rateId)) rates.add(rateId)
    }
    if (numbers.size > 0)
      for (const [id, number] of await numberNames(this.#db, [...numbers])) this.#numbers.set(id, number)
    if (rates.size > 0)
      for (const [id, micro] of await rateValues(this.#db, [...rates]))
        this.#rates.set(id, formatMicro(micro, 2))
  }
}

/** Sums by counting, number and rate. */
class SumSheet {
  readonly #names: Names
  readonly #sums = new Map<
    string,
    { line: Omit<SumLine, 'smsCount' | 'amount'>; count: number; micro: bigint }
  >()
  recordCount = 0

  constructor(names: Names) {
    this.#names = names
  }

  add(record: StoredRecord): void {
    const counts = countingOf(record)
    const [numberId, rateId] = [record.numberId, record.rateId ?? 0]
    const key = `${counts} ${numberId} ${rateId}`
    let sum = this.#sums.get(key)
    if (sum === undefined) {
      const [number, rate] = [this.#names.number(numberId), this.#names.rate(rateId)]
      sum = { line: { type: 'sum', counts, numberId, number, rateId, rate }, count: 0, micro: 0n }
      this.#sums.set(key, sum)
    }
    sum.count += 1
    sum.micro += BigInt(record.amountMicro)
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
function agrees(sheet: SumSheet, closed: readonly ClosedSum[], hasBill: boolean): boolean {
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

function endOf(
  { chain, sheet, decided }: Pick<ClientChain, 'chain' | 'sheet'> & Pick<Beyond, 'decided'>,
  billMicro: bigint,
  at: Date,
  signer: Signer,
): EndLine {
  const end = {
    type: 'end',
    records: sheet.recordCount,
    bill: formatMicro(billMicro, 2),
    payouts: formatMicro(sheet.micro('payout'), 2),
    held: formatMicro(sheet.micro('held'), 2),
    released: formatMicro(sumOf(decided, 'release'), 2),
    refused: formatMicro(sumOf(decided, 'refusal'), 2),
    sealedAt: at.toISOString(),
    chain: chain.hash.toString('hex'),
    publicKey: signer.publicKey,
    signature: '',
  } as const satisfies EndLine
  return { ...end, signature: signer.sign(signedText(end)) }
}
