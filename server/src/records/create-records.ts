// Builds the slice: lists, sums, dashboard figures, single records, texts, exports, and the search index behind them.
import type { Audit } from '../audit/index.ts'
import { bindOn, type BoundRoutes } from '../http/handlers.ts'
import type { Clock } from '../platform/clock.ts'
import type { Db } from '../platform/db.ts'
import type { Overload } from '../platform/load/overload.ts'
import type { Secrets } from '../platform/security/secrets.ts'
import type { ReadPeerIds } from './read/read-cells.ts'
import type { LaterSteps } from './read/get-record.ts'
import type { TextDeps } from './read/read-text.ts'
import { bindRecordsRoutes, bindRefusedMessagesRoutes, bindUnownedRoutes } from './routes.ts'
import { SearchIndexer } from './search/index.ts'

export interface RecordsDeps extends Pick<TextDeps, 'joinSegments'> {
  readonly db: Db
  /** The database for heavy calls; `db` by default. */
  readonly heavyDb?: Db | undefined
  readonly clock: Clock
  readonly secrets: Pick<Secrets, 'decrypt'>
  readonly audit: Pick<Audit, 'record'>
  /** Gives what happened to a record after its commit: deliveries, receipts, holds. */
  readonly laterSteps?: LaterSteps | undefined
  /** Gives the ids that peers were answered with, for exports; by default they are the records' own. */
  readonly peerMessageIds?: ReadPeerIds | undefined
  /** Makes the indexer wait for messages. */
  readonly overload: Overload
  readonly onFault: (error: Error) => void
}

export interface Records {
  readonly routes: BoundRoutes[]
  /** Keeps the search index up to date: a worker's task. */
  start(): void
  stop(): Promise<void>
}

const ownIds: ReadPeerIds = async (_, messages) =>
  new Map(messages.map(({ recordId, messageId }) => [recordId, messageId]))

/** Builds the slice; nothing runs before {@link Records.start}. */
export function createRecords(deps: RecordsDeps): Records {
  const { db, clock, secrets, audit, onFault, overload, peerMessageIds = ownIds } = deps
  const indexer = new SearchIndexer({ db, onFault, overload })
  return {
    routes: [
      bindOn(deps, ({ db: from }) =>
        bindRecordsRoutes({
          reading: { db: from, clock, peerMessageIds },
          texts: { db: from, secrets, audit, joinSegments: deps.joinSegments },
          laterSteps: deps.laterSteps ?? (async () => []),
        }),
      ),
      bindOn(deps, ({ db: from }) => bindUnownedRoutes({ db: from, clock })),
      bindOn(deps, ({ db: from }) => bindRefusedMessagesRoutes({ db: from, clock })),
    ],
    start: () => indexer.start(),
    stop: () => indexer.stop(),
  }
}
