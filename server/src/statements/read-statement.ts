// Serves a statement. The signed lines are stored; the lines of the records are generated again from the records while
// those are kept, so that a record which somebody changed is found, and come from the archive after that, or once a
// subscriber's number was erased from them.
import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { Refusal } from '@tollgate/contract/errors.ts'
import { splitLine, type SumLine } from '@tollgate/contract/statements/statement-format.ts'
import type { Db } from '../platform/db.ts'
import type { StreamReply } from '../http/handlers.ts'
import { createdBetween, hasWeeks } from '../records/index.ts'
import { archivedLines, decidedLines } from './archive.ts'
import { HashChain, recordsPerCheckpoint, toRecordLine, withChain, type Names } from './format.ts'
import { countRecords, findStatement, periodFacts, walkRecords, type StatementRow } from './store.ts'

/**
 * Starts the download. Throws Refusal wrong_state for an open period, not_found for a period in which the client has
 * nothing, and unavailable while the statement is being made.
 */
export async function readStatement(db: Db, cycleId: number, userId: number): Promise<StreamReply> {
  const statement = await findStatement(db, cycleId, userId)
  if (statement === undefined) throw await reasonWhyNot(db, cycleId, userId)
  return {
    contentType: 'application/x-ndjson; charset=utf-8',
    fileName: `statement-${cycleId}-${userId}.jsonl`,
    stream: textOf(db, cycleId, userId, statement),
  }
}

async function reasonWhyNot(db: Db, cycleId: number, userId: number): Promise<Refusal> {
  const facts = await periodFacts(db, cycleId, userId)
  if (facts === undefined)
    return new Refusal('wrong_state', 'This period is still open. Its statement is made once it is closed.')
  if (facts.record_count === '0' && facts.total_micro === '0')
    return new Refusal('not_found', 'There is nothing in this period.')
  return new Refusal('unavailable', 'The statement is being made. Try again in a minute.', {
    retryAfterSeconds: 30,
  })
}

async function* textOf(
  db: Db,
  cycleId: number,
  userId: number,
  statement: StatementRow,
): AsyncGenerator<string> {
  yield statement.preamble
  const hash = createHash('sha256').update(statement.preamble)
  const isFromArchive = await mustReadArchive(db, statement)
  for await (const lines of messageLines(db, cycleId, userId, statement)) {
    if (lines.length === 0) continue
    const text = `${lines.join('\n')}\n`
    hash.update(text)
    yield text
  }
  // A download that breaks off is noticed at once; one with wrong lines might be checked years later.
  if (isFromArchive && !statement.file_hash.equals(hash.update(statement.closing).digest()))
    throw new Error(`The archive of statement ${cycleId}-${userId} is not what was archived`)
  yield statement.closing
}

/**
 * Whether retention has removed records of the statement, or a subscriber's number was erased from them. Records that
 * somebody else removed or changed are to be found.
 */
async function mustReadArchive(
  db: Db,
  { first_record_at: first, ends_at: end, has_erased: hasErased }: StatementRow,
): Promise<boolean> {
  return hasErased || (first !== null && !(await hasWeeks(db, first, end)))
}

/** The lines of records, and of what was released or refused, a page at a time. */
export async function* messageLines(
  db: Db,
  cycleId: number,
  userId: number,
  statement: StatementRow,
): AsyncGenerator<string[]> {
  yield* recordLines(db, cycleId, userId, statement)
  yield* decidedLines(db, cycleId, userId, statement)
}

/** The lines of the records as they are in the file, a page at a time: from the archive once the records are gone. */
async function* recordLines(
  db: Db,
  cycleId: number,
  userId: number,
  statement: StatementRow,
): AsyncGenerator<string[]> {
  if (await mustReadArchive(db, statement)) yield* archivedLines(db, cycleId, userId, statement)
  else yield* storedLines(db, cycleId, userId, statement)
}

/** Numbers and rates as they were signed. A number may have been corrected since. */
function namesIn(closing: string): Names {
  const numbers = new Map<number, string>()
  const rates = new Map<number, string>()
  for (const line of closing.split('\n').filter((text) => text.startsWith('{"type":"sum"'))) {
    const sum = JSON.parse(line) as SumLine
    numbers.set(sum.numberId, sum.number)
    rates.set(sum.rateId, sum.rate)
  }
  return { number: (id) => numbers.get(id) ?? `#${id}`, rate: (id) => rates.get(id) ?? `#${id}` }
}

/**
 * The lines made again from the records. Every 1000th line has the signed hash of the chain: if the lines before it do not
 * lead to this hash, one of those records was changed.
 */
async function* storedLines(
  db: Db,
  cycleId: number,
  userId: number,
  statement: StatementRow,
): AsyncGenerator<string[]> {
  const names = namesIn(statement.closing)
  const chain = new HashChain()
  chain.addText(splitLine(statement.preamble.trim())?.text ?? '')
  let count = 0
  for await (const page of walkRecords(db, cycleId, userId, await boundsOf(db, cycleId, userId, statement)))
    yield page.map((record) => {
      const line = toRecordLine(record, names)
      const text = chain.append(line)
      count += 1
      const signed = count % recordsPerCheckpoint === 0 ? checkpointAt(statement, count) : undefined
      if (signed === undefined) return text
      chain.resume(signed)
      return withChain(JSON.stringify(line), signed.toString('hex'))
    })
}

function checkpointAt({ checkpoints }: StatementRow, recordCount: number): Buffer | undefined {
  const end = (recordCount / recordsPerCheckpoint) * 32
  return end <= checkpoints.length ? checkpoints.subarray(end - 32, end) : undefined
}

/** The time span of the cycle's batches, unless it contains another number of records than the signed statement. */
async function boundsOf(
  db: Db,
  cycleId: number,
  userId: number,
  statement: Pick<StatementRow, 'record_count'>,
): ReturnType<typeof createdBetween> {
  const bounds = await createdBetween(db, cycleId)
  const count = await countRecords(db, cycleId, { from: userId, to: userId }, bounds)
  return count === Number(statement.record_count) ? bounds : sql`true`
}
