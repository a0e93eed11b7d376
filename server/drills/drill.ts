// `npm run drill -- NAME [--seed N] [--short] [--option value ...]`: harms a gateway of its own on this machine and reports
// whether it survived. The last line is the verdict, the exit status 0 or 1. Without a name it lists the drills.
import { backup } from './backup.ts'
import { badBodies } from './bad-bodies.ts'
import { clock } from './clock.ts'
import type { Drill } from './define.ts'
import { diskFull } from './disk-full.ts'
import { distributed } from './distributed.ts'
import { failover } from './failover.ts'
import { fuzzPdus } from './fuzz-pdus.ts'
import { kill } from './kill.ts'
import { money } from './money.ts'
import { frozen, rolling } from './nodes.ts'
import { outage } from './outage.ts'
import { readOptions, runDrill } from './run-drill.ts'

const drills: readonly Drill[] = [
  // One a line, so that additions do not conflict.
  kill,
  outage,
  failover,
  frozen,
  rolling,
  clock,
  diskFull,
  distributed,
  backup,
  badBodies,
  fuzzPdus,
  money,
]

function list(): void {
  const widest = Math.max(...drills.map(({ name }) => name.length))
  for (const { name, summary, options } of drills) {
    const standard = Object.entries(options).map(([option, value]) => ` --${option} ${value}`)
    console.log(`${name.padEnd(widest)}  ${summary}\n${''.padEnd(widest)} ${standard.join('')}`)
  }
  console.log('All take --seed <number>, which repeats an earlier run, and --short.')
}

const [, , name, ...args] = process.argv
const drill = drills.find((candidate) => candidate.name === name)
if (drill !== undefined) {
  const options = readOptions(drill, args)
  if (typeof options !== 'string') process.exit(await runDrill(drill, options))
  console.error(options)
  process.exit(1)
}
list()
if (name !== undefined) {
  console.error(`There is no drill ${name}.`)
  process.exit(1)
}
