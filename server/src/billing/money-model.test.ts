// The product against an independent model, through random histories on the chain stand-in. To run it longer, or with
// other choices: MONEY_HISTORIES=500 MONEY_SEED=7 npx vitest run server/src/billing/money-model.test.ts
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { parseMicro } from '@tollgate/contract/money.ts'
import { seededChoices } from '../../drills/random.ts'
import { good, ledgerOf, openBills } from '../../test/bills-on-chain.ts'
import { MoneyModel, type ModelDebt } from '../../test/money-model.ts'
import { row, rows } from '../platform/db.ts'

const histories = Number(process.env['MONEY_HISTORIES'] ?? 15)
const seed = Number(process.env['MONEY_SEED'] ?? 23)
const random = seededChoices(seed)
const clients = [1, 2, 3]
const staff = 6

type Scene = Awaited<ReturnType<typeof openBills>>

/** Clients 1 to 3, no traffic yet, and a limit that leaves every decision to one person. */
async function openHistories() {
  const scene = await openBills({ client: 1, count: 1, amountMicro: 1 })
  await sql`insert into settings (key, value) values ('second_person_above', '900000000')`.execute(scene.db)
  const model = new MoneyModel()
  model.earn(1, 1, 1n)
  model.close(scene.cycle.id, new Map())
  let hashCount = 0
  const nextHash = () => (hashCount += 1).toString(16).padStart(64, '0')
  return { scene, model, nextHash, holds: [] as Hold[] }
}

interface Hold {
  readonly id: string
  readonly client: number
  readonly number: number
  readonly amount: bigint
  cyclesAgo: number
}
type Histories = Awaited<ReturnType<typeof openHistories>>

async function liveThroughCycle({ scene, model, holds }: Histories): Promise<void> {
  const { call, closeCycle, db, held, ledger, traffic } = scene
  await ledger.ensureOpenCycle()
  for (const client of clients) {
    for (let turn = random.below(4); turn > 0; turn -= 1) {
      const [number, count, amountMicro] = [
        random.between(1, 4),
        random.between(1, 5),
        random.between(1, 900_000),
      ]
      await traffic({ client, number, count, amountMicro })
      model.earn(client, number, BigInt(count * amountMicro))
    }
    if (random.chance(0.4)) {
      const [number, amountMicro] = [random.between(1, 4), random.between(1, 900_000)]
      const { id } = await held({ client, number, amountMicro })
      model.hold(client, BigInt(amountMicro))
      holds.push({ id, client, number, amount: BigInt(amountMicro), cyclesAgo: 0 })
    }
    if (random.chance(0.4)) {
      const micro = random.between(-3_000_000, 1_000_000) || 1
      const amount = (micro / 1_000_000).toFixed(6)
      const body = { userId: client, amount, reason: 'a correction' }
      expect((await call(staff, 'POST', '/api/billing/adjustments', { body })).status).toBe(201)
      model.correct(client, BigInt(micro))
    }
  }
  for (const hold of holds.splice(0)) {
    if (random.chance(0.5)) holds.push(hold)
    else if (random.chance(0.6)) {
      await decideHold(scene, hold, 'release')
      model.release(hold.client, hold.number, hold.amount, hold.cyclesAgo > 0)
    } else {
      await decideHold(scene, hold, 'confirm')
      model.refuse(hold.client, hold.amount)
    }
  }
  const { id } = await closeCycle()
  for (const hold of holds) hold.cyclesAgo += 1
  const payouts = await rows<{ id: string; key: string }>(
    db,
    sql`select id, user_id || '-' || number_id as key from payouts where cycle_id = ${id}`,
  )
  model.close(id, new Map(payouts.map((payout) => [payout.key, Number(payout.id)])))
}

async function decideHold({ call }: Scene, { id }: Hold, verb: 'release' | 'confirm'): Promise<void> {
  const { status } = await call(staff, 'PUT', `/api/holds/${id}/${verb}`, {
    body: { reason: 'looked at it' },
  })
  expect(status).toBe(200)
}

/** Pays with a transfer of `amount`, good or bad; gives the payment's id. */
async function enterTransfer(
  { scene, nextHash }: Histories,
  debt: ModelDebt,
  amount: bigint,
  fault?: string,
) {
  const { call, check, clock, node } = scene
  const hash = nextHash()
  const transfer = { ...good, amountMicro: amount, ...(fault === 'token' && { contract: '66'.repeat(20) }) }
  const more = fault === 'reverted' ? { result: 'REVERT' } : {}
  node.mine(hash, [fault === 'stranger' ? { ...transfer, from: '77'.repeat(20) } : transfer], {
    at: fault === 'early' ? new Date('2026-01-01') : clock.now(),
    ...more,
  })
  const path =
    debt.payoutId === undefined
      ? `/api/billing/periods/${debt.cycleId}-${debt.client}/pay`
      : `/api/payouts/${debt.payoutId}/process`
  const answer = await call(staff, 'PUT', path, { body: { transactionHash: hash } })
  expect([answer.status, answer.body.message]).toEqual([200, undefined])
  await check()
  return answer.body.paymentId as string
}

async function actOn(all: Histories, debt: ModelDebt): Promise<void> {
  const { scene, model } = all
  const due = model.due(debt)
  const decide = async (id: string, body: object) => {
    const input = { reason: 'as agreed', ...body }
    const answer = await scene.call(staff, 'PUT', `/api/payments/${id}/decide`, { body: input })
    expect([answer.status, answer.body.message, input]).toEqual([200, undefined, input])
  }
  const act = random.pick(['exact', 'exact', 'less', 'more', 'bad', 'nothing'])
  if (act === 'nothing') return
  if (act === 'bad') {
    await enterTransfer(all, debt, due, random.pick(['token', 'reverted', 'early', 'stranger']))
    return
  }
  const difference = BigInt(random.between(1, 400_000))
  const amount = act === 'exact' ? due : act === 'more' ? due + difference : due - difference
  if (amount <= 0n) return
  const id = await enterTransfer(all, debt, amount)
  model.receive(debt, amount)
  if (act === 'exact') return
  const answer = random.pick(
    act === 'less' ? ['none', 'owe', 'waive', 'reject'] : ['credit', 'waive', 'reject'],
  )
  if (answer === 'none') return
  await decide(id, answer === 'reject' ? { action: 'reject' } : { action: 'accept', difference: answer })
  if (answer === 'reject') model.takeBack(debt, amount)
  if (answer === 'waive') model.waive(debt)
  if (answer === 'credit') model.keepAsCredit(debt)
}

const micro = (amount: string) => parseMicro(amount) ?? 0n

/** A client's account page in millionths, with the balance after its last movement and the sum of all of them. */
async function accountOf({ call }: Scene, client: number) {
  const { body } = await call(staff, 'GET', `/api/books/accounts/${client}`)
  const movements: { amount: string; balance: string }[] = []
  let path: string | undefined = `/api/books/accounts/${client}/movements?order=asc&limit=500`
  while (path !== undefined) {
    const page = await call(staff, 'GET', path)
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
async function compare({ scene, model }: Histories, which: string): Promise<void> {
  const { billing, db } = scene
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
    expect(await accountOf(scene, client), which).toEqual(expectedAccount(model, client))
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
}

test(
  `${histories} random histories end to the millionth as the model says`,
  { timeout: 60_000 + histories * 20_000 },
  async () => {
    const all = await openHistories()
    for (let history = 1; history <= histories; history += 1) {
      await liveThroughCycle(all)
      for (const debt of all.model.debts.filter(({ isSettled }) => !isSettled))
        if (!debt.isSettled) await actOn(all, debt)
      await compare(all, `history ${history} of seed ${seed}`)
    }
  },
)

const attempts = Number(process.env['MONEY_ATTEMPTS'] ?? 200)

test(
  `${attempts} payments at once, by two transfers for each bill: none is booked twice, and none is lost`,
  { timeout: 60_000 + attempts * 200 },
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
          return call(staff, 'PUT', path, { body: { transactionHash } })
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
