// Builds the reading half of the slice: lists, sums, figures, single records, texts, the export and the live feed.
import type { Audit } from '../audit/index.ts'
import type { NumberDirectory } from '../numbers/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { Db } from '../platform/db.ts'
import { bindOn, type Actor, type BoundRoutes } from '../platform/http/handlers.ts'
import type { Secrets } from '../platform/security/secrets.ts'
import type { News } from './feed/audience.ts'
import { LiveFeed } from './feed/live-feed.ts'
import { NewsChannel } from './feed/news-channel.ts'
import type { LaterSteps } from './read/get-record.ts'
import { bindRecordsRoutes } from './routes.ts'
import { SearchFollower } from './search/follower.ts'

export interface RecordReadsDeps {
  readonly db: Db
  /** What heavy calls work on; `db` unless given. */
  readonly heavyDb?: Db | undefined
  readonly clock: Clock
  /** What searches by number look at. */
  readonly numbers: NumberDirectory
  readonly secrets: Pick<Secrets, 'open'>
  readonly audit: Pick<Audit, 'record'>
  /** Who this session or key belongs to now; undefined once it has ended. Asked every two seconds for each open stream. */
  readonly currentActor: (actor: Actor) => Promise<Pick<Actor, 'userId' | 'role'> | undefined>
  /** What happened to a record after its commit: handing on, receipts, holds. */
  readonly laterSteps?: LaterSteps
  /** Whether messages flood in just now, so that background work should stand back; never unless given. */
  readonly isBusy?: () => boolean
  readonly onFault: (error: Error) => void
}

export interface RecordReads {
  readonly routes: BoundRoutes[]
  /**
   * Tells the screens of a new state of a connection, worker, hold or request, on every node. Call it after the commit.
   * Never throws; a screen that misses it polls.
   */
  publish(news: News): Promise<void>
  /** Starts listening for other nodes' news; with `follows`, also keeps the search tables up to date (a worker's part). */
  start(options: { follows: boolean }): Promise<void>
  /** Ends all streams and the work behind them. */
  stop(): Promise<void>
}

/** Builds the reading half of the slice; nothing runs before {@link RecordReads.start}. */
export function createRecordReads(deps: RecordReadsDeps): RecordReads {
  const { db, clock, numbers, secrets, audit, onFault } = deps
  const feed = new LiveFeed<Actor>({ db, currentActor: deps.currentActor, onFault })
  const channel = new NewsChannel({ db, onNews: (news) => feed.tell(news), onFault })
  const follower = new SearchFollower({ db, onFault, isBusy: deps.isBusy ?? (() => false) })
  return {
    routes: [
      bindOn(deps, ({ db: from }) =>
        bindRecordsRoutes({
          reading: { db: from, clock, numbers },
          texts: { db: from, secrets, audit },
          laterSteps: deps.laterSteps ?? (async () => []),
          feed,
        }),
      ),
    ],
    publish: (news) => channel.publish(news),
    async start({ follows }) {
      await channel.start()
      if (follows) follower.start()
    },
    async stop() {
      feed.stop()
      channel.stop()
      await follower.stop()
    },
  }
}
