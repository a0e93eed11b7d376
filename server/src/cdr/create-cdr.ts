// Puts the slice together.
import { join } from 'node:path'
import type { Audit } from '../audit/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { Db } from '../platform/db.ts'
import { bindOn, type BoundRoutes } from '../http/handlers.ts'
import type { HeavyPace } from '../platform/load/heavy-work.ts'
import type { Logger } from '../platform/log.ts'
import type { Egress } from '../platform/security/egress.ts'
import type { Secrets } from '../platform/security/secrets.ts'
import type { Job } from '../platform/work/jobs.ts'
import { openLeases, type Leases } from '../platform/work/leases.ts'
import type { RangeDeps } from '../records/index.ts'
import { bindCdrRoutes } from './routes.ts'
import { archiveAgain, pruneFiles } from './store.ts'
import { CdrWorker } from './worker.ts'

export interface CdrDeps {
  readonly db: Db
  /** Where the records of files are read; `db` by default. */
  readonly heavyDb?: Db | undefined
  readonly clock: Clock
  readonly log: Logger
  readonly audit: Pick<Audit, 'record'>
  readonly secrets: Pick<Secrets, 'encrypt' | 'decrypt'>
  readonly egress: Pick<Egress, 'call' | 'resolve'>
  readonly peerMessageIds: RangeDeps['peerMessageIds']
  /** How the writing of files makes room for messages. */
  readonly pace?: HeavyPace | undefined
  /** CDR_DIR; undefined: no folder is permitted. */
  readonly cdrDir: string | undefined
  /** DATA_DIR: files are written there before they are delivered. */
  readonly dataDir: string
  /** The pause between two looks at what is due; 5 s by default. */
  readonly turnEveryMs?: number
}

export interface Cdr {
  readonly routes: BoundRoutes[]
  readonly jobs: Job[]
  /** Has the archive of the week of this Monday written anew. */
  readonly archiveAgain: (week: Date) => Promise<void>
  /** With `delivers` (role worker) it makes and delivers the files. */
  start(options: { delivers: boolean }): Promise<void>
  /** Breaks off what is under way; it is delivered anew after the next start. */
  stop(): Promise<void>
}

// As long as the books of a year may be asked for.
const filesKeptMs = 400 * 86_400_000
const pruneEveryMs = 3_600_000
const pruneAtOnce = 1_000

/** Builds the slice; nothing runs before {@link Cdr.start}. */
export function createCdr(deps: CdrDeps): Cdr {
  const { db, heavyDb = db, clock, log, peerMessageIds, pace, dataDir } = deps
  const onFault = (error: unknown) => log.warn({ err: error }, 'making CDR files failed; it is tried again')
  let running: { readonly leases: Leases; readonly worker: CdrWorker } | undefined
  const onChange = () => running?.worker.wake()
  return {
    routes: [bindOn({ ...deps, onChange, testFolder: join(dataDir, 'cdr-tests') }, bindCdrRoutes)],
    jobs: [
      {
        name: 'prune-cdr-files',
        everyMs: pruneEveryMs,
        async run(signal) {
          const before = new Date(clock.now().getTime() - filesKeptMs)
          while (!signal.aborted && (await pruneFiles(db, before, pruneAtOnce)) === pruneAtOnce);
        },
      },
    ],
    archiveAgain: (week) => archiveAgain(db, week),
    async start({ delivers }) {
      if (!delivers) return
      const leases = await openLeases(db, log)
      const worker = new CdrWorker({
        ...deps,
        leases,
        reading: { db: heavyDb, peerMessageIds, pace },
        folder: join(dataDir, 'cdr-files'),
        onFault,
      })
      running = { leases, worker }
      worker.start()
    },
    async stop() {
      const stopped = running
      running = undefined
      await stopped?.worker.stop()
      await stopped?.leases.stop().catch(onFault)
    },
  }
}
