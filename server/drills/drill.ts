// `npm run drill -- NAME [--seed N] [--short] [--option value ...]`: does harm to a gateway of its own on this machine and
// says whether it held. The last line is the verdict, the exit status 0 or 1. Without a name it lists the drills.
import { backup } from './backup.ts'
import { badBodies } from './bad-bodies.ts'
import { clock } from './clock.ts'
import type { Drill } from './define.ts'
import { diskFull } from './disk-full.ts'
import { failover } from './failover.ts'
import { kill } from './kill.ts'
import { frozen, rolling } from './nodes.ts'
import { outage } from './outage.ts'
import { runDrill } from './run-drill.ts'

const drills: readonly Drill[] = [
  // One a line, so that additions do not meet.
  kill,
  outage,
  failover,
  frozen,
  rolling,
  clock,
  diskFull,
  backup,
  badBodies,
]
