// No harm: the demo runs, and a Prometheus reads it by the configuration and the rules that are shipped. None of them may
// fire but for the one link that the demo breaks on purpose; that one must, which shows that they were watched.
import { spawn, spawnSync } from 'node:child_process'
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { running, whenSays } from '../test/environment/children.ts'
import { freePort } from '../test/environment/free-port.ts'
import { projectRoot } from '../src/platform/process/project.ts'
import { until } from './conditions.ts'
import { defineDrill, type DrillOptions, type DrillRun } from './define.ts'
import { drillFolder } from './embedded-testbed.ts'
import { faultsOf, rulesOf, type AlertRule, type RuleReply } from './rule-faults.ts'

type Ends = Pick<DrillRun<DrillOptions>, 'onEnd'>

const shipped = join(projectRoot, 'deploy/prometheus')
const token = 'token-of-the-drill'
/** A program of the system. */
const watcher = 'prometheus'
const historyMaxMinutes = 10
/** The other side has changed its password (demo/link-outside.ts). */
const planted = { rule: 'TollgateUpstreamDown', connection: 'demo-backup' }
// Its `for:` is five.
const plantedMinutes = 7
/** As the shipped configuration has it. */
const evaluationSeconds = 15

export const quiet = defineDrill({
  name: 'quiet',
  summary:
    'no harm: Prometheus watches the demo for so many minutes, and none of the shipped alert rules may fire; needs prometheus',
  options: { minutes: 60 },
  short: { minutes: 3 },
  async run({ options, note, onEnd }) {
    if (spawnSync(watcher, ['--version']).status !== 0)
      return { isPassed: true, figures: ['SKIPPED: there is no prometheus on this machine'] }
    const metricsPort = await freePort()
    await startDemo({ onEnd }, metricsPort)
    const prometheus = await startPrometheus({ onEnd }, metricsPort)
    await until('Prometheus reads the demo', async () => (await prometheus.number('sum(up)')) === 1)
    note(`the demo is ready and watched for ${options.minutes} min`)
    const startedAtMs = Date.now()
    await sleep(options.minutes * 60_000)

    const seconds = Math.round((Date.now() - startedAtMs) / 1_000)
    const rules = await prometheus.rules()
    const faults = faultsOf(
      rules,
      await prometheus.firedWithin(seconds, `connection!="${planted.connection}"`),
      {
        startedAtMs,
        endedAtMs: Date.now(),
      },
    )
    const missed = await prometheus.number(
      `sum(count_over_time((up == 0)[${seconds}s:${evaluationSeconds}s]))`,
    )
    const isSeen = await prometheus.holds(planted, options.minutes > plantedMinutes)
    for (const { text } of faults) note(text)
    return {
      isPassed: isSeen && missed === undefined && faults.every(({ isOfTime }) => isOfTime),
      isInTime: faults.length === 0,
      figures: [
        `${faults.length} of ${rules.length} rules at fault in ${options.minutes} min`,
        `the fault that the demo has on purpose was ${isSeen ? 'seen' : 'not seen'}`,
        `${missed ?? 0} readings failed`,
      ],
    }
  },
})

async function startDemo({ onEnd }: Ends, metricsPort: number): Promise<void> {
  const folder = await drillFolder({ onEnd })
  const smppPort = await freePort()
  const child = spawn(process.execPath, [join(import.meta.dirname, 'demo.js')], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      DATA_DIR: join(folder, 'data'),
      HTTP_PORT: String(await freePort()),
      SMPP_PORT: String(smppPort),
      METRICS_PORT: String(metricsPort),
      METRICS_TOKEN: token,
      LOG_LEVEL: 'warn',
    },
  })
  const demo = running(child, smppPort, 'SIGTERM')
  onEnd(() => demo.stop())
  let isReady = false
  const ready = whenSays(child, /(Tollgate is ready)/).then(() => (isReady = true))
  await Promise.race([
    ready,
    until(
      'the demo',
      () => isReady,
      () => demo.describe(),
      historyMaxMinutes,
    ),
  ])
}

interface Prometheus {
  /** The single value of an expression; undefined when it has none. */
  number(expression: string): Promise<number | undefined>
  /** The rules as they are now, without what was planted. */
  rules(): Promise<AlertRule[]>
  /** The rules that fired at any time of the last seconds, with these labels. */
  firedWithin(seconds: number, labels: string): Promise<string[]>
  /** Whether the rule holds now for this connection; with `isFiring`, for as long as it asks for. */
  holds(alert: typeof planted, isFiring: boolean): Promise<boolean>
}

interface QueryReply {
  readonly data: {
    readonly result: readonly { readonly metric: Record<string, string>; readonly value: [number, string] }[]
  }
}

/** The shipped configuration, with the address and the token of the demo. */
async function startPrometheus({ onEnd }: Ends, metricsPort: number): Promise<Prometheus> {
  const folder = await drillFolder({ onEnd })
  const configuration = await readFile(join(shipped, 'prometheus.yml'), 'utf8')
  await writeFile(join(folder, 'token'), token)
  await writeFile(
    join(folder, 'prometheus.yml'),
    configuration
      .replace(/targets: .*/, `targets: ['127.0.0.1:${metricsPort}']`)
      .replace(/credentials_file: .*/, `credentials_file: ${join(folder, 'token')}`),
  )
  await copyFile(join(shipped, 'tollgate.rules.yml'), join(folder, 'tollgate.rules.yml'))
  await mkdir(join(folder, 'series'))
  const port = await freePort()
  const child = spawn(
    watcher,
    [
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder, 'series')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  )
  const server = running(child, port, 'SIGTERM')
  onEnd(() => server.stop())
  await whenSays(child, /(Server is ready)/)
  const ask = async (path: string): Promise<unknown> => {
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/${path}`)
    if (!answer.ok)
      throw new Error(`Prometheus answers ${path} with ${answer.status}: ${await answer.text()}`)
    return answer.json()
  }
  const query = async (expression: string) =>
    ((await ask(`query?query=${encodeURIComponent(expression)}`)) as QueryReply).data.result
  return {
    async number(expression) {
      const [found] = await query(expression)
      return found === undefined ? undefined : Number(found.value[1])
    },
    rules: async () => rulesOf((await ask('rules?type=alert')) as RuleReply, planted.connection),
    async firedWithin(seconds, labels) {
      const firing = `ALERTS{alertstate="firing",${labels}}`
      const found = await query(`count by (alertname) (count_over_time(${firing}[${seconds}s]))`)
      return found.map(({ metric }) => metric['alertname'] ?? '')
    },
    async holds({ rule, connection }, isFiring) {
      const state = isFiring ? 'firing' : 'pending|firing'
      const found = await query(
        `ALERTS{alertname="${rule}",connection="${connection}",alertstate=~"${state}"}`,
      )
      return found.length > 0
    },
  }
}
