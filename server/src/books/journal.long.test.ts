import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openTestBilling } from '../../test/money/billing.ts'
import { openJournalEnvironment, linesOf } from './testing/journal-environment.ts'

const { save } = await openJournalEnvironment()

test('the pages of a journal of a thousand postings add up to the ledger', async () => {
  const environment = await openTestBilling()
  const { call, db, ledger } = environment
  await save(environment)
  const { id: cycleId } = await ledger.ensureOpenCycle()
  await sql`insert into ledger_lines (transaction_id, at, cycle_id, user_id, account, amount_micro, kind)
    select 100 + i % 500, timestamptz '2026-03-04T12:00Z', ${cycleId}::int, null, case when i < 500 then 'paid' else 'billed' end,
      case when i < 500 then 1 + i else -1 - (i - 500) end, 'payment'
    from generate_series(0, 999) i`.execute(db)
  const [, ...lines] = linesOf(
    (await call(4, 'GET', '/api/books/journal?from=2026-03-04&to=2026-03-04')).text,
  )
  expect(new Set(lines.map((cells) => cells[1])).size).toBe(500)
  expect(lines.reduce((sum, cells) => sum + Math.round(Number(cells[9]) * 1_000_000), 0)).toBe(
    (500 * 501) / 2,
  )
})
