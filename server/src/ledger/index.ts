// Front door of the ledger slice.
export { balancesOf, settlementCode } from './balances.ts'
export { LedgerChecker, type FurtherCheck, type LedgerBreak, type LedgerFindings } from './checker.ts'
export { createLedger, type Ledger, type LedgerDeps } from './ledger.ts'
export {
  earningsInsert,
  findOpenCycle,
  type AccountSum,
  type Cycle,
  type LedgerAccount,
  type LedgerLine,
} from './store.ts'
