// The product against an independent model, through random histories on the chain stand-in. To run it longer, or with
// other choices: MONEY_HISTORIES=500 MONEY_SEED=7 npx vitest run server/src/billing/money-model.long.test.ts. With kills of the
// gateway between and inside the steps: npm run drill -- money.
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { parseMicro } from '@tollgate/contract/money.ts'
import { seededChoices } from '../../drills/random.ts'
import { ledgerOf, openBills } from '../../test/money/bills-on-chain.ts'
import {
  decideHolds,
  decimal,
  debtHistory,
  runHistory,
  type Product,
  moneyReads,
  type HeldAmount,
} from '../../test/money/random-debts.ts'
import { MoneyModel } from '../../test/money/money-model.ts'
import { openTestTreasury } from '../../test/money/treasury.ts'
import { row, rows } from '../platform/db.ts'
import { toAddress } from '../rates/index.ts'
import { verifyFile } from '../statements/verify-file.ts'
import { readStatement } from '../statements/read-statement.ts'

const histories = Number(process.env['MONEY_HISTORIES'] ?? 15)
const seed = Number(process.env['MONEY_SEED'] ?? 23)
const random = seededChoices(seed)
const clients = [1, 2, 3]
const staff = { support: 4, second: 5, admin: 6 }
const secondAdmin = 7

type Environment = Awaited<ReturnType<typeof openTestTreasury>>

/** Clients 1 to 3, no traffic yet, and a limit that leaves to two persons what always takes two. */
async function openHistories() {
  const environment = await openTestTreasury({
    traffic: [{ client: 1, number: 1, count: 1, amountMicro: 1 }],
  })
  await sql`insert into settings (key, value) values ('second_person_above', '900000000'), ('address_wait_hours', '0')`.execute(
    environment.db,
  )
  await sql`insert into users (username, email, first_name, last_name, password_hash, role)
    values ('u7', 'u@example.org', 'U', 'U', 'x', 'admin')`.execute(environment.db)
  const model = new MoneyModel()
  model.earn(1, 1, 1n)
  model.close(environment.cycleId, new Map())
  const holds: HeldAmount[] = []
  return { environment, model, random, holds, product: productOf(environment) }
}
type Histories = Awaited<ReturnType<typeof openHistories>>

function productOf({ call, clock, db, node, transferTo }: Environment): Product {
  let count = 0
  return {
    async call(person, method, path, body) {
      const userId = typeof person === 'number' ? person : staff[person]
      const answer = await call(userId, method, path, body === undefined ? {} : { body })
      return { status: answer.status, body: answer.body, wasTried: false }
    },
    send(to, amountMicro, fault) {
      const hash = (count += 1).toString(16).padStart(64, '0')
      const transfer = {
        ...transferTo(to, amountMicro),
        ...(fault === 'token' && { contract: '66'.repeat(20) }),
        ...(fault === 'stranger' && { from: '77'.repeat(20) }),
      }
      const at = fault === 'early' ? new Date('2026-01-01') : clock.now()
      node.mine(hash, [transfer], { at, ...(fault === 'reverted' && { result: 'REVERT' }) })
      return hash
    },
    ...moneyReads(db),
    newAddress: () => toAddress(`bb${(count += 1).toString(16).padStart(38, '0')}`),
  }
}

/** A rate of this amount: the statement says that one record is one SMS at its rate. */
async function aRate({ db }: Environment, amountMicro: number): Promise<number> {
  const made = await row<{ id: number }>(
    db,
    sql`insert into rates (scope, rate_micro, valid_from) values ('global', ${amountMicro}, '1970-01-01') returning id`,
  )
  return made?.id ?? 0
}

/**
 * Messages to a number that nobody holds, at two prices, and then a client who gets it from before they came: one admin asks
 * for it, another one accepts.
 */
async function backdate({ environment, model }: Histories): Promise<void> {
  const { call, clock, db, unowned } = environment
  // The holding ends when the number is assigned, which is now by the database's clock.
  if (clock.now() > new Date()) return
  const [before, after] = [random.between(1, 900_000), random.between(1, 900_000)]
  const number = await row<{ id: number }>(
    db,
    sql`insert into numbers (number) select (448000000000 + count(*))::text from numbers returning id`,
  )
  const id = number?.id ?? 0
  const price = (micro: number, from: Date) =>
    sql`insert into rates (scope, number_id, rate_micro, valid_from) values ('number', ${id}, ${micro}, ${from})`.execute(
      db,
    )
  await price(before, new Date(0))
  const counts = [random.between(1, 5), random.between(0, 5)] as const
  const start = clock.now()
  await unowned({ number: id, count: counts[0] })
  clock.advance(60_000)
  await price(after, clock.now())
  await unowned({ number: id, count: counts[1] })
  clock.set(start)
  const client = random.pick(clients)
  const body = { userId: client, from: new Date(start.getTime() - 1_000).toISOString() }
  const requested = await call(staff.admin, 'PUT', `/api/number-inventory/${id}/assign`, { body })
  expect([requested.status, requested.body.message]).toEqual([200, undefined])
  const path = `/api/billing/adjustments/${requested.body.waitingCredit.adjustmentId}/decide`
  const isAccepted = random.chance(0.8)
  const decision = { action: isAccepted ? 'accept' : 'reject', reason: 'looked at it' }
  expect((await call(secondAdmin, 'PUT', path, { body: decision })).status).toBe(200)
  if (isAccepted) model.correct(client, BigInt(counts[0] * before + counts[1] * after))
}

async function liveThroughCycle(all: Histories): Promise<void> {
  const { environment, model, holds } = all
  const { call, clock, closeCycle, db, held, ledger, traffic } = environment
  await ledger.ensureOpenCycle()
  for (const client of clients) {
    for (let turn = random.below(4); turn > 0; turn -= 1) {
      const [number, count, amountMicro] = [
        random.between(1, 4),
        random.between(1, 5),
        random.between(1, 900_000),
      ]
      // Some come weeks after their time, and count in the open cycle all the same.
      const now = clock.now()
      if (random.chance(0.2)) clock.set(new Date(now.getTime() - random.between(1, 20) * 86_400_000))
      await traffic({ client, number, count, amountMicro, rateId: await aRate(environment, amountMicro) })
      clock.set(now)
      model.earn(client, number, BigInt(count * amountMicro))
    }
    if (random.chance(0.4)) {
      const [number, amountMicro] = [random.between(1, 4), random.between(1, 900_000)]
      const { id } = await held({
        client,
        number,
        amountMicro,
        rateId: await aRate(environment, amountMicro),
      })
      model.hold(client, BigInt(amountMicro))
      holds.push({ id, client, number, amount: BigInt(amountMicro), cyclesAgo: 0 })
    }
    if (random.chance(0.4)) {
      const micro = random.between(-3_000_000, 1_000_000) || 1
      const body = { userId: client, amount: decimal(BigInt(micro)), reason: 'a correction' }
      expect((await call(staff.admin, 'POST', '/api/billing/adjustments', { body })).status).toBe(201)
      model.correct(client, BigInt(micro))
    }
  }
  if (random.chance(0.5)) await backdate(all)
  await decideHolds(all)
  const { id } = await closeCycle()
  for (const hold of holds) hold.cyclesAgo += 1
  const payouts = await rows<{ id: string; key: string }>(
    db,
    sql`select id, user_id || '-' || number_id as key from payouts where cycle_id = ${id}`,
  )
  model.close(id, new Map(payouts.map((payout) => [payout.key, Number(payout.id)])))
}

/** Goes on, and has the chain looked at whenever the history waits for it. */
async function settle(
  { environment: { billing, clock } }: Histories,
  history: AsyncGenerator,
): Promise<void> {
  while ((await history.next()).done !== true) {
    clock.advance(10_000)
    await billing.checkPayments()
    await billing.readTreasury()
  }
}

const micro = (amount: string) => parseMicro(amount) ?? 0n

/** A client's account page in millionths, with the balance after its last movement and the sum of all of them. */
async function accountOf({ call }: Environment, client: number) {
  const { body } = await call(staff.support, 'GET', `/api/books/accounts/${client}`)
  const movements: { amount: string; balance: string }[] = []
  let path: string | undefined = `/api/books/accounts/${client}/movements?order=asc&limit=500`
  while (path !== undefined) {
    const page = await call(staff.support, 'GET', path)
    movements.push(...page.body)
    path = page.next
  }
  return {
    balance: micro(body.balance),
    closing: micro(body.span.closing),
    last: micro(movements.at(-1)?.balance ?? '0'),
    sum: movements.reduce((sum, { amount }) => sum + micro(amount), 0n),
    aged: [body.days7, body.days14, body.days30, body.older].reduce((sum, amount) => sum + micro(amount), 0n),
    unbilled: micro(body.unbilled),
    held: micro(body.held),
    received: micro(body.received),
  }
}

function expectedAccount(model: MoneyModel, client: number) {
  const ledger = model.ledgerOf(client)
  const of = (account: string) => BigInt(ledger[account] ?? 0)
  const balance = of('billed') + of('credit')
  return {
    balance,
    closing: balance,
    last: balance,
    sum: balance,
    aged: of('billed'),
    unbilled: of('payable'),
    held: of('held'),
    received: of('paid'),
  }
}

/** Bills, payouts, credit, holds and ledger, to the millionth. */
async function compare({ environment, model }: Histories, which: string): Promise<void> {
  const { billing, db } = environment
  const found = await rows(
    db,
    sql`select user_id as client, cycle_id as cycle, payout_id::int as payout, total_micro as total,
          received_micro as received, set_off_micro as "setOff", reduced_micro as waived, due_micro as due,
          is_settled as settled
        from debts order by cycle_id, user_id, payout_id nulls first`,
  )
  const expected = model.debts
    .toSorted((a, b) => a.cycleId - b.cycleId || a.client - b.client || (a.payoutId ?? 0) - (b.payoutId ?? 0))
    .map((debt) => ({
      client: debt.client,
      cycle: debt.cycleId,
      payout: debt.payoutId ?? null,
      total: String(debt.total),
      received: String(debt.received),
      setOff: String(debt.setOff),
      waived: String(debt.waived),
      due: String(model.due(debt)),
      settled: debt.isSettled,
    }))
  expect(found, which).toEqual(expected)
  for (const client of clients) expect(await ledgerOf(db, client), which).toEqual(model.ledgerOf(client))
  for (const client of clients)
    expect(await accountOf(environment, client), which).toEqual(expectedAccount(model, client))
  const sums = await row(
    db,
    sql`select (select coalesce(sum(amount_micro), 0)::text from client_credits) as credit,
          (select sum(amount_micro)::text from ledger_entries) as ledger,
          (select coalesce(sum(booked_micro), 0)::text from transfers) as booked`,
  )
  const total = (of: (client: number) => bigint) =>
    String(clients.reduce((sum, client) => sum + of(client), 0n))
  expect(sums, which).toEqual({
    credit: total((client) => model.account(client).credit),
    ledger: '0',
    booked: total((client) => model.account(client).paid),
  })
  await billing.watchLedger()
  expect(await billing.ledgerState(), which).toMatchObject({ balanced: true })
  await compareArchive({ environment, model }, which)
}

/** The archived statements of the newest cycle: each verifies, and sums to what the model says. */
async function compareArchive(
  { environment: { billing, db }, model }: Pick<Histories, 'environment' | 'model'>,
  which: string,
) {
  await billing.signStatements()
  const cycleId = Math.max(...model.statements.map((statement) => statement.cycleId))
  for (const { client, bill, payouts } of model.statements.filter((each) => each.cycleId === cycleId)) {
    const { stream } = await readStatement(db, cycleId, client)
    const { faults, end } = await verifyFile(createInterface({ input: Readable.from(stream) }))
    const sums = { bill: parseMicro(end?.bill ?? ''), payouts: parseMicro(end?.payouts ?? '') }
    expect([faults, sums], `${which}, statement of ${client}`).toEqual([[], { bill, payouts }])
  }
}

test(
  `${histories} random histories end to the millionth as the model says`,
  { timeout: 240_000 + histories * 20_000 },
  async () => {
    const all = await openHistories()
    for (let history = 1; history <= histories; history += 1) {
      await liveThroughCycle(all)
      for (const debt of all.model.debts.filter(({ isSettled }) => !isSettled))
        await settle(all, debtHistory(all, debt))
      await settle(all, runHistory(all))
      await compare(all, `history ${history} of seed ${seed}`)
    }
  },
)

const attempts = Number(process.env['MONEY_ATTEMPTS'] ?? 200)

test(
  `${attempts} payments at once, by two transfers for each bill: none is booked twice, and none is lost`,
  { timeout: 240_000 + attempts * 200 },
  async () => {
    const { billing, call, check, cycle, db, send } = await openBills(
      ...clients.map((client) => ({ client, count: 10, amountMicro: 2_000_000 })),
    )
    // Everybody is paid to the same address, so that each transfer fits each bill.
    const digits = ['1', '2', '3', '4', '5', '6']
    for (const digit of digits) send(digit, 10_000_000n)
    const rounds = 5
    for (let round = 0; round < rounds; round += 1) {
      const answers = await Promise.all(
        Array.from({ length: attempts / rounds }, () => {
          const transactionHash = random.pick(digits).repeat(64)
          const path = `/api/billing/periods/${cycle.id}-${random.pick(clients)}/pay`
          return call(6, 'PUT', path, { body: { transactionHash } })
        }),
      )
      expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true)
      await check()
    }
    expect(
      await rows(
        db,
        sql`select booked_micro as booked, count(*)::int as count from transfers group by 1 order by 1`,
      ),
    ).toEqual([{ booked: '10000000', count: 6 }])
    expect(
      await rows(
        db,
        sql`select received_micro as received, is_settled as settled from debts order by user_id`,
      ),
    ).toEqual(clients.map(() => ({ received: '20000000', settled: true })))
    expect(await row(db, sql`select count(*)::int as count from payments where status = 'pending'`)).toEqual({
      count: 0,
    })
    expect((await ledgerOf(db))['paid']).toBe('60000000')
    await billing.watchLedger()
    expect(await billing.ledgerState()).toMatchObject({ balanced: true })
  },
)
