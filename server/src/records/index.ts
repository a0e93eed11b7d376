// The entry of the records slice.
export {
  createIngest,
  ensureRecordWeek,
  readBodies,
  readBody,
  readPeerIds,
  recordFlags,
  recordsPerBatchId,
  type Completion,
  type FailureReason,
  type Ingest,
  type IdStyle,
  type IngestMessage,
  type RawMessage,
} from './ingest/index.ts'
export { createdBetween } from './query/cycle-span.ts'
export { readUnowned, readUnownedSince, type UnownedRecord } from './read/unowned.ts'
export { changeRecords } from './change/store.ts'
export { messageIdOf, parseMessageId, type RecordKey } from './message-id.ts'
export { createRecordReads, type RecordReads } from './create-record-reads.ts'
export { triesWords, type LaterSteps, type TimelineStep } from './read/get-record.ts'
export {
  comparePositions,
  parsePosition,
  positionBelow,
  formatPosition,
  type LogPosition,
} from './log/log-position.ts'
export { logEnd, readLog, type LogEvent } from './log/read-log.ts'
export {
  BatchFollower,
  EventFollower,
  follow,
  recordsOfBatches,
  savedProgress,
  type FollowStep,
  type FollowWork,
  type LogBatch,
} from './log/follower.ts'
export { RecordsGone } from './log/read-range.ts'
export { writeRange, type RangeDeps, type RangeSummary } from './read/write-range.ts'
export { explainSearch } from './read/explain-search.ts'
export { oldestRecordAt } from './retention/drop-records.ts'
export { refusedTroubles } from './trouble/refused-messages.ts'
export { trafficTroubles } from './trouble/usual-traffic.ts'
export { recountHours } from './trouble/recount-hours.ts'
export { retentionJobs } from './retention/jobs.ts'
export {
  readContents,
  readForClients,
  readJoinedMessages,
  readMessagesForClients,
  type ClientMessage,
  type ClientRecord,
  type JoinedContents,
  type MessageContents,
} from './read/client-view.ts'
export type { EndedMessage } from './long-messages/store.ts'
export { defineMessageWait } from './long-messages/wait-setting.ts'
export { throughputReader } from './read/throughput.ts'
export { noReportWord } from './query/codes.ts'
export { forgetTimes, readTimes, takeOver, type RecordTimes } from './times/record-times.ts'
