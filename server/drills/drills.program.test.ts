// Each drill in its short form, as the command that anybody runs.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { builtPrograms } from '../test/environment/program.ts'

declare module 'vitest' {
  interface TaskMeta {
    /** What did not run, and why; the gate says it in its last lines. */
    notRun?: string
  }
}

const programs = builtPrograms()

/** Runs the command; gives its status and its lines. */
async function drill(...args: readonly string[]) {
  const done = promisify(execFile)(process.execPath, [join(programs, 'drill.js'), ...args])
  const { stdout, stderr, code } = await done.then(
    (written) => ({ ...written, code: 0 }),
    (failed: { stdout: string; stderr: string; code: number }) => failed,
  )
  return { code, lines: stdout.trimEnd().split('\n'), stderr: stderr.trimEnd() }
}

test('without a name the command lists the drills; one that is not there is a wrong command line', async () => {
  const { code, lines } = await drill()
  expect(code).toBe(0)
  expect(lines.join('\n')).toMatch(/^kill +kill -9/m)
  expect(await drill('no-such-drill')).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^There is no drill no-such-drill\.\n/),
  })
})

test('an option that a drill does not know, or no number, ends it before it begins', async () => {
  const unknown = await drill('kill', '--round', '3')
  expect(unknown).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^Unknown option '--round'\.\nnpm run drill -- kill \[--seed NUMBER\].*$/),
  })
  const noNumber = await drill('kill', '--rounds', 'three')
  expect(noNumber).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^--rounds takes a whole number, not three\.\n/),
  })
})

// Drills wait more than they work, so some run at a time.
// A pause of the machine makes one run or the other slow. What is slow by itself is so in each; harm is final.
const runsMax = 3

test.concurrent.for([
  ['kill', 1],
  ['outage', 1],
  ['failover', 1],
  ['frozen-node', 1],
  ['rolling-restart', 1],
  ['upgrade', 1],
  ['clock', 1],
  ['disk-full', 1],
  ['distributed', 1],
  ['backup', 1],
  ['lost-disk', 1],
  ['bad-bodies', 1],
  ['fuzz-pdus', 1],
  ['money', 1],
  ['quiet', 1],
] as const)('%s, in short, passes', async ([name, seed], { task }) => {
  const run = () => drill(name, '--short', '--seed', String(seed))
  let { code, lines } = await run()
  for (let runs = 1; runs < runsMax && lines.at(-1)?.startsWith(`${name}: SLOW, `); runs += 1)
    ({ code, lines } = await run())
  expect(lines.at(-1), lines.join('\n')).toMatch(new RegExp(`^${name}: PASS, `))
  expect(code).toBe(0)
  // It needs what this machine does not have. Green without a word would look as if it had run.
  const missing = /SKIPPED: (.*)$/.exec(lines.at(-1) ?? '')?.[1]
  if (missing !== undefined) task.meta.notRun = `the drill ${name}: ${missing}`
})
