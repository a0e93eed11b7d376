// Random histories of clients' debts: payments by one transfer or several, good and bad, decisions on differences, amendments
// of bills, payment runs. Each act is done in the product and in the model. The test beside billing and the drill `money`
// go through the same histories; they differ in how they reach the product.
import { sql } from 'kysely'
import { runDebtsMax } from '@tollgate/contract/payment-runs/payment-runs.ts'
import type { Random } from '../../drills/random.ts'
import { row, rows, type Db } from '../../src/platform/db.ts'
import { messageIdOf } from '../../src/ingest/index.ts'
import type { ModelDebt, MoneyModel } from './money-model.ts'

/** Who does it: two of support, an admin, or the client of this id. */
export type MoneyPerson = 'support' | 'second' | 'admin' | number
export type TransferFault = 'token' | 'reverted' | 'early' | 'stranger'

export interface ProductAnswer {
  readonly status: number
  // The reply of any of many routes.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any
  /** Whether an earlier try of the same call never got an answer, so that it may have been done by that one. */
  readonly wasTried: boolean
}

/** The product, as histories reach it. */
export interface Product {
  call(
    person: MoneyPerson,
    method: 'GET' | 'PUT' | 'POST',
    path: string,
    body?: object,
  ): Promise<ProductAnswer>
  /** Puts a transfer from our wallet into a final block; returns its hash. */
  send(to: string, amountMicro: bigint, fault?: TransferFault): string
  /** Where the debt is paid to. */
  addressOf(debt: ModelDebt): Promise<string>
  /** An address that nobody has. */
  newAddress(): string
  /** Some messages of a client's bill that were never held: ids and amounts. */
  messagesOf(bill: ModelDebt, count: number): Promise<{ readonly id: string; readonly amount: bigint }[]>
}

/** A hold and what it is worth. */
export interface HeldAmount {
  readonly id: string
  readonly client: number
  readonly amount: bigint
  /** The number, for messages of the open cycle; undefined: they were billed before, and come back as a correction. */
  readonly number: number | undefined
  cyclesAgo: number
}

export interface HistoryParts {
  readonly product: Product
  readonly model: MoneyModel
  readonly random: Random
  readonly holds: HeldAmount[]
}

/** One history: it yields when the chain has to be looked at before it goes on. */
export type DebtHistory = AsyncGenerator<undefined, void, undefined>

const reason = 'as agreed'
const payPath = ({ payoutId, cycleId, client }: ModelDebt) =>
  payoutId === undefined
    ? `/api/billing/periods/${cycleId}-${client}/pay`
    : `/api/payouts/${payoutId}/process`
const billPath = ({ cycleId, client }: ModelDebt) => `/api/billing/periods/${cycleId}-${client}`
const referenceOf = ({ payoutId, cycleId, client }: ModelDebt) =>
  payoutId === undefined ? `${cycleId}-${client}` : `payout-${payoutId}`

/** Throws unless the call was done: now, or by an earlier try that got no answer. */
function expectDone({ status, body, wasTried }: ProductAnswer, what: string): void {
  if (status >= 300 && !(wasTried && status === 409))
    throw new Error(`${what}: ${status} ${JSON.stringify(body)}`)
}

/** Sends `amount` and enters its hash; gives the payment's id. */
async function enter(
  parts: HistoryParts,
  debt: ModelDebt,
  amount: bigint,
  fault?: TransferFault,
): Promise<string> {
  const transactionHash = parts.product.send(await parts.product.addressOf(debt), amount, fault)
  const answer = await parts.product.call('support', 'PUT', payPath(debt), { transactionHash })
  expectDone(answer, `payment of ${referenceOf(debt)}`)
  return answer.body.paymentId
}

/** The bill does not allow it now, such as one with a payment under way: nothing has happened. */
const isRefused = ({ status, wasTried }: ProductAnswer): boolean => status === 409 && !wasTried

async function decide({ product }: HistoryParts, paymentId: string, body: object): Promise<void> {
  const answer = await product.call('support', 'PUT', `/api/payments/${paymentId}/decide`, {
    reason,
    ...body,
  })
  expectDone(answer, `decision on payment ${paymentId}`)
}

async function* payExactly(parts: HistoryParts, debt: ModelDebt): DebtHistory {
  const due = parts.model.due(debt)
  await enter(parts, debt, due)
  yield
  parts.model.receive(debt, due)
}

/** Two transfers, of which neither is enough alone. */
async function* payTwice(parts: HistoryParts, debt: ModelDebt): DebtHistory {
  const { model, random } = parts
  const due = model.due(debt)
  if (due < 2n) return
  const part = (due * BigInt(random.between(1, 99))) / 100n || 1n
  for (const amount of [part, due - part]) {
    await enter(parts, debt, amount)
    yield
    model.receive(debt, amount)
  }
}

async function* payLess(parts: HistoryParts, debt: ModelDebt): DebtHistory {
  const { model, random } = parts
  const amount = model.due(debt) - BigInt(random.between(1, 400_000))
  if (amount <= 0n) return
  const id = await enter(parts, debt, amount)
  yield
  model.receive(debt, amount)
  const answer = random.pick(['none', 'owe', 'waive', 'reject'])
  if (answer !== 'none') await answerDifference(parts, debt, { id, amount, answer })
}

async function* payMore(parts: HistoryParts, debt: ModelDebt): DebtHistory {
  const { model, random } = parts
  const amount = model.due(debt) + BigInt(random.between(1, 400_000))
  const id = await enter(parts, debt, amount)
  yield
  model.receive(debt, amount)
  await answerDifference(parts, debt, { id, amount, answer: random.pick(['credit', 'waive', 'reject']) })
}

async function answerDifference(
  parts: HistoryParts,
  debt: ModelDebt,
  { id, amount, answer }: { readonly id: string; readonly amount: bigint; readonly answer: string },
): Promise<void> {
  const { model } = parts
  await decide(
    parts,
    id,
    answer === 'reject' ? { action: 'reject' } : { action: 'accept', difference: answer },
  )
  if (answer === 'reject') model.takeBack(debt, amount)
  if (answer === 'waive') model.waive(debt)
  if (answer === 'credit') model.keepAsCredit(debt)
}

async function* payBadly(parts: HistoryParts, debt: ModelDebt): DebtHistory {
  const fault = parts.random.pick(['token', 'reverted', 'early', 'stranger'] as const)
  await enter(parts, debt, parts.model.due(debt), fault)
  yield
}

/** A withheld bill cannot be paid, until it is resumed. */
async function* withhold(parts: HistoryParts, debt: ModelDebt): DebtHistory {
  const { product } = parts
  const amend = (verb: string) => product.call('support', 'PUT', `${billPath(debt)}/${verb}`, { reason })
  const withheld = await amend('withhold')
  if (isRefused(withheld)) return
  expectDone(withheld, 'withhold')
  const body = { transactionHash: product.send(await product.addressOf(debt), 1n, 'stranger') }
  const refused = await product.call('support', 'PUT', payPath(debt), body)
  if (refused.status !== 409) throw new Error(`A withheld bill was paid: ${JSON.stringify(refused.body)}`)
  expectDone(await amend('resume'), 'resume')
  yield* payExactly(parts, debt)
}

/** The client has lost the old address: two persons send the bill to the new one. */
async function* readdress(parts: HistoryParts, debt: ModelDebt): DebtHistory {
  const { product } = parts
  const profile = { fullName: 'Moved', usdtAddress: product.newAddress() }
  expectDone(await product.call(debt.client, 'PUT', '/api/user/profile', profile), 'a new address')
  const requested = await product.call('support', 'PUT', `${billPath(debt)}/readdress`, { reason })
  if (isRefused(requested)) return
  expectDone(requested, 'readdress')
  const all = (await product.call('support', 'GET', `${billPath(debt)}/amendments`)).body as Amendment[]
  const id = all.find(({ kind, status }) => kind === 'readdress' && status === 'pending')?.id
  const path = `/api/billing/amendments/${id}/decide`
  expectDone(
    await product.call('second', 'PUT', path, { action: 'accept', reason }),
    'the new address of a bill',
  )
  if ((await product.addressOf(debt)) !== profile.usdtAddress) throw new Error('The bill kept its address')
  yield* payExactly(parts, debt)
}

interface Amendment {
  readonly id: string
  readonly kind: string
  readonly status: string
}

async function creditAmount({ product, model, random }: HistoryParts, debt: ModelDebt): Promise<void> {
  const due = model.due(debt)
  const amount = random.chance(0.2) ? due : (due * BigInt(random.between(1, 99))) / 100n || 1n
  const answer = await product.call('admin', 'POST', `${billPath(debt)}/credit-notes`, {
    amount: decimal(amount),
    reason,
  })
  // A payment that is underpaid may be under way: then nothing has happened.
  if (answer.status === 201) model.credit(debt, amount)
  else if (answer.status !== 409) throw new Error(`credit note: ${JSON.stringify(answer.body)}`)
}

async function creditMessages(
  { product, model, random, holds }: HistoryParts,
  debt: ModelDebt,
): Promise<void> {
  const messages = await product.messagesOf(debt, random.between(1, 3))
  const amount = messages.reduce((sum, message) => sum + message.amount, 0n)
  if (amount === 0n || amount > model.due(debt)) return
  const messageIds = messages.map(({ id }) => id)
  const answer = await product.call('admin', 'POST', `${billPath(debt)}/credit-notes`, { messageIds, reason })
  if (answer.status === 409) return
  if (answer.status !== 201) throw new Error(`credit note of messages: ${JSON.stringify(answer.body)}`)
  model.holdBilled(debt, amount)
  const found = (await product.call('support', 'GET', `/api/holds?status=open&limit=500`)).body as {
    id: string
    messageIds: string[]
  }[]
  for (const { id, messageIds: held } of found) {
    const own = messages.filter((message) => held.includes(message.id))
    const worth = own.reduce((sum, message) => sum + message.amount, 0n)
    if (own.length > 0)
      holds.push({ id, client: debt.client, amount: worth, number: undefined, cyclesAgo: 1 })
  }
}

async function voidBill({ product, model }: HistoryParts, debt: ModelDebt): Promise<void> {
  const answer = await product.call('admin', 'PUT', `${billPath(debt)}/void`, { reason })
  if (answer.status === 200) model.void(debt)
  else if (answer.status !== 409) throw new Error(`void: ${JSON.stringify(answer.body)}`)
}

const ways: Readonly<Record<string, (parts: HistoryParts, debt: ModelDebt) => DebtHistory | Promise<void>>> =
  {
    payExactly,
    payTwice,
    payLess,
    payMore,
    payBadly,
    withhold,
    readdress,
    creditAmount,
    creditMessages,
    voidBill,
  }
const forDebts = [
  'payExactly',
  'payExactly',
  'payTwice',
  'payLess',
  'payMore',
  'payBadly',
  'nothing',
  'nothing',
]
const forBills = [...forDebts, 'withhold', 'readdress', 'creditAmount', 'creditMessages', 'voidBill']

/** What becomes of a debt in this cycle. */
export async function* debtHistory(parts: HistoryParts, debt: ModelDebt): DebtHistory {
  if (debt.isSettled || parts.model.due(debt) === 0n) return
  const way = ways[parts.random.pick(debt.payoutId === undefined ? forBills : forDebts)]
  const history = way?.(parts, debt)
  if (history instanceof Promise) await history
  else if (history !== undefined) yield* history
}

/** A payment run of what is open; its transfers are exact, of another amount, or missing. Nobody else pays meanwhile. */
export async function* runHistory(parts: HistoryParts): DebtHistory {
  const { product, model, random } = parts
  const draft = (await product.call('support', 'GET', '/api/payment-runs/draft')).body.lines as DraftedLine[]
  const chosen = draft.filter(({ problem }) => problem === '' && random.chance(0.7))
  const all = chosen.flatMap(({ debts }) => debts.map(({ reference }) => reference))
  const references = all.slice(0, runDebtsMax)
  if (references.length === 0) return
  const id = await createRun(product, references)
  for (const verb of ['approve', 'export'])
    expectDone(await product.call('second', 'PUT', `/api/payment-runs/${id}/${verb}`), `${verb} of run ${id}`)
  const { lines } = (await product.call('support', 'GET', `/api/payment-runs/${id}`)).body as {
    lines: DraftedLine[]
  }
  const debtOf = new Map(model.debts.map((debt) => [referenceOf(debt), debt]))
  const paid = lines.filter(() => random.chance(0.8))
  for (const { usdtAddress, amount } of paid) product.send(usdtAddress, micro(amount))
  yield
  for (const { debts } of paid)
    for (const { reference, dueAmount } of debts) {
      const debt = debtOf.get(reference)
      if (debt === undefined || micro(dueAmount) !== model.due(debt))
        throw new Error(`run ${id} asked ${dueAmount} for ${reference}, and the model has another amount due`)
      model.receive(debt, model.due(debt))
    }
  if (paid.length < lines.length)
    expectDone(
      await product.call('support', 'PUT', `/api/payment-runs/${id}/close`, { reason }),
      `close of run ${id}`,
    )
}

interface DraftedLine {
  readonly problem: string
  readonly usdtAddress: string
  readonly amount: string
  readonly debts: readonly { readonly reference: string; readonly dueAmount: string }[]
}

async function createRun(product: Product, references: readonly string[]): Promise<string> {
  const made = await product.call('support', 'POST', '/api/payment-runs', {
    references,
    note: 'of the model',
  })
  if (made.status === 201) return made.body.id
  expectDone(made, 'draft of a run')
  // An earlier try made it, and its answer was lost.
  const runs = (await product.call('support', 'GET', '/api/payment-runs?limit=1')).body as { id: string }[]
  return runs[0]?.id ?? ''
}

/** Decides on some holds, as staff do in the days before a close. */
export async function decideHolds({ product, model, random, holds }: HistoryParts): Promise<void> {
  for (const hold of holds.splice(0)) {
    if (random.chance(0.5)) {
      holds.push(hold)
      continue
    }
    const verb = random.chance(0.6) ? 'release' : 'confirm'
    const answer = await product.call('support', 'PUT', `/api/holds/${hold.id}/${verb}`, { reason })
    expectDone(answer, `${verb} of hold ${hold.id}`)
    if (verb === 'confirm') model.refuse(hold.client, hold.amount)
    else model.release(hold.client, hold.number ?? 1, hold.amount, hold.cyclesAgo > 0)
  }
}

const micro = (amount: string): bigint => {
  const [whole = '0', part = ''] = amount.split('.')
  return BigInt(whole) * 1_000_000n + BigInt(part.padEnd(6, '0'))
}

/** An amount in USDT with six decimals. */
export const decimal = (amount: bigint): string => {
  const digits = (amount < 0n ? -amount : amount).toString().padStart(7, '0')
  return `${amount < 0n ? '-' : ''}${digits.slice(0, -6)}.${digits.slice(-6)}`
}

/** What a history reads from the database. */
export function moneyReads(db: Db): Pick<Product, 'addressOf' | 'messagesOf'> {
  return {
    async addressOf({ client, cycleId, payoutId }) {
      const found = await row<{ address: string | null }>(
        db,
        sql`select usdt_address as address from debts
            where (user_id, cycle_id) = (${client}, ${cycleId}) and payout_id is not distinct from ${payoutId ?? null}::bigint`,
      )
      return found?.address ?? ''
    },
    async messagesOf({ client, cycleId }, count) {
      const found = await rows<{ created_at: Date; id: string; amount: string }>(
        db,
        sql`select created_at, id, amount_micro as amount from records
            where (client_id, cycle_id, settlement) = (${client}, ${cycleId}, 1)
              and not exists (select from hold_records h where h.record_id = records.id) order by id limit ${count}`,
      )
      return found.map(({ created_at: at, id, amount }) => ({
        id: messageIdOf({ createdAtMs: at.getTime(), recordId: Number(id) }),
        amount: BigInt(amount),
      }))
    },
  }
}
