// A small business to send messages to, and a source that remembers its answers. For tests.
import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { createLedger } from '../../ledger/index.ts'
import { systemClock } from '../../platform/clock.ts'
import { row, rows, type Db } from '../../platform/db.ts'
import { createSecrets } from '../../platform/security/secrets.ts'
import { loadPricing } from '../../rates/index.ts'
import { createIngest, type Ingest, type IngestDeps } from '../create-ingest.ts'
import type { Completion, FailureReason, IngestMessage } from '../message.ts'

export const testSecrets = createSecrets(randomBytes(16).toString('hex'))

/** A range, users `client1` …, and numbers 447700000001 … held by them in turn; the last number has no holder. */
export async function makeBusiness(db: Db, counts: { clients: number; numbers: number }): Promise<string[]> {
  await sql`insert into users (username, email, first_name, last_name, password_hash, role)
    select 'client' || i, 'c@example.org', 'C', 'C', 'x', 'user' from generate_series(1, ${counts.clients}::int) i`.execute(
    db,
  )
  await sql`insert into ranges (range_number, start_number, end_number, tariff_micro)
    values ('R1', '447700000000', '447700999999', 1500000)`.execute(db)
  await sql`insert into numbers (number, holder_id)
    select (447700000000 + i)::text, case when i < ${counts.numbers} then 1 + i % ${counts.clients}::int end
    from generate_series(1, ${counts.numbers}::int) i`.execute(db)
  await sql`insert into number_holders (number_id, user_id, held_from)
    select id, holder_id, '2020-01-01' from numbers where holder_id is not null`.execute(db)
  return (await rows<{ number: string }>(db, sql`select number from numbers order by id`)).map(
    ({ number }) => number,
  )
}

export async function makeIngest(db: Db, options: Partial<IngestDeps> = {}): Promise<Ingest> {
  const ledger = createLedger({ db, clock: systemClock, cycleSeconds: 604_800 })
  const ingest = createIngest({
    db,
    clock: systemClock,
    log: { warn: () => undefined },
    secrets: testSecrets,
    pricing: await loadPricing(db),
    openCycle: () => ledger.ensureOpenCycle(),
    ...options,
  })
  await ingest.start()
  return ingest
}

/** Notes every answer. */
export class Answers implements Completion {
  readonly committedIds = new Map<string, IngestMessage>()
  readonly failures: { message: IngestMessage; reason: FailureReason }[] = []
  readonly recordIds: number[] = []
  answered = 0
  settledCount = 0
  #waiting: { count: number; resolve: () => void }[] = []

  committed(message: IngestMessage, messageId: string, recordId: number): void {
    this.committedIds.set(messageId, message)
    this.recordIds.push(recordId)
    this.#note()
  }

  failed(message: IngestMessage, reason: FailureReason): void {
    this.failures.push({ message, reason })
    this.#note()
  }

  settled(): void {
    this.settledCount += 1
  }

  /** Resolves when `count` messages in all have been answered. */
  async until(count: number): Promise<void> {
    if (this.answered < count) await new Promise<void>((resolve) => this.#waiting.push({ count, resolve }))
  }

  #note(): void {
    this.answered += 1
    this.#waiting = this.#waiting.filter(({ count, resolve }) => {
      if (this.answered >= count) resolve()
      return this.answered < count
    })
  }
}

let made = 0

export function messageTo(
  digits: string,
  completion: Completion,
  over: Partial<IngestMessage> = {},
): IngestMessage {
  made += 1
  return {
    createdAtMs: Date.now(),
    digits,
    displayedSourceAddress: '4915112345678',
    gatewayId: 1,
    source: 'smpp',
    sequence: made,
    sourceAddress: '4915112345678',
    destinationAddress: `+${digits}`,
    esmClass: 0,
    dataCoding: 0,
    body: Buffer.from(`text ${made}`),
    flags: 0,
    completion,
    ...over,
  }
}

interface Totals {
  readonly count: number
  readonly bill: string
  readonly amount: string
}

export interface AllTotals {
  readonly facts: Totals
  /** Of each level of the counters by hour and day: each record is in one row of each. */
  readonly levels: Readonly<Record<string, Totals>>
  /** Without bills. */
  readonly cycles: Totals
  /** Amounts alone. */
  readonly ledger: Totals
}

/**
 * The same totals from the records, from the counters with their buffers, and from the ledger, all in one snapshot: a
 * commit of a killed writer may still be running in the server.
 */
export function totals(db: Db): Promise<AllTotals> {
  return db.transaction().setIsolationLevel('repeatable read').execute(readTotals)
}

const levels = {
  ever: `record_day_counters where day = '-infinity' and range_id = -1 and gateway_id = -1`,
  days: `record_day_counters where day > '-infinity' and range_id = -1 and gateway_id = -1`,
  gateways: `record_day_counters where range_id = -1 and gateway_id >= 0`,
  ranges: 'record_day_counters where range_id >= 0 and gateway_id >= 0',
  hours: 'record_hour_counters where range_id = -1 and gateway_id = -1',
  hoursOfRanges: 'record_hour_counters where range_id >= 0 and gateway_id >= 0',
}

async function readTotals(db: Db): Promise<AllTotals> {
  const of = async (from: string, bill = 'bill_micro') =>
    (await row<Totals>(
      db,
      sql.raw(`select coalesce(sum(record_count), 0)::int as count, coalesce(sum(${bill}), 0)::text as bill,
        coalesce(sum(amount_micro), 0)::text as amount from ${from} sums`),
    )) ?? { count: 0, bill: '0', amount: '0' }
  const found: Record<string, Totals> = {}
  for (const [name, level] of Object.entries(levels))
    for (const clients of ['client_id = -1', 'client_id >= 0'])
      found[`${name}, ${clients}`] = await of(
        `(select record_count, bill_micro, amount_micro from ${level} and ${clients}
          union all select record_count, bill_micro, amount_micro from buffered_counters)`,
      )
  return {
    facts: await of('(select 1 as record_count, bill_micro, amount_micro from records)'),
    levels: found,
    cycles: await of('record_cycles', '0'),
    ledger: await of(
      `(select 0 as record_count, amount_micro from ledger_entries where account = 'payable' and kind = 'traffic')`,
      '0',
    ),
  }
}

/** The levels of the counters whose totals are not those of the records. */
export function differingLevels({ facts, levels }: AllTotals): string[] {
  const isSame = (of: Totals) =>
    of.count === facts.count && of.bill === facts.bill && of.amount === facts.amount
  return Object.entries(levels).flatMap(([level, of]) => (isSame(of) ? [] : [level]))
}
