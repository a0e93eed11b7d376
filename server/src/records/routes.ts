// The routes of records.
import { analyticsRoutes } from '@tollgate/contract/analytics.ts'
import { Refusal } from '@tollgate/contract/errors.ts'
import { recordsRoutes } from '@tollgate/contract/records.ts'
import { suppliersRoutes } from '@tollgate/contract/suppliers.ts'
import { unownedRoutes } from '@tollgate/contract/unowned.ts'
import { isPermitted } from '@tollgate/contract/vocabulary.ts'
import { bindRoutes, type Actor, type BoundRoutes, type CallContext } from '../platform/http/handlers.ts'
import { analyse, exportAnalytics } from './analytics/analyse.ts'
import { deleteMail, keepMail, listMails } from './analytics/mails.ts'
import { eventContents, type ContentsDeps, type ReadEventContents } from './feed/event-contents.ts'
import type { LiveFeed } from './feed/live-feed.ts'
import type { EventPolls } from './feed/poll-events.ts'
import { parsePosition, type LogPosition } from './log/log-position.ts'
import {
  exportChosenRecords,
  exportChosenRecordsAsParquet,
  exportRecords,
  exportRecordsAsParquet,
  type ExportDeps,
} from './read/export-records.ts'
import { getRecord, type LaterSteps } from './read/get-record.ts'
import { listFilterOptions } from './read/list-filters.ts'
import { listRecords, type ReadDeps } from './read/list-records.ts'
import { readText, type TextDeps } from './read/read-text.ts'
import { readActivity, readStats, readWeek } from './read/stats.ts'
import { reportRecords, summariseRecords } from './read/totals.ts'
import { exportUnowned, reportUnowned } from './read/unowned-report.ts'
import type { Viewer } from './read/viewer.ts'
import { readAlias, setAlias, type AliasDeps } from './suppliers/alias.ts'

export interface RouteDeps {
  readonly reading: ExportDeps
  readonly texts: TextDeps
  readonly contents: ContentsDeps
  readonly laterSteps: LaterSteps
  readonly feed: LiveFeed<Actor>
  readonly polls: EventPolls
}

export function bindUnownedRoutes(reading: ReadDeps): BoundRoutes {
  return bindRoutes(unownedRoutes, {
    reportUnowned: ({ query }) => reportUnowned(reading, query),
    exportUnowned: ({ query }) => exportUnowned(reading, query),
  })
}

export function bindAnalyticsRoutes(reading: ReadDeps, canMail: boolean): BoundRoutes {
  return bindRoutes(analyticsRoutes, {
    analyse: ({ query }, { actor }) => analyse(reading, actor, query),
    listAnalyticsMails: (_, { actor }) => listMails(reading.db, actor.userId, canMail),
    async keepAnalyticsMail({ body }, { actor }) {
      await keepMail(reading, actor, body)
      return {}
    },
    async deleteAnalyticsMail({ params }, { actor }) {
      await deleteMail(reading.db, actor.userId, params.id)
      return {}
    },
    exportAnalytics: ({ query }, { actor }) => exportAnalytics(reading, actor, query),
  })
}

export function bindSuppliersRoutes(deps: AliasDeps): BoundRoutes {
  return bindRoutes(suppliersRoutes, {
    getSupplierAlias: ({ query }, { actor }) => readAlias(deps.db, query, actor),
    setSupplierAlias: ({ body }, { actor, ip }) => setAlias(deps, body, { actor, ip }),
  })
}

export function bindRecordsRoutes({
  reading,
  texts,
  contents,
  laterSteps,
  feed,
  polls,
}: RouteDeps): BoundRoutes {
  return bindRoutes(recordsRoutes, {
    listRecords: ({ query }, { actor }) => listRecords(reading, actor, query),
    summariseRecords: ({ query }, { actor }) => summariseRecords(reading, actor, query),
    reportRecords: ({ query: { groupBy, ...filters } }, { actor }) =>
      reportRecords(reading, actor, filters, groupBy),
    exportRecords: ({ query }, { actor }) => exportRecords(reading, actor, query),
    exportChosenRecords: ({ body }, { actor }) => exportChosenRecords(reading, actor, body),
    exportRecordsAsParquet: ({ query }, { actor }) => exportRecordsAsParquet(reading, actor, query),
    exportChosenRecordsAsParquet: ({ body }, { actor }) => exportChosenRecordsAsParquet(reading, actor, body),
    listRecordFilters: (_, { actor }) => listFilterOptions(reading.db, actor),
    getRecord: ({ params }, { actor }) => getRecord(texts, actor, params.id, laterSteps),
    readRecordText: ({ params }, { actor, ip }) =>
      readText(texts, { ...textReaderOf(actor), username: actor.username, ip }, params.id),
    getStats: (_, { actor }) => readStats(reading, actor),
    getActivity: ({ query }, { actor }) => readActivity(reading, actor, query),
    getWeek: (_, { actor }) => readWeek(reading, actor),
    pollEvents: ({ query }, context) =>
      polls.poll(
        context.actor,
        { ...query, contents: contentsFor(query, context, contents) },
        context.signal,
      ),
    async streamEvents({ query }, context) {
      const { actor, signal } = context
      const stream = await feed.open(
        actor,
        startPositionOf(context.header('last-event-id') ?? query.lastEventId),
        contentsFor(query, context, contents),
      )
      // The reader may have gone while the stream was being opened.
      if (signal.aborted) stream.destroy()
      else signal.addEventListener('abort', () => stream.destroy(), { once: true })
      return { contentType: 'text/event-stream; charset=utf-8', stream }
    },
  })
}

/** A program's key reads the texts of its owner's records alone, whatever the owner may read. */
function textReaderOf({ userId, role, scopes }: Actor): Viewer {
  return { userId, role: scopes === undefined ? role : 'user' }
}

/** For a caller who asked for texts; throws Refusal forbidden when the role or the key may not read them. */
function contentsFor(
  { texts }: { readonly texts: 'true' | 'false' },
  { actor, ip }: CallContext<Actor>,
  deps: ContentsDeps,
): ReadEventContents | undefined {
  if (texts === 'false') return undefined
  if (actor.scopes?.includes('texts:read') === false)
    throw new Refusal('forbidden', 'This key lacks the scope texts:read, which texts=true needs.')
  if (!isPermitted(actor.role, 'textRead'))
    throw new Refusal('forbidden', 'Your role may not read texts. Ask without texts=true.')
  return eventContents(deps, { ...textReaderOf(actor), username: actor.username, ip })
}

/** Throws Refusal invalid for a text that is no id of an event of this feed. */
function startPositionOf(id: string | undefined): LogPosition | undefined {
  if (id === undefined || id === '') return undefined
  const position = parsePosition(id)
  if (position === undefined)
    throw new Refusal('invalid', 'The feed cannot resume from there. Open it without an event id.', {
      fields: { lastEventId: 'Not an event id of this feed' },
    })
  return position
}
