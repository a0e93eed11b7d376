// Debts of three clients, a wallet of ours at the stand-in of a TRON node, and people who pay: u4, u5 (support), u6 (admin).
import { sql } from 'kysely'
import type { TreasuryTransfer } from '@tollgate/contract/treasury/transfers.ts'
import type { BillingOptions } from '../../src/billing/index.ts'
import { addressBytes, toAddress } from '../../src/rates/index.ts'
import type { ChainTransfer } from '../../src/programs/demo/chain-account.ts'
import { addressOf, openTestBilling, type TrafficSpec } from './billing.ts'
import { openTronNode } from '../stand-ins/tron-node.ts'

export const usdtContract = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'
export const contractHex = addressBytes(usdtContract) ?? ''
export const walletHex = '33'.repeat(20)
/** 64 hexadecimal digits. */
export const txidOf = (number: number): string => number.toString(16).padStart(64, 'a')

const debtsByDefault: Partial<TrafficSpec>[] = [
  // A bill of 0.50 and a payout of 1.00 of client 1, a bill of 0.05 of client 2, and one of 210 of client 3.
  { client: 1, number: 1, count: 10, amountMicro: 50_000 },
  { client: 1, number: 3, count: 2, amountMicro: 500_000 },
  { client: 2, number: 2, count: 1, amountMicro: 50_000 },
  { client: 3, number: 2, count: 3, amountMicro: 70_000_000 },
]

/** The debts of a closed cycle; each client has an address of its own. Nothing has left the wallet. */
export async function openTestTreasury({
  traffic = debtsByDefault,
  hasNode = true,
  announce,
}: {
  readonly traffic?: Partial<TrafficSpec>[]
  readonly hasNode?: boolean
  readonly announce?: BillingOptions['announce']
} = {}) {
  const node = await openTronNode()
  const tron = { apiUrl: node.url, apiKey: 'key', usdtContract }
  const environment = await openTestBilling({ ...(hasNode && { tron }), announce })
  const { aPayee, aClosedCycle, billing, call, clock, db } = environment
  for (const client of [1, 2, 3]) await aPayee(client)
  await sql`insert into settings (key, value)
    values ('treasury_addresses', ${toAddress(walletHex)})`.execute(db)
  const { id: cycleId } = await aClosedCycle(...traffic)
  let sent = 0

  const transferTo = (to: string, amountMicro: bigint): ChainTransfer => ({
    contract: contractHex,
    from: walletHex,
    to: addressBytes(to) ?? '',
    amountMicro,
  })
  /** Puts transfers from our wallet into a final block, in one transaction. Returns its hash. */
  function send(...transfers: (readonly [string, bigint])[]): string {
    sent += 1
    node.mine(
      txidOf(sent),
      transfers.map(([to, amountMicro]) => transferTo(to, amountMicro)),
      { at: clock.now() },
    )
    return txidOf(sent)
  }
  /** Reads what the node has by then, some seconds later. */
  async function read(afterMs = 10_000): Promise<void> {
    clock.advance(afterMs)
    await billing.readTreasury()
  }
  const transfers = async (query = ''): Promise<TreasuryTransfer[]> =>
    (await call(4, 'GET', `/api/treasury/transfers${query}`)).body
  return { ...environment, node, cycleId, transferTo, send, read, transfers, address: addressOf }
}
