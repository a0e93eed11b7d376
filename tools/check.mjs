// The checks that need no running program: types, lint, format, dead code, the lock. Each says how long it took.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describeFailure } from './failures.mjs'

const root = resolve(import.meta.dirname, '..')
const workspaces = ['contract', 'smpp', 'server', 'web', 'bench']
const linted = [
  ...workspaces.flatMap((name) => [`${name}/src`]),
  'bench',
  'client',
  'server/test',
  'server/drills',
  'server/peers',
  'tools',
  'e2e',
  'playwright.config.ts',
  'vitest.config.ts',
].filter((path) => existsSync(join(root, path)))

/** In this order; that which costs most comes last. */
const checks = [
  ['format', 'oxfmt', ['--check', '.']],
  // Both from one reading of the sources.
  ['lint and types', 'oxlint', ['--type-aware', '--type-check', ...linted]],
  ['dead code', 'knip', []],
]

function run(program, args) {
  return new Promise((settle) => {
    const child = spawn(join(root, 'node_modules/.bin', program), args, {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text))
    child.on('error', (error) => settle({ isWell: false, output: error.message }))
    child.on('close', (code) => settle({ isWell: code === 0, output }))
  })
}

/** Packages that some other platform needs must be in the lock, or `npm ci` fails there. */
function lockFaults() {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  return Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies)
      .filter(
        (name) =>
          ![`${path}/node_modules/${name}`, `node_modules/${name}`].some((place) => place in packages),
      )
      .map((name) => `${path || 'package.json'} wants ${name}, which package-lock.json does not have`),
  )
}

/** Runs everything, two at a time. Returns how many passed and failed, and what the failed ones said. */
export async function checkAll() {
  const counts = { passed: 0, failed: 0, failures: [] }
  const report = (name, isWell, output, startedAt) => {
    counts[isWell ? 'passed' : 'failed'] += 1
    console.log(`${isWell ? '✓' : '✗'} ${name} (${((Date.now() - startedAt) / 1000).toFixed(1)} s)`)
    if (isWell) return
    console.log(output.trimEnd())
    counts.failures.push(describeFailure('npm run check', name, [output]))
  }
  const faults = lockFaults()
  report('lock', faults.length === 0, faults.join('\n'), Date.now())
  const waiting = [...checks]
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [name, program, args] = next
      const startedAt = Date.now()
      const { isWell, output } = await run(program, args)
      report(name, isWell, output, startedAt)
    }
  }
  await Promise.all([work(), work()])
  return counts
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { passed, failed } = await checkAll()
  console.log(`${passed} passed, ${failed} failed`)
  process.exit(failed === 0 ? 0 : 1)
}
