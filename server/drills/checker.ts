// Compares the suppliers' journals with the database, and the database with itself. It reads the tables with plain
// statements and shares no code with what it checks, except for the format of the message id.
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { statements } from './statements.ts'
import { sourceAddressOf, type Journal } from './suppliers.ts'

export interface CheckResult {
  /** Acknowledgements whose record exists. */
  readonly stored: number
  /** Acknowledged messages without a record. */
  readonly lost: number
  /** Duplicates: an id that was acknowledged twice, or a message that counts twice for its client. */
  readonly doubled: number
  /** Rows that break a statement of statements.ts. */
  readonly misbilled: number
  /** One line for each kind of breach, with an example. */
  readonly breaches: readonly string[]
  /** Records under an integrity hold because they repeat a message whose response was lost. */
  readonly held: number
}

const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const timeDigits = 10
const rowsPerRead = 50_000

/** The record's id in a message id: the part after the ten digits of its time, in Crockford's base 32. */
function recordNumberOf(messageId: string): number {
  let number = 0
  for (const digit of messageId.slice(timeDigits)) number = number * 32 + alphabet.indexOf(digit)
  return number
}

interface RecordRow {
  readonly id: string
  readonly created_at: string
  readonly sender: string
  readonly is_held: boolean
}

/** All records. */
async function* readRecords(client: pg.ClientBase): AsyncGenerator<RecordRow> {
  await client.query(
    `declare read_records no scroll cursor for
     select id::text, created_at::text, sender, is_held from records`,
  )
  for (;;) {
    const { rows } = await client.query<RecordRow>(`fetch ${rowsPerRead} from read_records`)
    if (rows.length === 0) return
    yield* rows
  }
}

interface StoredMessages {
  /** How often each record exists, by its id. */
  readonly byNumber: ReadonlyMap<number, number>
  /** How often each message counts (records without a hold), by its source address. */
  readonly countedBySender: ReadonlyMap<string, number>
  /** How often each message is stored at all, by its source address. */
  readonly bySender: ReadonlyMap<string, number>
  readonly held: number
}

async function readStored(client: pg.ClientBase): Promise<StoredMessages> {
  const byNumber = new Map<number, number>()
  const countedBySender = new Map<string, number>()
  const bySender = new Map<string, number>()
  const addTo = <K>(counts: Map<K, number>, key: K) => counts.set(key, (counts.get(key) ?? 0) + 1)
  let held = 0
  for await (const { id, sender, is_held: isHeld } of readRecords(client)) {
    addTo(byNumber, Number(id))
    const digits = sender.replace(/\D/g, '')
    addTo(bySender, digits)
    if (isHeld) held += 1
    else addTo(countedBySender, digits)
  }
  return { byNumber, countedBySender, bySender, held }
}

/** Compares messages with the journals: no acknowledged one is missing, none counts twice. */
function compare(journals: readonly Journal[], found: StoredMessages) {
  const breaches: string[] = []
  const example = (what: string, cases: readonly string[]) => {
    if (cases.length > 0) breaches.push(`${cases.length} ${what}, such as ${cases[0]}`)
    return cases.length
  }
  const ids = journals.flatMap(({ acknowledgedIds }) => acknowledgedIds)
  const missing = ids.filter((id) => !found.byNumber.has(recordNumberOf(id)))
  const acknowledged = new Set<string>()
  const acknowledgedTwice = ids.filter((id) => acknowledged.size === acknowledged.add(id).size)
  const thereTwice = [...found.byNumber].filter(([, count]) => count > 1).map(([number]) => String(number))
  const counted: string[] = []
  const beyondTries: string[] = []
  const unknown = new Set(found.bySender.keys())
  for (const { tries } of journals)
    for (const [key, count] of tries) {
      const sender = sourceAddressOf(key)
      unknown.delete(sender)
      if ((found.countedBySender.get(sender) ?? 0) > 1) counted.push(sender)
      if ((found.bySender.get(sender) ?? 0) > count) beyondTries.push(sender)
    }
  return {
    stored: ids.length - missing.length,
    lost: example('acknowledged messages have no record', missing),
    doubled:
      example('ids were acknowledged twice', acknowledgedTwice) +
      example('records are there twice', thereTwice) +
      example('messages count twice', counted) +
      example('messages are there more often than they were sent', beyondTries) +
      example('records are of no message that was sent', [...unknown]),
    breaches,
  }
}

/** Runs every statement on records from `since` on; counts the rows that break them. */
async function checkMoney(client: pg.ClientBase, since: Date) {
  const breaches: string[] = []
  let misbilled = 0
  for (const { holds, sql } of statements) {
    const { rows } = await client.query(sql, sql.includes('$1') ? [since] : [])
    if (rows.length === 0) continue
    misbilled += rows.length
    breaches.push(`not true that ${holds}: ${rows.length} rows, such as ${JSON.stringify(rows[0])}`)
  }
  return { misbilled, breaches }
}

export type DatabaseAddress = string | { readonly host: string; readonly database: string }

const checkTimeoutMs = 120_000
const restShare = 4

async function withSnapshot<T>(
  address: DatabaseAddress,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({
    ...(typeof address === 'string' ? { connectionString: address } : { ...address, user: 'postgres' }),
    connectionTimeoutMillis: 5_000,
    query_timeout: checkTimeoutMs,
    application_name: 'tollgate-drill',
  })
  // When the server is killed the query fails, which the caller handles.
  client.on('error', () => undefined)
  await client.connect()
  try {
    await client.query('begin isolation level repeatable read read only')
    return await work(client)
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** Checks everything in one snapshot. Call it when no message is in flight. */
export function checkAll(address: DatabaseAddress, journals: readonly Journal[]): Promise<CheckResult> {
  return withSnapshot(address, async (client) => {
    const found = await readStored(client)
    const messages = compare(journals, found)
    const money = await checkMoney(client, new Date(0))
    return {
      ...messages,
      misbilled: money.misbilled,
      breaches: [...messages.breaches, ...money.breaches],
      held: found.held,
    }
  })
}

/**
 * Checks the money periodically while a drill runs: every committed state must be consistent, not only the last one. A
 * check fails when the drill has stopped the database; it is skipped then.
 */
export class PeriodicCheck {
  looks = 0
  misbilled = 0
  readonly breaches: string[] = []
  readonly #address: () => Promise<DatabaseAddress | undefined>
  #since = new Date(0)
  readonly #ending = new AbortController()
  #running: Promise<void> | undefined

  constructor(address: () => Promise<DatabaseAddress | undefined>) {
    this.#address = address
  }

  start(everyMs: number): void {
    this.#running = (async () => {
      while (!this.#ending.signal.aborted) {
        const startedAtMs = performance.now()
        await this.#look()
        // However much there is to read, most of the processor time is left to the traffic.
        const tookMs = performance.now() - startedAtMs
        await sleep(Math.max(everyMs, restShare * tookMs), undefined, { signal: this.#ending.signal }).catch(
          () => undefined,
        )
      }
    })()
  }

  async stop(): Promise<void> {
    this.#ending.abort()
    await this.#running
  }

  async #look(): Promise<void> {
    const address = await this.#address()
    if (address === undefined) return
    // A record's time is when it arrived, at most a few seconds before its commit.
    const next = new Date(Date.now() - 30_000)
    const found = await withSnapshot(address, (client) => checkMoney(client, this.#since)).catch(
      (error: unknown) => {
        if (isAway(error)) return undefined
        throw error
      },
    )
    if (found === undefined) return
    this.looks += 1
    this.misbilled += found.misbilled
    this.breaches.push(...found.breaches)
    this.#since = next
  }
}

const awayStates = /^(08...|57P0\d|53...|25006)$/

/** Whether the error says that the database is away: any connection error, and some errors of the server. */
function isAway(error: unknown): boolean {
  return !(error instanceof pg.DatabaseError) || awayStates.test(error.code ?? '')
}

/** The verdict and its figures. */
export function verdictOf(found: CheckResult, periodic?: PeriodicCheck) {
  const misbilled = found.misbilled + (periodic?.misbilled ?? 0)
  const breaches = [...found.breaches, ...(periodic?.breaches ?? [])]
  return {
    isPassed: found.lost === 0 && found.doubled === 0 && misbilled === 0,
    breaches,
    figures: (acknowledged: number) => [
      `${acknowledged.toLocaleString('en')} acknowledged`,
      `${found.stored.toLocaleString('en')} stored`,
      `lost ${found.lost}`,
      `doubled ${found.doubled}`,
      `misbilled ${misbilled}`,
    ],
  }
}
