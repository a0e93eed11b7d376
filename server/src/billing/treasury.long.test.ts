import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openTestBilling } from '../../test/money/billing.ts'
import { row, rows } from '../platform/db.ts'

const key = (text: string) => ({ 'idempotency-key': text })

test('of a thousand payments of one bill at once one wins', async () => {
  const { aBill, call, db } = await openTestBilling()
  await sql`insert into users (username, email, first_name, last_name, password_hash, role)
    select 's' || i, 's@example.org', 'S', 'S', 'x', 'support' from generate_series(1, 20) i`.execute(db)
  const staff = await rows<{ id: number }>(db, sql`select id from users where username like 's%' order by id`)
  const { path } = await aBill()
  const pay = async (index: number): Promise<{ status: number }> => {
    const answer = await call(staff[index % 20]?.id ?? 0, 'PUT', `${path}/pay`, {
      body: { transactionHash: index.toString(16).padStart(64, 'a') },
      headers: key(`attempt ${index}`.replace(' ', '-')),
    })
    if (answer.status !== 503 && answer.status !== 429) return answer
    // Where a machine is too busy for a thousand at once, some wait for a connection or a slot in vain and come again.
    await sleep(1_000)
    return pay(index)
  }
  const answers = await Promise.all(Array.from({ length: 1_000 }, (_, index) => pay(index)))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(answers.filter(({ status }) => status !== 200 && status !== 409)).toEqual([])
  expect(
    await row(
      db,
      sql`select count(*)::int as payments, sum(amount_micro)::text as paid,
          (select sum(amount_micro)::text from ledger_entries where account = 'paid' and reference in
            (select id::text from payments where cycle_id is not null)) as ledger
          from payments where cycle_id is not null and status = 'confirmed'`,
    ),
  ).toEqual({ payments: 1, paid: '500000', ledger: '500000' })
})
