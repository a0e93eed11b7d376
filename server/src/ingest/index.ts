// Entry of the ingest slice: messages become records, and followers read them in the order of their commits.
export { createIngest, type Ingest } from './create-ingest.ts'
export { recordFlags } from './message.ts'
export { recordsPerBatchId } from './batch-encoder.ts'
export { recordTrace } from './trace-batches.ts'
export type { Completion, FailureReason, IdStyle, IngestMessage } from './message.ts'
export { readBodies, readBody, readPeerIds } from './read-body.ts'
export type { RawMessage } from './body-layout.ts'
export { ensureRecordWeek } from './store.ts'
export { activityCodes, wordAt, completedCode, noReportWord, statusCodes } from './codes.ts'
export {
  BatchFollower,
  follow,
  recordsOfBatches,
  EventFollower,
  progressFrom,
  hasFlags,
  type FollowStep,
  type LogBatch,
} from './log/follower.ts'
export { messageIdOf, parseMessageId, type RecordKey } from './message-id.ts'
export { keyArrays, literalOf } from './key-arrays.ts'
export {
  recordColumns,
  byNewest,
  listPositionOf,
  newestOf,
  type RecordRow,
  type ListPosition,
} from './log/record-row.ts'
export {
  readNames,
  ownNames,
  nameColumns,
  nameJoins,
  type RecordNames,
  type NamedRow,
  type NamedRowOrNone,
} from './log/names.ts'
export { comparePositions, formatPosition, parsePosition, type LogPosition } from './log/log-position.ts'
export { readLog, logEnd, type LogEvent } from './log/read-log.ts'
export { readLogRange, type LogRange, type RangeFilter } from './log/read-range.ts'
export { readTime, type ReceivedTime } from './log/read-time.ts'
export { addSums, pruneHoursOfRanges } from './fold-store.ts'
export { pruneHours } from './store.ts'
export { changeRecords } from './change/store.ts'
export {
  eraseRecords,
  eraseRefused,
  type ErasedPeriod,
  type ErasedSender,
  type WrittenSender,
} from './change/erase-sender.ts'
export { positionBelow } from './log/log-position.ts'
export { savedProgress, type FollowWork } from './log/follower.ts'
export { BatchCounter, type CounterParts } from './log/batch-counter.ts'
export { RecordsGone } from './log/read-range.ts'
export { recountHours } from './recount-hours.ts'
export { forgetTimes, readTimes, takeOver, type RecordTimes } from './times/record-times.ts'
export { bindSuppliersRoutes } from './suppliers/routes.ts'
export { forgetTexts } from './forget-texts.ts'
