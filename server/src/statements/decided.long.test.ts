// What a statement says of messages that were held: released, refused, corrected and carried, to the cent.
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { BillingPeriod, PeriodLine } from '@tollgate/contract/billing/bills.ts'
import type { AdjustmentLine, DecidedLine } from '@tollgate/contract/statements/statement-format.ts'
import { openTestBilling } from '../../test/money/billing.ts'
import { row } from '../platform/db.ts'
import { verifyAgainst } from './verify-against.ts'
import { verifyFile } from './verify-file.ts'

const reason = 'checked with the supplier'

const linesOf = async function* (text: string) {
  yield* text.split('\n')
}

/** A fresh database, and what these tests do with it. Rates: 1 of 0.05 USD, others of 0.50 and 0.07. */
async function openEnvironment() {
  const environment = await openTestBilling()
  const { billing, call, closeCycle, db } = environment
  const rateIds = new Map([[50_000, 1]])
  for (const rateMicro of [500_000, 70_000]) {
    const made = await row<{ id: number }>(
      db,
      sql`insert into rates (scope, number_id, rate_micro, valid_from)
          values ('number', ${rateMicro === 500_000 ? 3 : 2}, ${rateMicro}, '1970-01-01') returning id`,
    )
    rateIds.set(rateMicro, made?.id ?? 0)
  }
  const rateIdOf = (amountMicro: number) => rateIds.get(amountMicro) ?? 0

  /** Closes the cycle and returns client 1's statement of it, verified. */
  async function closedStatement() {
    const { id } = await closeCycle()
    await billing.signStatements()
    const { text } = await call(1, 'GET', `/api/billing/periods/${id}-1/statement`)
    const { faults, end } = await verifyFile(linesOf(text))
    expect(faults).toEqual([])
    expect(await verifyAgainst(db, linesOf(text))).toEqual([])
    const lines = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string })
    const decided = lines.filter(
      ({ type }) => type === 'release' || type === 'refusal',
    ) as unknown as DecidedLine[]
    const [adjustment] = lines.filter(({ type }) => type === 'adjustment') as unknown as AdjustmentLine[]
    return { id, end, text, decided, adjustment }
  }

  return {
    ...environment,
    rateIdOf,
    closedStatement,
    held: (number: number, amountMicro: number) =>
      environment.held({ client: 1, number, amountMicro, rateId: rateIdOf(amountMicro) }),
    decide: async (id: string, verb: 'release' | 'confirm') =>
      expect((await call(4, 'PUT', `/api/holds/${id}/${verb}`, { body: { reason } })).status).toBe(200),
    adjust: (amount: string, words: string) =>
      call(6, 'POST', '/api/billing/adjustments', { body: { userId: 1, amount, reason: words } }),
    history: async (query: string) =>
      ((await call(1, 'GET', `/api/billing/periods?${query}`)).body as BillingPeriod[]).filter(
        ({ status }) => status !== 'pending',
      ),
    linesOfPeriod: async (id: string) =>
      (await call(1, 'GET', `/api/billing/periods/${id}/lines`)).body as PeriodLine[],
  }
}
const brief = (lines: readonly DecidedLine[]) =>
  lines.map(({ type, id, number, amount, heldIn }) => [type, id, number, amount, heldIn])

test('what is released or refused later is named by message in the statement of the period it is decided in', async () => {
  const { adjust, closedStatement, decide, held, traffic } = await openEnvironment()
  await traffic({ client: 1, number: 1, count: 2, amountMicro: 50_000 })
  const billed = await held(1, 50_000)
  const ofPayout = await held(3, 500_000)
  const refused = await held(2, 50_000)
  const own = await held(2, 50_000)
  const refusedAtOnce = await held(2, 70_000)
  await decide(own.id, 'release')
  await decide(refusedAtOnce.id, 'confirm')
  const first = await closedStatement()
  // Released in its own period it is a record of the bill like any other; what was refused there is named.
  expect(first.end).toMatchObject({ bill: '0.15', held: '0.67', released: '0.00', refused: '0.07' })
  const periodId = `${first.id}-1`
  expect(brief(first.decided)).toEqual([
    ['refusal', refusedAtOnce.messageId, '447700000002', '0.07', periodId],
  ])
  expect(first.adjustment).toBeUndefined()

  await traffic({ client: 1, number: 1, count: 1, amountMicro: 50_000 })
  await decide(billed.id, 'release')
  await decide(ofPayout.id, 'release')
  await decide(refused.id, 'confirm')
  await adjust('-0.02', 'a dispute')
  const second = await closedStatement()
  expect(second.end).toMatchObject({
    bill: '0.58',
    payouts: '0.00',
    held: '0.00',
    released: '0.55',
    refused: '0.05',
  })
  expect(brief(second.decided)).toEqual([
    ['refusal', refused.messageId, '447700000002', '0.05', periodId],
    ['release', billed.messageId, '447700000001', '0.05', periodId],
    ['release', ofPayout.messageId, '447700000003', '0.50', periodId],
  ])
  expect(second.adjustment).toMatchObject({
    amount: '-0.02',
    entries: [{ kind: 'correction', amount: '-0.02', reason: 'a dispute' }],
  })
  // Nobody outside learns who decided, and what noticed it.
  expect(second.text).not.toContain(reason)
  expect(second.text).not.toContain('duplicate')

  const dropped = second.text.replace(/^.*"type":"release".*\n/m, '')
  const faults = (await verifyFile(linesOf(dropped))).faults.map(({ what }) => what)
  expect(faults.join('\n')).toContain('The end says bill 0.58, the lines come to 0.53')
  expect(faults.join('\n')).toContain('The end says released 0.55')
})

test('a negative total is an entry where it leaves a period and where it comes in', async () => {
  const { adjust, closedStatement, traffic } = await openEnvironment()
  await traffic({ client: 1, number: 1, count: 2, amountMicro: 50_000 })
  await adjust('-5.00', 'a chargeback')
  const first = await closedStatement()
  expect(first.end?.bill).toBe('0.00')
  expect(first.adjustment).toMatchObject({
    amount: '-0.10',
    entries: [
      { kind: 'correction', amount: '-5.00' },
      { kind: 'carry', amount: '4.90', reason: 'Carried on to the next period' },
    ],
  })
  await traffic({ client: 1, number: 1, count: 200, amountMicro: 50_000 })
  const second = await closedStatement()
  expect(second.end?.bill).toBe('5.10')
  expect(second.adjustment).toMatchObject({
    amount: '-4.90',
    entries: [{ kind: 'carry', amount: '-4.90', reason: `Carried over from period ${first.id}-1` }],
  })
})

test('corrections that cancel out are named all the same', async () => {
  const { adjust, closedStatement, traffic } = await openEnvironment()
  await traffic({ client: 1, number: 1, count: 1, amountMicro: 50_000 })
  await adjust('1.00', 'a bonus')
  await adjust('-1.00', 'the bonus was for somebody else')
  const { adjustment, end } = await closedStatement()
  expect(end?.bill).toBe('0.05')
  expect(adjustment?.entries.map(({ amount }) => amount)).toEqual(['1.00', '-1.00'])
})

test('a held message that is worth nothing is listed too: in the period it came in, then where it was released', async () => {
  const { closedStatement, decide, held, linesOfPeriod } = await openEnvironment()
  const free = await held(1, 0)
  const first = await closedStatement()
  expect(first.text).toContain(`"id":"${free.messageId}"`)
  const [came] = await linesOfPeriod(`${first.id}-1`)
  expect([came?.reason, came?.amount]).toEqual(['Held for review: 1 SMS, in no bill until released', '0.00'])
  expect(came?.messages.map(({ id }) => id)).toEqual([free.messageId])

  await decide(free.id, 'release')
  const second = await closedStatement()
  expect(brief(second.decided)).toEqual([
    ['release', free.messageId, '447700000001', '0.00', `${first.id}-1`],
  ])
  const lines = await linesOfPeriod(`${second.id}-1`)
  expect(lines.map(({ kind, reason, amount }) => [kind, reason, amount])).toEqual([
    ['review', 'Released after review: 1 SMS of earlier periods', '0.00'],
  ])
  expect(lines[0]?.messages).toEqual([
    {
      id: free.messageId,
      at: expect.any(String),
      number: '447700000001',
      amount: '0.00',
      heldIn: `${first.id}-1`,
    },
  ])
})

test('periods without a bill are in the history when requested, and show where everything went', async () => {
  const { adjust, call, closedStatement, decide, held, history, linesOfPeriod, rateIdOf, traffic } =
    await openEnvironment()
  const refused = await held(1, 50_000)
  const kept = await held(1, 50_000)
  const first = await closedStatement()
  await decide(refused.id, 'confirm')
  const second = await closedStatement()
  await traffic({ client: 1, number: 3, count: 2, amountMicro: 500_000, rateId: rateIdOf(500_000) })
  const third = await closedStatement()
  await traffic({ client: 1, number: 1, count: 2, amountMicro: 50_000 })
  await adjust('-5.00', 'a chargeback')
  const fourth = await closedStatement()

  const ids = [fourth, third, second, first].map(({ id }) => `${id}-1`)
  const shown = (await history('unbilled=true&limit=5')).slice(0, 4)
  expect(
    shown.map(({ id, status, totalCost, totalSmsCount }) => [id, status, totalCost, totalSmsCount]),
  ).toEqual([
    [ids[0], 'no_bill', '0.00', 2],
    [ids[1], 'no_bill', '0.00', 2],
    [ids[2], 'no_bill', '0.00', 0],
    [ids[3], 'no_bill', '0.00', 2],
  ])
  const none = { payouts: '0.00', held: '0.00', refused: '0.00', carried: '0.00' }
  expect(shown.map(({ unbilled }) => unbilled)).toEqual([
    { ...none, carried: '4.90' },
    { ...none, payouts: '1.00' },
    { ...none, refused: '0.05' },
    { ...none, held: '0.10' },
  ])
  const [line] = await linesOfPeriod(ids[2] ?? '')
  expect([line?.reason, line?.messages.map(({ id }) => id)]).toEqual([
    'Refused after review: 1 SMS, not paid',
    [refused.messageId],
  ])
  const [traffic4, dispute] = await linesOfPeriod(ids[0] ?? '')
  expect([traffic4?.amount, dispute?.amount]).toEqual(['0.10', '-5.00'])
  expect((await linesOfPeriod(ids[3] ?? '')).flatMap(({ messages }) => messages.map(({ id }) => id))).toEqual(
    [refused.messageId, kept.messageId],
  )

  // By default only bills are listed; staff find the others by their status, and nothing of them can be paid.
  const isOfThese = ({ id }: BillingPeriod) => ids.includes(id)
  expect((await history('limit=500')).filter(isOfThese)).toEqual([])
  const staff = async (query: string) =>
    ((await call(4, 'GET', `/api/billing/all-periods?${query}`)).body as BillingPeriod[]).filter(isOfThese)
  expect(await staff('limit=500')).toEqual([])
  expect((await staff('status=no_bill&search=u1&limit=500')).map(({ id }) => id)).toEqual(ids)
  expect((await call(1, 'GET', '/api/billing/periods/export')).text).toContain(`\r\n${ids[2]},`)
  const body = { transactionHash: 'a'.repeat(64) }
  expect((await call(4, 'PUT', `/api/billing/periods/${ids[1]}/pay`, { body })).status).toBe(404)
  expect((await call(2, 'GET', `/api/billing/periods/${ids[1]}/lines`)).status).toBe(404)
  expect((await call(1, 'GET', `/api/billing/periods/${ids[1]}/statement.pdf`)).status).toBe(404)
})
