import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { toWindows1252 } from './windows1252.ts'
import { openTestBilling } from '../../test/money/billing.ts'
import { formOf } from '../../test/traffic/numbers.ts'
import { rows } from '../platform/db.ts'
import { BookAmounts, formatHundredths, formatDayRate, parseDayRate } from './book-amounts.ts'
import { openJournalEnvironment, admin, linesOf } from './testing/journal-environment.ts'

const { setup, save } = await openJournalEnvironment()

/** March 2026 with two closed weeks, a payment, a payout, a correction and a hold that is refused; EUR at 0.9. */
async function openMarch() {
  const scene = await openTestBilling()
  const { aPaidBill, call, closeCycle, held, traffic } = scene
  await aPaidBill({ count: 7, amountMicro: 33_333 })
  await traffic({ client: 2, number: 3, count: 3, amountMicro: 500_000 })
  const { id } = await held({ client: 2, number: 1, amountMicro: 40_001 })
  await call(admin, 'PUT', `/api/holds/${id}/confirm`, { body: { reason: 'not real' } })
  await call(admin, 'POST', '/api/billing/adjustments', { body: { userId: 2, amount: '-0.5', reason: 'x' } })
  await closeCycle()
  await save(scene)
  const days = Array.from({ length: 31 }, (_, index) => `2026-03-${String(index + 1).padStart(2, '0')},0.9`)
  await call(admin, 'POST', '/api/books/day-rates/import', {
    body: { data: ['day,rate', ...days].join('\n') },
  })
  return scene
}

const march = 'from=2026-03-01&to=2026-03-31'

test('the journal has every transaction of the ledger once, and moves what the ledger moves', async () => {
  const { call, db } = await openMarch()
  const answer = await call(4, 'GET', `/api/books/journal?${march}`)
  expect(answer.headers['content-disposition']).toContain('journal-2026-03-01-2026-03-31.csv')
  const [, ...lines] = linesOf(answer.text)
  const sums = new Map<string, bigint>()
  const add = (account: string, micro: bigint) => sums.set(account, (sums.get(account) ?? 0n) + micro)
  for (const cells of lines) {
    const micro = BigInt(Math.round(Number(cells[9]) * 1_000_000))
    expect(micro > 0n).toBe(true)
    add(cells[5] ?? '', -micro)
    add(cells[7] ?? '', micro)
  }
  const ledger = await rows<{ account: string; sum: string }>(
    db,
    sql`select account, sum(amount_micro)::text as sum from ledger_entries group by account order by account`,
  )
  expect(ledger.map(({ account, sum }) => [account, sum])).toEqual(
    [...sums].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([account, sum]) => [account, String(sum)]),
  )
  const transactions = await rows<{ id: string }>(
    db,
    sql`select distinct transaction_id as id from ledger_lines where kind <> 'traffic' order by 1`,
  )
  const named = [...new Set(lines.map((cells) => cells[1]).filter((id) => id !== ''))]
  expect(named.toSorted((a, b) => Number(a) - Number(b))).toEqual(transactions.map(({ id }) => id))
  expect(lines.filter(([, , kind]) => kind === 'traffic')).toHaveLength(2)
})

test('two periods hold what one that spans both holds', async () => {
  const { call } = await openMarch()
  const read = async (span: string) =>
    linesOf((await call(4, 'GET', `/api/books/journal?${span}`)).text).slice(1)
  const usdtOf = (lines: string[][]) => lines.map((cells) => cells.slice(0, 10))
  const parts = [
    ...(await read('from=2026-03-01&to=2026-03-09')),
    ...(await read('from=2026-03-10&to=2026-03-31')),
  ]
  expect(usdtOf(parts)).toEqual(usdtOf(await read(march)))
  expect(await read('from=2026-05-01&to=2026-05-31')).toEqual([])
})

test('an account without a number and a day without a rate refuse the export and are named', async () => {
  const scene = await openMarch()
  const { call, db } = scene
  await save(scene, {
    accounts: setup.accounts.map((each) => (each.account === 'paid' ? { ...each, code: '' } : each)),
  })
  const answer = await call(4, 'GET', `/api/books/journal?${march}`)
  expect([answer.status, answer.body.message]).toEqual([
    422,
    'Give these accounts a number under Books, Journal first: paid.',
  ])
  await save(scene)
  await sql`delete from day_rates where day = '2026-03-09'`.execute(db)
  const check = (await call(4, 'GET', `/api/books/journal/check?${march}`)).body
  expect(check).toEqual({ unmapped: [], daysWithoutRate: ['2026-03-09'], dayWithoutRateCount: 1 })
  expect((await call(4, 'GET', `/api/books/journal?${march}&form=xero`)).body.message).toContain('2026-03-09')
  await save(scene, { currency: 'USDT' })
  expect((await call(4, 'GET', `/api/books/journal?${march}`)).status).toBe(200)
  expect((await call(4, 'GET', `/api/books/journal?${march}&form=datev`)).body.message).toContain(
    'DATEV knows no USDT',
  )
})

test('DATEV gets a batch of 125 columns in Windows-1252, with decimal commas and balanced hundredths', async () => {
  const { call, clock, db } = await openMarch()
  await sql`update users set username = 'Çelik "€uro";=1' where id = 1`.execute(db)
  const { rawPayload, headers } = await call(4, 'GET', `/api/books/journal?${march}&form=datev`)
  expect(headers['content-disposition']).toContain('EXTF_2026-03-01-2026-03-31.csv')
  const text = rawPayload.toString('latin1')
  const [head = '', columns = '', ...entries] = text.trim().split('\r\n')
  const made = clock.now().toISOString().replace(/\D/g, '').slice(0, 17)
  expect(head).toBe(
    `"EXTF";700;21;"Buchungsstapel";13;${made};;"TG";"";"";29098;55003;20260101;4;20260301;20260331;"Tollgate 2026-03";"";1;0;0;"EUR";;"";;;"";;;"";""`,
  )
  expect(columns.split(';')).toHaveLength(125)
  expect(columns).toContain('Gegenkonto (ohne BU-Schlüssel);BU-Schlüssel;Belegdatum;Belegfeld 1')
  for (const entry of entries) {
    const cells = entry.replaceAll(/"(?:[^"]|"")*"/g, (field) => field.replaceAll(';', ',')).split(';')
    expect(cells).toHaveLength(125)
    expect(cells[0]).toMatch(/^\d{1,10},\d\d$/)
    expect([cells[1], cells[2]]).toEqual(['"S"', '"EUR"'])
    expect(cells[9]).toMatch(/^\d{2}03$/)
  }
  // Ç is 0xc7 and € is 0x80.
  expect(rawPayload.includes(Buffer.from('c7656c696b2022228075726f22223b3d31', 'hex'))).toBe(true)
  // 0.233331 USDT at 0.9.
  expect(entries.every((entry) => !entry.includes(';1600;1600;'))).toBe(true)
  expect(entries[0]).toMatch(/^0,21;"S";"EUR";;;;1605;1600;;0403;"2026-03-04"/)
})

test('Xero gets a journal a day that sums to zero', async () => {
  const { call } = await openMarch()
  const [head, ...lines] = linesOf(
    (await call(4, 'GET', `/api/books/journal?${march}&form=xero`)).text.replaceAll(', ', ' '),
  )
  expect(head?.slice(0, 6)).toEqual([
    '*Narration',
    '*Date',
    'Description',
    '*AccountCode',
    '*TaxRate',
    '*Amount',
  ])
  const sums = new Map<string, number>()
  for (const [narration = '', day, , , rate, amount] of lines) {
    expect(day).toMatch(/^\d\d\/03\/2026$/)
    expect(rate).toBe('Tax Exempt')
    sums.set(narration, (sums.get(narration) ?? 0) + Math.round(Number(amount) * 100))
  }
  expect([...sums.values()].every((sum) => sum === 0)).toBe(true)
  expect(sums.size).toBeGreaterThan(2)
})

test('what DATEV cannot hold is refused before the file begins', async () => {
  const scene = await openMarch()
  const { call } = scene
  const refusal = async (span = march) => {
    const { status, body } = await call(4, 'GET', `/api/books/journal?${span}&form=datev`)
    return [status, body.message]
  }
  await save(scene, { accounts: setup.accounts.map(({ account }) => ({ account, code: '123456' })) })
  expect((await refusal())[1]).toContain('numbers of at most 4 digits')
  await save(scene, { datevClient: null })
  expect((await refusal())[1]).toContain('consultant and of the client')
  await save(scene, { fiscalMonth: 3 })
  expect(await refusal('from=2026-02-01&to=2026-03-31')).toEqual([
    422,
    'DATEV takes the days of one fiscal year at once. Choose days of one year.',
  ])
  expect((await refusal('from=2026-03-02&to=2026-03-01'))[0]).toBe(400)
  expect((await refusal('from=2024-03-02&to=2026-03-01'))[0]).toBe(400)
})

test('hundredths of many small amounts come to the rounded whole', () => {
  const amounts = new BookAmounts()
  const rate = parseDayRate('0.92345678')
  let sum = 0n
  for (let turn = 0; turn < 1_000; turn += 1) sum += amounts.convert('a b', 1_234n, rate)
  // 1,234,000 × 0.92345678 = 1,139,545.67 millionths.
  expect(sum).toBe(114n)
  expect(amounts.convert('c d', 10n ** 18n, rate)).toBe(92_345_678_000_000n)
  expect([
    formatHundredths(7n),
    formatHundredths(-1_234n),
    formatDayRate(rate),
    formatDayRate(90_000_000n),
  ]).toEqual(['0.07', '-12.34', '0.92345678', '0.9000'])
})

test('Windows-1252 has its own characters and a question mark for all others', () => {
  expect([...toWindows1252('Aé€ž漢😀\u0081')]).toEqual([0x41, 0xe9, 0x80, 0x9e, 0x3f, 0x3f, 0x3f])
})

test.each([
  ['no header', '2026-03-01,0.9', 'The first line must name the columns'],
  ['no line', 'day,rate', 'There is no line'],
  ['a day that is none', 'day,rate\n2026-02-30,0.9', 'Line 2: Enter a date'],
  ['a rate of zero', 'day,rate\n2026-03-01,0.0', 'Line 2: Enter a rate above 0'],
  ['a rate with a comma', 'day,rate\n2026-03-01,"0,9"', 'Line 2: Enter a rate with at most 8 decimals'],
  ['a formula', 'day,rate\n2026-03-01,=1+1', 'Line 2: Enter a rate'],
  ['a day twice', 'day,rate\n2026-03-01,0.9\n2026-03-01,0.8', 'Line 3: 2026-03-01 is in this file twice'],
  ['too many lines', `day,rate\n${'2026-03-01,1\n'.repeat(3_800)}`, 'At most 3,700 lines'],
])('a file of rates with %s is refused whole', async (_, data, message) => {
  const scene = await openTestBilling()
  await save(scene)
  const answer = await scene.call(admin, 'POST', '/api/books/day-rates/import', { body: { data } })
  expect([answer.status, answer.body.message]).toEqual([400, expect.stringContaining(message)])
  expect((await scene.call(4, 'GET', '/api/books/day-rates')).body).toEqual([])
})

test('rates are imported from a file, mended one by one, and paged', async () => {
  const scene = await openTestBilling()
  const { call } = scene
  const file = formOf('rates.csv', Buffer.from('Rate,Day,source\n0.91,2026-03-01,ecb\n0.92,2026-03-02,ecb\n'))
  const early = await call(admin, 'POST', '/api/books/day-rates/import', { raw: file })
  expect([early.status, early.body.message]).toEqual([409, expect.stringContaining('The books are in USDT')])
  await save(scene)
  expect((await call(admin, 'POST', '/api/books/day-rates/import', { raw: file })).body).toEqual({
    rateCount: 2,
  })
  const mended = await call(admin, 'PUT', '/api/books/day-rates', {
    body: { day: '2026-03-01', rate: '0.95' },
  })
  expect(mended.body).toMatchObject({ day: '2026-03-01', rate: '0.9500', enteredBy: 'u6' })
  const first = await call(4, 'GET', '/api/books/day-rates?limit=1')
  const second = await call(4, 'GET', first.next ?? '')
  expect([first.body[0].day, second.body[0].rate, second.next]).toEqual(['2026-03-02', '0.9500', undefined])
  const latest = await call(4, 'GET', '/api/books/day-rates?cursor=WyIyMDI2LTAzLTAyVDAwOjAwOjAwWiJd')
  expect(latest.body).toHaveLength(1)
})

test('support reads the books and changes nothing of them, and each change is in the audit log', async () => {
  const scene = await openTestBilling()
  const { call, db } = scene
  expect((await save(scene, {}, 4)).status).toBe(403)
  expect(
    (await call(4, 'PUT', '/api/books/day-rates', { body: { day: '2026-03-01', rate: '1' } })).status,
  ).toBe(403)
  expect((await call(1, 'GET', '/api/books/setup')).status).toBe(403)
  expect((await call(4, 'GET', '/api/books/setup')).body).toMatchObject({ currency: 'USDT', updatedAt: null })
  expect((await save(scene, { currency: 'eur' })).status).toBe(400)
  expect((await save(scene)).body).toMatchObject({ currency: 'EUR', updatedBy: 'u6' })
  await call(admin, 'PUT', '/api/books/day-rates', { body: { day: '2026-03-01', rate: '0.9' } })
  expect(
    await rows(db, sql`select action from audit_entries where action like 'books.%' order by id`),
  ).toEqual([{ action: 'books.setup' }, { action: 'books.rates' }])
})

test('a posting of several lines is paired within itself, and a batch of messages is one entry for each client and day', async () => {
  const scene = await openTestBilling()
  const { call, clock, db, ledger } = scene
  await save(scene, { currency: 'USDT' })
  const { id: cycleId } = await ledger.ensureOpenCycle()
  const line = { cycleId, kind: 'payment', reference: '7' }
  await ledger.post(db, [
    { ...line, userId: 1, account: 'billed', amountMicro: -500_000n },
    { ...line, userId: null, account: 'payout_clearing', amountMicro: -20_000n },
    { ...line, userId: 1, account: 'paid', amountMicro: 520_000n },
  ])
  for (const amount of [30_000, 70_000])
    await sql`insert into ledger_batches (transaction_id, at, cycle_id, user_ids, settlements, amounts_micro)
      values (nextval('transaction_ids'), ${clock.now()}, ${cycleId}, '{1,2,1}', '{1,1,2}', ${[amount, 5, 1]}::bigint[])`.execute(
      db,
    )
  const day = '2026-03-04'
  const [, ...lines] = linesOf((await call(4, 'GET', `/api/books/journal?from=${day}&to=${day}`)).text)
  expect(lines.map((cells) => [cells[2], cells[4], cells[5], cells[7], cells[9]])).toEqual([
    ['traffic', 'u1', 'traffic_expense', 'payable', '0.100002'],
    ['traffic', 'u2', 'traffic_expense', 'payable', '0.00001'],
    ['payment', 'u1', 'billed', 'paid', '0.50'],
    ['payment', 'u1', 'payout_clearing', 'paid', '0.02'],
  ])
})
