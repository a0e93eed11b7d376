// kill -9 of the gateway between and inside the steps of random histories of money: payments, decisions, amendments, runs and
// closes. A model that knows records, holders and rates alone says what must be in bills, payouts, credit, holds, ledger
// and statements, to the millionth. A history is what happens to one client in one cycle.
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { addSupplier } from './business.ts'
import { until } from './conditions.ts'
import { defineDrill, type DrillOptions, type DrillRun } from './define.ts'
import { earnByRecords, fillMoney, modelNumber } from './money-business.ts'
import { compareMoney } from './money-compare.ts'
import { openProduct, usdtContract, type DrillProduct } from './money-product.ts'
import { seededChoices, type Random } from './random.ts'
import { makeSharedTestbed, type TestbedNode } from './shared-testbed.ts'
import { Suppliers } from './suppliers.ts'
import { findCheck } from '../src/billing/watch/park-store.ts'
import { openDatabase, row, rows, type Db } from '../src/platform/db.ts'
import {
  decideHolds,
  decimal,
  debtHistory,
  runHistory,
  type DebtHistory,
  type HistoryParts,
  type HeldAmount,
} from '../test/money/random-debts.ts'
import { MoneyModel } from '../test/money/money-model.ts'
import { serveTronNode } from '../test/stand-ins/serve-tron-node.ts'

// So many histories are in a call at once: each kill meets that many steps.
const atOnce = 16
const messagesPerClient = 5
const debtsPerHistory = 3
const drainMs = 15_000
// A machine with other work on it looks at the chain slowly, and how fast is no part of the verdict.
const patienceMinutes = 10

export const money = defineDrill({
  name: 'money',
  summary:
    'kill -9 of the gateway between and inside the steps of random histories of bills, payments, amendments and runs',
  options: { histories: 2_000, clients: 200, kills: 2 },
  short: { histories: 6, clients: 6, kills: 1 },
  async run({ options, random, note, onEnd }) {
    const { environment, gateway } = await openEnvironment({ random, onEnd }, options.clients)
    const { db, model, product } = environment
    let [histories, killCount, messages] = [0, 0, 0]
    const breaches: string[] = []
    while (histories < options.histories && breaches.length === 0) {
      const cycle = (async () => {
        messages += await earnAndClose(environment)
        await settleAll(environment)
      })()
      killCount += await killDuring(cycle, gateway, { ...environment, kills: options.kills })
      histories += options.clients
      breaches.push(...(await compareMoney(db, model)))
      note(`${histories} histories, ${killCount} kills, ${model.debts.length} debts, ${messages} messages`)
    }
    breaches.push(...(await ledgerBreaches(db)))
    for (const breach of breaches.slice(0, 20)) note(breach)
    return {
      isPassed: breaches.length === 0,
      figures: [
        `differences ${breaches.length}`,
        `${histories} histories`,
        `${killCount} kills`,
        `${product.unansweredCount} calls without an answer`,
        `${messages} messages`,
        `${model.debts.length} bills and payouts`,
        `${model.statements.length} statements`,
      ],
    }
  },
})

interface Environment {
  readonly db: Db
  readonly product: DrillProduct
  readonly model: MoneyModel
  readonly suppliers: Suppliers
  readonly random: Random
  readonly clients: number
  readonly holds: HeldAmount[]
}

/** A database of clients, the stand-in of a TRON node, a gateway, and a supplier that waits. */
async function openEnvironment(
  { random, onEnd }: Pick<DrillRun<DrillOptions>, 'random' | 'onEnd'>,
  clients: number,
) {
  const node = await serveTronNode()
  onEnd(() => node.stop())
  const testbed = await makeSharedTestbed({ onEnd }, (database) => fillMoney(database, clients))
  const gateway = await testbed.addNode({
    BILLING_CYCLE_SECONDS: '604800',
    TRON_API_URL: node.url,
    TRON_USDT_CONTRACT: usdtContract,
    EGRESS_ALLOW: '127.0.0.1/32',
  })
  const database = openDatabase({ address: testbed.address })
  onEnd(() => database.close())
  const { db } = database
  const { smppPort, url } = gateway
  const { digits } = testbed
  const load = { ports: [smppPort], digits, binds: 4, window: 20, perSecond: 0, repeatShare: 0, random }
  const suppliers = new Suppliers({ ...(await addSupplier(url)), ...load })
  onEnd(() => suppliers.stop())
  suppliers.start()
  suppliers.pause()
  const product = openProduct({ url, db, node })
  const environment: Environment = {
    db,
    product,
    model: new MoneyModel(),
    suppliers,
    random,
    clients,
    holds: [],
  }
  return { environment, gateway }
}

// About as many calls does a history make in a cycle.
const callsPerHistory = 3

/** Kills the gateway while calls are under way, until `work` is done. Returns how often. */
async function killDuring(
  work: Promise<void>,
  gateway: TestbedNode,
  {
    product,
    random,
    clients,
    kills,
  }: Pick<Environment, 'product' | 'random' | 'clients'> & { readonly kills: number },
): Promise<number> {
  let isOver = false
  let count = 0
  const killing = (async () => {
    while (count < kills && !isOver) {
      const target = product.callCount + random.between(1, Math.ceil((clients * callsPerHistory) / kills))
      while (product.callCount < target && !isOver) await sleep(2)
      await sleep(random.below(20))
      await gateway.gateway().stop('SIGKILL')
      await gateway.start()
      count += 1
    }
  })()
  // A gateway that does not start again ends the drill, and not the calls that wait for it.
  await Promise.all([work.finally(() => (isOver = true)), killing])
  return count
}

/** A cycle's messages, corrections and decisions on holds, and its close. Returns how many messages it has. */
async function earnAndClose(environment: Environment): Promise<number> {
  const { db, product, model, suppliers, random, clients, holds } = environment
  const target = suppliers.acknowledged + clients * messagesPerClient
  suppliers.resume()
  const rate = () => `0.0${random.between(1_000, 9_999)}`
  await product.call('admin', 'PUT', '/api/admin/settings/global_sms_rate', { settingValue: rate() })
  const path = `/api/admin/users/${random.between(1, clients)}/sms-rate`
  await product.call('admin', 'PUT', path, { customSmsRate: rate() })
  await until(
    'messages of the cycle',
    () => suppliers.acknowledged >= target,
    () => suppliers.describe(),
  )
  suppliers.pause()
  await suppliers.drain(drainMs)
  for (let client = 1; client <= clients; client += 1) {
    if (!random.chance(0.2)) continue
    const micro = BigInt(random.between(-600_000, 200_000) || 1)
    const body = { userId: client, amount: decimal(micro), reason: 'a correction' }
    const { status, body: answer } = await product.call('admin', 'POST', '/api/billing/adjustments', body)
    if (status !== 201) throw new Error(`correction: ${status} ${JSON.stringify(answer)}`)
    model.correct(client, micro)
  }
  await decideHolds({ product, model, random, holds })
  const cycleId = (await row<{ id: number }>(db, sql`select id from cycles where closed_at is null`))?.id ?? 0
  await sql`update cycles set ends_at = clock_timestamp() where id = ${cycleId}`.execute(db)
  await until('a closed cycle', async () => {
    const found = await row(
      db,
      sql`select from cycle_bills where cycle_id = ${cycleId} and itemised_at is not null and signed_at is not null`,
    )
    return found !== undefined
  })
  for (const hold of holds) hold.cyclesAgo += 1
  const messages = await earnByRecords(db, model, cycleId)
  const payouts = await rows<{ id: string; client: number; number: number }>(
    db,
    sql`select id, user_id as client, number_id as number from payouts where cycle_id = ${cycleId}`,
  )
  model.close(
    cycleId,
    new Map(payouts.map(({ id, client, number }) => [`${client}-${modelNumber(number)}`, Number(id)])),
  )
  return messages
}

/** What becomes of everything that is open: each client's debts one after the other, clients at once; then a run. */
async function settleAll(environment: Environment): Promise<void> {
  const { random, clients } = environment
  const histories = Array.from({ length: clients }, (_, index) =>
    clientHistory({ ...environment, random: seededChoices(random.below(2 ** 31)) }, index + 1),
  )
  await goTogether(environment, histories)
  await goTogether(environment, [runHistory(environment)])
}

async function* clientHistory(parts: HistoryParts, client: number): DebtHistory {
  const open = parts.model.debts.filter((debt) => debt.client === client && !debt.isSettled)
  for (const debt of open.slice(-debtsPerHistory)) yield* debtHistory(parts, debt)
}

/** Lets each history go on until it waits for the chain, then waits until the gateway has looked at it. */
async function goTogether(environment: Environment, histories: readonly DebtHistory[]): Promise<void> {
  let left = [...histories]
  while (left.length > 0) {
    const waiting: DebtHistory[] = []
    const queue = [...left]
    const worker = async () => {
      for (let history = queue.shift(); history !== undefined; history = queue.shift())
        if ((await history.next()).done !== true) waiting.push(history)
    }
    await Promise.all(Array.from({ length: atOnce }, worker))
    await untilLookedAt(environment)
    left = waiting
  }
}

/** Until no payment is being looked up, and each good transfer is booked. */
async function untilLookedAt({ db, product }: Environment): Promise<void> {
  const hashes = product.takeSent()
  const state = () =>
    row<{ confirming: number; booked: number }>(
      db,
      sql`select (select count(*)::int from payments where status = 'pending' and verification = 'confirming') as confirming,
            (select count(*)::int from transfers where txid = any(${hashes}::text[]) and booked_micro = amount_micro) as booked`,
    )
  let found: Awaited<ReturnType<typeof state>>
  await until(
    'the chain to be looked at',
    async () => {
      found = await state()
      return found?.confirming === 0 && found.booked === hashes.length
    },
    () => `${found?.confirming} are being looked up, ${found?.booked} of ${hashes.length} are booked.`,
    patienceMinutes,
  )
}

/** What the gateway's own check says of the ledger, once it has seen everything. */
async function ledgerBreaches(db: Db): Promise<string[]> {
  const begun = await row<{ at: Date }>(db, sql`select clock_timestamp() as at`)
  let found: Awaited<ReturnType<typeof findCheck>>
  await until('a check of the ledger', async () => {
    found = await findCheck(db)
    return found !== undefined && begun !== undefined && found.checked_at > begun.at
  })
  return found?.imbalance_micro === '0' && found.parked_count === 0
    ? []
    : [
        `the ledger's check says ${found?.imbalance_micro} millionths and ${found?.parked_count} parked accounts`,
      ]
}
