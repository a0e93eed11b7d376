// What a simulated TRON node says of an account: its transfers, page by page as TronGrid lists them, and its balance.
import { addressBytes, toAddress } from '../../rates/index.ts'

export interface ChainTransfer {
  /** 20 bytes as hex, like the other addresses. */
  readonly contract: string
  readonly from: string
  readonly to: string
  readonly amountMicro: bigint
}

/** A transaction in an irreversible block. */
export interface ListedTransaction {
  readonly hash: string
  readonly atMs: number
  readonly transfers: readonly ChainTransfer[]
}

const pageMax = 200

/** The account's address in a path of its transfers; undefined for any other path. */
export function accountIn(path: string): string | undefined {
  return /^\/v1\/accounts\/(T[1-9A-HJ-NP-Za-km-z]{33})\/transactions\/trc20$/.exec(path)?.[1]
}

/** A page of an account's transfers, oldest first, as `query` asks for it. */
export function accountPage(
  transactions: readonly ListedTransaction[],
  account: string,
  query: URLSearchParams,
): object {
  const limit = Math.min(Number(query.get('limit') ?? 20), pageMax)
  const skipped = Number(query.get('fingerprint') ?? 0)
  const accountHex = addressBytes(account)
  const token = addressBytes(query.get('contract_address') ?? '')
  const isOutgoing = query.get('only_from') === 'true'
  const lines = transactions
    .filter(({ atMs }) => atMs >= Number(query.get('min_timestamp') ?? 0))
    .toSorted((a, b) => a.atMs - b.atMs)
    .flatMap(({ hash, atMs, transfers }) => transfers.map((transfer) => ({ hash, atMs, ...transfer })))
    .filter(
      ({ contract, from, to }) =>
        (token === undefined || contract === token) &&
        (from === accountHex || (to === accountHex && !isOutgoing)),
    )
  const data = lines.slice(skipped, skipped + limit).map(toLine)
  const end = skipped + data.length
  return {
    success: true,
    data,
    meta: { at: 0, page_size: data.length, ...(end < lines.length && { fingerprint: String(end) }) },
  }
}

function toLine({
  hash,
  atMs,
  contract,
  from,
  to,
  amountMicro,
}: ChainTransfer & { readonly hash: string; readonly atMs: number }) {
  return {
    transaction_id: hash,
    token_info: { symbol: 'USDT', address: toAddress(contract), decimals: 6, name: 'Tether USD' },
    block_timestamp: atMs,
    from: toAddress(from),
    to: toAddress(to),
    type: 'Transfer',
    value: String(amountMicro),
  }
}

/** The reply to balanceOf(address): what an account that began with `startMicro` has left. */
export function balanceReply(
  transactions: readonly ListedTransaction[],
  account: string,
  contract: string,
  startMicro: bigint,
): object {
  const moved = transactions.flatMap(({ transfers }) =>
    transfers.filter((each) => each.contract === contract),
  )
  const balance = moved.reduce(
    (sum, { from, to, amountMicro }) =>
      sum - (from === account ? amountMicro : 0n) + (to === account ? amountMicro : 0n),
    startMicro,
  )
  return {
    result: { result: true },
    constant_result: [(balance < 0n ? 0n : balance).toString(16).padStart(64, '0')],
  }
}
