// The same fortnight in three orders of arrival, by one node or by two that are killed now and then. Another one:
// ORDERS_SEED=7 npx vitest run --project=long-server … orders.long.test.ts.
import { expect, test } from 'vitest'
import { seededChoices } from '../../../drills/random.ts'
import {
  fortnightClients,
  fortnightDays,
  hiddenClient,
  historyDays,
  makeFortnight,
  ordersOf,
  type FortnightMessage,
} from '../testing/fortnight.ts'
import {
  heldOf,
  keyOf,
  missingOf,
  openOrdersEnvironment,
  testVersion,
} from '../testing/orders-environment.ts'
import { findOfDay } from './judge.ts'

const seed = Number(process.env['ORDERS_SEED'] ?? 5)
const dayMs = 86_400_000
const stepsOfDay = 6
const lastDay = historyDays + fortnightDays
// What is older than five weeks is not counted.
const firstDay = Math.floor(Date.now() / dayMs) * dayMs - lastDay * dayMs
const messages = makeFortnight(seed)

/** Lets all come in this order, and three more days pass: what is named last is taken off bills the morning after. */
async function heldBy(arrivalOf: (message: FortnightMessage) => number, isKilled: boolean) {
  const { db, arrive, closeCycles, kills } = await openOrdersEnvironment(
    firstDay,
    isKilled ? seededChoices(seed) : undefined,
  )
  const coming = messages
    .map((message) => ({ message, at: arrivalOf(message) }))
    .toSorted((one, other) => one.at - other.at)
  let next = 0
  for (let day = 0; day < lastDay + 4; day += 1) {
    const steps = day < historyDays ? 1 : stepsOfDay
    for (let step = 1; step <= steps; step += 1) {
      const upTo = day + step / steps
      const from = next
      while ((coming[next]?.at ?? Infinity) < upTo) next += 1
      await arrive(
        coming.slice(from, next).map(({ message }) => message),
        upTo + 60_000 / dayMs,
      )
    }
    await closeCycles()
  }
  expect(next).toBe(messages.length)
  for (const missing of await missingOf(db)) expect(missing).toEqual({ earned: 0, held: 0 })
  if (isKilled) expect(kills()).toBeGreaterThan(20)
  const held = await heldOf(db)
  // Whom the whole days name, each with what it wrote from then on.
  const named: FortnightMessage[] = []
  for (let day = historyDays; day < lastDay; day += 1)
    for (const client of fortnightClients) {
      const found = await findOfDay(db, client, dateOf(day), testVersion)
      const senders = new Set(found.flatMap((each) => (each.level === 'hold' ? each.senders : [])))
      named.push(
        ...messages.filter((each) => each.client === client && each.day >= day && senders.has(each.sender)),
      )
    }
  expect(named.filter((message) => !held.has(keyOf(firstDay, message)))).toEqual([])
  return messages.filter((message) => held.has(keyOf(firstDay, message)))
}

const dateOf = (day: number) => new Date(firstDay + day * dayMs).toISOString().slice(0, 10)

interface Outcome {
  readonly isKilled: boolean
  readonly order: keyof typeof orders
}
const orders = ordersOf(seed)
const outcomes = new Map<string, Promise<FortnightMessage[]>>()

/** One history at a time: followers wait for each other's transactions. */
function heldIn({ order, isKilled }: Outcome): Promise<FortnightMessage[]> {
  const key = `${order} ${isKilled}`
  const known = outcomes.get(key) ?? heldBy(orders[order], isKilled)
  outcomes.set(key, known)
  return known
}

const keysOf = (held: readonly FortnightMessage[]) =>
  held.map((message) => `${message.label}: ${keyOf(firstDay, message)}`).toSorted()
const shareOf = (held: readonly FortnightMessage[], labels: RegExp) => {
  const isOf = ({ label }: FortnightMessage) => labels.test(label)
  return held.filter(isOf).length / messages.filter(isOf).length
}
const clean = /^$|^vote|^crowd|lunch/

test('two nodes at once that are killed and begin again hold what one node holds', async () => {
  const held = keysOf(await heldIn({ order: 'byTime', isKilled: true }))
  expect(held).toEqual(keysOf(await heldIn({ order: 'byTime', isKilled: false })))
})

test.each(['shuffledWithinDays', 'lastThirdLate'] as const)(
  'the order %s holds the same messages, but where the whole day hides an attack',
  async (order) => {
    const byTime = await heldIn({ order: 'byTime', isKilled: true })
    const held = await heldIn({ order, isKilled: true })
    const elsewhere = (list: readonly FortnightMessage[]) =>
      keysOf(list.filter(({ client }) => client !== hiddenClient))
    expect(elsewhere(held)).toEqual(elsewhere(byTime))
    expect(shareOf(held, /^cards|^batches|^made up/)).toBe(1)
    expect(shareOf(held, clean)).toBeLessThan(0.05)
    // What is seen before it is hidden stays held.
    expect(shareOf(byTime, /^hidden/)).toBeGreaterThan(0.8)
  },
)
