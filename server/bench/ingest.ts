// Measures ingest against what PostgreSQL itself can take: messages accepted, priced and committed in this process, in
// turns with plain COPY of the same rows (2 connections, batches of 500). Prints one line a round and the ratio.
// Takes: rounds, seconds a round, messages outstanding.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { createLedger } from '../src/ledger/index.ts'
import { systemClock } from '../src/platform/clock.ts'
import { openDatabase } from '../src/platform/db.ts'
import { startEmbedded } from '../src/platform/embedded/start.ts'
import { migrate } from '../src/platform/database/migrate.ts'
import { createSecrets } from '../src/platform/security/secrets.ts'
import { loadPricing } from '../src/rates/index.ts'
import {
  createIngest,
  type Completion,
  type Ingest,
  type IngestMessage,
} from '../src/records/ingest/index.ts'
import { databaseSeconds } from './processor-time.ts'
import { copyPlainly } from './plain-copy.ts'
import { seedTraffic } from './seed-traffic.ts'

const [rounds = 5, seconds = 2, outstandingMax = 500] = process.argv.slice(2).map(Number)
const body = Buffer.from(
  'Your code is 123456. Do not share it with anybody; it is valid for ten minutes only.',
)

/** Keeps so many messages under way and counts the answers. */
async function offer(ingest: Ingest, digits: readonly string[], forMs: number): Promise<number> {
  let committed = 0
  let underWay = 0
  let made = 0
  const endsAt = performance.now() + forMs
  return new Promise((resolve, reject) => {
    const fill = () => {
      if (performance.now() >= endsAt) {
        if (underWay === 0) resolve(committed)
        return
      }
      while (underWay < outstandingMax) {
        underWay += 1
        ingest.accept(nextMessage(made++, digits, completion))
      }
    }
    const completion: Completion = {
      committed: () => {
        committed += 1
        underWay -= 1
      },
      failed: (_message, reason) => reject(new Error(`A message failed: ${reason}`)),
      settled: fill,
    }
    fill()
  })
}

function nextMessage(made: number, digits: readonly string[], completion: Completion): IngestMessage {
  const destination = digits[Math.floor(Math.random() * digits.length)] ?? ''
  return {
    createdAtMs: Date.now(),
    digits: destination,
    sender: `4915${1_000_000 + (made % 900_000)}`,
    gatewayId: 1 + (made % 4),
    source: 'smpp',
    sequence: made,
    sourceAddress: `4915${1_000_000 + (made % 900_000)}`,
    destinationAddress: destination,
    esmClass: 0,
    dataCoding: 0,
    body,
    flags: 0,
    completion,
  }
}

interface Measured {
  readonly perSecond: number
  readonly nodeMicroseconds: number
  readonly databaseMicroseconds: number
}

/** Runs one round of something that gives a count of rows. */
async function measure(work: (forMs: number) => Promise<number>): Promise<Measured> {
  const startedMs = performance.now()
  const cpu = process.cpuUsage()
  const databaseStart = databaseSeconds(server.pid())
  const count = await work(seconds * 1000)
  const { user, system } = process.cpuUsage(cpu)
  return {
    perSecond: (count * 1000) / (performance.now() - startedMs),
    nodeMicroseconds: (user + system) / count,
    databaseMicroseconds: ((databaseSeconds(server.pid()) - databaseStart) * 1_000_000) / count,
  }
}

const describe = ({ perSecond, nodeMicroseconds, databaseMicroseconds }: Measured) =>
  `${perSecond.toFixed(0)}/s (${nodeMicroseconds.toFixed(1)} + ${databaseMicroseconds.toFixed(1)} us)`

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

const dataDir = await mkdtemp(join(tmpdir(), 'tg-bench-'))
const server = await startEmbedded({ dataDir })
const database = openDatabase({ address: { host: server.host, database: 'postgres' } })
try {
  await migrate(database.pool)
  const digits = await seedTraffic(database.db)
  const pricing = await loadPricing(database.db)
  const ledger = createLedger({ db: database.db, clock: systemClock, cycleSeconds: 604_800 })
  const ingest = createIngest({
    db: database.db,
    clock: systemClock,
    log: { warn: (details, words) => console.error(words, details) },
    secrets: createSecrets('bench'),
    pricing,
    openCycle: () => ledger.ensureOpenCycle(),
    ...(process.env['WRITERS'] === undefined ? {} : { writerCount: Number(process.env['WRITERS']) }),
  })
  await ingest.start()
  for (const name of ['a', 'b', 'c', 'd']) await ingest.gatewayId('smpp', name)
  await offer(ingest, digits, 500)
  const copyClients = [new pg.Client(database.pool.options), new pg.Client(database.pool.options)]
  for (const client of copyClients) await client.connect()
  const ratios: number[] = []
  console.log(
    'round   plain COPY (Node + PostgreSQL us a row)   stored messages   ratio   p50, p99 ms   RSS MB',
  )
  for (let round = 1; round <= rounds; round += 1) {
    const plain = await measure((forMs) => copyPlainly(copyClients, pricing, digits, forMs))
    const stored = await measure((forMs) => offer(ingest, digits, forMs))
    ratios.push(stored.perSecond / plain.perSecond)
    const { acceptP50Ms, acceptP99Ms } = ingest.pace()
    const rssMb = (process.memoryUsage().rss / 1_048_576).toFixed(0)
    console.log(
      round,
      describe(plain),
      describe(stored),
      ratios.at(-1)?.toFixed(2),
      acceptP50Ms,
      acceptP99Ms,
      rssMb,
    )
  }
  console.log(`median ratio ${median(ratios).toFixed(2)}`)
  await ingest.stop()
  for (const client of copyClients) await client.end()
} finally {
  await database.close()
  await server.stop()
  await rm(dataDir, { recursive: true, force: true })
}
