import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { silentLog } from '../../../test/harness.ts'
import { openMailServer } from '../../../test/mail-server.ts'
import { addressOf, openTestBilling } from '../../../test/money.ts'
import { createMail, type Mail } from '../../mail/index.ts'
import { rows } from '../../platform/db.ts'
import { createSecrets } from '../../platform/security/secrets.ts'

const server = await openMailServer()
const secrets = createSecrets('key material for tests')
const [address, other] = [addressOf(1), addressOf(2)]

/** Client 1 has a payment profile with an e-mail address, client 2 one without. */
async function openScene() {
  server.fail(undefined)
  const mails: Mail[] = []
  const scene = await openTestBilling({
    mail: (db, clock) => {
      const mail = createMail({ db, clock, log: silentLog, secrets, smtp: server.smtp, timeoutMs: 300 })
      mails.push(mail)
      return mail
    },
  })
  const { api, call, clock } = scene
  const save = (userId: number, usdtAddress: string, email: string) =>
    call(userId, 'PUT', '/api/user/profile', {
      cookie: api.signIn({ userId, username: `u${userId}`, role: 'user', authenticatedAt: clock.now() }),
      body: { fullName: 'Cleo Ent', usdtAddress, email },
    })
  await save(1, address, 'one@example.org')
  await save(2, address, '')
  /** The mails that are sent now. */
  async function sent() {
    server.taken.length = 0
    for (const mail of mails) await mail.sendDue()
    return server.taken.map(({ to, headers, text }) => ({ to, subject: headers.get('subject') ?? '', text }))
  }
  return { ...scene, save, sent }
}

test('the profile says that mail is sent; a first address sends none', async () => {
  const { call, save, sent } = await openScene()
  expect((await save(1, address, 'one@example.org')).body.sendsMail).toBe(true)
  expect((await call(1, 'GET', '/api/user/profile')).body.sendsMail).toBe(true)
  expect(await sent()).toEqual([])
})

test('a new bill sends one mail to a client with an e-mail address', async () => {
  const { billing, closeCycle, sent, traffic } = await openScene()
  const amountMicro = 1_000_001
  await traffic({ client: 1, number: 1, count: 1_234, amountMicro })
  await traffic({ client: 2, number: 2, count: 5, amountMicro })
  const { id } = await closeCycle()
  await billing.closeDueCycles()
  const [bill, ...rest] = await sent()
  expect(rest).toEqual([])
  expect(bill).toMatchObject({ to: 'one@example.org', subject: 'Your bill of 1,234.001234 USDT' })
  expect(bill?.text).toContain('A bill was made for the account u1.')
  expect(bill?.text).toMatch(/Period: \d\d\/03\/2026 00:00 to \d\d\/03\/2026 00:00 \(UTC\)\n/)
  expect(bill?.text).toContain('Messages: 1,234\nAmount: 1,234.001234 USDT\n')
  expect(bill?.text).toContain(`to your USDT address ending in ${address.slice(-6)}.`)
  expect(bill?.text).not.toContain(address)
  expect(bill?.text).toContain(`https://gateway.example.com/payment?tab=billing&open=${id}-1\n`)
  expect(await sent()).toEqual([])
})

test('a paid bill sends one mail, which says what was checked', async () => {
  const { aClosedCycle, call, sent } = await openScene()
  const { id: cycleId } = await aClosedCycle({ count: 1_234, amountMicro: 1_000_001 })
  await sent()
  const bill = { id: `${cycleId}-1` }
  const path = `/api/billing/periods/${bill.id}/pay`
  const transactionHash = 'a'.repeat(64)
  for (const userId of [4, 5]) await call(userId, 'PUT', path, { body: { transactionHash } })
  const [paid, ...rest] = await sent()
  expect(rest).toEqual([])
  expect(paid).toMatchObject({ to: 'one@example.org', subject: 'Your bill of 1,234.001234 USDT was paid' })
  expect(paid?.text).toContain(`Transaction: ${transactionHash}\n`)
  expect(paid?.text).toContain('It was marked as paid; the transfer was not looked up on the TRON network.')
  expect(paid?.text).toContain(`open=${bill.id}\n`)
})

test('new payouts send one mail for all numbers, and each paid payout sends one', async () => {
  const { billing, call, closeCycle, sent, traffic } = await openScene()
  await traffic({ client: 1, number: 3, count: 4, amountMicro: 500_000 })
  await traffic({ client: 1, number: 4, count: 1, amountMicro: 250_000 })
  await traffic({ client: 2, number: 3, count: 1, amountMicro: 500_000 })
  await closeCycle()
  await billing.closeDueCycles()
  const [made, ...rest] = await sent()
  expect(rest).toEqual([])
  expect(made).toMatchObject({ to: 'one@example.org', subject: 'Your payouts of 2.25 USDT' })
  expect(made?.text).toContain('Payouts were made for the account u1, for numbers with a price of their own.')
  expect(made?.text).toContain('Numbers: 2\nMessages: 5\nAmount: 2.25 USDT\n')
  expect(made?.text).toContain(`to your USDT address ending in ${address.slice(-6)}.`)
  expect(made?.text).toContain('https://gateway.example.com/payment?tab=billing\n')

  const payouts = (await call(4, 'GET', '/api/payouts')).body as {
    id: string
    number: string
    userId: number
  }[]
  const own = payouts.filter(({ userId }) => userId === 1)
  const withHash = own.find(({ number }) => number === '447700000003')!
  const without = own.find(({ number }) => number === '447700000004')!
  const transactionHash = 'b'.repeat(64)
  for (const userId of [4, 5])
    await call(userId, 'PUT', `/api/payouts/${withHash.id}/process`, { body: { transactionHash } })
  const [paid, ...second] = await sent()
  expect(second).toEqual([])
  expect(paid).toMatchObject({ to: 'one@example.org', subject: 'Your payout of 2.00 USDT was paid' })
  expect(paid?.text).toContain('Number: +447700000003\nMessages: 4\nAmount: 2.00 USDT\n')
  expect(paid?.text).toContain(`To: your USDT address ending in ${address.slice(-6)}\n`)
  expect(paid?.text).toContain(`Transaction: ${transactionHash}\n`)
  expect(paid?.text).toContain('It was marked as paid; the transfer was not looked up on the TRON network.')
  await call(4, 'PUT', `/api/payouts/${without.id}/process`, { body: {} })
  const [unnamed] = await sent()
  expect(unnamed?.text).toContain('It was marked as paid without a transaction hash')
  expect(unnamed?.text).not.toContain('TRON explorer')
  expect(unnamed?.text).not.toContain('Transaction: ')
})

test('of the payouts paid in a day, the first twenty send a mail', async () => {
  const { call, closeCycle, db, sent, traffic } = await openScene()
  const numbers = await rows<{ id: number }>(
    db,
    sql`insert into numbers (number, price_micro) select '4478' || lpad(i::text, 8, '0'), 500000
        from generate_series(1, 30) i returning id`,
  )
  for (const { id } of numbers) await traffic({ client: 1, number: id, count: 1, amountMicro: 10_000 })
  await closeCycle()
  expect((await sent()).map(({ subject }) => subject)).toEqual(['Your payouts of 0.30 USDT'])
  const payouts = (await call(4, 'GET', '/api/payouts?status=pending&limit=100')).body as {
    id: string
    userId: number
  }[]
  const own = payouts.filter(({ userId }) => userId === 1)
  expect(own).toHaveLength(30)
  for (const { id } of own) await call(4, 'PUT', `/api/payouts/${id}/process`, { body: {} })
  expect(await sent()).toHaveLength(20)
})

test('a changed address or e-mail address sends a mail to the old and the new e-mail address', async () => {
  const { save, sent } = await openScene()
  await save(1, other, 'new@example.org')
  const warned = await sent()
  expect(warned.map(({ to }) => to).toSorted()).toEqual(['new@example.org', 'one@example.org'])
  for (const { subject, text } of warned) {
    expect(subject).toBe('Your payment profile was changed')
    expect(text).toContain(`Payments will go to the USDT address ending in ${other.slice(-6)} from `)
    expect(text).toContain(`until then to the USDT address ending in ${address.slice(-6)}.`)
  }
  await save(1, other, 'third@example.org')
  expect((await sent()).map(({ to }) => to).toSorted()).toEqual(['new@example.org', 'third@example.org'])
  await save(1, address, 'third@example.org')
  const [back, ...rest] = await sent()
  expect(rest).toEqual([])
  expect(back?.text).toContain(
    `was taken back: payments go to the USDT address ending in ${address.slice(-6)}.`,
  )
})

test('a mail server that hangs delays no close, and the mail arrives later', async () => {
  const { clock, closeCycle, db, sent, traffic } = await openScene()
  await traffic({ client: 1, number: 1, count: 1, amountMicro: 500_000 })
  await closeCycle()
  server.fail('hang')
  const sending = sent()
  await traffic({ client: 1, number: 1, count: 1, amountMicro: 250_000 })
  await closeCycle()
  expect(await rows(db, sql`select from billing_periods where user_id = 1`)).toHaveLength(2)
  expect(await sending).toEqual([])
  server.fail(undefined)
  clock.advance(66_000)
  const subjects = (await sent()).map(({ subject }) => subject)
  expect(subjects.toSorted()).toEqual(['Your bill of 0.25 USDT', 'Your bill of 0.50 USDT'])
})

test('without a mail server nothing is queued, and the profile says so', async () => {
  const { aBill, call, db } = await openTestBilling()
  await aBill()
  expect(await rows(db, sql`select from billing_periods`)).toHaveLength(1)
  expect(await rows(db, sql`select from mails`)).toEqual([])
  expect((await call(1, 'GET', '/api/user/profile')).body.sendsMail).toBe(false)
})

test('whoever pays is reminded of overdue debts once a week, and the clients are not', async () => {
  const { billing, clock, closeCycle, db, sent, traffic } = await openScene()
  await sql`update users set email = username || '@example.org'`.execute(db)
  await traffic({ client: 1, number: 1, count: 2, amountMicro: 600_000 })
  await closeCycle()
  await billing.remindOverdue()
  // The client's bill.
  expect(await sent()).toHaveLength(1)
  clock.advance(8 * 86_400_000)
  await Promise.all([1, 2, 3].map(() => billing.remindOverdue()))
  const mails = await sent()
  expect(mails.map(({ to }) => to).toSorted()).toEqual(['u4@example.org', 'u5@example.org', 'u6@example.org'])
  expect(mails[0]).toMatchObject({
    subject: 'Overdue payments to clients',
    text: expect.stringContaining('1.20 USDT'),
  })
  expect(mails[0]?.text).toContain('https://gateway.example.com/payment-management?tab=aging')
  clock.advance(7 * 86_400_000)
  await billing.remindOverdue()
  expect(await sent()).toHaveLength(3)
})
