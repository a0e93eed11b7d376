// The entry of the record search; nothing outside of this folder uses another file of it.
export { dropIndex } from './drop-index.ts'
export { eraseLines } from './erase-lines.ts'
export { findOldest } from './find-oldest.ts'
export { findPage } from './find-page.ts'
export { SearchIndexer } from './search-indexer.ts'
export { mergeSums, sumRecords, type SumRow } from './sum-records.ts'
export { describe } from './trace.ts'
