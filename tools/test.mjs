// Runs the checks and tests of a set: `quick` (`npm test`), `long` or `all`. The last line sums them up: `N passed, N failed`.
import { spawn } from 'node:child_process'
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { checkAll } from './check.mjs'
import { findChromium } from './chromium.mjs'
import { playwrightFailures, vitestFailures } from './failures.mjs'
import { slowTests, watchSlowness } from './slowness.mjs'

const root = resolve(import.meta.dirname, '..')
const reports = mkdtempSync(join(tmpdir(), 'tollgate-test-'))

/** Runs a test runner with our output as its own, and gives its exit code. */
function run(program, args, environment = {}) {
  return new Promise((settle) => {
    const child = spawn(join(root, 'node_modules/.bin', program), args, {
      cwd: root,
      stdio: 'inherit',
      env: { ...process.env, ...environment },
    })
    child.on('error', (error) => {
      console.error(error.message)
      settle(1)
    })
    child.on('close', (code) => settle(code ?? 1))
  })
}

/** What failed, for the end of the output. */
const failures = []

/** A runner that fails without naming a test, or that ran none at all, must not look like success. */
function judged(name, { passed, failed }, code) {
  if (code !== 0 && failed === 0) {
    failures.push(`${name} ended with status ${code}`)
    return { passed, failed: 1 }
  }
  if (passed + failed === 0) {
    failures.push(`${name} ran no tests`)
    return { passed, failed: 1 }
  }
  return { passed, failed }
}

function readReport(name) {
  const path = join(reports, name)
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {}
}

/** What passed without having run, because this machine lacks what it needs. */
const notRun = []

/** Runs the projects of vitest that match. `judge` gets the report. */
async function vitest(projects, judge = () => {}) {
  const report = `vitest-${projects.replaceAll(/\W/g, '_')}.json`
  const code = await run('vitest', [
    'run',
    `--project=${projects}`,
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${join(reports, report)}`,
  ])
  const read = readReport(report)
  const {
    numPassedTests = 0,
    numFailedTests = 0,
    numPendingTests = 0,
    numTodoTests = 0,
    testResults = [],
  } = read
  failures.push(...vitestFailures(read, root))
  judge(read)
  for (const { assertionResults } of testResults)
    for (const { meta } of assertionResults) if (meta?.notRun !== undefined) notRun.push(meta.notRun)
  // A skipped test proves nothing, so it counts as one that failed.
  return judged(
    `vitest ${projects}`,
    { passed: numPassedTests, failed: numFailedTests + numPendingTests + numTodoTests },
    code,
  )
}

/** Runs a project of Playwright. */
async function playwright(project) {
  const browser = findChromium()
  if (browser === undefined) {
    console.error(
      [
        '',
        '!! NO BROWSER: the browser tests cannot run, so this run cannot pass.',
        '!! Install Chromium (as root on Debian: apt-get install chromium; on macOS: Google Chrome, or npx playwright',
        '!! install chromium), or name one in CHROMIUM_PATH.',
        '',
      ].join('\n'),
    )
    return { passed: 0, failed: 1 }
  }
  const name = `playwright-${project}.json`
  const code = await run('playwright', ['test', `--project=${project}`, '--reporter=list,json'], {
    CHROMIUM_PATH: browser,
    PLAYWRIGHT_JSON_OUTPUT_NAME: join(reports, name),
  })
  const report = readReport(name)
  failures.push(...playwrightFailures(report))
  const { expected = 0, unexpected = 0, flaky = 0, skipped = 0 } = report.stats ?? {}
  return judged(`playwright ${project}`, { passed: expected + flaky, failed: unexpected + skipped }, code)
}

const total = { passed: 0, failed: 0 }

/** Runs parts one after the other, and counts them. */
async function inTurn(...parts) {
  for (const part of parts) {
    const { passed, failed, failures: own = [] } = await part()
    failures.push(...own)
    total.passed += passed
    total.failed += failed
  }
}

/** One more check: that quick tests are quick. */
function judgeSlowness(slow) {
  failures.push(...slow)
  total[slow.length === 0 ? 'passed' : 'failed'] += 1
}

/** What is waited for at each change. Its projects of vitest are those whose name begins with no `long`. */
async function runQuick() {
  const endWatch = watchSlowness()
  let quickReport = {}
  await Promise.all([
    inTurn(() => vitest('!long*', (report) => (quickReport = report))),
    inTurn(checkAll, () => playwright('quick')),
  ])
  judgeSlowness(slowTests(quickReport, endWatch(), root))
}

/**
 * The rest. Programs beside browsers ran into their own time limits on two processors, and measured promises need the machine
 * for themselves.
 */
async function runLong() {
  await Promise.all([inTurn(() => vitest('long-*')), inTurn(() => playwright('walk'))])
  await inTurn(
    () => vitest('long programs'),
    () => vitest('long measured'),
  )
}

const sets = { quick: [runQuick], long: [runLong], all: [runQuick, runLong] }
const chosen = sets[process.argv[2] ?? 'quick']
if (chosen === undefined) {
  console.error(`node tools/test.mjs ${Object.keys(sets).join('|')}`)
  process.exit(2)
}

const startedAt = Date.now()
// Tests of servers and of pages wait as much as they work, so both together take the processors that one would leave idle.
for (const runSet of chosen) await runSet()
rmSync(reports, { recursive: true, force: true })
for (const each of notRun) console.log(`!! NOT RUN HERE: ${each}`)
const failed =
  failures.length === 0 ? '' : `\nWhat failed (${process.argv[2] ?? 'quick'}):\n  ${failures.join('\n  ')}\n`
if (failed !== '') console.log(failed)
const seconds = Math.round((Date.now() - startedAt) / 1000)
console.log(`${Math.floor(seconds / 60)} min ${seconds % 60} s`)
// .ci/run counts both sets together, and says at its end what failed in either.
if (process.env.TEST_COUNTS) appendFileSync(process.env.TEST_COUNTS, `${total.passed} ${total.failed}\n`)
if (process.env.TEST_FAILURES) appendFileSync(process.env.TEST_FAILURES, failed)
console.log(`${total.passed} passed, ${total.failed} failed`)
process.exit(total.failed === 0 ? 0 : 1)
