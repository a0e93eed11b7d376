// Providers on a real database: a small business, ingest, nodes that poll, and an admin who calls the API.
import { sql } from 'kysely'
import { afterAll, afterEach, beforeEach, expect } from 'vitest'
import { createTestAudit } from '../people/audit.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { row, rows, type Db } from '../../src/platform/db.ts'
import { createEgress } from '../../src/platform/security/egress.ts'
import { pauseMs } from '../../src/providers/backoff.ts'
import {
  createProviders,
  type PollPace,
  type Providers,
  type ProvidersDeps,
  type WorkerEvent,
} from '../../src/providers/index.ts'
import { makeBusiness, makeIngest, testSecrets } from '../../src/ingest/testing/traffic.ts'
import { eventually } from '../environment/eventually.ts'
import { openStandIn, type StandInRow } from '../stand-ins/provider.ts'
import { openTestApi } from '../http/api.ts'
import { openTestDatabase, silentLog } from '../environment/database.ts'

/** Ten times as fast as usual; what a provider asks for is kept. */
const pace: PollPace = {
  roundEveryMs: 100,
  leaseTimes: { lifeMs: 10_000, renewEveryMs: 300 },
  pauseMs: (result) => Math.max(Math.round(pauseMs(result) / 10), result.retryAfterMs ?? 0),
  farEveryMinMs: 1_000,
}

interface StoredRecord {
  readonly id: string
  readonly created_at: Date
  readonly sender: string
  readonly no_report: number
  readonly amount_micro: string
  readonly number: string
  readonly gateway: string
}

/** Opens the environment; nothing polls before `node.start()`. All of it ends after the test file. */
export async function openProvidersEnvironment() {
  const database = await openTestDatabase({ maxConnections: 20 })
  const { db } = database
  // The last one has no holder.
  const numbers = await makeBusiness(db, { clients: 2, numbers: 4 })
  const ingest = await makeIngest(db, { writerCount: 1 })
  const egress = createEgress(['127.0.0.0/8'])
  const published: WorkerEvent[] = []
  const nodes: Providers[] = []
  /** Another node on the same database. */
  const newNode = (over: Partial<ProvidersDeps> = {}): Providers => {
    const made = createProviders({
      db,
      log: silentLog,
      audit: createTestAudit({ db, clock: systemClock }),
      secrets: testSecrets,
      egress,
      messages: ingest,
      node: `node${nodes.length + 1}`,
      polls: true,
      publish: (item) => void published.push(item),
      pace,
      ...over,
    })
    nodes.push(made)
    return made
  }
  const node = newNode()
  const api = await openTestApi(node.routes)
  /** Calls the API as an admin. */
  const call = api.as({ userId: 1, username: 'client1', role: 'admin' })
  afterAll(async () => {
    for (const each of nodes) await each.stop()
    await ingest.stop()
    await egress.close()
  })
  return {
    ...database,
    api,
    node,
    ingest,
    numbers,
    published,
    pace,
    newNode,
    call,
    records: () =>
      rows<StoredRecord>(
        db,
        sql`select r.id, r.created_at, r.sender, r.no_report, r.amount_micro, n.number, g.name as gateway
            from records r join numbers n on n.id = r.number_id join gateways g on g.id = r.gateway_id
            order by r.created_at, r.id`,
      ),
    worker: async (id: string) => {
      const { body } = await call('GET', '/api/workers/stats')
      return body.workers.find((worker: { providerId: string }) => worker.providerId === id)
    },
    addNumber: async (digits: string) => {
      await row(
        db,
        sql`with version as (update catalog set version = version + 1 returning version)
            insert into numbers (number, status, catalog_version) select ${digits}, 'active', version from version`,
      )
    },
  }
}

/** The environment with a provider's stand-in. Each test starts with an empty stand-in, no provider and a node that polls. */
export async function openTestProviders() {
  const environment = await openProvidersEnvironment()
  const { call, db, numbers } = environment
  const standIn = await openStandIn()
  let made = 0
  const added: string[] = []

  beforeEach(async () => {
    standIn.rows = []
    standIn.pageSize = 1_000
    standIn.heedsSince = true
    standIn.always(undefined)
    standIn.requests.length = 0
    standIn.onRequest = () => undefined
    await environment.node.start()
  })

  afterEach(async () => {
    for (const id of added.splice(0)) await call('DELETE', `/api/providers/${id}`)
    await environment.node.stop()
    await forgetRecords(db)
  })

  return {
    environment,
    call,
    db,
    numbers,
    standIn,
    /** Has this provider deleted after the test. */
    deleteLater: (id: string) => void added.push(id),
    /** Adds a provider that is polled ten times a second. */
    add: async (fields: Record<string, unknown> = {}) => {
      const { status, body } = await call('POST', '/api/providers', {
        name: `provider ${(made += 1)}`,
        apiUrl: standIn.url,
        authType: 'bearer',
        apiKey: 'key-1',
        pollInterval: 1_000,
        enabled: true,
        ...fields,
      })
      expect(body).toMatchObject({ apiUrl: fields['apiUrl'] ?? standIn.url })
      expect(status).toBe(201)
      added.push(body.id)
      return body
    },
    /** A new row for the first number. */
    sms: (over: StandInRow = {}): StandInRow => {
      made += 1
      return {
        id: `m${made}`,
        timestamp: secondsAgo(60),
        number: `+${numbers[0]}`,
        sender: 'ACME',
        text: `hello ${made}`,
        ...over,
      }
    },
    recordsAre: (count: number, timeoutMs?: number) =>
      eventually(async () => expect(await environment.records()).toHaveLength(count), timeoutMs),
    /** Waits for another poll or two. */
    anotherPoll: () => standIn.until(standIn.requests.length + 2),
  }
}

export const secondsAgo = (seconds: number): string => new Date(Date.now() - seconds * 1_000).toISOString()

/** Deletes all records and what providers know of them. */
export async function forgetRecords(db: Db): Promise<void> {
  await sql`truncate records, record_batches, record_counter_buffers, record_hour_counters,
    record_day_counters, record_cycle_counters, provider_messages, provider_dead_letters`.execute(db)
}
