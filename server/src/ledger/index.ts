// Entry of the ledger slice.
export { balancesAt, type BalancesAt } from './balances-at.ts'
export { balancesOf, settlementCode } from './balances.ts'
export { LedgerChecker, type LedgerBreak } from './checker.ts'
export { accountsPosted, readJournal, type JournalEntry } from './journal.ts'
export { createLedger, type Ledger } from './ledger.ts'
export { earningsInsert, findOpenCycle, type Cycle, type LedgerLine } from './store.ts'
