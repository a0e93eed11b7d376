// `npm run bench`: accept-only against the npm package smpp, durable priced ingest against plain COPY of the same
// PostgreSQL, answer times, and the records' lists and sums at two sizes; all in one run, in turns. Writes the table
// to docs/benchmarks.md. `--rounds 3 --seconds 3 --records 1000000,10000000 [--no-reads]`. `--only lists`, `screens`,
// `imports`, `providers`, `deliveries` or `links` writes that section alone; `--only-reads` the records' lists and sums:
// `[--keep <folder>] [--per-second 2000] [--query <part of a name>]`, the last of which only prints them. `npm run bench:close` closes a cycle:
// `[--records 10000000 --clients 10000] [--seconds 15] [--keep <folder>] [--only large|races] [--try]`,
// which writes its sections too, unless it is a `--try`.
import { parseArgs } from 'node:util'
import { serveNpm, serveOurs } from './accept-only.ts'
import { measureClose, measureRaces } from './close.ts'
import { closeForEver } from './close-races.ts'
import { measureDeliveries } from './deliveries.ts'
import { measureImports } from './imports.ts'
import { runLoad, type LoadOptions } from './load.ts'
import { measureLinks } from './links.ts'
import { measureLists } from './lists.ts'
import { probe, type ProbeOptions } from './probe.ts'
import { measureProviders, serveProvider } from './providers.ts'
import { measureReads } from './reads.ts'
import { receive } from './receive.ts'
import { measureScreens } from './screens.ts'
import { measureTraffic, trafficTable } from './traffic.ts'
import { writeReads, writeSection, writeTraffic } from './report.ts'

async function readInput(): Promise<string> {
  let input = ''
  for await (const chunk of process.stdin) input += String(chunk)
  return input
}

async function measureAll(): Promise<void> {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '3' },
      seconds: { type: 'string', default: '3' },
      records: { type: 'string', default: '1000000,10000000' },
      'no-reads': { type: 'boolean', default: false },
      only: { type: 'string' },
      'only-reads': { type: 'boolean', default: false },
      keep: { type: 'string' },
      query: { type: 'string' },
      'per-second': { type: 'string' },
    },
  })
  if (values.only === 'lists') return writeSection('Lists', await measureLists())
  if (values.only === 'screens') return writeSection('Screens', await measureScreens())
  if (values.only === 'imports') return writeSection('Imports', await measureImports())
  if (values.only === 'links') return writeSection('Links', await measureLinks())
  if (values.only === 'deliveries')
    return writeSection('Deliveries over SMPP', await measureDeliveries({ seconds: Number(values.seconds) }))
  const sizes = values.records.split(',').map(Number)
  if (values.only === 'providers') return writeSection('Providers', await measureProviders(sizes[0] ?? 0))
  if (values.only !== undefined)
    throw new Error('--only takes lists, screens, imports, providers, deliveries or links')
  if (values['only-reads']) {
    const { keep, query, 'per-second': rate } = values
    const pace = rate === undefined ? {} : { perSecond: Number(rate) }
    const table = await measureReads({ sizes, keep, only: query, ...pace })
    console.log(table)
    if (query === undefined) await writeReads(table)
    return
  }
  const traffic = await measureTraffic({ rounds: Number(values.rounds), seconds: Number(values.seconds) })
  console.log(trafficTable(traffic))
  await writeTraffic(traffic)
  if (values['no-reads']) return
  await writeReads(await measureReads({ sizes }))
  await writeSection('Lists', await measureLists())
  await writeSection('Screens', await measureScreens())
  await writeSection('Imports', await measureImports())
  await writeSection('Providers', await measureProviders(sizes[0] ?? 0))
  await writeSection('Links', await measureLinks())
}

async function measureCloseAlone(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      records: { type: 'string', default: '10000000' },
      clients: { type: 'string', default: '10000' },
      seconds: { type: 'string', default: '5' },
      keep: { type: 'string' },
      only: { type: 'string' },
      try: { type: 'boolean', default: false },
    },
  })
  const [records = 0, clients = 0, seconds = 0] = [values.records, values.clients, values.seconds].map(Number)
  const { keep, only } = values
  const write = async (title: string, section: string) => {
    console.log(section)
    if (!values.try) await writeSection(title, section)
  }
  if (only !== 'races')
    await write('Closing a cycle', await measureClose({ records, clients, seconds, perSecond: 2_000, keep }))
  if (only !== 'large') await write('Closers killed at work', await measureRaces())
}

const [, , part, argument = ''] = process.argv
if (part === 'ours') await serveOurs()
else if (part === 'npm') await serveNpm()
else if (part === 'provider') serveProvider()
else if (part === 'receive') receive()
else if (part === 'close') await measureCloseAlone(process.argv.slice(3))
else if (part === 'probe') {
  await probe(JSON.parse(argument) as ProbeOptions)
  process.exit(0)
} else if (part === 'closer') await closeForEver(argument)
else if (part === 'load') {
  console.log(JSON.stringify(await runLoad(JSON.parse(await readInput()) as LoadOptions)))
  process.exit(0)
} else await measureAll()
