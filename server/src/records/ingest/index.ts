// What the rest of the records slice offers of ingest.
export { createIngest, type Ingest, type IngestDeps } from './create-ingest.ts'
export { addTallies, type TallyChange } from './fold-store.ts'
export { recordFlags } from './message.ts'
export type { Acceptance, Completion, FailureReason, IngestMessage, RefusalReason } from './message.ts'
export type { IngestPace } from './pace.ts'
export type { StoredMessage } from './store-within.ts'
export { readBodies, readBody } from './read-body.ts'
export type { RawMessage } from './body-layout.ts'
