// The routes of records.
import { recordsRoutes } from '@tollgate/contract/records/records.ts'
import { refusedMessagesRoutes } from '@tollgate/contract/records/refused-messages.ts'
import { unownedRoutes } from '@tollgate/contract/records/unowned.ts'
import { bindRoutes, type Actor, type BoundRoutes } from '../http/handlers.ts'
import {
  csvOf,
  exportChosenRecords,
  exportRecords,
  parquetOf,
  type ExportDeps,
} from './read/export-records.ts'
import { getRecord, type LaterSteps } from './read/get-record.ts'
import { listFilterOptions } from './read/list-filters.ts'
import { listRecords, type ReadDeps } from './read/list-records.ts'
import { listRefusedMessages } from './read/refused-messages.ts'
import { readText, type TextDeps } from './read/read-text.ts'
import { readActivity, readStats, readWeek } from './read/stats.ts'
import { reportRecords, summariseRecords } from './read/totals.ts'
import { exportUnowned, reportUnowned } from './read/unowned-report.ts'
import type { Viewer } from './read/viewer.ts'

export interface RouteDeps {
  readonly reading: ExportDeps
  readonly texts: TextDeps
  readonly laterSteps: LaterSteps
}

export function bindUnownedRoutes(reading: ReadDeps): BoundRoutes {
  return bindRoutes(unownedRoutes, {
    reportUnowned: ({ query }) => reportUnowned(reading, query),
    exportUnowned: ({ query }) => exportUnowned(reading, query),
  })
}

export function bindRefusedMessagesRoutes(reading: ReadDeps): BoundRoutes {
  return bindRoutes(refusedMessagesRoutes, {
    listRefusedMessages: ({ query }) => listRefusedMessages(reading, query),
  })
}

export function bindRecordsRoutes({ reading, texts, laterSteps }: RouteDeps): BoundRoutes {
  return bindRoutes(recordsRoutes, {
    listRecords: ({ query }, { actor }) => listRecords(reading, actor, query),
    summariseRecords: ({ query }, { actor }) => summariseRecords(reading, actor, query),
    reportRecords: ({ query: { groupBy, ...filters } }, { actor }) =>
      reportRecords(reading, actor, filters, groupBy),
    exportRecords: ({ query }, { actor }) => exportRecords(reading, actor, query, csvOf),
    exportChosenRecords: ({ body }, { actor }) => exportChosenRecords(reading, actor, body, csvOf),
    exportRecordsAsParquet: ({ query }, { actor }) => exportRecords(reading, actor, query, parquetOf),
    exportChosenRecordsAsParquet: ({ body }, { actor }) =>
      exportChosenRecords(reading, actor, body, parquetOf),
    listRecordFilters: (_, { actor }) => listFilterOptions(reading.db, actor),
    getRecord: ({ params }, { actor }) => getRecord(texts, actor, params.id, laterSteps),
    readRecordText: ({ params }, { actor, ip }) =>
      readText(texts, { ...textReaderOf(actor), username: actor.username, ip }, params.id),
    getStats: (_, { actor }) => readStats(reading, actor),
    getActivity: ({ query }, { actor }) => readActivity(reading, actor, query),
    getWeek: (_, { actor }) => readWeek(reading, actor),
  })
}

/** A program's key reads the texts of its owner's records alone, whatever the owner may read. */
export function textReaderOf({ userId, role, scopes }: Actor): Viewer {
  return { userId, role: scopes === undefined ? role : 'user' }
}
