// The alert rules name metrics that the program has, and a section of the runbook that is there.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const rulesFile = 'deploy/prometheus/tollgate.rules.yml'
const rules = read(rulesFile)
  .split(/^ {6}- alert: /m)
  .slice(1)

/** The names of all metrics in the sources of the server. */
function metricNames(): Set<string> {
  const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'server/src'], {
    cwd: root,
    encoding: 'utf8',
  })
  const texts = files
    .split('\n')
    .filter((path) => path.endsWith('.ts'))
    .map(read)
  return new Set(
    texts.flatMap((text) => [...text.matchAll(/['"`](tollgate_\w+)['"`]/g)].map(([, name]) => name ?? '')),
  )
}

test('each rule has a severity, a sentence, and a section of the runbook, none of which is left over', () => {
  const sections = [...read('docs/runbook.md').matchAll(/^## (.+)$/gm)].map(([, title = '']) =>
    title.toLowerCase().replaceAll(' ', '-'),
  )
  const used = rules.map((rule) => /runbook: docs\/runbook\.md#(\S+)/.exec(rule)?.[1] ?? `none in ${rule}`)
  expect(rules.length).toBeGreaterThan(20)
  for (const rule of rules) {
    expect(rule).toMatch(/^Tollgate[A-Z]\w+\n/)
    expect(rule).toMatch(/severity: (warning|critical)\n/)
    expect(rule).toMatch(/summary: [A-Z].+\n/)
  }
  expect([...new Set(used)].toSorted()).toEqual(sections.toSorted())
})

test('each metric of a rule is one of the program', () => {
  const names = metricNames()
  const named = rules.flatMap((rule) =>
    [...(/expr: (.+)/.exec(rule)?.[1] ?? '').matchAll(/tollgate_\w+/g)].map(([name]) => name),
  )
  expect(named.length).toBeGreaterThan(20)
  expect(named.filter((name) => !names.has(name.replace(/_(bucket|count|sum)$/, '')))).toEqual([])
})

interface Panel {
  readonly id: number
  readonly title: string
  readonly gridPos: { readonly x: number; readonly y: number }
  readonly targets: readonly { readonly expr: string }[]
}
const { panels } = JSON.parse(read('deploy/grafana/tollgate.json')) as { readonly panels: readonly Panel[] }
const queries = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))

test('each panel of the dashboard has a place, a title and a query of metrics that the program has', () => {
  const names = metricNames()
  const marks = panels.map(({ id, title, gridPos: { x, y } }) => [String(id), title, `${x} ${y}`])
  for (const at of [0, 1, 2]) expect(new Set(marks.map((each) => each[at])).size).toBe(panels.length)
  expect(panels.filter(({ targets }) => targets.length === 0)).toEqual([])
  // Those of the process are prom-client's own.
  const named = queries.flatMap((expr) => [...expr.matchAll(/(tollgate_\w+|\bup\b|process_\w+)/g)])
  expect(named.length).toBeGreaterThanOrEqual(panels.length)
  const unknown = named
    .map(([name]) => name)
    .filter((name) => name.startsWith('tollgate_') && !names.has(name.replace(/_(bucket|count|sum)$/, '')))
  expect(unknown).toEqual([])
})

/** Runs `promtool` on a file of this text; the status is 0 when it agrees. */
function promtoolOn(words: readonly string[], text: string) {
  const folder = mkdtempSync(join(tmpdir(), 'tg-promtool-'))
  try {
    const file = join(folder, 'file.yml')
    writeFileSync(file, text)
    return spawnSync('promtool', [...words, file], { encoding: 'utf8' })
  } finally {
    rmSync(folder, { recursive: true })
  }
}

interface Course {
  /** How often there is a value. */
  readonly interval: string
  /** In promtool's own form. */
  readonly values: string
  readonly lookAt: string
  readonly isFiring: boolean
}

/** What promtool finds wrong: whether a rule fires at a time when its series takes such a course. */
function faultsOfRule(alert: string, series: string, courses: readonly Course[]): string {
  const tests = courses.map(
    ({ interval, values, lookAt, isFiring }) => `  - interval: ${interval}
    input_series: [{series: '${series}', values: '${values}'}]
    promql_expr_test:
      - expr: count(ALERTS{alertname="${alert}", alertstate="firing"}) or vector(0)
        eval_time: ${lookAt}
        exp_samples: [{labels: '{}', value: ${isFiring ? 1 : 0}}]
`,
  )
  const judged = promtoolOn(
    ['test', 'rules'],
    `rule_files: [${join(root, rulesFile)}]\nevaluation_interval: ${courses[0]?.interval}\ntests:\n${tests.join('')}`,
  )
  return judged.status === 0 ? '' : judged.stdout + judged.stderr
}

test('the rule of the read replica fires after a minute of a lost one or of one that is behind, and not for a short while', (context) => {
  if (spawnSync('promtool', ['--version']).status !== 0)
    return context.skip('promtool is not on this machine')
  const course = (values: string, isFiring: boolean) => ({ interval: '15s', values, lookAt: '4m', isFiring })
  const faults = faultsOfRule('TollgateReplicaBehind', 'tollgate_replica_age_seconds', [
    course('1x20', false),
    course('1x9 11x2 1x20', false),
    course('1x9 11x20', true),
    course(`1x9${' +Inf'.repeat(10)}`, true),
  ])
  expect(faults).toBe('')
})

test('the rule of a disk that is full in days fires once it was watched for hours, and not for the first minutes of a new one', (context) => {
  if (spawnSync('promtool', ['--version']).status !== 0)
    return context.skip('promtool is not on this machine')
  const course = (values: string, lookAt: string, isFiring: boolean) => ({
    interval: '5m',
    values,
    lookAt,
    isFiring,
  })
  const faults = faultsOfRule('TollgateDiskFullSoon', 'tollgate_disk_free_bytes', [
    // A gigabyte in five minutes is 1,152 in four days.
    course('1000000000000-1000000000x40', '3h', false),
    course('1000000000000-1000000000x120', '8h', true),
    course('9000000000000-1000000000x120', '8h', false),
  ])
  expect(faults).toBe('')
})

test('promtool understands the rules and the queries of the dashboard', (context) => {
  if (spawnSync('promtool', ['--version']).status !== 0)
    return context.skip('promtool is not on this machine')
  const checked = spawnSync('promtool', ['check', 'rules', rulesFile], { cwd: root, encoding: 'utf8' })
  expect(checked.status, checked.stderr).toBe(0)
  // The queries of the dashboard, as rules, in a file of their own.
  const asRules = queries.map((expr, at) => `      - record: query_${at}\n        expr: '${expr}'\n`)
  const understood = promtoolOn(
    ['check', 'rules'],
    `groups:\n  - name: dashboard\n    rules:\n${asRules.join('')}`,
  )
  expect(understood.status, understood.stderr).toBe(0)
})
