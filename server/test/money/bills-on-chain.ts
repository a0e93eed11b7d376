// Bills whose payments are looked up at the stand-in of a TRON node.
import { sql } from 'kysely'
import { row, rows, type Db } from '../../src/platform/db.ts'
import { toAddress } from '../../src/rates/index.ts'
import { openTestBilling, type TrafficSpec } from './billing.ts'
import { contractHex, usdtContract, walletHex } from './treasury.ts'
import { openTronNode } from '../stand-ins/tron-node.ts'

export const clientAccount = '44'.repeat(20)
export const strangerAccount = '55'.repeat(20)
/** From our wallet to the clients: 0.50 USDT. */
export const good = { contract: contractHex, from: walletHex, to: clientAccount, amountMicro: 500_000n }
export const hashOf = (digit: string) => digit.repeat(64)

/**
 * Five clients with bills in a closed cycle, of 0.50 USDT each unless `traffic` says otherwise, all to one address. The
 * admin pays; where `traffic` has only clients, u5 does and u4 may. The node knows no transaction.
 */
export async function openBills(...traffic: Partial<TrafficSpec>[]) {
  const node = await openTronNode()
  const environment = await openTestBilling({ tron: { apiUrl: node.url, apiKey: 'key', usdtContract } })
  const { aClosedCycle, billing, call, clock, db } = environment
  await sql`insert into payment_profiles (user_id, usdt_address)
    select id, ${toAddress(clientAccount)} from users where id <= ${traffic.length > 0 ? 3 : 5}`.execute(db)
  await sql`insert into settings (key, value)
    values ('treasury_addresses', ${toAddress(walletHex)})`.execute(db)
  const cycle = await aClosedCycle(
    ...(traffic.length > 0 ? traffic : [1, 2, 3, 4, 5].map((userId) => ({ client: userId }))),
  )
  // Nobody pays an account that is paid to his own address.
  const payer = traffic.length > 0 ? 5 : 6
  const path = (userId: number) => `/api/billing/periods/${cycle.id}-${userId}`
  const bill = async (userId: number) =>
    (await call(5, 'GET', `/api/billing/all-periods?userId=${userId}`)).body.find(
      ({ id }: { id: string }) => id === `${cycle.id}-${userId}`,
    )
  /** Runs the check that is due next. */
  async function check() {
    clock.advance(10_000)
    await billing.checkPayments()
  }
  return {
    ...environment,
    cycle,
    node,
    bill,
    check,
    pay: (userId: number, digit: string, by = payer) =>
      call(by, 'PUT', `${path(userId)}/pay`, { body: { transactionHash: hashOf(digit) } }),
    decide: (userId: number, action: 'accept' | 'reject', reason: string) =>
      call(payer, 'PUT', `${path(userId)}/decide`, { body: { action, reason } }),
    /** Decides on one payment by its own id. */
    decidePayment: (id: string, body: { action: string; difference?: string; reason: string }, by = payer) =>
      call(by, 'PUT', `/api/payments/${id}/decide`, { body }),
    /** A transfer from our wallet to the clients in a final block; the amount in USDT. */
    send: (digit: string, amountMicro: bigint) =>
      node.mine(hashOf(digit), [{ ...good, amountMicro }], { at: clock.now() }),
    /** The status of a bill and of its payment after the next check. */
    checked: async (userId: number) => {
      await check()
      const { status, paymentVerification } = await bill(userId)
      return [status, paymentVerification]
    },
  }
}

/** What is booked of each transfer of a transaction, and to how many payments. */
export function bookedOf(db: Db, txid: string) {
  return rows<{ log: number; booked: string; payments: number }>(
    db,
    sql`select log_index as log, booked_micro as booked,
          (select count(*)::int from payment_transfers p where p.transfer_id = t.id) as payments
        from transfers t where txid = ${txid} order by log_index`,
  )
}

/** What the ledger has of a client, by account; without `userId`, of everybody and the platform. */
export async function ledgerOf(db: Db, userId?: number): Promise<Record<string, string>> {
  const found = await rows<{ account: string; sum: string }>(
    db,
    sql`select account, sum(amount_micro)::text as sum from ledger_entries
        where ${userId ?? null}::int is null or user_id = ${userId ?? null}::int
        group by account having sum(amount_micro) <> 0`,
  )
  return Object.fromEntries(found.map(({ account, sum }) => [account, sum]))
}

/** The credit of a client, in millionths. */
export async function creditOf(db: Db, userId: number): Promise<number> {
  const found = await row<{ amount: string }>(
    db,
    sql`select amount_micro as amount from client_credits where user_id = ${userId}`,
  )
  return Number(found?.amount ?? 0)
}
