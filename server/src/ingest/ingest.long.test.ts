import { afterAll, expect, test } from 'vitest'
import { openTestDatabase } from '../../test/environment/database.ts'
import { Answers, makeBusiness, makeIngest, messageTo, differingLevels, totals } from './testing/traffic.ts'

const { db } = await openTestDatabase()
const numbers = await makeBusiness(db, { clients: 3, numbers: 10 })
const ingest = await makeIngest(db)
afterAll(() => ingest.stop())
// The gateway of `messageTo`. Other gateways that tests make have other ids.
await ingest.gatewayId('smpp', 'usual')

test('counters and ledger equal the records, folded or not', async () => {
  const answers = new Answers()
  for (let made = 0; made < 300; made += 1) ingest.accept(messageTo(numbers[made % 4]!, answers))
  await answers.until(300)
  const sums = await totals(db)
  const { facts, cycles, ledger } = sums
  expect(facts.count).toBeGreaterThanOrEqual(300)
  expect(differingLevels(sums)).toEqual([])
  expect(cycles).toMatchObject({ count: facts.count, amount: facts.amount })
  expect(ledger.amount).toBe(facts.amount)
})
