// What the hold of a case moves, by the state of the messages, and what people decide on it.
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { newCase } from '../testing/new-case.ts'
import { holdSteps } from '../views.ts'
import { openTestBilling } from '../../../test/money/billing.ts'
import { row, rows, type Db } from '../../platform/db.ts'

type Environment = Awaited<ReturnType<typeof openTestBilling>>

/** A client's ledger by account, in cents. */
async function ledgerOf(db: Db, client = 1): Promise<Record<string, number>> {
  const found = await rows<{ account: string; amount: number }>(
    db,
    sql`select account, (sum(amount_micro) / 10000)::int as amount from ledger_entries where user_id = ${client}
        group by account having sum(amount_micro) <> 0`,
  )
  return Object.fromEntries(found.map(({ account, amount }) => [account, amount]))
}

async function balanced({ billing, db }: Environment): Promise<void> {
  await billing.watchLedger()
  expect(await billing.ledgerState()).toMatchObject({ balanced: true })
  expect(
    await row(
      db,
      sql`select (select count(*)::int from records r where is_held and not exists (
            select from hold_records p where p.record_id = r.id and p.outcome is distinct from 'released')) as unmarked,
          (select coalesce(sum(open_micro), 0)::bigint from hold_sums) = (
            select coalesce(sum(amount_micro), 0) from ledger_entries where account = 'held') as is_same`,
    ),
  ).toEqual({ unmarked: 0, is_same: true })
}

const cents = 10_000

/** Holds what can be held, and the next morning what is on bills. */
async function holdUntilMorning({ clock, integrity }: Environment): Promise<void> {
  await integrity.holdMessages()
  clock.advance(30 * 3_600_000)
  await integrity.holdMessages()
}

test('messages of the open cycle are held, with two lines of the ledger, and the rest of the client is not', async () => {
  const environment = await openTestBilling()
  const { db, integrity, traffic, call } = environment
  await traffic({ client: 1, number: 1, count: 30, amountMicro: cents })
  const { id } = await newCase(environment, { client: 1, senders: 20 })
  const before = await row(db, sql`select max(id)::int as id from ledger_lines`)
  expect(await row(db, sql`select bool_or(is_stopped) as stopped from debts`)).toEqual({ stopped: null })
  await integrity.holdMessages()
  expect(await ledgerOf(db)).toEqual({ payable: 10, held: 20 })
  expect(
    await row(
      db,
      sql`select count(*)::int as lines from ledger_lines where id > ${(before as { id: number }).id}`,
    ),
  ).toEqual({ lines: 2 })
  const { body } = await call(4, 'GET', `/api/integrity/cases/${id}`)
  expect(body).toMatchObject({
    state: 'open',
    heldCount: 20,
    heldUsd: '0.20',
    lateCount: 0,
    isBeingHeld: false,
  })
  expect(body.messages).toHaveLength(20)
  await integrity.holdMessages()
  expect(await ledgerOf(db)).toEqual({ payable: 10, held: 20 })
  await balanced(environment)
})

test('a case of a dry run holds nothing and leaves no line', async () => {
  const environment = await openTestBilling()
  const { db, integrity, traffic } = environment
  await traffic({ client: 1, number: 1, count: 5, amountMicro: cents })
  await newCase(environment, { client: 1, senders: 5, isEnforced: false })
  await integrity.holdMessages()
  expect(await ledgerOf(db)).toEqual({ payable: 5 })
  expect(await row(db, sql`select count(*)::int as holds from holds`)).toEqual({ holds: 0 })
})

test('of a bill that is due the gateway takes them off by one credit note; what a client releases is in the next bill', async () => {
  const environment = await openTestBilling()
  const { aPayee, call, clock, closeCycle, db, integrity, traffic } = environment
  await aPayee(1)
  await traffic({ client: 1, number: 1, count: 30, amountMicro: cents })
  const bill = `/api/billing/periods/${(await closeCycle()).id}-1`
  const { id } = await newCase(environment, { client: 1, senders: 20 })
  expect(await row(db, sql`select is_stopped from debts`)).toEqual({ is_stopped: true })
  const pay = () => call(4, 'PUT', `${bill}/pay`, { body: { transactionHash: 'a'.repeat(64) } })
  expect((await pay()).status).toBe(409)
  const readings = ['', '/amendments', '/lines'].map((path) => `${bill}${path}`)
  const own = () =>
    Promise.all(
      [...readings, '/api/billing/periods', '/api/billing/account', '/api/billing/account/movements'].map(
        async (path) => {
          const { status, text } = await call(1, 'GET', path)
          expect([path, status]).toEqual([path, 200])
          return text
        },
      ),
    )
  const before = await own()
  await integrity.holdMessages()
  clock.advance(29 * 3_600_000)
  await integrity.holdMessages()
  // The client sees nothing of it, and nothing is paid.
  expect(await own()).toEqual(before)
  expect((await pay()).status).toBe(409)
  expect(await row(db, sql`select is_stopped from debts`)).toEqual({ is_stopped: true })
  const billedFrom = new Date(clock.now().getTime() + 3_600_000).toISOString()
  const wait = await call(4, 'GET', `/api/integrity/cases/${id}`)
  expect(wait.body).toMatchObject({ isBeingHeld: false, billedFrom, heldCount: 0, lateCount: 0 })
  const refuse = { action: 'confirm', reason: 'cards' }
  expect((await call(4, 'PUT', `/api/integrity/cases/${id}/decide`, { body: refuse })).status).toBe(409)
  await balanced(environment)
  clock.advance(3_600_000)
  await integrity.holdMessages()
  expect(await own()).not.toEqual(before)
  expect((await call(4, 'GET', `/api/integrity/cases/${id}`)).body.billedFrom).toBe(null)
  expect(await row(db, sql`select is_stopped, due_micro::int from debts`)).toEqual({
    is_stopped: false,
    due_micro: 10 * cents,
  })
  expect((await call(4, 'GET', `${bill}/amendments`)).body).toMatchObject([
    { kind: 'credit_note', status: 'done', amount: '0.20', requestedBy: '' },
  ])
  expect(await ledgerOf(db)).toEqual({ billed: 10, held: 20 })
  await balanced(environment)
  const decided = await call(4, 'PUT', `/api/integrity/cases/${id}/decide`, {
    body: { action: 'release', reason: 'a company', remember: true },
  })
  expect(decided.body).toMatchObject({ state: 'released', rememberedUntil: expect.any(String) })
  expect(await ledgerOf(db)).toEqual({ billed: 10, payable: 20 })
  const { id: next } = await closeCycle()
  expect((await call(1, 'GET', `/api/billing/periods/${next}-1`)).body).toMatchObject({ totalCost: '0.20' })
  await balanced(environment)
})

test('released before the next morning, a case leaves the bill as it was; all that it reaches counts for the limit', async () => {
  const environment = await openTestBilling()
  const { aPayee, call, closeCycle, db, integrity, traffic } = environment
  await aPayee(1)
  await traffic({ client: 1, number: 1, count: 3, amountMicro: 50_000_000 })
  await closeCycle()
  const { id } = await newCase(environment, { client: 1, senders: 3 })
  await sql`update integrity_cases set amount_micro = 150000000`.execute(db)
  await integrity.holdMessages()
  const release = (person: number) =>
    call(person, 'PUT', `/api/integrity/cases/${id}/decide`, {
      body: { action: 'release', reason: 'a vote' },
    })
  expect((await release(4)).body).toMatchObject({ state: 'open', asked: { action: 'release', by: 'u4' } })
  expect((await release(5)).body).toMatchObject({ state: 'released', billedFrom: null })
  await holdUntilMorning(environment)
  expect(await ledgerOf(db)).toEqual({ billed: 15_000 })
  expect(await row(db, sql`select is_stopped from debts`)).toEqual({ is_stopped: false })
  await balanced(environment)
})

test('what is paid, or on its way, moves nothing: the case says that it is too late', async () => {
  const environment = await openTestBilling()
  const { aPaidBill, call, db, integrity } = environment
  const { id: cycle } = await aPaidBill()
  const before = await ledgerOf(db)
  const { id } = await newCase(environment, { client: 1, senders: 100 })
  await integrity.holdMessages()
  expect(await ledgerOf(db)).toEqual(before)
  const late = await row<{ count: number }>(
    db,
    sql`select count(*)::int as count from records where client_id = 1 and cycle_id = ${Number(String(cycle).split('-')[0])}`,
  )
  expect((await call(4, 'GET', `/api/integrity/cases/${id}`)).body).toMatchObject({
    heldCount: 0,
    lateCount: late?.count,
  })
  await balanced(environment)
})

test('of a payout that is due its amount becomes less; all of it held, nothing is due', async () => {
  const environment = await openTestBilling()
  const { aPayee, closeCycle, db, traffic } = environment
  await aPayee(1)
  await traffic({ client: 1, number: 3, count: 10, amountMicro: cents })
  await closeCycle()
  await newCase(environment, { client: 1, senders: 4 })
  await holdUntilMorning(environment)
  expect(await ledgerOf(db)).toEqual({ billed: 6, held: 4 })
  await newCase(environment, { client: 1, senders: 10, rule: 'clockwork' })
  await holdUntilMorning(environment)
  expect(await ledgerOf(db)).toEqual({ held: 10 })
  expect(await row(db, sql`select due_micro::int, is_settled from debts`)).toEqual({
    due_micro: 0,
    is_settled: true,
  })
  await balanced(environment)
})

test('a cycle that closed and has no bills yet waits for the judge, and its bill leaves out what is held', async () => {
  const environment = await openTestBilling()
  const { call, clock, db, integrity, ledger, traffic, billing } = environment
  await traffic({ client: 1, number: 1, count: 30, amountMicro: cents })
  await traffic({ client: 1, number: 3, count: 3, amountMicro: cents })
  const open = await ledger.ensureOpenCycle()
  clock.set(open.endsAt)
  await newCase(environment, { client: 1, senders: 33 })
  await sql`update cycles set closed_at = ${clock.now()} where id = ${open.id}`.execute(db)
  await sql`insert into cycles (starts_at, ends_at) values (${open.endsAt}, ${open.endsAt}::timestamptz + interval '7 days')`.execute(
    db,
  )
  expect(await integrity.isJudged(db, clock.now())).toBe(false)
  await billing.closeDueCycles()
  expect(await row(db, sql`select count(*)::int as bills from billing_periods`)).toEqual({ bills: 0 })
  await integrity.holdMessages()
  expect(await ledgerOf(db)).toEqual({ held: 33 })
  expect(await integrity.isJudged(db, clock.now())).toBe(true)
  await billing.closeDueCycles()
  expect(await row(db, sql`select count(*)::int as debts from debts`)).toEqual({ debts: 0 })
  const periods = (await call(1, 'GET', '/api/billing/periods')).body
  expect(periods.filter(({ status }: { status: string }) => status !== 'pending')).toEqual([])
  await balanced(environment)
})

test('above the limit a case takes two persons, is decided once, and a refused one is never paid', async () => {
  const environment = await openTestBilling()
  const { call, db, integrity, traffic } = environment
  await traffic({ client: 1, number: 1, count: 3, amountMicro: 50_000_000 })
  const { id } = await newCase(environment, { client: 1, senders: 3 })
  const decide = (person: number, action = 'confirm') =>
    call(person, 'PUT', `/api/integrity/cases/${id}/decide`, { body: { action, reason: 'a batch of cards' } })
  expect((await decide(4)).status).toBe(409)
  await integrity.holdMessages()
  expect((await decide(1)).status).toBe(403)
  expect((await decide(4)).body).toMatchObject({ state: 'open', asked: { action: 'confirm', by: 'u4' } })
  expect((await decide(4)).status).toBe(409)
  const answers = await Promise.all([decide(5), decide(6), decide(5)])
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(await ledgerOf(db)).toEqual({})
  expect((await call(4, 'GET', '/api/integrity/report')).body).toMatchObject([
    { rule: 'paced', cases: 1, heldCount: 3, refusedUsd: '150.00', releasedUsd: '0.00' },
  ])
  const file = await call(4, 'GET', '/api/integrity/report/export')
  expect(file.text.trim().split('\r\n')).toEqual([
    'Month,Rule,Cases,Messages held,Held (USDT),Refused (USDT),Released (USDT),Waits (USDT),Hours to decision',
    expect.stringMatching(/^\d{4}-\d{2},paced,1,3,150.00,150.00,0.00,0.00,\d+\.\d$/),
  ])
  await balanced(environment)
})

test('people take a case and put the reminder off; a decided one takes no act', async () => {
  const environment = await openTestBilling()
  const { call, clock, integrity, traffic } = environment
  await traffic({ client: 1, number: 1, count: 3, amountMicro: cents })
  const { id } = await newCase(environment, { client: 1, senders: 3 })
  await integrity.holdMessages()
  expect((await call(5, 'PUT', `/api/integrity/cases/${id}/take`)).body).toMatchObject({ owner: 'u5' })
  clock.advance(50 * 3_600_000)
  const { body } = await call(5, 'PUT', `/api/integrity/cases/${id}/extend`, {
    body: { reason: 'asked the client' },
  })
  expect(Date.parse(body.dueAt)).toBe(clock.now().getTime() + 48 * 3_600_000)
  expect((await call(4, 'GET', '/api/integrity/cases?state=open')).body).toHaveLength(1)
  await call(4, 'PUT', `/api/integrity/cases/${id}/decide`, { body: { action: 'release', reason: 'fine' } })
  const again = { reason: 'again' }
  for (const [path, body] of [
    ['take', undefined],
    ['extend', again],
    ['decide', { action: 'release', ...again }],
  ] as const)
    expect(
      (await call(4, 'PUT', `/api/integrity/cases/${id}/${path}`, body === undefined ? {} : { body })).status,
    ).toBe(409)
})

test('a client is told from the next morning on which message a case holds, and staff at once', async () => {
  const { db } = await openTestBilling()
  await sql`with made as (
      insert into integrity_cases (rule, version_id, client_id, subject, day, level, state, from_day, facts, words,
        sender_count, message_count, amount_micro, first_at, created_at)
      values ('paced', 1, 1, '', '2026-03-04', 'hold', 'open', '2026-03-04', '{}', '[]', 1, 2, 2, now(), now()) returning id
    ), held as (
      insert into holds (user_id, number_id, case_id, rule, explanation, score, amount_micro, record_count, created_at)
      select 1, 1, id, 'paced', 'many senders', 60, 2, 2, now() - interval '3 days' from made returning id
    )
    insert into hold_records (record_id, record_created_at, hold_id, user_id, number_id, cycle_id, settlement, amount_micro,
      told_from)
    select 1, now() - interval '3 days', id, 1, 1, 1, 1, 1, next_morning(now() - interval '3 days') from held
    union all select 2, now(), id, 1, 1, 1, 1, 1, next_morning(now()) from held`.execute(db)
  const stepsFor = async (id: number, role: 'user' | 'support') =>
    (await holdSteps(db, { id: id, createdAt: new Date() }, { userId: 1, role })).map(({ step }) => step)
  expect(await stepsFor(1, 'user')).toEqual(['held'])
  expect(await stepsFor(2, 'user')).toEqual([])
  expect(await stepsFor(2, 'support')).toEqual(['held'])
})
