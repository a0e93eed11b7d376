import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { eventually } from '../../../test/environment/eventually.ts'
import { openTestBilling } from '../../../test/money/billing.ts'
import { row } from '../../platform/db.ts'
import { transaction } from '../../platform/transaction.ts'
import { setOffCredit } from './set-off.ts'

test('a set-off locks bills in the order of their references, as payment runs do', async () => {
  const { db, pool, deps, aPayee, aClosedCycle } = await openTestBilling()
  await aPayee()
  for (let count = 0; count < 10; count += 1) await aClosedCycle()
  await sql`insert into client_credits (user_id, amount_micro) values (1, 100000)`.execute(db)
  const run = await pool.connect()
  try {
    // A run that holds the bill 10-1 has 9-1 to lock next.
    await run.query('begin')
    await run.query('select from billing_periods where cycle_id = 10 and user_id = 1 for update')
    const setOff = transaction(db, (tx) => setOffCredit(tx, deps))
    await eventually(async () => {
      const waiting = await row<{ found: boolean }>(
        db,
        sql`select exists (select from pg_stat_activity
              where datname = current_database() and wait_event_type = 'Lock') as found`,
      )
      expect(waiting?.found).toBe(true)
    })
    await run.query('select from billing_periods where cycle_id = 9 and user_id = 1 for update nowait')
    await run.query('commit')
    await setOff
  } finally {
    run.release()
  }
  const bill = await row(
    db,
    sql`select set_off_micro from billing_periods where cycle_id = 1 and user_id = 1`,
  )
  expect(bill).toEqual({ set_off_micro: '100000' })
})
