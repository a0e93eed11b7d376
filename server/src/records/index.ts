// Entry of the records slice: how stored records are found, listed, summed, exported and in the end removed.
export { createdBetween } from './query/cycle-span.ts'
export { readUnowned, readUnownedSince, type UnownedRecord } from './read/unowned.ts'
export { createRecords, type RecordsDeps } from './create-records.ts'
export { triesWords, type LaterSteps, type TimelineStep } from './read/get-record.ts'
export { writeRange, type RangeContent, type RangeDeps, type RangeSummary } from './read/write-range.ts'
export { pageOfSender, recordsOfSender } from './read/sender-records.ts'
export { eraseLines } from './search/index.ts'
export { explainSearch } from './read/explain-search.ts'
export { closedWeeks, hasWeeks, oldestRecordAt } from './retention/drop-records.ts'
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
export {
  clientsWithDecided,
  walkDecided,
  firstReviewed,
  isSeen,
  namedMax,
  reviewedSums,
  type DecidedRecord,
  type LinesOf,
  type Reviewed,
  type ReviewedSum,
} from './read/reviewed-records.ts'
export { throughputReader } from './read/throughput.ts'
export { conjunctionOf, rowPredicates, type Condition, type SqlFragment } from './query/condition.ts'
export { countedByDay, countedByHour, countedEver, counterPredicates } from './query/counters.ts'
export { withinSumTime } from './query/sum-time.ts'
export type { ReadDeps } from './read/list-records.ts'
export { resolveFilters } from './read/resolve-filters.ts'
export { isStaff, seesMasked, ownerScope, type Viewer } from './read/viewer.ts'
export { viewRecord } from './read/record-view.ts'
export { textReaderOf } from './routes.ts'
