// Whether a transaction pays a bill or payout. Only the logs of USDT's own contract count, never names or call data.
import { keptText } from '@tollgate/contract/kept-texts.ts'
import type { PaymentVerification } from '@tollgate/contract/vocabulary.ts'
import { formatMicro } from '@tollgate/contract/money.ts'
import type { TransactionReceipt } from './tron-node.ts'

/** Keccak-256 of Transfer(address,address,uint256). */
export const transferTopic = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

/**
 * How much older than the bill a transfer may be. A block's time is its producer's and the bill's time is ours, so a
 * transfer sent just after the close can look older. Within this span the client has no other bill it could be for.
 */
const blockClockToleranceMs = 5 * 60_000

/** What must be true of the transfer. Addresses are their 20 bytes as hex. */
export interface ExpectedTransfer {
  readonly contract: string
  readonly to: string
  /** Wallets of ours; empty: any sender, but then nothing is verified. */
  readonly from: readonly string[]
  /** What the payment was entered for; it says which of several transfers is meant. */
  readonly amountMicro: bigint
  /** What is due now. */
  readonly dueMicro: bigint
  readonly notBefore: Date
  /** Log indexes whose transfers have paid something already. */
  readonly claimed: ReadonlySet<number>
  /** Amounts of other payments that name this transaction and go to the same address. */
  readonly othersMicro: readonly bigint[]
  /** Whether other payments name this transaction too, to any address. */
  readonly isShared: boolean
}

export interface Verdict {
  readonly verification: PaymentVerification
  readonly note: string
  /** The transfers that pay. */
  readonly transfers: readonly LoggedTransfer[]
}

/** A transfer in a transaction's log. Addresses are their 20 bytes as hex. */
export interface LoggedTransfer {
  readonly logIndex: number
  readonly from: string
  readonly to: string
  readonly amountMicro: bigint
}

const rejected = (note: string): Verdict => ({ verification: 'rejected', note, transfers: [] })

// A thousand times all the USDT that exists. A contract that logs more is not USDT's, and the ledger's columns could
// not hold much more.
const amountMaxMicro = 10n ** 18n - 1n

// Some encoders leave the 41 in the padding, so only the last 20 bytes of a topic are the account.
const accountOf = (topic: string | undefined): string => (topic ?? '').slice(-40)

/** Judges an irreversible transaction. */
export function judgeTransfer(receipt: TransactionReceipt, expected: ExpectedTransfer): Verdict {
  if (isFailed(receipt)) return rejected('The transaction failed on chain.')
  // Nodes are known to show a success before its logs.
  if (receipt.log.length === 0)
    return { verification: 'confirming', note: 'The node does not show the transfer yet.', transfers: [] }
  const transfers = loggedTransfers(receipt, expected.contract)
  if (transfers.length === 0) return rejected('The transaction moves no USDT.')
  const received = transfers.filter(({ to }) => to === expected.to)
  if (received.length === 0) return rejected("The transfer goes to another address than the bill's.")
  const paying = received.filter(({ from }) => expected.from.length === 0 || expected.from.includes(from))
  if (paying.length === 0) return rejected('The transfer does not come from one of our wallets.')
  if (receipt.blockTimeStamp < expected.notBefore.getTime() - blockClockToleranceMs)
    return rejected('The transfer is older than the bill.')
  const own = ownOf(paying, expected)
  if (own.length === 0) return rejected('The transfer has paid something else.')
  const sum = own.reduce((total, { amountMicro }) => total + amountMicro, 0n)
  if (sum !== expected.dueMicro)
    return {
      verification: sum < expected.dueMicro ? 'underpaid' : 'overpaid',
      note: keptText('The transfer is of {amount} USDT instead of {due}.', {
        amount: formatMicro(sum, 2),
        due: formatMicro(expected.dueMicro, 2),
      }),
      transfers: own,
    }
  return expected.from.length > 0
    ? { verification: 'verified', note: '', transfers: own }
    : {
        verification: 'unverified',
        note: 'Nobody has entered which wallets are ours, so the transfer may be somebody else’s.',
        transfers: own,
      }
}

/** Whether the chain undid everything in the transaction. */
export const isFailed = ({ result, receipt }: TransactionReceipt): boolean =>
  result === 'FAILED' || (receipt.result !== undefined && receipt.result !== 'SUCCESS')

/** The transfers of the token in a transaction. Amounts of 0 and impossible ones are none. */
export function loggedTransfers(receipt: TransactionReceipt, contract: string): LoggedTransfer[] {
  return receipt.log.flatMap(({ address, topics, data }, logIndex) => {
    const isTransfer =
      address.slice(-40) === contract &&
      topics.length === 3 &&
      topics[0] === transferTopic &&
      /^[0-9a-f]{64}$/.test(data)
    const amountMicro = isTransfer ? BigInt(`0x${data}`) : 0n
    return amountMicro === 0n || amountMicro > amountMaxMicro
      ? []
      : [{ logIndex, from: accountOf(topics[1]), to: accountOf(topics[2]), amountMicro }]
  })
}

/**
 * The transfers that can belong to this payment: without those that are claimed, and without one for each other payment
 * of this transaction. When the transaction pays several, each needs one transfer of exactly its amount. When it pays
 * only one, several transfers may add up to it.
 */
function ownOf(
  paying: readonly LoggedTransfer[],
  { claimed, othersMicro, isShared, amountMicro }: ExpectedTransfer,
): LoggedTransfer[] {
  const free = paying.filter(({ logIndex }) => !claimed.has(logIndex))
  for (const other of othersMicro) {
    const index = free.findIndex((transfer) => transfer.amountMicro === other)
    if (index !== -1) free.splice(index, 1)
  }
  const exact = free.find((transfer) => transfer.amountMicro === amountMicro)
  return isShared && exact !== undefined ? [exact] : free
}
