// How long a quick test may take. `npm test` is waited for, so what takes longer belongs to the long tests.
import { relative } from 'node:path'

const quickMs = 2_000
const lookMs = 500
const spinCount = 500_000
/**
 * What a spin takes on the machine that limits of time were set on, when it does nothing else. Computed, not measured there:
 * where a spin took 14 ms, all quick tests took 2.4 times as long as there.
 */
export const spinReferenceMs = 5.9

/** Some milliseconds of work for a processor. */
function spin() {
  let sum = 0
  for (let n = 0; n < spinCount; n += 1) sum = (sum + n * n) % 1_000_003
  return sum
}

/**
 * Begins to measure how slow and how busy this machine is: the time that a short piece of work takes. The function that is
 * returned ends this, and gives what was measured.
 */
export function watchSlowness() {
  const looks = []
  const timer = setInterval(() => {
    const startedAt = performance.now()
    spin()
    looks.push({ at: Date.now(), tookMs: performance.now() - startedAt })
  }, lookMs)
  return () => {
    clearInterval(timer)
    return new Slowness(looks)
  }
}

/** How often longer than on that machine, alone, everything took, from 1. */
export class Slowness {
  #looks

  constructor(looks) {
    this.#looks = looks
  }

  /** In the whole run. */
  get mean() {
    return factorOf(this.#looks)
  }

  /** From one moment to another, in milliseconds of the epoch; at least the mean. */
  between(from, to) {
    return Math.max(this.mean, factorOf(this.#looks.filter(({ at }) => at >= from && at <= to)))
  }
}

function factorOf(looks) {
  const tookMs = looks.reduce((sum, look) => sum + look.tookMs, 0)
  return looks.length === 0 ? 1 : Math.max(1, tookMs / looks.length / spinReferenceMs)
}

/** The name of the file for the long tests of this one. */
const longFileOf = (path) => path.replace(/\.test\.(tsx?)$/, '.long.test.$1')

/**
 * The tests of a JSON report of Vitest that are not quick, each as a line that says where to move it. Each may take as
 * many times longer as the machine is slow, and was busy while its file ran.
 *
 * @param report The report.
 * @param slowness How slow and busy the machine was.
 * @param root The folder from which files are named.
 */
export function slowTests({ testResults = [] }, slowness, root) {
  return testResults.flatMap(({ name, startTime, endTime, assertionResults }) => {
    const factor = slowness.between(startTime, endTime)
    return assertionResults
      .filter(({ duration = 0 }) => duration > quickMs * factor)
      .map(({ fullName, duration }) => {
        const path = relative(root, name)
        const seconds = (ms) => (ms / 1_000).toFixed(1)
        return `${path}: ${fullName} took ${seconds(duration)} s, ${seconds(duration / factor)} s of them its own. Make it quicker than ${seconds(quickMs)} s, or move it to ${longFileOf(path)}`
      })
  })
}
