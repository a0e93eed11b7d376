// Where every act that moves money is tried: the people who try, and what they try it on. money-actions.ts has the acts.
import { sql } from 'kysely'
import type { HttpMethod } from '@tollgate/contract/route.ts'
import { addressOf, openTestBilling } from './billing.ts'
import { idFrom } from '../environment/database.ts'
import type { TestAnswer } from '../http/api.ts'
import { row } from '../../src/platform/db.ts'
import type { Actor } from '../../src/http/handlers.ts'
import { transaction } from '../../src/platform/transaction.ts'
import { toAddress } from '../../src/rates/index.ts'
import { bookTransfer } from '../../src/billing/payments/book-transfer.ts'
import { noteTransfers } from '../../src/billing/payments/transfer-store.ts'

export type MoneyEnvironment = Awaited<ReturnType<typeof openMoneyActions>>

export const reason = 'checked with the client'
let hashes = 0
export const newHash = () => (hashes += 1).toString(16).padStart(64, 'd')

// u4 and u5 are support, u6 and u7 admins, u8 has the role test. Each of them earns like a client. u9 and u10 are admins who
// only set things up.
export const people = { client: 1, support: 4, admin: 6, tester: 8 } as const
export const [secondSupport, secondAdmin] = [5, 7]
export const stranger = 2
export const [setter, secondSetter] = [9, 10]
/** The wallet that pays. */
export const wallet = toAddress('77'.repeat(20))

export async function openMoneyActions() {
  const environment = await openTestBilling()
  await sql`insert into users (username, email, first_name, last_name, password_hash, role)
    select 'u' || i, 'u@example.org', 'U', 'U', 'x', case i when 8 then 'test' else 'admin' end
    from generate_series(7, 10) i`.execute(environment.db)
  await sql`insert into settings (key, value)
    values ('treasury_addresses', ${wallet}), ('address_wait_hours', '1')`.execute(environment.db)
  const tester = environment.api.signIn({ userId: 8, username: 'u8', role: 'test' })
  await sql`insert into payment_profiles (user_id, usdt_address)
    select id, address from unnest(${[1, 2, 3, 4, 5, 6, 7, 8]}::int[],
      ${[1, 2, 3, 4, 5, 6, 7, 8].map(addressOf)}::text[]) p (id, address)`.execute(environment.db)
  return {
    ...environment,
    call: (userId: number, method: HttpMethod, path: string, given = {}) =>
      environment.call(userId, method, path, userId === people.tester ? { cookie: tester, ...given } : given),
  }
}

/** What one try left behind: done, waiting for a second person, or nothing. */
export type MoneyOutcome = 'done' | 'waits' | 'refused'

export interface MoneyAction {
  readonly name: string
  /** The routes of the contract that it tries. */
  readonly routes: readonly string[]
  /** Who may be let in at all. */
  readonly allowedRoles: readonly (keyof typeof people)[]
  readonly seconds: { readonly support: number; readonly admin: number }
  /** Sets up something of this account worth that many USDT. */
  readonly setUp: (environment: MoneyEnvironment, account: number, amount: number) => Promise<string>
  /** Tries it. For who comes second it is the same call, unless `agree` says otherwise. */
  readonly attempt: (
    environment: MoneyEnvironment,
    userId: number,
    id: string,
    amount: number,
  ) => Promise<TestAnswer>
  readonly agree?: (
    environment: MoneyEnvironment,
    userId: number,
    id: string,
    first: TestAnswer,
  ) => Promise<TestAnswer>
  readonly outcomeOf: (answer: TestAnswer) => MoneyOutcome
  /** Who must agree: a second person above the limit (by default), always, or never. */
  readonly needs?: 'always' | 'never'
  /** It is about an address: whose account will be paid to it does not matter. */
  readonly isOfAddress?: true
}

export const staff = ['support', 'admin'] as const
export const bothStaff = { support: secondSupport, admin: secondAdmin }

/** A bill in a closed cycle. The cycle's other accounts stay as they are. */
export async function aBillOf(
  { aClosedCycle }: MoneyEnvironment,
  client: number,
  amount: number,
): Promise<string> {
  const { id } = await aClosedCycle({ client, count: 1, amountMicro: amount * 1_000_000 })
  return `${id}-${client}`
}

export async function aPayoutOf(
  { aClosedCycle, db }: MoneyEnvironment,
  client: number,
  amount: number,
): Promise<string> {
  await aClosedCycle({ client, number: 3, count: 1, amountMicro: amount * 1_000_000 })
  return idFrom(db)`select max(id) as id from payouts`
}

export const refusedOr = (answer: TestAnswer, outcome: () => MoneyOutcome): MoneyOutcome =>
  answer.status >= 400 ? 'refused' : outcome()

export const micro = (amount: number) => BigInt(amount) * 1_000_000n

/** A transfer of ours to this account that nothing asked for, in an irreversible block. */
export async function aTransferTo(
  { db, clock }: Pick<MoneyEnvironment, 'db' | 'clock'>,
  client: number,
  amountMicro: bigint,
): Promise<string> {
  const at = { blockAt: clock.now(), isFinal: true, seenAt: clock.now() }
  const to = await row<{ address: string }>(
    db,
    sql`select usdt_address as address from payment_profiles where user_id = ${client}`,
  )
  const [noted] = await noteTransfers(db, { network: '', txid: newHash(), ...at }, [
    { logIndex: 0, from: wallet, to: to?.address ?? '', amountMicro },
  ])
  return noted?.id ?? ''
}

/** A payment of a debt by a transfer of `received` USDT: it waits for a decision on the difference. Returns its id. */
export async function aDifferenceOf(
  environment: MoneyEnvironment,
  { client, debt, received }: { client: number; debt: string; received: number },
): Promise<string> {
  const transferId = await aTransferTo(environment, client, micro(received))
  const actor = { userId: setter, username: 'u9', role: 'admin' } as Actor
  const [cycleId = 0] = debt.split('-').map(Number)
  const debtId = debt.includes('-')
    ? ({ kind: 'period', cycleId, userId: client } as const)
    : ({ kind: 'payout', id: debt } as const)
  const parts = [{ debtId, amountMicro: micro(received) }]
  const booking = { transferId, parts, isOurs: true, requestedBy: actor.userId, actor, ip: '', notes: '' }
  const [id = ''] = await transaction(environment.db, (tx) => bookTransfer(tx, environment.deps, booking))
  return id
}

/** A number that received a message of this amount, in USDT, while nobody held it. Returns its id. */
export async function anUnownedNumber(
  { db, ledger, unowned }: MoneyEnvironment,
  amount: number,
): Promise<string> {
  await ledger.ensureOpenCycle()
  const id = await idFrom(db)`insert into numbers (number)
      select (448000000000 + count(*))::text from numbers returning id`
  await sql`insert into rates (scope, number_id, rate_micro, valid_from)
    values ('number', ${id}, ${micro(amount)}, '1970-01-01')`.execute(db)
  await unowned({ number: Number(id), count: 1 })
  return id
}

/** A number without a price of its own that this account holds. Returns its id. */
export async function aHeldNumber(environment: MoneyEnvironment, client: number): Promise<string> {
  const id = await anUnownedNumber(environment, 1)
  const { call } = environment
  const { status, body } = await call(setter, 'PUT', `/api/number-inventory/${id}/assign`, {
    body: { userId: client },
  })
  if (status !== 200) throw new Error(`The number was not assigned: ${body.message}`)
  return id
}

/** A payment of a bill that counts by the word of u9, and of u10 above the limit. */
export async function aPaymentByWord(
  environment: MoneyEnvironment,
  client: number,
  amount: number,
): Promise<string> {
  const id = await aBillOf(environment, client, amount)
  for (const userId of [setter, secondSetter])
    await environment.call(userId, 'PUT', `/api/billing/periods/${id}/pay`, {
      body: { transactionHash: transferFor(id) },
    })
  return (await environment.call(setter, 'GET', `/api/payments/all?periodId=${id}`)).body[0].id
}

let addresses = 20
/** A bill whose account has another address by now. */
export async function aLostBillOf(
  environment: MoneyEnvironment,
  client: number,
  amount: number,
): Promise<string> {
  const id = await aBillOf(environment, client, amount)
  addresses += 1
  await sql`update payment_profiles set usdt_address = ${addressOf(addresses)}
    where user_id = ${client}`.execute(environment.db)
  return id
}

// Both persons name the same transfer.
const hashOf = new Map<string, string>()
export function transferFor(id: string): string {
  let hash = hashOf.get(id)
  if (hash === undefined) hashOf.set(id, (hash = newHash()))
  return hash
}
