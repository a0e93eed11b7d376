// Measures how much the followers of the log slow messages down while they catch up after a flood: answer times
// meanwhile and afterwards, at the same rate.
import type { Database } from '@tollgate/server/platform/db.ts'
import { seedTraffic } from '@tollgate/server/test/traffic/seed-traffic.ts'
import { makeSupplier } from '@tollgate/server/test/http/operator.ts'
import { load } from './children.ts'
import { recordsBehind, untilFollowersRest } from './followers.ts'
import type { LoadResult } from './load.ts'
import { quantile } from './report.ts'
import { withGateway } from './with-gateway.ts'
import { writeLogThrough } from './write-log-through.ts'

const ratePerSecond = 5_000
const floodSeconds = 20
const turnsMax = 12
// Below this the followers are as far behind as in ordinary traffic.
const behindMin = 100_000

/** Floods a gateway with so many messages, then sends 5,000 a second in turns of `seconds`; gives the table. */
export async function measureAfterFlood(messages: number, seconds: number): Promise<string> {
  const fill = async (database: Database) => {
    const digits = await seedTraffic(database.db)
    await writeLogThrough(database)
    return digits
  }
  return withGateway(fill, async ({ gateway, database, call }, digits) => {
    const supplier = await makeSupplier(call)
    const offer = (perSecond: number, forSeconds: number) =>
      load({ ...supplier, port: gateway.port, digits, binds: 10, window: 50, seconds: forSeconds, perSecond })
    const startedAtMs = performance.now()
    let flooded = 0
    while (flooded < messages) flooded += (await offer(0, floodSeconds)).answered
    const floodedAtMs = performance.now()
    const behind = await recordsBehind(database)

    const beside: LoadResult[] = []
    while (beside.length < turnsMax && (await recordsBehind(database)) > behindMin)
      beside.push(await offer(ratePerSecond, seconds))
    const left = await recordsBehind(database)
    await untilFollowersRest(database)
    const quiet: LoadResult[] = []
    while (quiet.length < beside.length) quiet.push(await offer(ratePerSecond, seconds))

    const inWords = (count: number) => count.toLocaleString('en-GB')
    const ratio = median99(beside) / median99(quiet)
    return [
      `${inWords(flooded)} messages in ${((floodedAtMs - startedAtMs) / 1_000).toFixed(0)} s, as fast as they are taken; after them the follower furthest behind has ${inWords(behind)} records to read. Then ${inWords(ratePerSecond)} a second, in turns of ${seconds} s; after the last turn beside the followers ${inWords(left)} records are left. The quiet turns come when they have read all.`,
      '',
      '| answer time of messages, ms | turns | p50 | p99, median [least … most] | longest | refused |',
      '|---|---|---|---|---|---|',
      row('while the followers catch up', beside),
      row('when they have', quiet),
      '',
      `p99, catching up : quiet = ${ratio.toFixed(2)}`,
    ].join('\n')
  })
}

const median99 = (turns: readonly LoadResult[]) =>
  quantile(
    turns.map(({ p99Ms }) => p99Ms),
    0.5,
  )

function row(what: string, turns: readonly LoadResult[]): string {
  const p50 = quantile(
    turns.map(({ p50Ms }) => p50Ms),
    0.5,
  )
  const p99 = turns.map(({ p99Ms }) => p99Ms)
  const longest = Math.max(...turns.map(({ maxMs }) => maxMs))
  const refused = turns.reduce((sum, turn) => sum + turn.refused, 0)
  const spread = `${median99(turns)} [${Math.min(...p99)} … ${Math.max(...p99)}]`
  return `| ${what} | ${turns.length} | ${p50} | ${spread} | ${longest.toFixed(0)} | ${refused} |`
}
