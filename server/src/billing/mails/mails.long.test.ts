import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { silentLog } from '../../../test/environment/database.ts'
import { openMailServer } from '../../../test/stand-ins/mail-server.ts'
import { addressOf, openTestBilling } from '../../../test/money/billing.ts'
import { createMail, type Mail } from '../../mail/index.ts'
import { rows } from '../../platform/db.ts'
import type { Actor } from '../../http/handlers.ts'
import { createSecrets } from '../../platform/security/secrets.ts'
import { transaction } from '../../platform/transaction.ts'
import { bookTransfer } from '../payments/book-transfer.ts'
import { noteTransfers } from '../payments/transfer-store.ts'

const server = await openMailServer()
const secrets = createSecrets('key material for tests')
const [address, other] = [addressOf(1), addressOf(2)]

/** Client 1 has a payment profile with an e-mail address, client 2 one without. */
async function openEnvironment() {
  server.fail(undefined)
  const mails: Mail[] = []
  const environment = await openTestBilling({
    mail: (db, clock) => {
      const mail = createMail({ db, clock, log: silentLog, secrets, smtp: server.smtp, timeoutMs: 2_000 })
      mails.push(mail)
      return mail
    },
  })
  const { api, call, clock } = environment
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
  return { ...environment, save, sent }
}

test('the profile says that mail is sent; a first address sends none', async () => {
  const { call, save, sent } = await openEnvironment()
  expect((await save(1, address, 'one@example.org')).body.sendsMail).toBe(true)
  expect((await call(1, 'GET', '/api/user/profile')).body.sendsMail).toBe(true)
  expect(await sent()).toEqual([])
})

test('a new bill sends one mail to a client with an e-mail address', async () => {
  const { billing, closeCycle, sent, traffic } = await openEnvironment()
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
  const { aClosedCycle, call, sent } = await openEnvironment()
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

test('a bill that was paid in part, credited and waived says what was received, and nothing untrue', async () => {
  const { call, clock, closeCycle, deps, db, sent, traffic } = await openEnvironment()
  await traffic({ client: 1, number: 1, count: 3, amountMicro: 10_000_000 })
  const { id: cycleId } = await closeCycle()
  await call(6, 'POST', `/api/billing/periods/${cycleId}-1/credit-notes`, {
    body: { amount: '5', reason: 'the carrier disputes it', clientReason: '' },
  })
  await sent()
  const at = { blockAt: clock.now(), isFinal: true, seenAt: clock.now() }
  const [noted] = await noteTransfers(db, { network: '', txid: 'c'.repeat(64), ...at }, [
    { logIndex: 0, from: other, to: address, amountMicro: 20_000_000n },
  ])
  const actor = { userId: 4, username: 'u4', role: 'support' } as Actor
  const parts = [{ debtId: { kind: 'period', cycleId, userId: 1 }, amountMicro: 20_000_000n } as const]
  const booking = {
    transferId: noted?.id ?? '',
    parts,
    isOurs: true,
    requestedBy: actor.userId,
    actor,
    ip: '',
    notes: '',
  }
  const [paymentId] = await transaction(db, (tx) => bookTransfer(tx, deps, booking))
  expect(await sent()).toEqual([])
  await call(5, 'PUT', `/api/payments/${paymentId}/decide`, {
    body: { action: 'accept', difference: 'waive', reason: 'agreed' },
  })
  const [paid, ...rest] = await sent()
  expect([paid?.subject, rest]).toEqual(['Your bill of 30.00 USDT was paid', []])
  expect(paid?.text).toContain(
    'Amount: 30.00 USDT\nDeducted by credit notes or waived: 10.00 USDT\nReceived: 20.00 USDT\n',
  )
  expect(paid?.text).toContain('The transfer found on the TRON network is of 20.00 USDT.')
  expect(paid?.text).not.toContain('full payment')
})

test('each amendment of a bill sends the client one mail, without what staff wrote', async () => {
  const { call, clock, closeCycle, save, sent, traffic } = await openEnvironment()
  await traffic({ client: 1, number: 1, count: 3, amountMicro: 10_000_000 })
  const { id: cycleId } = await closeCycle()
  await sent()
  const amend = (by: number, what: string, more: object = {}) =>
    call(by, what === 'credit-notes' ? 'POST' : 'PUT', `/api/billing/periods/${cycleId}-1/${what}`, {
      body: { reason: 'SECRET', clientReason: 'SECRET', ...more },
    })
  const mail = async () => {
    const [only, ...rest] = await sent()
    expect(rest).toEqual([])
    expect(only).toMatchObject({ to: 'one@example.org' })
    expect(only?.text).not.toContain('SECRET')
    expect(only?.text).toContain(`open=${cycleId}-1\n`)
    return `${only?.subject}\n${only?.text}`
  }
  await amend(4, 'withhold')
  expect(await mail()).toContain('The bill is not paid while it is reviewed.\nDue: 30.00 USDT')
  await amend(4, 'resume')
  expect(await mail()).toContain('The bill can be paid again.')
  await amend(6, 'credit-notes', { amount: '10.5' })
  const credited = await mail()
  expect(credited).toContain('A credit note of 10.50 USDT for your bill')
  expect(credited).toContain('The credit note reduces the bill by 10.50 USDT.\nDue: 19.50 USDT')
  await save(1, other, 'one@example.org')
  await sent()
  const { body } = await amend(4, 'readdress')
  const sentMail = await mail()
  expect(sentMail).toContain('Your bill is to go to another address')
  expect(sentMail).toContain(`paid to your USDT address ending in ${other.slice(-6)}. It takes effect after`)
  expect(sentMail).toContain('tell support at once')
  clock.set(new Date(body.acceptableFrom))
  await call(5, 'PUT', `/api/billing/amendments/${body.id}/decide`, {
    body: { action: 'accept', reason: 'SECRET' },
  })
  expect(await mail()).toContain(`This bill is paid to your USDT address ending in ${other.slice(-6)}`)
  await amend(6, 'void')
  const voided = await mail()
  expect(voided).toContain('Your bill was voided and will be reissued')
  expect(voided).toContain('19.50 USDT of it are in your open period, whose bill contains them.')
  expect(voided).not.toContain('Due:')
})

test('an amendment that is asked for, rejected or taken back sends no mail', async () => {
  const { call, closeCycle, sent, traffic } = await openEnvironment()
  await traffic({ client: 1, number: 1, count: 100, amountMicro: 10_000_000 })
  const { id: cycleId } = await closeCycle()
  await sent()
  const { body } = await call(6, 'PUT', `/api/billing/periods/${cycleId}-1/void`, { body: { reason: 'x' } })
  expect(body.status).toBe('pending')
  await call(4, 'PUT', `/api/billing/amendments/${body.id}/decide`, {
    body: { action: 'reject', reason: 'x' },
  })
  expect(await sent()).toEqual([])
})

test('new payouts send one mail for all numbers, and each paid payout sends one', async () => {
  const { billing, call, closeCycle, sent, traffic } = await openEnvironment()
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
  const { call, closeCycle, db, sent, traffic } = await openEnvironment()
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
  const { save, sent } = await openEnvironment()
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
    `was withdrawn: payments go to the USDT address ending in ${address.slice(-6)}.`,
  )
})

test('a mail server that hangs delays no close, and the mail arrives later', async () => {
  const { clock, closeCycle, db, sent, traffic } = await openEnvironment()
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
  const { billing, clock, closeCycle, db, sent, traffic } = await openEnvironment()
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
  expect(mails[0]?.text).toContain('https://gateway.example.com/books?show=owed')
  clock.advance(7 * 86_400_000)
  await billing.remindOverdue()
  expect(await sent()).toHaveLength(3)
})
