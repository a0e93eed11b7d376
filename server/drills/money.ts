// kill -9 of the gateway between and inside the steps of random lives of money: payments, decisions, amendments, runs and
// closes. A model that knows records, holders and rates alone says what must be in bills, payouts, credit, holds, ledger
// and statements, to the millionth. A life is what happens to one client in one cycle.
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { addSupplier } from './business.ts'
import { until } from './conditions.ts'
import { defineDrill, type DrillOptions, type DrillRun } from './define.ts'
import { earnByRecords, fillMoney, modelNumber } from './money-business.ts'
import { compareMoney } from './money-compare.ts'
import { openHouse, usdtContract, type DrillHouse } from './money-house.ts'
import { seededChoices, type Random } from './random.ts'
import { makeSharedTestbed, type TestbedNode } from './shared-testbed.ts'
import { Suppliers } from './suppliers.ts'
import { findCheck } from '../src/billing/watch/park-store.ts'
import { openDatabase, row, rows, type Db } from '../src/platform/db.ts'
import {
  decideHolds,
  decimal,
  liveDebt,
  liveRun,
  type Life,
  type LifeParts,
  type LiveHold,
} from '../test/money-life.ts'
import { MoneyModel } from '../test/money-model.ts'
import { serveTronNode } from '../test/serve-tron-node.ts'

// So many lives are in a call at once: each kill meets that many steps.
const atOnce = 16
const messagesPerClient = 5
const debtsPerLife = 3
const drainMs = 15_000
// A machine with other work on it looks at the chain slowly, and how fast is no part of the verdict.
const patienceMinutes = 10

export const money = defineDrill({
  name: 'money',
  summary:
    'kill -9 of the gateway between and inside the steps of random lives of bills, payments, amendments and runs',
  options: { histories: 2_000, clients: 200, kills: 2 },
  short: { histories: 6, clients: 6, kills: 1 },
  async run({ options, random, note, onEnd }) {
    const { scene, gateway } = await openScene({ random, onEnd }, options.clients)
    const { db, model, house } = scene
    let [lives, killCount, messages] = [0, 0, 0]
    const breaches: string[] = []
    while (lives < options.histories && breaches.length === 0) {
      const cycle = (async () => {
        messages += await earnAndClose(scene)
        await settleAll(scene)
      })()
      killCount += await killDuring(cycle, gateway, { ...scene, kills: options.kills })
      lives += options.clients
      breaches.push(...(await compareMoney(db, model)))
      note(`${lives} lives, ${killCount} kills, ${model.debts.length} debts, ${messages} messages`)
    }
    breaches.push(...(await ledgerBreaches(db)))
    for (const breach of breaches.slice(0, 20)) note(breach)
    return {
      isPassed: breaches.length === 0,
      figures: [
        `differences ${breaches.length}`,
        `${lives} lives`,
        `${killCount} kills`,
        `${house.unansweredCount} calls without an answer`,
        `${messages} messages`,
        `${model.debts.length} bills and payouts`,
        `${model.statements.length} statements`,
      ],
    }
  },
})

interface Scene {
  readonly db: Db
  readonly house: DrillHouse
  readonly model: MoneyModel
  readonly suppliers: Suppliers
  readonly random: Random
  readonly clients: number
  readonly holds: LiveHold[]
}

/** A database of clients, the stand-in of a TRON node, a gateway, and a supplier that waits. */
async function openScene(
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
  const house = openHouse({ url, db, node })
  const scene: Scene = { db, house, model: new MoneyModel(), suppliers, random, clients, holds: [] }
  return { scene, gateway }
}

// About as many calls does a life make in a cycle.
const callsPerLife = 3

/** Kills the gateway while calls are under way, until `work` is done. Returns how often. */
async function killDuring(
  work: Promise<void>,
  gateway: TestbedNode,
  { house, random, clients, kills }: Pick<Scene, 'house' | 'random' | 'clients'> & { readonly kills: number },
): Promise<number> {
  let isOver = false
  let count = 0
  const killing = (async () => {
    while (count < kills && !isOver) {
      const target = house.callCount + random.between(1, Math.ceil((clients * callsPerLife) / kills))
      while (house.callCount < target && !isOver) await sleep(2)
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
async function earnAndClose(scene: Scene): Promise<number> {
  const { db, house, model, suppliers, random, clients, holds } = scene
  const target = suppliers.acknowledged + clients * messagesPerClient
  suppliers.resume()
  const rate = () => `0.0${random.between(1_000, 9_999)}`
  await house.call('admin', 'PUT', '/api/admin/settings/global_sms_rate', { settingValue: rate() })
  const path = `/api/admin/users/${random.between(1, clients)}/sms-rate`
  await house.call('admin', 'PUT', path, { customSmsRate: rate() })
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
    const { status, body: answer } = await house.call('admin', 'POST', '/api/billing/adjustments', body)
    if (status !== 201) throw new Error(`correction: ${status} ${JSON.stringify(answer)}`)
    model.correct(client, micro)
  }
  await decideHolds({ house, model, random, holds })
  const cycleId = (await row<{ id: number }>(db, sql`select id from cycles where closed_at is null`))?.id ?? 0
  await sql`update cycles set ends_at = clock_timestamp() where id = ${cycleId}`.execute(db)
  await until('a closed cycle', async () => {
    const found = await row(
      db,
      sql`select from cycle_bills where cycle_id = ${cycleId} and itemised_at is not null and sealed_at is not null`,
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
async function settleAll(scene: Scene): Promise<void> {
  const { random, clients } = scene
  const lives = Array.from({ length: clients }, (_, index) =>
    liveClient({ ...scene, random: seededChoices(random.below(2 ** 31)) }, index + 1),
  )
  await liveTogether(scene, lives)
  await liveTogether(scene, [liveRun(scene)])
}

async function* liveClient(parts: LifeParts, client: number): Life {
  const open = parts.model.debts.filter((debt) => debt.client === client && !debt.isSettled)
  for (const debt of open.slice(-debtsPerLife)) yield* liveDebt(parts, debt)
}

/** Lets each life go on until it waits for the chain, then waits until the gateway has looked at it. */
async function liveTogether(scene: Scene, lives: readonly Life[]): Promise<void> {
  let left = [...lives]
  while (left.length > 0) {
    const waiting: Life[] = []
    const queue = [...left]
    const worker = async () => {
      for (let life = queue.shift(); life !== undefined; life = queue.shift())
        if ((await life.next()).done !== true) waiting.push(life)
    }
    await Promise.all(Array.from({ length: atOnce }, worker))
    await untilLookedAt(scene)
    left = waiting
  }
}

/** Until no payment is being looked up, and each good transfer is booked. */
async function untilLookedAt({ db, house }: Scene): Promise<void> {
  const hashes = house.takeSent()
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
