// Runs one drill from its command line to its verdict.
import { runCommand, UsageError, wholeNumber } from '../src/platform/process/command.ts'
import type { Drill, DrillOptions, DrillVerdict } from './define.ts'
import { seededChoices } from './random.ts'

type Entered = Readonly<Record<string, string | boolean | undefined>>

/** Runs a drill as a command: `--seed 7 --rounds 100 --short`. */
export function runDrillCommand(drill: Drill): Promise<void> {
  const names = Object.keys(drill.options)
  return runCommand({
    usage: usageOf(drill),
    options: {
      seed: { type: 'string' },
      short: { type: 'boolean' },
      ...Object.fromEntries(names.map((name) => [name, { type: 'string' as const }])),
    },
    async run({ values, positionals: [, stray] }) {
      if (stray !== undefined) throw new UsageError(`A drill takes options alone, not ${stray}.`)
      const entered: Entered = values
      const seed = entered['seed']
      const seeded =
        typeof seed === 'string' ? wholeNumber('seed', seed) : Math.floor(Math.random() * 2 ** 31)
      // Parts that a drill broke may not end by themselves.
      process.exit(await runDrill(drill, seeded, optionsOf(drill, entered)))
    },
  })
}

/** The name of a drill with its options and their defaults. */
function usageOf({ name, options }: Drill): string {
  const own = Object.entries(options).map(([option, value]) => ` [--${option} ${value}]`)
  return `npm run drill -- ${name} [--seed NUMBER] [--short]${own.join('')}`
}

function optionsOf({ options, short }: Drill, entered: Entered): DrillOptions {
  const defaults = { ...options, ...(entered['short'] === true ? short : {}) }
  return Object.fromEntries(
    Object.entries(defaults).map(([name, standard]) => {
      const text = entered[name]
      if (typeof text !== 'string') return [name, standard]
      return [name, typeof standard === 'string' ? text : wholeNumber(name, text)]
    }),
  )
}

function wordOf({ isPassed, isInTime = true }: DrillVerdict): 'PASS' | 'SLOW' | 'FAIL' {
  if (!isPassed) return 'FAIL'
  return isInTime ? 'PASS' : 'SLOW'
}

/** Runs the drill and its clean-ups, and prints the verdict; returns the exit status. */
async function runDrill(drill: Drill, seed: number, options: DrillOptions): Promise<0 | 1> {
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
