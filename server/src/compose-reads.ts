// Builds what reads the records: their lists, the live feed, Analytics, and the joining of long messages.
import { bindAnalyticsRoutes, forgetCounters, countNumberDays, sendMails } from './analytics/index.ts'
import { bindOn, type Actor, type BoundRoutes } from './http/handlers.ts'
import { bindSuppliersRoutes } from './ingest/index.ts'
import { countSenderDays } from './integrity/index.ts'
import {
  bindLiveFeedRoutes,
  completedEvent,
  EventPolls,
  LiveFeed,
  StateChannel,
  type StateEvent,
} from './live-feed/index.ts'
import { LongMessageJoiner, type LongMessageJoinerOptions } from './long-messages/index.ts'
import type { Mail } from './mail/index.ts'
import { Overload } from './platform/load/overload.ts'
import { afterCommit } from './platform/transaction.ts'
import type { Job } from './platform/work/jobs.ts'
import { createRecords, type RecordsDeps } from './records/index.ts'

export interface RecordReadsDeps extends Omit<RecordsDeps, 'joinSegments' | 'overload'> {
  /** Undefined: no mail server, so views of Analytics are not mailed. */
  readonly mail?: Pick<Mail, 'enqueueEncrypted'> | undefined
  /** The console's address for links in mails; without it they name the page. */
  readonly consoleUrl?: string | undefined
  /** The user of this session or key now; undefined once it has ended. Called every two seconds for each open stream. */
  readonly currentActor: (actor: Actor) => Promise<Pick<Actor, 'userId' | 'role'> | undefined>
  /** How long a long message waits for its next segment; 10 minutes by default. */
  readonly messageWaitMs?: LongMessageJoinerOptions['waitMs']
  /** Does what follows from the end of long messages, in the transaction that ends them; nothing by default. */
  readonly onMessagesEnded?: LongMessageJoinerOptions['onEnded']
  /** Makes background work wait for messages; never by default. */
  readonly overload?: Overload
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

const messageWaitStandardMs = 600_000

/** Builds the slices; nothing runs before {@link RecordReads.start}. */
export function composeReads(deps: RecordReadsDeps): RecordReads {
  const { db, clock, secrets, audit, onFault } = deps
  const overload = deps.overload ?? new Overload({ isBusy: () => false })
  const feed = new LiveFeed<Actor>({ db, heavyDb: deps.heavyDb, currentActor: deps.currentActor, onFault })
  const channel = new StateChannel({ db, onEvent: (event) => feed.send(event), onFault })
  const counting = [countNumberDays, countSenderDays].map((count) => count({ db, onFault, overload }))
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
  const records = createRecords({ ...deps, overload, joinSegments: () => joiner.catchUp() })
  const mailing = deps.mail && {
    reading: { db: deps.heavyDb ?? db, clock },
    mail: deps.mail,
    consoleUrl: deps.consoleUrl,
  }
  return {
    jobs: [
      ...(mailing
        ? [
            {
              name: 'mail-analytics',
              everyMs: 60_000,
              run: (signal: AbortSignal) => sendMails(mailing, signal),
            },
          ]
        : []),
      {
        name: 'forget-counters',
        everyMs: 3_600_000,
        run: () => forgetCounters(db, clock.now()),
      },
    ],
    routes: [
      ...records.routes,
      bindOn(deps, ({ db: from }) =>
        bindLiveFeedRoutes({
          contents: { db: from, secrets, audit, onFault },
          feed,
          polls: new EventPolls(from),
        }),
      ),
      bindOn(deps, ({ db: from }) => bindAnalyticsRoutes({ db: from, clock }, deps.mail !== undefined)),
      bindSuppliersRoutes({ db, audit }),
    ],
    publish: (event) => channel.publish(event),
    async start({ follows }) {
      await channel.start()
      if (!follows) return
      records.start()
      joiner.start()
      for (const follower of counting) follower.start()
    },
    async stop() {
      feed.stop()
      channel.stop()
      await Promise.all([records.stop(), joiner.stop(), ...counting.map((follower) => follower.stop())])
    },
  }
}
