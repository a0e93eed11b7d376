// `npm run drill -- NAME [--seed N] [--short] [--option value ...]`: harms a gateway of its own on this machine and reports
// whether it survived. The last line is the verdict, the exit status 0 or 1. Without a name it lists the drills.
import { runCommand, say, UsageError } from '../src/platform/process/command.ts'
import { backup } from './backup.ts'
import { badBodies } from './bad-bodies.ts'
import { clock } from './clock.ts'
import type { Drill } from './define.ts'
import { diskFull } from './disk-full.ts'
import { distributed } from './distributed.ts'
import { failover } from './failover.ts'
import { fuzzPdus } from './fuzz-pdus.ts'
import { kill } from './kill.ts'
import { lostDisk } from './lost-disk.ts'
import { money } from './money.ts'
import { frozen, rolling } from './nodes.ts'
import { outage } from './outage.ts'
import { quiet } from './quiet.ts'
import { runDrillCommand } from './run-drill.ts'
import { upgrade } from './upgrade.ts'

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
  lostDisk,
  badBodies,
  fuzzPdus,
  money,
  upgrade,
  quiet,
]

const widest = Math.max(...drills.map(({ name }) => name.length))
const usage = [
  'npm run drill -- NAME [options]',
  ...drills.flatMap(({ name, summary, options }) => [
    `${name.padEnd(widest)}  ${summary}`,
    `${''.padEnd(widest)} ${Object.entries(options)
      .map(([option, value]) => ` --${option} ${value}`)
      .join('')}`,
  ]),
  'All take --seed NUMBER, which repeats an earlier run, and --short.',
].join('\n')

const name = process.argv[2]
const drill = drills.find((candidate) => candidate.name === name)
await (drill === undefined
  ? runCommand({
      usage,
      options: {},
      async run() {
        if (name !== undefined) throw new UsageError(`There is no drill ${name}.`)
        say(usage)
        return 0
      },
    })
  : runDrillCommand(drill))
