// The entry to ingest for the rest of the records slice.
export { createIngest, type Ingest } from './create-ingest.ts'
export { recordFlags } from './message.ts'
export { recordsPerBatchId } from './batch-encoder.ts'
export type { Completion, FailureReason, IdStyle, IngestMessage } from './message.ts'
export { readBodies, readBody, readPeerIds } from './read-body.ts'
export type { RawMessage } from './body-layout.ts'
export { ensureRecordWeek } from './store.ts'
