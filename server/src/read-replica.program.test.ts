// A gateway with a primary and a streaming standby of it (decision 91): who answers, how fresh, and what happens when the
// standby lags, freezes or dies. Made of the embedded PostgreSQL, so that nothing has to be installed.
import { spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { projectRoot } from './platform/process/project.ts'
import { startServerPair } from '../drills/pair-of-servers.ts'
import { startProgram, temporaryFolder } from '../test/environment/program.ts'
import { openSession } from '../test/http/session.ts'

const ends: (() => Promise<unknown> | void)[] = []
afterAll(async () => {
  for (const end of ends.toReversed()) await end()
})

const pair = await startServerPair({ onEnd: (end) => void ends.push(end) })
// The standby may die here, and no commit waits for it.
await pair.primary.ask('alter system reset synchronous_standby_names')
await pair.primary.ask('select pg_reload_conf()')
const password = 'a-long-admin-password'
const gateway = await startProgram('main', {
  DATABASE_URL: pair.primary.url,
  DATABASE_READ_URL: pair.standby.url,
  DATA_DIR: await temporaryFolder(),
  ADMIN_USERNAME: 'operator',
  ADMIN_PASSWORD: password,
  LOG_LEVEL: 'info',
})
await gateway.ready
const session = await openSession(gateway.url, 'operator', password)

async function ask(path: string) {
  const answer = await fetch(`${gateway.url}${path}`, { headers: { cookie: session.cookie() } })
  return { status: answer.status, readFrom: answer.headers.get('x-read-from'), text: await answer.text() }
}
const list = '/api/users?limit=100'
const report = '/api/analytics?dateFrom=2026-01-01&dateTo=2026-01-31'
const readFrom = async (path: string) => (await ask(path)).readFrom

/** Makes an account, and returns who answered the list that must have it. */
let accountCount = 0
async function writeAndRead(): Promise<string | null> {
  const username = `account${++accountCount}`
  await session.call('POST', '/api/register', {
    username,
    password: 'a-long-client-password',
    email: `${username}@example.org`,
    firstName: 'A',
    lastName: 'Client',
    role: 'user',
  })
  const found = await ask(`${list}&search=${username}`)
  expect(found.status).toBe(200)
  expect(found.text).toContain(`"${username}"`)
  return found.readFrom
}

async function ageMetric(): Promise<number> {
  const text = await (await fetch(`${gateway.url}/metrics`)).text()
  return Number(/^tollgate_replica_age_seconds (\S+)$/m.exec(text)?.[1]?.replace('+Inf', 'Infinity'))
}

const isBack = () => expect.poll(() => readFrom(list)).toBe('replica; age=0')

/** Calls again and again until the end of `during`; each is answered. Returns the longest answer. */
async function whileCalling(during: () => Promise<unknown>): Promise<number> {
  let isOver = false
  let longestMs = 0
  const calling = [list, report, list].map(async (path) => {
    while (!isOver) {
      const startedAtMs = performance.now()
      expect((await ask(path)).status).toBe(200)
      longestMs = Math.max(longestMs, performance.now() - startedAtMs)
      await sleep(20)
    }
  })
  await during()
  isOver = true
  await Promise.all(calling)
  return longestMs
}

interface Documented {
  readonly paths: Record<string, { get?: { responses: Record<string, { content?: object }> } }>
}

/** Every read without parameters of its own. */
async function plainReads(): Promise<string[]> {
  const { paths } = JSON.parse((await ask('/api/openapi.json')).text) as Documented
  return Object.entries(paths)
    .filter(([path, { get }]) => get !== undefined && !path.includes('{') && !path.startsWith('/api/events'))
    .map(([path]) => path)
}

async function standbyAnswers(): Promise<void> {
  await isBack()
  const queries = `select count(*)::int as count from pg_stat_activity
    where application_name = 'tollgate' and query ilike '%from users%' and datname = current_database()`
  for (let turn = 0; turn < 20; turn++) await ask(list)
  expect((await pair.standby.ask<{ count: number }>(queries))[0]?.count).toBeGreaterThan(0)
  let replicaCount = 0
  for (const path of await plainReads()) {
    const answer = await ask(path)
    if (answer.readFrom === null) continue
    expect
      .soft([path, answer.status, answer.readFrom])
      .toEqual([path, 200, expect.stringMatching(/^replica/)])
    replicaCount += 1
  }
  expect(replicaCount).toBeGreaterThan(40)
  expect(await ageMetric()).toBeLessThan(5)
}

async function replayStops(): Promise<void> {
  await pair.standby.ask('select pg_wal_replay_pause()')
  // The list must have what was written; the report may be some seconds old, and says so.
  expect(await writeAndRead()).toBe('primary')
  expect(await readFrom(report)).toMatch(/^replica; age=\d$/)
  await expect.poll(() => readFrom(report), { interval: 200 }).toBe('primary')
  expect(await ageMetric()).toBeGreaterThan(10)
  // It is told by the next look.
  await expect
    .poll(() => gateway.stdout())
    .toMatch(/"reason":"it is behind","ageSeconds":1\d,.*the primary answers reads/)
  await pair.standby.ask('select pg_wal_replay_resume()')
  await isBack()
  expect(await readFrom(report)).toMatch(/^replica; age=[01]$/)
}

const scrapeSeconds = 5

/** What the page Alerts says of the replica. */
async function alertOfReplica(): Promise<{ severity: string; what: string } | undefined> {
  const { text } = await ask('/api/alerts')
  const { alerts } = JSON.parse(text) as { alerts: { key: string; severity: string; what: string }[] }
  return alerts.find(({ key }) => key === 'replica:database')
}

/** Whether the shipped rule fires once the metric has had these values. */
async function doesRuleFire(ages: readonly number[]): Promise<boolean> {
  const file = join(await temporaryFolder(), 'ages.yml')
  const values = ages.map((age) => (age === Infinity ? '+Inf' : age)).join(' ')
  await writeFile(
    file,
    `rule_files: [${join(projectRoot, 'deploy/prometheus/tollgate.rules.yml')}]
evaluation_interval: ${scrapeSeconds}s
tests:
  - interval: ${scrapeSeconds}s
    input_series: [{series: 'tollgate_replica_age_seconds', values: '${values}'}]
    promql_expr_test:
      - expr: count(ALERTS{alertname="TollgateReplicaBehind", alertstate="firing"})
        eval_time: ${(ages.length - 1) * scrapeSeconds}s
        exp_samples: [{labels: '{}', value: 1}]
`,
  )
  return spawnSync('promtool', ['test', 'rules', file]).status === 0
}

/** The replica was just lost: the metric, read as Prometheus reads it, and the page tell it after a minute. */
async function lossIsTold(): Promise<void> {
  expect(await alertOfReplica()).toBeUndefined()
  const ages: number[] = []
  while (ages.length * scrapeSeconds <= 70) {
    ages.push(await ageMetric())
    await sleep(scrapeSeconds * 1_000)
  }
  await expect.poll(alertOfReplica).toMatchObject({
    severity: 'warning',
    what: expect.stringMatching(/^It does not answer, or is no standby of this database: .*\./),
  })
  if (spawnSync('promtool', ['--version']).status !== 0) return
  expect(await doesRuleFire(ages)).toBe(true)
  expect(await doesRuleFire(ages.slice(0, 10))).toBe(false)
}

test('a standby answers lists and reports with the writes of who asks, and the primary does while it lags or is lost', async () => {
  await standbyAnswers()
  const answered: (string | null)[] = []
  for (let turn = 0; turn < 20; turn++) answered.push(await writeAndRead())
  expect(answered).toContain('replica; age=0')
  await replayStops()
  const frozenMs = await whileCalling(async () => {
    await pair.standby.signal('SIGSTOP')
    await expect.poll(ageMetric).toBe(Infinity)
    await sleep(5_000)
    await pair.standby.signal('SIGCONT')
  })
  await isBack()
  const killedMs = await whileCalling(async () => {
    await sleep(1_000)
    await pair.standby.signal('SIGKILL')
    await sleep(3_000)
  })
  expect(await readFrom(list)).toBe('primary')
  expect(await writeAndRead()).toBe('primary')
  expect(await ageMetric()).toBe(Infinity)
  await lossIsTold()
  console.log(`longest answer: standby frozen ${Math.round(frozenMs)} ms, killed ${Math.round(killedMs)} ms`)
  expect(frozenMs).toBeLessThan(15_000)
  gateway.kill('SIGTERM')
  expect((await gateway.exited).code).toBe(0)
})
