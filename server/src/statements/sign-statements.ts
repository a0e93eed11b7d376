// Makes the statements of closed cycles: reads each client's records once, adds them to a hash chain and to sums, compares
// the sums with the bill, and signs the statement. A background job does this; no message waits for it.
import { setSigned } from '../billing/index.ts'
import { clientsWithDecided, createdBetween } from '../records/index.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { formatMicro, parseMicro } from '@tollgate/contract/money.ts'
import {
  signedText,
  statementFormat,
  type EndLine,
  type StatementHeader,
} from '@tollgate/contract/statements/statement-format.ts'
import type { Db } from '../platform/db.ts'
import type { Signer } from '../platform/security/signing.ts'
import {
  archiveDecided,
  noneDecided,
  readAdjustments,
  toAdjustmentLine,
  type DecidedTotals,
} from './adjustments.ts'
import { PieceWriter, StatementArchive } from './archive.ts'
import { NameCache, StatementSums } from './statement-sums.ts'
import {
  HashChain,
  appendRecord,
  recordsPerCheckpoint,
  toRecordLine,
  type Names,
  type StoredRecord,
} from './format.ts'
import {
  clientsWithout,
  closedSums,
  findUnsigned,
  insertStatements,
  scanRecords,
  type ClosedSum,
  type NewStatement,
  type PeriodFacts,
} from './store.ts'

interface SigningDeps {
  readonly db: Db
  readonly clock: { now(): Date }
  readonly signer: Signer
}

const clientsPerPage = 2_000
// One scan reads whole clients, so a single larger client makes a larger scan.
const recordsPerScan = 1_000_000
// With more records than this, the cycle is scanned and sorted instead of read by the index.
const indexedRecordsMax = 100_000
// Signing this many takes a millisecond or two.
const statementsPerInsert = 10
// Milliseconds of pause for each millisecond of work: statements may wait, messages may not.
const pauseRatio = 0.5

/**
 * Makes all statements that are missing. May run twice or crash: a statement is one row, and the first one stays. Throws,
 * after all others are made, when a client's records and bill differ; those statements are tried again at the next run.
 */
export async function signStatements(deps: SigningDeps, signal?: AbortSignal): Promise<void> {
  const { db } = deps
  for (;;) {
    const cycleId = await findUnsigned(db)
    if (cycleId === undefined) return
    const bounds = await createdBetween(db, cycleId)
    const run: SigningRun = { ...deps, cycleId, names: new NameCache(db), signal }
    const differing: string[] = []
    let clients: PeriodFacts[] = []
    do {
      clients = firstWithin(
        recordsPerScan,
        await clientsWithout(db, cycleId, clients.at(-1)?.user_id ?? 0, clientsPerPage),
      )
      for (const client of await signClients(run, clients, bounds))
        // A second try without bounds: the counters may include records outside the time span of the batches.
        for (const { user_id } of await signClients(run, [client], sql`true`))
          differing.push(`${cycleId}-${user_id}`)
      if (signal?.aborted === true) return
    } while (clients.length > 0)
    if (differing.length > 0)
      throw new Error(`Records and bill differ, so there is no statement: ${differing.join(', ')}`)
    await setSigned(db, cycleId)
  }
}

/** The first clients who together have at most `recordsMax` records; at least one client. */
function firstWithin(recordsMax: number, clients: readonly PeriodFacts[]): PeriodFacts[] {
  let sum = 0
  return clients.filter(
    ({ record_count: count }, index) => (sum += Number(count)) <= recordsMax || index === 0,
  )
}

interface SigningRun extends SigningDeps {
  readonly cycleId: number
  readonly names: NameCache
  readonly signal: AbortSignal | undefined
}

/** Reads the clients' records in one scan and makes their statements. Returns the clients whose sums do not agree. */
async function signClients(
  run: SigningRun,
  clients: readonly PeriodFacts[],
  bounds: Parameters<typeof scanRecords>[3],
): Promise<PeriodFacts[]> {
  const { db, cycleId, names, signal } = run
  const [first, last] = [clients[0], clients.at(-1)]
  if (first === undefined || last === undefined) return []
  const records = clients.reduce((sum, { record_count: count }) => sum + Number(count), 0)
  const range = { from: first.user_id, to: last.user_id, areMany: records > indexedRecordsMax }
  const pieces = new PieceWriter(db)
  const drafts = new Map(
    clients.map((client) => [client.user_id, new StatementDraft(pieces, client, cycleId, names)]),
  )
  let current: StatementDraft | undefined
  let begun = performance.now()
  await scanRecords(db, cycleId, range, bounds, async (page) => {
    await names.load(page)
    for (const record of page) {
      const draft = drafts.get(record.clientId)
      // The records come client by client, so the one before is complete.
      if (draft !== current) await current?.archive.flush(true)
      current = draft
      if (draft?.archive.isFull === true) await draft.archive.flush(false)
      draft?.add(record)
    }
    await sleep((performance.now() - begun) * pauseRatio)
    begun = performance.now()
    return signal?.aborted !== true
  })
  if (signal?.aborted === true) return []
  await current?.archive.flush(true)
  const closed = await closedSums(db, cycleId, range)
  const withDecided = await clientsWithDecided(db, cycleId, range)
  const adjustmentsOf = await readAdjustments(db, cycleId, range)
  const made: NewStatement[] = []
  const differing: PeriodFacts[] = []
  for (const [userId, draft] of drafts) {
    if (!draft.agreesWith(closed.get(userId) ?? [])) {
      differing.push(draft.facts)
      continue
    }
    const decided = withDecided.has(userId)
      ? await archiveDecided(db, { cycleId, userId }, draft)
      : noneDecided
    made.push(finish(run, draft, decided, adjustmentsOf(userId)))
    if (made.length < statementsPerInsert) continue
    await pieces.flush()
    await insertStatements(db, made.splice(0))
  }
  await pieces.flush()
  if (made.length > 0) await insertStatements(db, made)
  return differing
}

/** A client's statement in the making. */
class StatementDraft {
  readonly facts: PeriodFacts
  readonly preamble: string
  readonly chain = new HashChain()
  readonly sums: StatementSums
  readonly checkpoints: Buffer[] = []
  readonly archive: StatementArchive
  readonly #names: Names

  constructor(pieces: PieceWriter, facts: PeriodFacts, cycleId: number, names: Names) {
    this.facts = facts
    this.#names = names
    this.sums = new StatementSums(names)
    this.preamble = `${this.chain.append(headerOf(facts, cycleId))}\n`
    this.archive = new StatementArchive(pieces, cycleId, facts.user_id)
    this.archive.mark(this.preamble)
  }

  add(record: StoredRecord): void {
    this.sums.add(record)
    const line = appendRecord(this.chain, toRecordLine(record, this.#names), this.sums.recordCount)
    this.archive.addRecord(line, Math.floor(Number(record.createdAtMicros) / 1_000))
    if (this.sums.recordCount % recordsPerCheckpoint === 0) this.checkpoints.push(this.chain.hash)
  }

  get billMicro(): bigint {
    return BigInt(this.facts.total_micro)
  }

  agreesWith(closed: readonly ClosedSum[]): boolean {
    return (
      this.sums.recordCount === Number(this.facts.record_count) &&
      agrees(this.sums, closed, this.billMicro > 0n)
    )
  }
}

/** Adds the sums, the lines that are not records, and the signed end line. */
function finish(
  { cycleId, clock, signer }: SigningRun,
  { facts, preamble, chain, sums, checkpoints, billMicro, archive }: StatementDraft,
  decided: DecidedTotals,
  entries: Parameters<typeof toAdjustmentLine>[0],
): NewStatement {
  const at = clock.now()
  const userId = facts.user_id
  const adjustmentMicro = billMicro - sums.micro('bill') - decided.release
  const lines = [...sums.lines(), ...toAdjustmentLine(entries, adjustmentMicro, facts.closed_at)]
  const closingLines = [
    ...lines.map((line) => chain.append(line)),
    JSON.stringify(endOf({ chain, sums, decided }, billMicro, at, signer)),
  ]
  const closing = `${closingLines.join('\n')}\n`
  archive.mark(closing)
  return {
    cycleId,
    userId,
    preamble,
    closing,
    recordCount: sums.recordCount,
    decidedCount: decided.count,
    checkpoints: Buffer.concat(checkpoints),
    at,
    firstRecordAt: archive.firstRecordAtMs === undefined ? null : new Date(archive.firstRecordAtMs),
    fileHash: archive.finish(),
  }
}

function headerOf(facts: PeriodFacts, cycleId: number): StatementHeader {
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

/** Whether the close wrote the same counts and amounts. Without a bill (adjustments made it negative) it wrote no lines. */
function agrees(sums: StatementSums, closed: readonly ClosedSum[], hasBill: boolean): boolean {
  const ours = new Map<string, { count: number; micro: bigint }>()
  for (const { counts, numberId, rateId, smsCount, amount } of sums.lines()) {
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
  // The close writes no line for an amount of 0.
  return [...ours.values()].every(({ micro }) => micro === 0n)
}

function endOf(
  { chain, sums, decided }: Pick<StatementDraft, 'chain' | 'sums'> & { readonly decided: DecidedTotals },
  billMicro: bigint,
  at: Date,
  signer: Signer,
): EndLine {
  const end = {
    type: 'end',
    records: sums.recordCount,
    bill: formatMicro(billMicro, 2),
    payouts: formatMicro(sums.micro('payout'), 2),
    held: formatMicro(sums.micro('held'), 2),
    released: formatMicro(decided.release, 2),
    refused: formatMicro(decided.refusal, 2),
    sealedAt: at.toISOString(),
    chain: chain.hash.toString('hex'),
    publicKey: signer.publicKey,
    signature: '',
  } as const satisfies EndLine
  return { ...end, signature: signer.sign(signedText(end)) }
}
