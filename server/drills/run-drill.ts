// Runs one drill from its command line to its verdict.
import { parseArgs } from 'node:util'
import type { Drill, DrillOptions, DrillVerdict } from './define.ts'
import { seededChoices } from './random.ts'

/** Options of a drill, and the seed of its choices. */
export interface SeededOptions {
  readonly seed: number
  readonly options: DrillOptions
}

/** Parses `--seed 7 --rounds 100 --short`. Gives a line that says what is wrong instead, such as an unknown option. */
export function readOptions(drill: Drill, args: readonly string[]): SeededOptions | string {
  const known = Object.keys(drill.options)
  const all = ['seed', 'short', ...known].map((name) => `--${name}`).join(', ')
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        seed: { type: 'string' },
        short: { type: 'boolean', default: false },
        ...Object.fromEntries(known.map((name) => [name, { type: 'string' as const }])),
      },
    })
    return optionsOf(drill, known, values as Readonly<Record<string, string | boolean | undefined>>)
  } catch (error) {
    const [reason] = String((error as Error).message).split('. ')
    return `${drill.name}: ${reason}. It takes ${all}.`
  }
}

function optionsOf(
  drill: Drill,
  known: readonly string[],
  entered: Readonly<Record<string, string | boolean | undefined>>,
): SeededOptions {
  const defaults = { ...drill.options, ...(entered['short'] === true ? drill.short : {}) }
  const options = Object.fromEntries(
    known.map((name) => [name, valueOf(name, entered[name], defaults[name] ?? 0)]),
  )
  return { seed: Number(valueOf('seed', entered['seed'], Math.floor(Math.random() * 2 ** 31))), options }
}

function valueOf(name: string, entered: string | boolean | undefined, standard: number | string) {
  if (typeof entered !== 'string') return standard
  if (typeof standard === 'string') return entered
  if (!/^\d{1,10}$/.test(entered)) throw new Error(`--${name} takes a whole number, not ${entered}`)
  return Number(entered)
}

function wordOf({ isPassed, isInTime = true }: DrillVerdict): 'PASS' | 'SLOW' | 'FAIL' {
  if (!isPassed) return 'FAIL'
  return isInTime ? 'PASS' : 'SLOW'
}

/** Runs the drill and its clean-ups, and prints the verdict; returns the exit status. */
export async function runDrill(drill: Drill, { seed, options }: SeededOptions): Promise<0 | 1> {
  const shown = Object.entries(options).map(([name, value]) => ` --${name} ${value}`)
  console.log(`${drill.name} --seed ${seed}${shown.join('')}`)
  const ends: (() => Promise<unknown>)[] = []
  const endAll = async () => {
    for (let end = ends.pop(); end !== undefined; end = ends.pop())
      await end().catch((error: unknown) => console.error(`the end of a part failed: ${String(error)}`))
  }
  const interrupt = () => void endAll().finally(() => process.exit(130))
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, interrupt)
  // An unexpected error must not leave servers running.
  const fail = (error: unknown) => {
    console.error(error)
    void endAll().finally(() => process.exit(1))
  }
  process.once('uncaughtException', fail).once('unhandledRejection', fail)
  let verdict: DrillVerdict
  try {
    verdict = await drill.run({
      options,
      random: seededChoices(seed),
      note: (line) => console.log(line),
      onEnd: (end) => void ends.push(end),
    })
  } catch (error) {
    verdict = { isPassed: false, figures: [error instanceof Error ? (error.stack ?? '') : String(error)] }
  }
  await endAll()
  const word = wordOf(verdict)
  console.log(`${drill.name}: ${word}, ${verdict.figures.join(', ')}`)
  return word === 'PASS' ? 0 : 1
}
