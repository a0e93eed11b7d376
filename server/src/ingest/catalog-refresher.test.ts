import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openTestDatabase } from '../../test/environment/database.ts'
import { changeCatalog } from '../numbers/index.ts'
import { rows } from '../platform/db.ts'
import { transaction } from '../platform/transaction.ts'
import { loadPricing, type Pricing } from '../rates/index.ts'
import { CatalogRefresher } from './catalog-refresher.ts'
import { Answers, makeBusiness, makeIngest, messageTo } from './testing/traffic.ts'

const { db } = await openTestDatabase()
const [known = ''] = await makeBusiness(db, { clients: 1, numbers: 3 })
const cycle = { id: 1, startsAt: new Date() }

/** As an import does: rows that do not count yet, then the change that names them. */
async function importNumbers(digits: readonly string[]): Promise<void> {
  await transaction(db, async (tx) => {
    const added = await rows<{ id: number }>(
      tx,
      sql`insert into numbers (number, catalog_version) select *, 0 from unnest(${digits}::text[]) returning id`,
    )
    const ids = added.map(({ id }) => id)
    const { version } = await changeCatalog(tx)
    await sql`insert into number_imports (catalog_version, first_id, last_id)
      values (${version}, ${Math.min(...ids)}, ${Math.max(...ids)})`.execute(tx)
  })
}

/** Pricing whose refresh stays away for as long as `waits` says. */
function late(pricing: Pricing, waits: () => Promise<void>): Pricing {
  const refresh: Pricing['refresh'] = async (from) => {
    await waits()
    await pricing.refresh(from)
  }
  return Object.create(pricing, { refresh: { value: refresh } }) as Pricing
}

test('messages to known numbers do not wait while an import is loaded; after another change they do', async () => {
  const pricing = await loadPricing(db)
  let open: () => void = () => undefined
  let gate = Promise.resolve()
  const ingest = await makeIngest(db, { pricing: late(pricing, () => gate) })
  gate = new Promise((resolve) => (open = resolve))
  const before = pricing.version
  await importNumbers(['447800000001', '447800000002'])
  await importNumbers(['447800000003'])
  const answers = new Answers()
  ingest.accept(messageTo(known, answers))
  await answers.until(1)
  expect([answers.committedIds.size, pricing.version]).toEqual([1, before])

  await transaction(db, async (tx) => {
    const { version, now } = await changeCatalog(tx)
    await sql`insert into rates (scope, rate_micro, valid_from) values ('global', 70000, ${now})`.execute(tx)
    return version
  })
  await importNumbers(['447800000004'])
  ingest.accept(messageTo(known, answers, { createdAtMs: Date.now() + 10 }))
  const first = await Promise.race([
    answers.until(2).then(() => 'answered'),
    new Promise((resolve) => setTimeout(resolve, 300, 'waiting')),
  ])
  expect(first).toBe('waiting')
  open()
  await answers.until(2)
  expect(answers.failures).toEqual([])
  const amounts = await rows(db, sql`select amount_micro from records order by id`)
  expect(amounts).toEqual([{ amount_micro: '50000' }, { amount_micro: '70000' }])
  await ingest.stop()
})

test('an import is loaded soon, even if nobody sends to its numbers', async () => {
  const pricing = await loadPricing(db)
  const ingest = await makeIngest(db, { pricing })
  await importNumbers(['447800000005'])
  await expect.poll(() => pricing.find('447800000005')?.status).toBe('active')
  await ingest.stop()
})

test('calls during a refresh share the next one, and each gets what was committed before it', async () => {
  const pricing = await loadPricing(db)
  let runs = 0
  const follower = new CatalogRefresher({
    db,
    openCycle: async () => cycle,
    pricing: late(pricing, async () => {
      runs += 1
      await new Promise((resolve) => setTimeout(resolve, 50))
    }),
  })
  const first = follower.refresh()
  await new Promise((resolve) => setTimeout(resolve, 20))
  await importNumbers(['447800000006'])
  await Promise.all([follower.refresh(), follower.refresh(), follower.refresh()])
  expect([runs, pricing.find('447800000006')?.status]).toEqual([2, 'active'])
  await first
})

test('a failed refresh throws to its callers, and the next one works', async () => {
  const pricing = await loadPricing(db)
  let isBroken = true
  const follower = new CatalogRefresher({
    db,
    openCycle: async () => cycle,
    pricing: late(pricing, async () => {
      if (isBroken) throw new Error('away')
    }),
  })
  const failing = follower.refresh()
  await expect(failing).rejects.toThrow('away')
  isBroken = false
  await follower.refresh()
  expect(follower.cycle.id).toBe(1)
})
