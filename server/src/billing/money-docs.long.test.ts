// docs/money.md shows an example and a table of cases. Both are made here, by the product itself.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { formatMicro, parseMicro } from '@tollgate/contract/money.ts'
import { openTestBilling } from '../../test/money/billing.ts'
import { openTronNode, type TronNode } from '../../test/stand-ins/tron-node.ts'
import type { ChainTransfer } from '../programs/demo/chain-account.ts'
import { rows } from '../platform/db.ts'
import { projectRoot } from '../platform/process/project.ts'
import { addressBytes, toAddress } from '../rates/index.ts'

const usdt = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'
const contract = addressBytes(usdt) ?? ''
const [wallet, client, stranger] = ['33', '44', '55'].map((byte) => byte.repeat(20)) as [
  string,
  string,
  string,
]
// 20 bytes: the first and the last two are the client's.
const lookAlike = `4444${'99'.repeat(16)}4444`
const good: ChainTransfer = { contract, from: wallet, to: client, amountMicro: 500_000n }

const docs = await readFile(join(projectRoot, 'docs/money.md'), 'utf8')
const table = (head: string[], lines: string[][]) =>
  [head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n')

test('the worked example of docs/money.md is what the product makes of it', async () => {
  const node = await openTronNode()
  const { db, call, traffic, clock, closeCycle, billing } = await openTestBilling({
    tron: { apiUrl: node.url, apiKey: undefined, usdtContract: usdt },
  })
  await sql`insert into settings (key, value) values ('treasury_addresses', ${toAddress(wallet)})`.execute(db)
  const [cheaper, own] = await rows<{ id: number }>(
    db,
    sql`insert into rates (scope, number_id, rate_micro, valid_from) values
        ('global', null, 30000, '2026-03-05T00:00:00Z'), ('number', 3, 500000, '1970-01-01') returning id`,
  )
  await call(1, 'PUT', '/api/user/profile', {
    body: { fullName: 'Ada', usdtAddress: toAddress('11'.repeat(20)) },
  })
  const ledger = async () => {
    const sums = await rows<{ account: string; micro: string }>(
      db,
      sql`select account, sum(amount_micro)::text as micro from ledger_entries group by account
          having sum(amount_micro) <> 0 order by account`,
    )
    const total = sums.reduce((sum, { micro }) => sum + BigInt(micro), 0n)
    return table(
      ['account', 'USDT'],
      [
        ...sums.map(({ account, micro }) => [account, formatMicro(BigInt(micro), 2)]),
        ['sum', formatMicro(total, 2)],
      ],
    )
  }
  // Wednesday at 0.05, Thursday and later at 0.03; three messages are held back, one number has a price of its own.
  await traffic({ client: 1, number: 1, count: 1_234, amountMicro: 50_000 })
  clock.set('2026-03-05T09:00:00Z')
  await traffic({ client: 1, number: 1, count: 766, amountMicro: 30_000, rateId: cheaper?.id ?? 0 })
  await traffic({ client: 1, number: 2, count: 101, amountMicro: 30_000, rateId: cheaper?.id ?? 0 })
  await traffic({
    client: 1,
    number: 2,
    count: 3,
    amountMicro: 30_000,
    rateId: cheaper?.id ?? 0,
    isHeld: true,
  })
  await traffic({ client: 1, number: 3, count: 12, amountMicro: 500_000, rateId: own?.id ?? 0 })
  await call(6, 'POST', '/api/billing/adjustments', {
    body: { userId: 1, amount: '-1.5', reason: 'carrier dispute' },
  })
  expect(docs).toContain(await ledger())
  await closeCycle()
  const bill = (await call(1, 'GET', '/api/billing/periods')).body[1]
  const lines = (await call(1, 'GET', `/api/billing/periods/${bill.id}/lines`)).body as Record<
    string,
    string
  >[]
  expect(docs).toContain(
    table(
      ['number', 'rate', 'SMS', 'amount'],
      [
        // A line of 0.00 lists the messages that are held.
        ...lines
          .filter(({ amount }) => amount !== '0.00')
          .map(({ number, rate, smsCount, amount }) =>
            [number || 'correction', rate, smsCount, amount].map(String),
          ),
        ['**bill**', `average ${bill.costPerSms}`, String(bill.totalSmsCount), `**${bill.totalCost}**`],
      ],
    ),
  )
  expect(docs).toContain(await ledger())
  const [payout] = (await call(4, 'GET', '/api/payouts')).body
  expect(docs).toContain(`a payout of ${payout.amount} USDT for ${payout.smsCount} SMS`)
  const note = await call(6, 'POST', `/api/billing/periods/${bill.id}/credit-notes`, {
    body: { amount: '6.21', reason: 'a carrier takes 207 messages back' },
  })
  const [, credited] = (await call(1, 'GET', '/api/billing/periods')).body
  expect(docs).toContain(
    `a credit note of ${note.body.amount} USDT: ${credited.totalCost} stay on the bill, ${credited.dueAmount} are due`,
  )
  expect(docs).toContain(await ledger())
  /** Sends so much to Ada and pays with it. */
  async function send(path: string, digit: string, amount: string) {
    const transfer = { ...good, to: '11'.repeat(20), amountMicro: parseMicro(amount) ?? 0n }
    clock.advance(10_000)
    node.mine(digit.repeat(64), [transfer], { at: clock.now() })
    expect((await call(4, 'PUT', path, { body: { transactionHash: digit.repeat(64) } })).status).toBe(200)
    await billing.checkPayments()
  }
  await send(`/api/billing/periods/${bill.id}/pay`, 'a', '50')
  const [, partly] = (await call(1, 'GET', '/api/billing/periods')).body
  expect(docs).toContain(
    `the bill is \`${partly.paymentVerification}\`: ${partly.receivedAmount} received, ${partly.dueAmount} due`,
  )
  expect(docs).toContain(await ledger())
  await send(`/api/billing/periods/${bill.id}/pay`, 'b', partly.dueAmount)
  await send(`/api/payouts/${payout.id}/process`, 'c', payout.amount)
  expect((await call(1, 'GET', '/api/billing/periods')).body[1].status).toBe('paid')
  expect(docs).toContain(await ledger())
})

type Case = readonly [
  name: string,
  outcome: string,
  mine: (node: TronNode, hash: string, times: { closed: Date; now: Date }) => void,
]
const cases: readonly Case[] = [
  [
    'exactly the bill, from our wallet, after the bill',
    'verified',
    (node, hash, { now }) => node.mine(hash, [good], { at: now }),
  ],
  [
    'two transfers of one transaction that sum to the bill',
    'verified',
    (node, hash, { now }) =>
      node.mine(
        hash,
        [
          { ...good, amountMicro: 200_000n },
          { ...good, amountMicro: 300_000n },
        ],
        { at: now },
      ),
  ],
  [
    'the bill, and another transfer to somebody else beside it',
    'verified',
    (node, hash, { now }) => node.mine(hash, [{ ...good, to: stranger }, good], { at: now }),
  ],
  [
    '0.000001 less than the bill',
    'underpaid',
    (node, hash, { now }) => node.mine(hash, [{ ...good, amountMicro: 499_999n }], { at: now }),
  ],
  [
    '0.000001 more than the bill',
    'overpaid',
    (node, hash, { now }) => node.mine(hash, [{ ...good, amountMicro: 500_001n }], { at: now }),
  ],
  [
    'dust: 0.000001 in all',
    'underpaid',
    (node, hash, { now }) => node.mine(hash, [{ ...good, amountMicro: 1n }], { at: now }),
  ],
  [
    'a million times the bill',
    'overpaid',
    (node, hash, { now }) =>
      node.mine(hash, [{ ...good, amountMicro: good.amountMicro * 1_000_000n }], { at: now }),
  ],
  [
    'more USDT than can be: 10^18',
    'rejected',
    (node, hash, { now }) => node.mine(hash, [{ ...good, amountMicro: 10n ** 24n }], { at: now }),
  ],
  [
    'an amount of 0, which anybody can send in our name',
    'rejected',
    (node, hash, { now }) => node.mine(hash, [{ ...good, amountMicro: 0n }], { at: now }),
  ],
  [
    "poisoned: to an address that begins and ends like the client's",
    'rejected',
    (node, hash, { now }) => node.mine(hash, [{ ...good, to: lookAlike }], { at: now }),
  ],
  [
    'a token that only calls itself USDT',
    'rejected',
    (node, hash, { now }) => node.mine(hash, [{ ...good, contract: stranger }], { at: now }),
  ],
  [
    'to another address',
    'rejected',
    (node, hash, { now }) => node.mine(hash, [{ ...good, to: stranger }], { at: now }),
  ],
  [
    "from a stranger's wallet",
    'rejected',
    (node, hash, { now }) => node.mine(hash, [{ ...good, from: stranger }], { at: now }),
  ],
  [
    'five minutes older than the bill, by the clock of the chain',
    'verified',
    (node, hash, { closed }) => node.mine(hash, [good], { at: new Date(closed.getTime() - 300_000) }),
  ],
  [
    'older than that',
    'rejected',
    (node, hash, { closed }) => node.mine(hash, [good], { at: new Date(closed.getTime() - 300_001) }),
  ],
  [
    'failed on chain: reverted',
    'rejected',
    (node, hash, { now }) => node.mine(hash, [good], { at: now, result: 'REVERT' }),
  ],
  [
    'failed on chain: out of energy',
    'rejected',
    (node, hash, { now }) => node.mine(hash, [good], { at: now, result: 'OUT_OF_ENERGY' }),
  ],
  [
    'a success whose logs the node does not show yet',
    'confirming',
    (node, hash, { now }) => node.mine(hash, [], { at: now }),
  ],
  [
    'the receipt of another transaction: the node lies',
    'confirming',
    (node, hash, { now }) => node.mine(hash, [good], { at: now, receiptOf: 'f'.repeat(64) }),
  ],
  [
    'listed, and its receipt is not there: the node lags',
    'confirming',
    (node, hash, { now }) => node.mine(hash, [good], { at: now, isShown: false }),
  ],
  [
    'shown once, and not any more: the node forgets',
    'confirming',
    (node, hash, { now }) => {
      node.mine(hash, [good], { at: now })
      node.mine(hash, [good], { at: now, isShown: false, isListed: false })
    },
  ],
  ['in a block that may still be undone', 'confirming', (node, hash) => node.announce(hash)],
  ['unknown to the node', 'confirming', () => undefined],
  ['the node is over its limit: status 200 and `Error`', 'confirming', (node) => node.fail('error')],
  ['the node is a lite one: status 200 and plain text', 'confirming', (node) => node.fail('plain text')],
  ['the node answers 429', 'confirming', (node) => node.fail('limit')],
  ['the node hangs up', 'confirming', (node) => node.fail('reset')],
]

test('each case of docs/money.md ends as the table says, at the stand-in of a TRON node', async () => {
  const node = await openTronNode()
  const { db, clock, call, billing, ledger, closeCycle } = await openTestBilling({
    tron: { apiUrl: node.url, apiKey: undefined, usdtContract: usdt },
  })
  await sql`insert into settings (key, value) values ('treasury_addresses', ${toAddress(wallet)})`.execute(db)
  const people = await rows<{ id: number }>(
    db,
    sql`insert into users (username, email, first_name, last_name, password_hash, role)
        select 'case' || i, 'c@example.org', 'C', 'C', 'x', 'user' from generate_series(1, ${cases.length}::int) i
        returning id`,
  )
  await sql`insert into payment_profiles (user_id, usdt_address)
    select id, ${toAddress(client)} from users where username like 'case%'`.execute(db)
  const { id: cycleId } = await ledger.ensureOpenCycle()
  await sql`insert into record_cycle_counters select ${cycleId}::int, id, 1, 10, 500000 from users where username like 'case%'`.execute(
    db,
  )
  await closeCycle()
  const closed = clock.now()
  const found: string[][] = []
  for (const [index, [name, , mine]] of cases.entries()) {
    const period = `${cycleId}-${people[index]?.id}`
    const hash = index.toString(16).padStart(64, 'c')
    clock.advance(10_000)
    mine(node, hash, { closed, now: clock.now() })
    await call(4, 'PUT', `/api/billing/periods/${period}/pay`, { body: { transactionHash: hash } })
    await billing.checkPayments()
    node.fail(undefined)
    const all = (await call(4, 'GET', `/api/billing/all-periods?userId=${people[index]?.id}`)).body
    const { paymentVerification, status } = all.find(({ id }: { id: string }) => id === period)
    found.push([name, paymentVerification, status])
  }
  expect(found.map(([name, outcome]) => [name, outcome])).toEqual(
    cases.map(([name, outcome]) => [name, outcome]),
  )
  expect(docs).toContain(table(['transfer', 'verification', 'the bill'], found))
})
