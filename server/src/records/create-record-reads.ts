// Builds the reading half of the slice: lists, sums, dashboard figures, single records, texts, the export, the live feed.
import type { Audit } from '../audit/index.ts'
import type { Mail } from '../mail/index.ts'
import type { NumberDirectory } from '../numbers/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { Db } from '../platform/db.ts'
import { afterCommit } from '../platform/transaction.ts'
import { bindOn, type Actor, type BoundRoutes } from '../platform/http/handlers.ts'
import type { Job } from '../platform/work/jobs.ts'
import type { Secrets } from '../platform/security/secrets.ts'
import { sendMails } from './analytics/mails.ts'
import { NumberDays } from './analytics/number-days.ts'
import { completedEvent, type StateEvent } from './feed/state-events.ts'
import { LiveFeed } from './feed/live-feed.ts'
import { EventPolls } from './feed/poll-events.ts'
import { StateChannel } from './feed/state-channel.ts'
import { LongMessageJoiner, type LongMessageJoinerOptions } from './long-messages/long-message-joiner.ts'
import type { LaterSteps } from './read/get-record.ts'
import type { ReadPeerIds } from './read/export-columns.ts'
import { bindAnalyticsRoutes, bindRecordsRoutes, bindSuppliersRoutes, bindUnownedRoutes } from './routes.ts'
import { Overload } from '../platform/load/overload.ts'
import { SearchIndexer } from './search/index.ts'

export interface RecordReadsDeps {
  readonly db: Db
  /** The database for heavy calls; `db` by default. */
  readonly heavyDb?: Db | undefined
  readonly clock: Clock
  /** Where searches look up numbers. */
  readonly numbers: NumberDirectory
  readonly secrets: Pick<Secrets, 'decrypt'>
  readonly audit: Pick<Audit, 'record'>
  /** Undefined: no mail server, so views of Analytics are not mailed. */
  readonly mail?: Pick<Mail, 'enqueueEncrypted'> | undefined
  /** The console's address for links in mails; without it they name the page. */
  readonly consoleUrl?: string | undefined
  /** The user of this session or key now; undefined once it has ended. Called every two seconds for each open stream. */
  readonly currentActor: (actor: Actor) => Promise<Pick<Actor, 'userId' | 'role'> | undefined>
  /** Gives what happened to a record after its commit: deliveries, receipts, holds. */
  readonly laterSteps?: LaterSteps
  /** Gives the ids that peers were answered with, for exports; by default they are the records' own. */
  readonly peerMessageIds?: ReadPeerIds
  /** How long a long message waits for its next segment; 10 minutes by default. */
  readonly messageWaitMs?: LongMessageJoinerOptions['waitMs']
  /** Does what follows from the end of long messages, in the transaction that ends them; nothing by default. */
  readonly onMessagesEnded?: LongMessageJoinerOptions['onEnded']
  /** Makes background work wait for messages; never by default. */
  readonly overload?: Overload
  readonly onFault: (error: Error) => void
}

export interface RecordReads {
  readonly jobs: readonly Job[]
  readonly routes: BoundRoutes[]
  /**
   * Sends the new state of a connection, worker, hold or request to the screens, on every node. Call it after the commit.
   * Never throws; a screen that misses the event polls.
   */
  publish(event: StateEvent): Promise<void>
  /** Starts listening for other nodes' events. With `follows`, also keeps the search index up to date and joins
   * long messages: a worker's tasks. */
  start(options: { follows: boolean }): Promise<void>
  /** Ends all streams and the background work. */
  stop(): Promise<void>
}

const ownIds: ReadPeerIds = async (_, messages) =>
  new Map(messages.map(({ recordId, messageId }) => [recordId, messageId]))
const messageWaitStandardMs = 600_000

/** Builds the reading half of the slice; nothing runs before {@link RecordReads.start}. */
export function createRecordReads(deps: RecordReadsDeps): RecordReads {
  const { db, clock, numbers, secrets, audit, onFault, peerMessageIds = ownIds } = deps
  const feed = new LiveFeed<Actor>({ db, currentActor: deps.currentActor, onFault })
  const polls = new EventPolls(db)
  const channel = new StateChannel({ db, onEvent: (event) => feed.send(event), onFault })
  const overload = deps.overload ?? new Overload({ isBusy: () => false })
  const indexer = new SearchIndexer({ db, onFault, overload })
  const numberDays = new NumberDays({ db, onFault, overload })
  const joiner = new LongMessageJoiner({
    db,
    secrets,
    overload,
    onFault,
    waitMs: deps.messageWaitMs ?? (async () => messageWaitStandardMs),
    async onEnded(tx, ended) {
      await deps.onMessagesEnded?.(tx, ended)
      afterCommit(tx, () => {
        for (const message of ended) void channel.publish(completedEvent(message))
      })
    },
  })
  const mailing = deps.mail && {
    reading: { db: deps.heavyDb ?? db, clock, numbers },
    mail: deps.mail,
    consoleUrl: deps.consoleUrl,
  }
  return {
    jobs: mailing
      ? [{ name: 'mail-analytics', everyMs: 60_000, run: (signal) => sendMails(mailing, signal) }]
      : [],
    routes: [
      bindOn(deps, ({ db: from }) =>
        bindRecordsRoutes({
          reading: { db: from, clock, numbers, peerMessageIds },
          texts: { db: from, secrets, audit, joinSegments: () => joiner.catchUp() },
          contents: { db, secrets, audit, onFault },
          laterSteps: deps.laterSteps ?? (async () => []),
          feed,
          polls,
        }),
      ),
      bindOn(deps, ({ db: from }) => bindUnownedRoutes({ db: from, clock, numbers })),
      bindOn(deps, ({ db: from }) =>
        bindAnalyticsRoutes({ db: from, clock, numbers }, deps.mail !== undefined),
      ),
      bindSuppliersRoutes({ db, audit }),
    ],
    publish: (event) => channel.publish(event),
    async start({ follows }) {
      await channel.start()
      if (!follows) return
      indexer.start()
      joiner.start()
      numberDays.start()
    },
    async stop() {
      feed.stop()
      channel.stop()
      await Promise.all([indexer.stop(), joiner.stop(), numberDays.stop()])
    },
  }
}
