// Outages need a database server of their own, with the durable settings of production.
import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { build } from 'esbuild'
import { sql } from 'kysely'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { waitersFor } from '../../test/environment/database.ts'
import { openDatabase, row } from '../platform/db.ts'
import { sessionLockSql } from '../platform/locks/locks.ts'
import { startEmbedded } from '../storage/embedded/start.ts'
import { migrate } from '../storage/migrate.ts'
import { projectRoot } from '../platform/process/project.ts'
import { parseMessageId } from './message-id.ts'
import type { IngestMessage } from './message.ts'
import { startStream } from './testing/stream.ts'
import { Answers, makeBusiness, makeIngest, differingLevels, totals } from './testing/traffic.ts'

const dataDir = await mkdtemp(join(tmpdir(), 'tgo-'))
let server = await startEmbedded({ dataDir })
const address = { host: server.host, database: 'postgres' }
const database = openDatabase({ address })
const { db } = database
await migrate(database.pool)
const numbers = await makeBusiness(db, { clients: 4, numbers: 40 })
let isAway = false

/** Takes the database away; a test that fails before it is back leaves no stopped server to the next one. */
async function stopDatabase(): Promise<void> {
  onTestFinished(startDatabase)
  isAway = true
  await server.stop()
}

/** Stops the database while a batch is in flight: the test holds the traffic gate, so the batch cannot be stored before. */
async function stopDatabaseAmidBatch(): Promise<void> {
  const holder = await database.pool.connect()
  holder.on('error', () => undefined)
  await holder.query(sessionLockSql('trafficGate'))
  await expect.poll(() => waitersFor(db), { interval: 10 }).toBeGreaterThan(0)
  await stopDatabase()
  holder.release(true)
}

async function startDatabase(): Promise<void> {
  if (!isAway) return
  server = await startEmbedded({ dataDir })
  isAway = false
}

afterAll(async () => {
  await database.close()
  await server.stop()
  await rm(dataDir, { recursive: true, force: true })
})

/** Waits until messages are stored, so that the database goes away in the middle of traffic. */
const untilUnderWay = (answers: Answers) =>
  expect.poll(() => answers.committedIds.size, { interval: 10 }).toBeGreaterThan(0)

const storedOf = async (ids: readonly number[]) =>
  (await row<{ count: number }>(db, sql`select count(*)::int from records where id = any(${ids}::bigint[])`))
    ?.count

test('after a restart of the database under load, each success has a row and full speed is back within seconds', async () => {
  const ingest = await makeIngest(db)
  const answers = new Answers()
  const stream = startStream(ingest, numbers, answers, 6_000)
  /** Records stored in a second, of half a second. */
  const speed = async () => {
    const [countBefore, startMs] = [answers.committedIds.size, performance.now()]
    await sleep(500)
    return ((answers.committedIds.size - countBefore) * 1_000) / (performance.now() - startMs)
  }
  await untilUnderWay(answers)
  const speedBefore = await speed()
  await stopDatabase()
  // Messages in the queue are refused after 2 s; those in flight are uncertain for 5 s.
  await expect.poll(() => answers.failures.length).toBeGreaterThan(0)
  expect(new Set(answers.failures.map(({ reason }) => reason))).toEqual(new Set(['unavailable']))
  await startDatabase()
  expect(server.host).toBe(address.host)
  await expect.poll(speed).toBeGreaterThan(speedBefore / 4)
  await stream.stop()
  await ingest.stop()
  expect(new Set(answers.recordIds).size).toBe(answers.recordIds.length)
  expect(await storedOf(answers.recordIds)).toBe(answers.recordIds.length)
  const sums = await totals(db)
  expect(differingLevels(sums)).toEqual([])
  expect(sums.ledger.amount).toBe(sums.facts.amount)
})

/** Sources that want to know what became of messages whose commit is in doubt. */
class Doubting extends Answers {
  readonly doubts: { recordId: number; isStored: Promise<boolean | undefined> }[] = []
  lastAtMs = 0

  uncertain(message: IngestMessage, recordId: number, isStored: Promise<boolean | undefined>): void {
    this.doubts.push({ recordId, isStored })
    this.lastAtMs = performance.now()
    this.failed(message, 'unavailable')
  }
}

test('while the database is away, uncertain messages are answered after 5 s, and their result is found out later', async () => {
  const ingest = await makeIngest(db)
  const answers = new Doubting()
  const stream = startStream(ingest, numbers, answers, 6_000)
  await untilUnderWay(answers)
  await stopDatabaseAmidBatch()
  const goneAtMs = performance.now()
  await expect.poll(() => answers.doubts.length).toBeGreaterThan(0)
  await sleep(300)
  expect(answers.lastAtMs - goneAtMs).toBeLessThan(20_000)
  const settled = await Promise.race([
    Promise.all(answers.doubts.map(({ isStored }) => isStored)),
    sleep(100),
  ])
  expect(settled).toBeUndefined()
  await startDatabase()
  const known = await Promise.all(answers.doubts.map(({ isStored }) => isStored))
  expect(known).not.toContain(undefined)
  const stored = answers.doubts.filter((_, place) => known[place] === true).map(({ recordId }) => recordId)
  expect(await storedOf(answers.doubts.map(({ recordId }) => recordId))).toBe(stored.length)
  expect(await storedOf(stored)).toBe(stored.length)
  const committedBefore = answers.committedIds.size
  await expect.poll(() => answers.committedIds.size).toBeGreaterThan(committedBefore)
  await stream.stop()
  await ingest.stop()
  expect(await storedOf(answers.recordIds)).toBe(answers.recordIds.length)
})

test('a gateway that stops during an uncertain commit ends, and reports the result as unknown', async () => {
  const ingest = await makeIngest(db)
  const answers = new Doubting()
  const stream = startStream(ingest, numbers, answers, 2_000)
  await stopDatabaseAmidBatch()
  await expect.poll(() => answers.doubts.length).toBeGreaterThan(0)
  await stream.stop()
  const stopping = ingest.stop()
  const known = await Promise.all(answers.doubts.map(({ isStored }) => isStored))
  expect(new Set(known)).toEqual(new Set([undefined]))
  await stopping
  await startDatabase()
})

test('a crash of a server process loses no acknowledged record', async () => {
  const ingest = await makeIngest(db)
  const answers = new Answers()
  const stream = startStream(ingest, numbers, answers)
  await untilUnderWay(answers)
  process.kill(server.pid(), 'SIGQUIT')
  await sleep(300)
  const committedAtCrash = answers.committedIds.size
  await expect.poll(() => answers.committedIds.size).toBeGreaterThan(committedAtCrash)
  await stream.stop()
  await ingest.stop()
  expect(await storedOf(answers.recordIds)).toBe(answers.recordIds.length)
})

test('after kill -9 of the gateway under load, every acknowledged id is stored once', async () => {
  // Inside the project, so that packages are found from there.
  const program = join(projectRoot, 'dist', `sender-${process.pid}.mjs`)
  await build({
    entryPoints: [join(import.meta.dirname, 'testing', 'sender.ts')],
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'esm',
    plugins: [
      {
        name: 'packages stay outside',
        setup(builder) {
          builder.onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
            kind === 'entry-point' || path.startsWith('@tollgate/') ? undefined : { path, external: true },
          )
        },
      },
    ],
  })
  onTestFinished(() => rm(program))
  for (let round = 0; round < 3; round += 1) {
    const child = spawn(process.execPath, [program, address.host], {
      stdio: ['ignore', 'pipe', 'inherit'],
      cwd: projectRoot,
    })
    const exited = new Promise((resolve) => child.once('exit', resolve))
    const acknowledged: number[] = []
    const lines = createInterface({ input: child.stdout })
    lines.on('line', (line) => {
      const key = parseMessageId(line)
      if (key !== undefined) acknowledged.push(key.recordId)
    })
    const closed = new Promise((resolve) => lines.once('close', resolve))
    await expect.poll(() => acknowledged.length).toBeGreaterThan(2_000)
    child.kill('SIGKILL')
    await exited
    await closed
    expect(new Set(acknowledged).size).toBe(acknowledged.length)
    expect(await storedOf(acknowledged)).toBe(acknowledged.length)
  }
  const sums = await totals(db)
  expect(differingLevels(sums)).toEqual([])
  expect(sums.ledger.amount).toBe(sums.facts.amount)
})
