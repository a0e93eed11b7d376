// Front door of the ledger slice.
export { createLedger, type Ledger, type LedgerDeps } from './ledger.ts'
export { findOpenCycle, trafficLinesCopy, type Cycle, type LedgerAccount, type LedgerLine } from './store.ts'
