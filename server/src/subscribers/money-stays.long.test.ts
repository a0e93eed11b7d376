// Money does not know senders: an erasure changes no bill, no hold and no signed statement, before the close or after it.
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openTestBilling } from '../../test/money/billing.ts'
import { createSecrets } from '../platform/security/secrets.ts'
import { row } from '../platform/db.ts'
import { verifyAgainst } from '../statements/verify-against.ts'
import { verifyFile } from '../statements/verify-file.ts'
import { eraseSubscribers } from './erase-subscriber.ts'

const subscriber = '4915112345678'
const pseudonym = 'erased-subscriber-000001'
const secrets = createSecrets('key material for tests')

const linesOf = async function* (text: string) {
  yield* text.split('\n')
}

/** Messages of two clients, a third of them of the subscriber; some are held. */
async function open() {
  const environment = await openTestBilling()
  const { db, traffic, clock, audit, billing, closeCycle, call } = environment
  await traffic({ client: 1, number: 1, count: 1_500, amountMicro: 50_000 })
  await traffic({ client: 1, number: 3, count: 300, amountMicro: 50_000 })
  await traffic({ client: 2, number: 2, count: 300, amountMicro: 50_000 })
  await traffic({ client: 2, number: 2, count: 3, amountMicro: 50_000, isHeld: true })
  await sql`update records set sender = ${subscriber} where id % 3 = 0 or is_held`.execute(db)
  await sql`insert into record_batches (id, stored_at, record_count, created_from, created_to, priced_at)
    select id / 4096, now(), count(*), min(created_at), max(created_at), now() from records group by 1`.execute(
    db,
  )
  const close = async () => {
    const { id } = await closeCycle()
    await billing.signStatements()
    return id
  }
  async function erase(): Promise<void> {
    await sql`insert into erasures (number, masked, reason, requested_by, requested_at, approved_by, approved_at)
      values (${subscriber}, '•', 'Asked', 6, now(), 5, now() + interval '1 year')`.execute(db)
    await eraseSubscribers({ db, clock, secrets, audit }, () => true)
    const left = await row<{ count: number }>(
      db,
      sql`select count(*)::int as count from records where sender = ${subscriber}`,
    )
    expect(left?.count).toBe(0)
  }
  const download = async (cycleId: number, client: number) =>
    (await call(client, 'GET', `/api/billing/periods/${cycleId}-${client}/statement`)).text
  return { ...environment, close, erase, download }
}

test('a statement that was signed before is the same file, verifies, and the database says the same', async () => {
  const { db, close, erase, download } = await open()
  const id = await close()
  const before = [await download(id, 1), await download(id, 2)]
  expect(before[0]).toContain(subscriber)
  await erase()
  for (const client of [1, 2]) {
    const text = await download(id, client)
    expect(text).toBe(before[client - 1])
    expect((await verifyFile(linesOf(text))).faults).toEqual([])
    expect(await verifyAgainst(db, linesOf(text))).toEqual([])
  }
})

test('a record that somebody changed is still found where nobody was erased', async () => {
  const { db, close, erase, download } = await open()
  await sql`update records set sender = '447700900318' where client_id = 2`.execute(db)
  const id = await close()
  await erase()
  await sql`update records set sender = 'forged' where client_id = 2`.execute(db)
  expect((await verifyFile(linesOf(await download(id, 2)))).faults).not.toEqual([])
})

test('erased before the close, bills, payouts and holds are what they would have been', async () => {
  const sums = async (isErased: boolean) => {
    const { db, close, erase, download, call } = await open()
    if (isErased) await erase()
    const id = await close()
    const held = await row<{ id: string }>(db, sql`select id from holds`)
    const released = await call(4, 'PUT', `/api/holds/${held?.id}/release`, { body: { reason: 'Wanted' } })
    expect(released.status).toBe(200)
    const next = await close()
    const texts = [await download(id, 1), await download(id, 2), await download(next, 2)]
    for (const text of texts) {
      expect((await verifyFile(linesOf(text))).faults).toEqual([])
      expect(await verifyAgainst(db, linesOf(text))).toEqual([])
    }
    expect(texts.join('').includes(subscriber)).toBe(!isErased)
    expect(texts.join('').includes(pseudonym)).toBe(isErased)
    return row(
      db,
      sql`select (select jsonb_agg(b.total_micro order by cycle_id, user_id) from billing_periods b) as bills,
        (select jsonb_agg(p.amount_micro order by id) from payouts p) as payouts,
        (select jsonb_agg(jsonb_build_array(account, kind, amount_micro) order by id) from ledger_lines) as ledger`,
    )
  }
  expect(await sums(true)).toEqual(await sums(false))
})
