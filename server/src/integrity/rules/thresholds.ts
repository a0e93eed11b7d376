// The thresholds of the rules; integrity_versions keeps every version of them.
export { standardThresholds, type Thresholds } from '@tollgate/contract/integrity/versions.ts'
