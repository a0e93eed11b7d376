// One transfer pays several debts of one client, each once, and never those of two.
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { addressOf, openTestBilling } from '../../../test/money/billing.ts'
import { row, rows } from '../../platform/db.ts'
import { transaction } from '../../platform/transaction.ts'
import { bookTransfer, type DebtPart } from './book-transfer.ts'
import { noteTransfers } from './transfer-store.ts'

const txid = 'ab'.repeat(32)

/** A bill of 0.50 and a payout of 2.00 of client 1, a bill of client 2, and a transfer of 2.50 to client 1. */
async function openDebts() {
  const environment = await openTestBilling()
  const { aClosedCycle, aPayee, clock, db } = environment
  await aPayee(1)
  await aPayee(2)
  const { id: cycleId } = await aClosedCycle(
    { client: 1, number: 1 },
    { client: 1, number: 3, count: 4, amountMicro: 500_000 },
    { client: 2, number: 2 },
  )
  const seen = { network: 'T', txid, blockAt: clock.now(), isFinal: true, seenAt: clock.now() }
  const transfer = { logIndex: 0, from: addressOf(9), to: addressOf(1), amountMicro: 2_500_000n }
  const [noted] = await noteTransfers(db, seen, [transfer])
  const transferId = noted?.id ?? ''
  return {
    ...environment,
    noted: () => noteTransfers(db, seen, [transfer]),
    bill: (userId: number, amountMicro: bigint): DebtPart => ({
      debtId: { kind: 'period', cycleId, userId },
      amountMicro,
    }),
    payout: (amountMicro: bigint): DebtPart => ({ debtId: { kind: 'payout', id: '1' }, amountMicro }),
    book: (...parts: DebtPart[]) =>
      transaction(db, (tx) =>
        bookTransfer(tx, environment.deps, {
          transferId,
          parts,
          isOurs: true,
          requestedBy: 4,
          actor: { userId: 4, username: 'u4' },
          ip: '',
          notes: 'run 1',
        }),
      ),
  }
}

test('a transfer pays a bill and a payout of one client, in two payments', async () => {
  const { bill, billing, book, db, noted, payout } = await openDebts()
  const [first, second] = await book(bill(1, 500_000n), payout(2_000_000n))
  expect(
    await rows(
      db,
      sql`select id, status, verification, received_micro, hash_place from payments order by id`,
    ),
  ).toEqual([
    { id: first, status: 'confirmed', verification: 'verified', received_micro: '500000', hash_place: 0 },
    { id: second, status: 'confirmed', verification: 'verified', received_micro: '2000000', hash_place: 1 },
  ])
  expect(
    await row(db, sql`select count(*)::int as open from debts where user_id = 1 and not is_settled`),
  ).toEqual({
    open: 0,
  })
  expect(await noted()).toMatchObject([{ booked_micro: '2500000' }])
  await expect(book(payout(1n))).rejects.toMatchObject({ code: 'taken' })
  await billing.watchLedger()
  expect(await billing.ledgerState()).toMatchObject({ balanced: true })
})

test('debts of two clients, the same debt twice, nothing and another address are refused whole', async () => {
  const { bill, book, db, noted, payout } = await openDebts()
  for (const parts of [
    [bill(1, 500_000n), bill(2, 500_000n)],
    [bill(1, 500_000n), bill(1, 1n)],
    [bill(1, 500_000n), payout(0n)],
    [bill(2, 500_000n)],
    [bill(1, 500_000n), payout(2_000_001n)],
  ])
    await expect(book(...parts)).rejects.toMatchObject({ name: 'Refusal' })
  expect(await noted()).toMatchObject([{ booked_micro: '0' }])
  expect(await row(db, sql`select count(*)::int as count from payments`)).toEqual({ count: 0 })
})

test('of many at once that book the same transfer one wins', async () => {
  const { bill, billing, book, db, noted, payout } = await openDebts()
  const results = await Promise.allSettled(
    Array.from({ length: 30 }, (_, turn) =>
      turn % 2 === 0
        ? book(bill(1, 500_000n), payout(2_000_000n))
        : book(payout(2_000_000n), bill(1, 500_000n)),
    ),
  )
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  expect(await noted()).toMatchObject([{ booked_micro: '2500000' }])
  expect(await row(db, sql`select sum(received_micro)::text as sum from payments`)).toEqual({
    sum: '2500000',
  })
  await billing.watchLedger()
  expect(await billing.ledgerState()).toMatchObject({ balanced: true })
})
