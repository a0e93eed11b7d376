// `npm run bench` measures the standard sections and writes them to docs/benchmarks.md, `npm run bench -- --only NAME` one
// section, `--help` lists sections and options. The child processes of a measurement are this program, too, under the names
// of `children`.
import { runCommand, say, UsageError, wholeNumber } from '@tollgate/server/platform/process/command.ts'
import { probe, type ProbeOptions } from '@tollgate/server/test/traffic/probe.ts'
import { measureAfterFlood } from './after-flood.ts'
import { measureAgainst } from './against.ts'
import { serveNpm, serveOurs } from './accept-only.ts'
import { closeForEver } from './close-races.ts'
import { measureClose, measureRaces } from './close.ts'
import { measureCdrFiles } from './cdr-files.ts'
import { measureCluster } from './cluster.ts'
import { measureDeliveries } from './deliveries.ts'
import { measureImports } from './imports.ts'
import { measureIntegrity } from './integrity.ts'
import { measureIntegrityCost } from './integrity-cost.ts'
import { measureLiveConsole } from './live-console.ts'
import { measurePages } from './pages.ts'
import { measureLinks } from './links.ts'
import { measureLists } from './lists.ts'
import { runLoad, type LoadOptions } from './load.ts'
import { measureProviders, serveProvider } from './providers.ts'
import { measureReads } from './reads.ts'
import { receive } from './receive.ts'
import { conditions, readsConditions, trafficReport, writePage, writeSection } from './report.ts'
import { measureReplica } from './replica.ts'
import { measureScreens } from './screens.ts'
import { measureSizes } from './sizes.ts'
import { measureTraffic } from './traffic.ts'

const defaults = {
  /** Rounds of `traffic`. */
  rounds: '3',
  /**
   * Sizes of the databases of `reads`. `providers` takes the first one; `pages`, `live-console`, `close`, `cdr-files`
   * and `after-flood` take the last one.
   */
  records: '1000000,10000000',
  /** Clients of `close`. */
  clients: '10000',
  debtors: '100',
  /** Messages a second during `reads` and `close`. */
  'per-second': '2000',
}

interface Options {
  readonly rounds: number
  /** How long each measurement of a section lasts; each section that takes it has a default. */
  readonly seconds: number | undefined
  readonly sizes: readonly number[]
  readonly clients: number
  readonly debtors: number
  readonly perSecond: number
  /** Folder that keeps the filled databases of `reads`, `pages`, `live-console` and `close` for the next run. */
  readonly keep: string | undefined
  /** For `against`: the folder of another built checkout. */
  readonly other: string | undefined
  /** For `reads`: a text; only queries whose names contain it are measured. */
  readonly query: string | undefined
}

interface Section {
  readonly title: string
  /** Whether `npm run bench` measures it; the others take long. */
  readonly isStandard: boolean
  readonly measure: (options: Options) => Promise<string>
  /** The name of a page of docs that it writes, instead of its section of benchmarks.md. */
  readonly page?: string
}

const sections: Readonly<Record<string, Section>> = {
  traffic: {
    title: 'Traffic',
    isStandard: true,
    measure: async ({ rounds, seconds = 3 }) => trafficReport(await measureTraffic({ rounds, seconds })),
  },
  reads: {
    title: 'Records: lists, sums and figures',
    isStandard: true,
    measure: async ({ query: only, ...options }) =>
      `${readsConditions}\n\n${await measureReads({ ...options, only })}`,
  },
  lists: { title: 'Lists', isStandard: true, measure: measureLists },
  screens: { title: 'Screens', isStandard: true, measure: measureScreens },
  pages: {
    title: 'Pages',
    isStandard: false,
    measure: ({ sizes, keep }) => measurePages({ records: sizes.at(-1) ?? 0, keep }),
  },
  'live-console': {
    title: 'An open console',
    isStandard: false,
    measure: ({ sizes, keep, seconds = 3_600 }) =>
      measureLiveConsole({ records: sizes.at(-1) ?? 0, keep, seconds }),
  },
  imports: { title: 'Imports', isStandard: true, measure: measureImports },
  providers: {
    title: 'Providers',
    isStandard: true,
    measure: ({ sizes }) => measureProviders(sizes[0] ?? 0),
  },
  links: { title: 'Links', isStandard: true, measure: measureLinks },
  deliveries: {
    title: 'Deliveries over SMPP',
    isStandard: false,
    measure: ({ seconds = 3 }) => measureDeliveries({ seconds }),
  },
  close: {
    title: 'Closing a cycle',
    isStandard: false,
    measure: ({ sizes, seconds = 5, ...options }) =>
      measureClose({ ...options, seconds, records: sizes.at(-1) ?? 0 }),
  },
  'cdr-files': {
    title: 'CDR files',
    isStandard: false,
    measure: ({ sizes }) => measureCdrFiles(sizes.at(-1) ?? 0),
  },
  cluster: {
    title: 'Records on several servers',
    isStandard: false,
    measure: ({ rounds, seconds = 5 }) => measureCluster({ rounds, seconds }),
  },
  sizes: {
    title: 'Sizes',
    isStandard: false,
    measure: ({ seconds = 40 }) => measureSizes(seconds),
    page: 'sizes',
  },
  'after-flood': {
    title: 'After a flood',
    isStandard: false,
    measure: ({ sizes, seconds = 10 }) => measureAfterFlood(sizes.at(-1) ?? 0, seconds),
  },
  against: {
    title: 'Ingest against another build',
    isStandard: false,
    measure: ({ other, rounds, seconds = 3 }) => {
      if (other === undefined) throw new UsageError('--other FOLDER names the other checkout, built.')
      return measureAgainst(other, rounds, seconds)
    },
  },
  integrity: {
    title: 'Pumped traffic',
    isStandard: false,
    measure: ({ rounds }) => measureIntegrity(rounds),
  },
  'integrity-cost': {
    title: 'The cost of traffic integrity',
    isStandard: false,
    measure: ({ rounds, seconds = 20 }) => measureIntegrityCost({ rounds, seconds }),
  },
  replica: {
    title: 'A standby that answers reads',
    isStandard: false,
    measure: ({ sizes, rounds }) => measureReplica({ records: sizes[0] ?? 0, rounds }),
  },
  races: { title: 'Closers killed at work', isStandard: false, measure: measureRaces },
}

const help = [
  'npm run bench -- [--only NAME] [--print] [options]',
  `Sections: ${Object.entries(sections)
    .map(([name, { isStandard }]) => (isStandard ? name : `${name} (only by name)`))
    .join(', ')}`,
  `Options:  ${Object.entries(defaults)
    .map(([name, value]) => `--${name} ${value}`)
    .join(' ')} --seconds N --keep FOLDER --other FOLDER --query TEXT`,
  '--print writes nothing to docs/benchmarks.md; --query implies it.',
].join('\n')

const text = { type: 'string' } as const
const options = {
  rounds: text,
  seconds: text,
  records: text,
  clients: text,
  debtors: text,
  'per-second': text,
  keep: text,
  other: text,
  query: text,
  only: text,
  print: { type: 'boolean' },
} as const

type Entered = Partial<Record<Exclude<keyof typeof options, 'print'>, string>> & { readonly print?: boolean }

async function measure(entered: Entered): Promise<number> {
  const { only, print = false, keep, other, query } = entered
  const count = (name: 'rounds' | 'clients' | 'debtors' | 'per-second') =>
    wholeNumber(name, entered[name] ?? defaults[name])
  const sizes = (entered.records ?? defaults.records).split(',')
  const chosen = Object.entries(sections).filter(([name, { isStandard }]) =>
    only === undefined ? isStandard : name === only,
  )
  if (chosen.length === 0) throw new UsageError(`There is no section ${only}.`)
  const settings: Options = {
    rounds: count('rounds'),
    seconds: entered.seconds === undefined ? undefined : secondsOf(entered.seconds),
    sizes: sizes.map((size) => wholeNumber('records', size)),
    clients: count('clients'),
    debtors: count('debtors'),
    perSecond: count('per-second'),
    keep,
    other,
    query,
  }
  for (const [name, section] of chosen) {
    const tables = await section.measure(settings)
    say(tables)
    if (print || query !== undefined) continue
    if (name === 'traffic') await writeSection('Conditions', conditions(settings.rounds))
    if (section.page === undefined) await writeSection(section.title, tables)
    else await writePage(section.page, tables)
  }
  return 0
}

function secondsOf(value: string): number {
  const seconds = Number(value)
  if (!(seconds > 0)) throw new UsageError(`--seconds takes a number above 0, not ${value}.`)
  return seconds
}

async function readInput(): Promise<string> {
  let input = ''
  for await (const chunk of process.stdin) input += String(chunk)
  return input
}

const children: Readonly<Record<string, (argument: string) => Promise<void> | void>> = {
  ours: serveOurs,
  npm: serveNpm,
  provider: serveProvider,
  receive,
  closer: closeForEver,
  async probe(argument) {
    await probe(JSON.parse(argument) as ProbeOptions)
    process.exit(0)
  },
  async load() {
    console.log(JSON.stringify(await runLoad(JSON.parse(await readInput()) as LoadOptions)))
    process.exit(0)
  },
}

const [, , name = '', argument = ''] = process.argv
const runChild = children[name]
await (runChild === undefined
  ? runCommand({
      usage: help,
      options,
      async run({ values, positionals: [stray] }) {
        if (stray !== undefined) throw new UsageError(`Unknown argument ${stray}.`)
        return measure(values)
      },
      describe: ({ stack }) => stack,
    })
  : runChild(argument))
