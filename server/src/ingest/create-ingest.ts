// Puts ingest together: connections, writers, queue, and the upkeep around them.
import { availableParallelism } from 'node:os'
import type { RecordSource } from '@tollgate/contract/vocabulary.ts'
import type { Checks } from '../platform/checks.ts'
import type { Clock } from '../platform/clock.ts'
import { newClientBeside, type Db } from '../platform/db.ts'
import { IdleWindows } from '../platform/load/idle-windows.ts'
import type { Secrets } from '../platform/security/secrets.ts'
import type { Tracing } from '../platform/tracing/tracing.ts'
import { Recurring } from '../platform/work/recurring.ts'
import type { Pricing } from '../rates/index.ts'
import { BatchEncoder, type EncoderOptions } from './batch-encoder.ts'
import { BatchIds } from './batch-ids.ts'
import { BatchWriter } from './batch-writer.ts'
import { CatalogRefresher, type CatalogRefresherOptions } from './catalog-refresher.ts'
import { CounterFold } from './fold.ts'
import { defaultLimits, IngestQueue, type IngestLimits, type NumberStatus } from './ingest-queue.ts'
import type { Acceptance, IngestMessage } from './message.ts'
import type { IngestRate } from './rate-meter.ts'
import { showSuppliers } from './metrics.ts'
import type { RefusedMessage, RefusedPdu } from './refusals.ts'
import {
  addRefusals,
  areRecordsSpread,
  ensureRecordWeek,
  gatewayIdOf,
  noteRefusals,
  suppliersOfHour,
  takeBatchIds,
} from './store.ts'
import { probeWrite, StoringCheck } from './storing-check.ts'
import { storeWithin, type StoredMessage } from './store-within.ts'
import { WeekPartitions } from './week-partitions.ts'
import { WriterConnection } from './writer-connection.ts'
import { WriterCount } from './writer-count.ts'

export interface IngestDeps {
  /** On a pool: each writer takes its address for a connection of its own. */
  readonly db: Db
  /** For the check of readiness, on connections that nothing else keeps busy; `db` by default. */
  readonly probeDb?: Db
  /** False while the disk of the database is full; by default it has room. */
  readonly hasRoom?: () => boolean
  readonly clock: Clock
  readonly log: { warn(details: object, words: string): void }
  readonly secrets: Pick<Secrets, 'encrypt'>
  readonly pricing: Pricing
  /** The ledger's open cycle, made if there is none. */
  readonly openCycle: CatalogRefresherOptions['openCycle']
  /** Whether a client receives its records over SMPP or HTTP; by default none does. */
  readonly hasDelivery?: (clientId: number) => boolean
  /** False while the setting says that message texts are not stored. */
  readonly keepsBodies?: () => boolean
  /** Where batches are announced as urgent work; its own unless supplied. */
  readonly idleWindows?: IdleWindows
  readonly writerCount?: number
  readonly limits?: Partial<IngestLimits>
  readonly tracing?: Pick<Tracing, 'begin'> | undefined
}

export interface Ingest {
  /**
   * Queues a message, or says that too many are waiting. A queued message's {@link IngestMessage.completion} is called
   * exactly once. Never throws and never waits.
   */
  accept(message: IngestMessage): Acceptance
  /**
   * Stores messages in the caller's transaction, together with the caller's own rows that prevent a repetition (a
   * provider's keys, its cursor). Keeps the traffic gate shared until that transaction ends. At most 4,000 at once.
   * Gives one result for each message, in order. Ids are valid once the transaction is committed. Throws the database's
   * error.
   */
  storeWithin(tx: Db, messages: readonly IngestMessage[]): Promise<StoredMessage[]>
  /**
   * Counts a message that its source refused before {@link accept}. `reason` is one of a few fixed words; the
   * destination that the peer sent belongs into `digits`. `commandStatus` is that of an SMPP answer whose reason does not
   * tell it; `shown` shows the PDU, and may keep only a copy of it.
   */
  refuse(message: RefusedMessage, reason: string, commandStatus?: number, shown?: () => RefusedPdu): void
  /** The id under which records name this gateway: a bind's system_id, a connection's or a provider's name. */
  gatewayId(source: RecordSource, name: string, userId?: number): Promise<number>
  /** Loads changes of the catalog now. Batches do so by themselves; this saves the next batch a second try. */
  refresh(): Promise<void>
  pace(): IngestRate
  /** For /readyz. */
  readonly checks: Checks
  /** The receipt time for a message that arrives now: ms since 1970 by the program's clock, not the machine's. */
  nowMs(): number
  /** Messages stored a second, over the last three seconds. Background work waits while there are many. */
  recentPerSecond(): number
  /** Loads the open cycle, opens the writers' connections, starts the background work. Throws when the database is away. */
  start(): Promise<void>
  /** Answers everything that was accepted, then closes the connections. */
  stop(): Promise<void>
}

// On two cores two writers keep both busy: one is in PostgreSQL while the other's batch is answered and filled again.
// More of them help only while they wait for the disk.
const writersMax = 6
const usualWriters = availableParallelism() > 2 ? 3 : 2

/** See {@link Ingest}. */
export function createIngest(deps: IngestDeps): Ingest {
  const { db, clock, log, tracing, hasRoom = () => true } = deps
  const node = { hasRoom, tracing }
  const nowMs = () => clock.now().getTime()
  const onFault = (what: string, error: Error | undefined) => log.warn({ err: error }, what)
  const follower = new CatalogRefresher({ db, pricing: deps.pricing, openCycle: deps.openCycle })
  const ids = new BatchIds((count) => takeBatchIds(db, count))
  const weeks = new WeekPartitions({
    make: (at) => ensureRecordWeek(db, at),
    nowMs,
    onFault: (error) => onFault('A partition could not be made', error),
  })
  let isSpread = false
  const encoding: EncoderOptions = { ...encodingOf(deps), isSpread: () => isSpread, nowMs }
  const connections = Array.from({ length: deps.writerCount ?? writersMax }, () =>
    connectionOf(deps, encoding.isSpread),
  )
  const refresh = () => follower.refresh()
  const writerCount = new WriterCount(usualWriters, connections.length)
  const storing = new StoringCheck(() => probeWrite(deps.probeDb ?? db))
  const queue = new IngestQueue({
    storing,
    ...node,
    writers: connections.map(
      (connection) =>
        new BatchWriter({
          connection,
          encoder: new BatchEncoder(encoding),
          ids,
          weeks,
          cycle: () => follower.cycle,
          refresh,
          onCommitTimed: (commitShare) => writerCount.note(commitShare),
        }),
    ),
    writerCount,
    numberStatusOf: (message) => numberStatusOf(deps.pricing, message),
    refresh,
    limits: { ...defaultLimits, ...deps.limits },
    idleWindows: deps.idleWindows ?? new IdleWindows(),
    nowMs,
    onFault,
  })
  const upkeep = makeUpkeep({ db, queue, weeks, refresh, nowMs, onFault })
  return {
    accept: (message) => queue.accept(message),
    storeWithin: (tx, messages) =>
      storeWithin(tx, messages, { ...node, weeks, encoder: new BatchEncoder(encoding), follower, ids }),
    refuse: (message, reason, status, shown) => queue.refusals.add(message, reason, nowMs(), status, shown),
    gatewayId: (source, name, userId) => gatewayIdOf(db, source, name, userId),
    refresh,
    pace: () => queue.pace(),
    checks: { storing: () => storing.isPassed() },
    nowMs,
    recentPerSecond: () => queue.recentPerSecond(),
    async start() {
      isSpread = await areRecordsSpread(db)
      await refresh()
      await weeks.makeAhead()
      await Promise.all(connections.map((connection) => connection.get(performance.now() + 5_000)))
      for (const task of upkeep) task.start()
    },
    stop: () => stopAll({ db, queue, onFault }, upkeep, connections),
  }
}

function encodingOf({
  pricing,
  secrets,
  hasDelivery = () => false,
  keepsBodies = () => true,
}: IngestDeps): Omit<EncoderOptions, 'isSpread' | 'nowMs'> {
  return { pricing, secrets, hasDelivery, keepsBodies }
}

interface UpkeepParts {
  readonly db: Db
  readonly queue: IngestQueue
  readonly weeks: WeekPartitions
  readonly refresh: () => Promise<void>
  readonly nowMs: () => number
  readonly onFault: (what: string, error: Error) => void
}

function makeUpkeep({ db, queue, weeks, refresh, nowMs, onFault }: UpkeepParts): Recurring[] {
  const fold = new CounterFold(db)
  const tasks = [
    { name: 'fold of counters', everyMs: 1_000, run: () => fold.run() },
    // Loads new numbers of an import, so that the first message to one of them need not wait for that.
    { name: 'reading of the catalog', everyMs: 1_000, run: refresh },
    { name: 'count of refusals', everyMs: 1_000, run: () => flushRefusals(db, queue) },
    {
      name: 'count by supplier',
      everyMs: 15_000,
      run: async () => showSuppliers(await suppliersOfHour(db, new Date(nowMs()))),
    },
    { name: 'making of partitions', everyMs: 3_600_000, run: () => weeks.makeAhead() },
  ]
  return tasks.map(
    ({ name, everyMs, run }) =>
      new Recurring({
        run: async () => void (await run()),
        everyMs,
        onFault: (error) => onFault(`The ${name} failed`, error as Error),
      }),
  )
}

async function stopAll(
  { db, queue, onFault }: Pick<UpkeepParts, 'db' | 'queue' | 'onFault'>,
  upkeep: readonly Recurring[],
  connections: readonly WriterConnection[],
): Promise<void> {
  await queue.close()
  await Promise.all(upkeep.map((task) => task.stopAfterLastRun()))
  await Promise.all(connections.map((connection) => connection.close()))
  await flushRefusals(db, queue).catch((error: Error) => onFault('The count of refusals failed', error))
}

function connectionOf({ db, log }: IngestDeps, isSpread: () => boolean): WriterConnection {
  return new WriterConnection({
    newClient: (settings) => newClientBeside(db, settings),
    isSpread,
    onFault: (error) => log.warn({ err: error }, 'A connection for storing messages is lost'),
  })
}

function numberStatusOf(pricing: Pricing, { digits, createdAtMs }: IngestMessage): NumberStatus {
  const entry = pricing.find(digits, createdAtMs)
  if (entry === undefined) return 'unknown'
  return entry.status === 'active' ? 'active' : 'suspended'
}

async function flushRefusals(db: Db, { refusals }: IngestQueue): Promise<void> {
  await refusals.flush((counts) => addRefusals(db, counts))
  await refusals.flushNoted((counts) => noteRefusals(db, counts))
}
