// `npm run bench` measures the standard sections and writes them to docs/benchmarks.md, `npm run bench -- --only NAME` one
// section, `--help` lists sections and options. The child processes of a measurement are this program, too, under the names
// of `children`.
import { parseArgs } from 'node:util'
import { probe, type ProbeOptions } from '@tollgate/server/test/probe.ts'
import { measureAfterFlood } from './after-flood.ts'
import { measureAgainst } from './against.ts'
import { serveNpm, serveOurs } from './accept-only.ts'
import { closeForEver } from './close-races.ts'
import { measureClose, measureRaces } from './close.ts'
import { measureCdrFiles } from './cdr-files.ts'
import { measureDeliveries } from './deliveries.ts'
import { measureImports } from './imports.ts'
import { measureLinks } from './links.ts'
import { measureLists } from './lists.ts'
import { runLoad, type LoadOptions } from './load.ts'
import { measureProviders, serveProvider } from './providers.ts'
import { measureReads } from './reads.ts'
import { receive } from './receive.ts'
import { conditions, readsConditions, trafficReport, writeSection } from './report.ts'
import { measureScreens } from './screens.ts'
import { measureTraffic } from './traffic.ts'

const defaults = {
  /** Of `traffic`. */
  rounds: '3',
  /** Sizes of the databases of `reads`; `providers` takes the first one, `close` the last one. */
  records: '1000000,10000000',
  /** Of `close`. */
  clients: '10000',
  debtors: '100',
  /** Messages a second during `reads` and `close`. */
  'per-second': '2000',
}

interface Options {
  readonly rounds: number
  /** How long each measurement of `traffic`, `deliveries` and `close` lasts; each has a default. */
  readonly seconds: number | undefined
  readonly sizes: readonly number[]
  readonly clients: number
  readonly debtors: number
  readonly perSecond: number
  /** Folder that keeps the filled databases of `reads` and `close` for the next run. */
  readonly keep: string | undefined
  /** Of `against`: the folder of another built checkout. */
  readonly other: string | undefined
  /** Of `reads`: only the queries whose names contain it. */
  readonly query: string | undefined
}

interface Section {
  readonly title: string
  /** Whether `npm run bench` measures it; the others take long. */
  readonly isStandard: boolean
  readonly measure: (options: Options) => Promise<string>
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
  'after-flood': {
    title: 'After a flood',
    isStandard: false,
    measure: ({ sizes, seconds = 10 }) => measureAfterFlood(sizes.at(-1) ?? 0, seconds),
  },
  against: {
    title: 'Ingest against another build',
    isStandard: false,
    measure: ({ other, rounds, seconds = 3 }) => {
      if (other === undefined) throw new Error('--other FOLDER names the other checkout, built')
      return measureAgainst(other, rounds, seconds)
    },
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

async function measure(args: readonly string[]): Promise<void> {
  const text = (value: string) => ({ type: 'string' as const, default: value })
  const { values } = parseArgs({
    args: [...args],
    options: {
      rounds: text(defaults.rounds),
      seconds: { type: 'string' },
      records: text(defaults.records),
      clients: text(defaults.clients),
      debtors: text(defaults.debtors),
      'per-second': text(defaults['per-second']),
      keep: { type: 'string' },
      other: { type: 'string' },
      query: { type: 'string' },
      only: { type: 'string' },
      print: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  const chosen = Object.entries(sections).filter(([name, { isStandard }]) =>
    values.only === undefined ? isStandard : name === values.only,
  )
  if (values.help || chosen.length === 0) return console.log(help)
  const options: Options = {
    rounds: Number(values.rounds),
    seconds: values.seconds === undefined ? undefined : Number(values.seconds),
    sizes: values.records.split(',').map(Number),
    clients: Number(values.clients),
    debtors: Number(values.debtors),
    perSecond: Number(values['per-second']),
    keep: values.keep,
    other: values.other,
    query: values.query,
  }
  for (const [name, section] of chosen) {
    const tables = await section.measure(options)
    console.log(tables)
    if (values.print || values.query !== undefined) continue
    if (name === 'traffic') await writeSection('Conditions', conditions(options.rounds))
    await writeSection(section.title, tables)
  }
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
await (runChild === undefined ? measure(process.argv.slice(2)) : runChild(argument))
