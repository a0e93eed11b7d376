// The definition of a drill: a command with a seed that harms a running gateway and reports whether the gateway survived.
import type { Random } from './random.ts'

/** The options `--name value`; a value has the type of its default. */
export type DrillOptions = Readonly<Record<string, number | string>>

/** The result of a drill. */
export interface DrillVerdict {
  readonly isPassed: boolean
  /** Whether what has a time to be done in was; true where nothing has. */
  readonly isInTime?: boolean
  /** For the last line, such as `lost 0`; the most important figures first. */
  readonly figures: readonly string[]
}

export interface DrillRun<O extends DrillOptions> {
  readonly options: O
  /** The only source of chance in a drill: the same seed does the same harm in the same order. */
  readonly random: Random
  /** Prints progress. */
  readonly note: (line: string) => void
  /** Registers a clean-up for the end of the drill, also when it is interrupted. The latest runs first. */
  readonly onEnd: (end: () => Promise<unknown>) => void
}

export interface Drill {
  readonly name: string
  /** One line for the list. */
  readonly summary: string
  readonly options: DrillOptions
  /** The options of `--short`, which runs in the gate within some seconds. */
  readonly short: DrillOptions
  readonly run: (run: DrillRun<DrillOptions>) => Promise<DrillVerdict>
}

/** Defines a drill with its own options; every drill has `--seed` and `--short` as well. */
export function defineDrill<const O extends DrillOptions>(drill: {
  readonly name: string
  readonly summary: string
  readonly options: O
  readonly short: Partial<{ readonly [Name in keyof O]: O[Name] extends number ? number : string }>
  readonly run: (
    run: DrillRun<{ readonly [Name in keyof O]: O[Name] extends number ? number : string }>,
  ) => Promise<DrillVerdict>
}): Drill {
  return { ...drill, short: drill.short as DrillOptions, run: drill.run as Drill['run'] }
}
