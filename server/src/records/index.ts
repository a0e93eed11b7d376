// Front door of the records slice.
export {
  addTallies,
  createIngest,
  readBodies,
  readBody,
  recordFlags,
  type Acceptance,
  type Completion,
  type FailureReason,
  type Ingest,
  type IngestDeps,
  type IngestMessage,
  type IngestPace,
  type RawMessage,
  type RefusalReason,
  type StoredMessage,
  type TallyChange,
} from './ingest/index.ts'
export { changeRecords, type RecordChange } from './change/store.ts'
export { messageIdOf, parseMessageId, type RecordKey } from './message-id.ts'
export { createRecordReads, type RecordReads, type RecordReadsDeps } from './create-record-reads.ts'
export type { Audience, News, NewsKind } from './feed/audience.ts'
export type { LaterSteps, RecordKey as TimelineKey, TimelineStep } from './read/get-record.ts'
export { comparePlaces, parsePlace, placeBelow, writePlace, type LogPlace } from './feed/place.ts'
export { readLog, type LogEvent } from './feed/read-log.ts'
export { retentionJobs } from './retention/jobs.ts'
export { readForClients, readTexts, type ClientRecord } from './read/client-view.ts'
export { throughputReader, type ThroughputRun } from './read/throughput.ts'
