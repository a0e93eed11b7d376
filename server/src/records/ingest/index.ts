// The entry to ingest for the rest of the records slice.
export { createIngest, type Ingest, type IngestDeps } from './create-ingest.ts'
export { addToCounters, type CounterChange } from './fold-store.ts'
export { recordFlags } from './message.ts'
export type { Acceptance, Completion, FailureReason, IngestMessage, RefusalReason } from './message.ts'
export type { IngestRate } from './rate-meter.ts'
export type { StoredMessage } from './store-within.ts'
export { readBodies, readBody } from './read-body.ts'
export type { RawMessage } from './body-layout.ts'
