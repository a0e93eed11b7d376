// The alert rules name metrics that the program has, and a section of the runbook that is there.
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
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

test('promtool understands the rules and the example', (context) => {
  if (spawnSync('promtool', ['--version']).status !== 0)
    return context.skip('promtool is not on this machine')
  const checked = spawnSync('promtool', ['check', 'rules', rulesFile], { cwd: root, encoding: 'utf8' })
  expect(checked.status, checked.stderr).toBe(0)
})
