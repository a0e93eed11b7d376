// The frame of a command: its options, --help, and how its failures are shown.
import { parseArgs, type ParseArgsConfig } from 'node:util'
import { isRelease } from './project.ts'

type Options = NonNullable<ParseArgsConfig['options']>
type CommandLine<O extends Options> = ReturnType<
  typeof parseArgs<{ args: string[]; options: O; allowPositionals: true }>
>

/** Prints a line on stdout. */
export const say = (line: string) => void process.stdout.write(`${asCalled(line, isRelease)}\n`)

/** Prints a line on stderr. */
export const complain = (line: string) => void process.stderr.write(`${asCalled(line, isRelease)}\n`)

/** A text that names commands as in a clone, with their names in a release: `tollgate backup` for `npm run backup --`. */
export function asCalled(text: string, inRelease: boolean): string {
  return inRelease ? text.replaceAll(/npm run ([a-z-]+)(?: --(?= ))?/g, 'tollgate $1') : text
}

/** The command line makes no sense. The message, which may be empty, is printed above the usage. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

interface CommandFrame<O extends Options> {
  readonly usage: string
  readonly options: O
  /** Does the work; returns the exit status. The message of what it throws is printed. */
  readonly run: (line: CommandLine<O>) => Promise<number>
  /** The exit status of a failure; 1 by default. */
  readonly failedStatus?: number
  /** How a failure is printed; by default its message alone. Developers need to know where it happened. */
  readonly describe?: (error: Error) => string | undefined
}

/** Runs a command and sets the exit status: 0 for --help, 2 for a command line that makes no sense, else what `run` says. */
export async function runCommand<const O extends Options>(command: CommandFrame<O>): Promise<void> {
  const { usage, run, failedStatus = 1, describe = ({ message }) => message } = command
  const options = { ...command.options, help: { type: 'boolean' } } as const
  try {
    const line = parseLine(options)
    const isHelp = (line.values as { help?: boolean }).help === true
    if (isHelp) say(usage)
    process.exitCode = isHelp ? 0 : await run(line as unknown as CommandLine<O>)
  } catch (error) {
    process.exitCode = error instanceof UsageError ? 2 : failedStatus
    if (error instanceof UsageError) complain(error.message === '' ? usage : `${error.message}\n${usage}`)
    else complain((error instanceof Error ? describe(error) : undefined) ?? String(error))
  }
}

/** Node.js's message without its advice on quoting. */
function reasonOf(error: unknown): string {
  const [reason = ''] = (error instanceof Error ? error.message : String(error)).split('. ')
  return `${reason.replace(/\.$/, '')}.`
}

/** The value of an option that takes a whole number. Throws UsageError for another one. */
export function wholeNumber(option: string, value: string): number {
  if (!/^\d{1,10}$/.test(value)) throw new UsageError(`--${option} takes a whole number, not ${value}.`)
  return Number(value)
}

function parseLine<O extends Options>(options: O) {
  try {
    return parseArgs({ args: process.argv.slice(2), options, allowPositionals: true })
  } catch (error) {
    throw new UsageError(reasonOf(error))
  }
}
