import { expect, it } from 'vitest'
import { playwrightFailures, vitestFailures } from './failures.mjs'

it('names each test of Vitest that failed or was skipped, and a file that cannot be loaded', () => {
  const report = {
    testResults: [
      {
        name: '/clone/server/src/a.test.ts',
        status: 'failed',
        assertionResults: [
          { fullName: 'passes', status: 'passed', failureMessages: [] },
          {
            fullName: 'fails',
            status: 'failed',
            failureMessages: ['\u001B[31mexpected 1\u001B[39m\n\nto be 2'],
          },
          { fullName: 'waits', status: 'pending' },
        ],
      },
      { name: '/clone/web/src/b.test.ts', status: 'failed', message: 'no such module', assertionResults: [] },
      { name: '/clone/web/src/c.test.ts', status: 'passed', assertionResults: [] },
    ],
  }
  expect(vitestFailures(report, '/clone')).toEqual([
    'server/src/a.test.ts: fails (failed)\n    expected 1\n    to be 2',
    'server/src/a.test.ts: waits (pending)',
    'web/src/b.test.ts: the file\n    no such module',
  ])
})

it('names each test of Playwright that failed or was skipped, and what failed outside of a test', () => {
  const test = (title: string, status: string, ...messages: string[]) => ({
    file: 'x.e2e.ts',
    line: 7,
    title,
    tests: [{ status, results: [{ errors: messages.map((message) => ({ message })) }] }],
  })
  const report = {
    errors: [{ message: 'no cluster' }],
    suites: [
      {
        specs: [test('passes', 'expected'), test('fails', 'unexpected', 'Timeout')],
        suites: [{ specs: [test('waits', 'skipped')] }],
      },
    ],
  }
  expect(playwrightFailures(report)).toEqual([
    'e2e: outside of a test\n    no cluster',
    'e2e/x.e2e.ts:7: fails (unexpected)\n    Timeout',
    'e2e/x.e2e.ts:7: waits (skipped)',
  ])
})

it('cuts what a failure says', () => {
  const report = { errors: [{ message: 'line\n'.repeat(1_000) }] }
  expect(playwrightFailures(report)[0]?.split('\n').length).toBeLessThan(20)
})
