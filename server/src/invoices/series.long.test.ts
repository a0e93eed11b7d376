// The series of numbers: no number is missing and none is given twice, whoever issues invoices at once and whatever is
// rolled back.
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openTestInvoices } from '../../test/money/invoices.ts'
import { rows, type Db } from '../platform/db.ts'
import { composeMoney } from '../compose-money.ts'

interface PlacedInvoice {
  readonly kind: string
  readonly year: number
  readonly sequence: number
  readonly number: string
}

const allInvoices = (db: Db) =>
  rows<PlacedInvoice>(
    db,
    sql`select kind, year, sequence, number from invoices order by kind, year, sequence`,
  )

const countTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

test('four nodes at once, with every third transaction rolled back at its end, leave no gap and no double', async () => {
  const environment = await openTestInvoices({ cycleSeconds: 60 })
  const { db, deps, traffic, closeCycle, anOwnCompany, aSupplier, call } = environment
  const cycleCount = 12
  const clients = [1, 2, 3]
  for (const client of clients) await aSupplier(client)
  for (let turn = 0; turn < cycleCount; turn += 1) {
    for (const client of clients) {
      await traffic({ client, number: 1, count: 10, amountMicro: 50_000 })
      if (client === 2) await traffic({ client, number: 3, count: 2, amountMicro: 500_000 })
    }
    const { id } = await closeCycle()
    const body = { amount: '0.1', reason: 'a dispute' }
    expect((await call(6, 'POST', `/api/billing/periods/${id}-1/credit-notes`, { body })).status).toBe(201)
  }
  // What a kill at the commit looks like: all that the transaction did is gone.
  await sql`create sequence commits`.execute(db)
  await sql`create function fail_commit() returns trigger language plpgsql as $$ begin
      -- Once for each transaction: each cycle has four invoices, and the credit notes of all come together.
      if (new.sequence = 1 or new.kind = 'invoice' and new.sequence % 4 = 1) and nextval('commits') % 3 = 0 then
        raise exception 'killed at the commit';
      end if;
      return null;
    end $$`.execute(db)
  await sql`create constraint trigger invoices_fail after insert on invoices deferrable initially deferred
    for each row execute function fail_commit()`.execute(db)
  await anOwnCompany()
  const settings = {
    ...deps.settings,
    define: ({ key, fallback }: { key: string; fallback: unknown }) => ({ key, get: async () => fallback }),
  } as typeof deps.settings
  let failures = 0
  const nodes = countTo(4).map(async () => {
    const node = composeMoney({ ...deps, settings })
    for (let isDone = false; !isDone;) {
      isDone = await node.issueInvoices().then(
        () => true,
        (error: Error) => {
          failures += 1
          expect(error.message).toBe('killed at the commit')
          return failures > 1_000
        },
      )
    }
  })
  await Promise.all(nodes)
  expect(failures).toBeGreaterThan(0)
  const invoices = await allInvoices(db)
  const invoiceCount = cycleCount * (clients.length + 1)
  const ofKind = (kindName: string) => invoices.filter(({ kind }) => kind === kindName)
  expect(ofKind('invoice').map(({ sequence }) => sequence)).toEqual(countTo(invoiceCount))
  expect(ofKind('credit_note').map(({ sequence }) => sequence)).toEqual(countTo(cycleCount))
  expect(new Set(invoices.map(({ number }) => number)).size).toBe(invoices.length)
  // In the order of time.
  const late = await rows(
    db,
    sql`select from invoices a join invoices b on b.kind = a.kind and b.sequence = a.sequence + 1 where b.issued_at < a.issued_at`,
  )
  expect(late).toEqual([])
})
