// Entry of the tron slice: the TRON node, and the verdict on a transfer.
export { explorers } from './networks.ts'
export { newestBlockAt } from './newest-block.ts'
export {
  judgeTransfer,
  transferTopic,
  isFailed,
  loggedTransfers,
  type Verdict,
  type ExpectedTransfer,
  type LoggedTransfer,
} from './judge-transfer.ts'
export {
  findReceipt,
  findUnsettledBlock,
  lookUp,
  isBlacklisted,
  type TransactionReceipt,
  type Lookup,
} from './tron-node.ts'
export { isTokenContract } from './token-contract.ts'
export { findBalance, listOutgoing, type TransferPage } from './account.ts'
export type { TronSettings } from './settings.ts'
