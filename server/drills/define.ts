// What a drill is: a command with a seed that does harm to a running gateway, and says whether the gateway held.
import type { Random } from './random.ts'

/** What `--name value` may set; a value keeps the kind of its default. */
export type Options = Readonly<Record<string, number | string>>

/** What came of a drill. */
export interface Verdict {
  readonly isPassed: boolean
  /** For the last line, such as `lost 0`: the figures that count first. */
  readonly figures: readonly string[]
}

export interface DrillRun<O extends Options> {
  readonly options: O
  /** All that a drill leaves to chance comes from here: the same seed does the same harm in the same order. */
  readonly random: Random
  /** Says on stdout how far the drill is. */
  readonly note: (line: string) => void
  /** Has `end` called when the drill is over or interrupted, the latest first. Whatever is started is ended so. */
  readonly onEnd: (end: () => Promise<unknown>) => void
}

export interface Drill {
  readonly name: string
  /** One line for the list. */
  readonly summary: string
  readonly options: Options
  /** The options of the short form, which runs in the gate within some seconds. */
  readonly short: Options
  readonly run: (run: DrillRun<Options>) => Promise<Verdict>
}

/** A drill with options of its own; `seed` and `short` every drill has. */
export function defineDrill<const O extends Options>(drill: {
  readonly name: string
  readonly summary: string
  readonly options: O
  readonly short: Partial<{ readonly [Name in keyof O]: O[Name] extends number ? number : string }>
  readonly run: (
    run: DrillRun<{ readonly [Name in keyof O]: O[Name] extends number ? number : string }>,
  ) => Promise<Verdict>
}): Drill {
  return { ...drill, short: drill.short as Options, run: drill.run as Drill['run'] }
}
