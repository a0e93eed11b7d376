// What failed in the reports of the test runners, for the end of the gate's output: its middle may be cut off.
import { relative } from 'node:path'
import { stripVTControlCharacters } from 'node:util'

const linesMax = 12

/** One failure: where, its name, and the beginning of what the runner says of it. */
export function describeFailure(place, name, messages) {
  const lines = stripVTControlCharacters(messages.join('\n'))
    .split('\n')
    .filter((line) => line.trim() !== '')
  return [`${place}: ${name}`, ...lines.slice(0, linesMax)].join('\n    ')
}

/**
 * The tests that failed or did not run in a JSON report of Vitest.
 *
 * @param report The report.
 * @param root The folder from which files are named.
 */
export function vitestFailures({ testResults = [] }, root) {
  return testResults.flatMap(({ name, status, message = '', assertionResults }) => {
    const place = relative(root, name)
    const failed = assertionResults.filter((test) => test.status !== 'passed')
    // A file that cannot be loaded has no tests that failed.
    if (failed.length === 0 && status === 'failed') return [describeFailure(place, 'the file', [message])]
    return failed.map((test) =>
      describeFailure(place, `${test.fullName} (${test.status})`, test.failureMessages ?? []),
    )
  })
}

/** The tests that failed or did not run in a JSON report of Playwright. */
export function playwrightFailures({ suites = [], errors = [] }) {
  const ofSuite = ({ specs = [], suites: inner = [] }) => [
    ...specs.flatMap(({ file, line, title, tests }) =>
      tests
        .filter(({ status }) => status === 'unexpected' || status === 'skipped')
        .map(({ status, results }) => {
          const messages = results.flatMap((result) => result.errors.map(({ message = '' }) => message))
          return describeFailure(`e2e/${file}:${line}`, `${title} (${status})`, messages)
        }),
    ),
    ...inner.flatMap(ofSuite),
  ]
  return [
    ...errors.map(({ message = '' }) => describeFailure('e2e', 'outside of a test', [message])),
    ...suites.flatMap(ofSuite),
  ]
}
