// Measures this checkout's ingest against that of another built checkout: two gateways, each on a database of its own,
// take the same load in turns, so that a change of the machine's speed affects both.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openDatabase } from '@tollgate/server/platform/db.ts'
import { startEmbedded } from '@tollgate/server/storage/embedded/start.ts'
import { startGateway } from '@tollgate/server/test/environment/children.ts'
import { benchPassword, makeSupplier, signInAsAdmin } from '@tollgate/server/test/http/operator.ts'
import { seedTraffic } from '@tollgate/server/test/traffic/seed-traffic.ts'
import { load } from './children.ts'
import { databaseSeconds, processSeconds } from './processor-time.ts'
import { writeLogThrough } from './write-log-through.ts'

/** What one turn cost. */
interface Turn {
  readonly perSecond: number
  readonly gatewayMicroseconds: number
  readonly databaseMicroseconds: number
  readonly p99Ms: number
}

interface Contestant {
  /** Offers full load for a while, and waits until the work that it left behind is done: that counts too. */
  takeTurn(seconds: number): Promise<Turn>
}

async function withContestant<T>(
  program: string | undefined,
  work: (contestant: Contestant) => Promise<T>,
): Promise<T> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tollgate-bench-'))
  const server = await startEmbedded({ dataDir, settings: {} })
  const address = { host: server.host, database: 'postgres' }
  const database = openDatabase({ address, statementTimeoutMs: 0, maxConnections: 4 })
  try {
    const url = `postgresql://postgres@localhost/postgres?host=${encodeURIComponent(server.host)}`
    const start = () => startGateway(url, join(dataDir, 'gateway'), benchPassword, {}, program)
    // The first start makes the tables of that build.
    await (await start()).stop()
    const digits = await seedTraffic(database.db)
    await writeLogThrough(database)
    const gateway = await start()
    try {
      const supplier = await makeSupplier(await signInAsAdmin(gateway.url))
      const used = () => [processSeconds(gateway.pid), databaseSeconds(server.pid())] as const
      const restsAgain = async () => {
        for (let [own, postgres] = used(); ; [own, postgres] = used()) {
          await sleep(1_000)
          const [ownNow, postgresNow] = used()
          if (ownNow - own + postgresNow - postgres < 0.1) return
        }
      }
      return await work({
        async takeTurn(seconds) {
          await restsAgain()
          const [own, postgres] = used()
          const offered = { ...supplier, port: gateway.port, digits, binds: 10, window: 50, seconds }
          const { answered, refused, perSecond, p99Ms } = await load({ ...offered, perSecond: 0 })
          if (refused > 0) throw new Error(`${refused} messages were refused`)
          await restsAgain()
          const [ownThen, postgresThen] = used()
          return {
            perSecond,
            gatewayMicroseconds: ((ownThen - own) * 1e6) / answered,
            databaseMicroseconds: ((postgresThen - postgres) * 1e6) / answered,
            p99Ms,
          }
        },
      })
    } finally {
      await gateway.stop()
    }
  } finally {
    await database.close()
    await server.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}

const figures: readonly (readonly [string, keyof Turn])[] = [
  ['messages/s', 'perSecond'],
  ['p99 at full load, ms', 'p99Ms'],
  ['gateway, µs of processor a message', 'gatewayMicroseconds'],
  ['PostgreSQL, µs of processor a message', 'databaseMicroseconds'],
]

/** Takes the folder of the other checkout, built, and the number of turns; gives the table. */
export async function measureAgainst(other: string, turns: number, seconds: number): Promise<string> {
  const [before, after] = await withContestant(join(other, 'dist/server/main.js'), (theirs) =>
    withContestant(undefined, async (ours) => {
      const found: [Turn[], Turn[]] = [[], []]
      const sides = [theirs, ours] as const
      const take = async (side: 0 | 1, into: Turn[] = found[side]) =>
        void into.push(await sides[side].takeTurn(seconds))
      // The first turn of each gateway compiles code and fills caches, so it is not counted.
      await take(0, [])
      await take(1, [])
      for (let turn = 0; turn < turns; turn += 1) {
        const first = turn % 2 === 0 ? 0 : 1
        await take(first)
        await take(first === 0 ? 1 : 0)
      }
      return found
    }),
  )
  return [
    `${turns} turns of ${seconds} s at full load each, in alternating order. Ratios are geometric means over the turns, with their 95 % interval.`,
    '',
    '| | before | now | now : before |',
    '|---|---|---|---|',
    ...figures.map(([name, key]) => line(name, values(before, key), values(after, key))),
  ].join('\n')
}

const values = (turns: readonly Turn[], key: keyof Turn): number[] => turns.map((turn) => turn[key])

function line(name: string, before: readonly number[], after: readonly number[]): string {
  const logs = after.map((value, turn) => Math.log(value / (before[turn] ?? Number.NaN)))
  const mean = average(logs)
  const deviation = Math.sqrt(logs.reduce((sum, each) => sum + (each - mean) ** 2, 0) / (logs.length - 1))
  const around = (2 * deviation) / Math.sqrt(logs.length)
  const [low, middle, high] = [mean - around, mean, mean + around].map((each) => Math.exp(each).toFixed(3))
  return `| ${name} | ${median(before)} | ${median(after)} | ${middle} (${low} to ${high}) |`
}

const average = (all: readonly number[]): number => all.reduce((sum, each) => sum + each, 0) / all.length

function median(all: readonly number[]): string {
  const value = all.toSorted((one, other) => one - other)[all.length >> 1] ?? 0
  return value < 100 ? value.toFixed(1) : Math.round(value).toLocaleString('en')
}
