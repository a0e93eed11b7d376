import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openTestBilling } from '../../test/money/billing.ts'
import { rows } from '../platform/db.ts'
import { createSigner, isSignedBy } from '../platform/security/signing.ts'
import { verifyAgainst } from './verify-against.ts'
import { verifyFile } from './verify-file.ts'

const linesOf = async function* (text: string) {
  yield* text.split('\n')
}
const faultsOf = async (text: string) => (await verifyFile(linesOf(text))).faults

/** A period of client 1 with 2,209 records of several rates, held ones and an adjustment; still open. */
async function openPeriod() {
  const environment = await openTestBilling()
  const { call, clock, db, traffic } = environment
  await sql`insert into rates (scope, rate_micro, valid_from) values ('global', 30000, '2026-03-04T13:00:00Z')`.execute(
    db,
  )
  await sql`insert into rates (scope, number_id, rate_micro, valid_from)
    values ('number', 3, 500000, '1970-01-01')`.execute(db)
  const [, changed = 0, own = 0] = (
    await rows<{ id: number }>(db, sql`select id from rates order by id`)
  ).map(({ id }) => id)
  await traffic({ client: 1, number: 1, count: 1_500, amountMicro: 50_000 })
  clock.advance(7_200_000)
  await traffic({ client: 1, number: 1, count: 700, amountMicro: 30_000, rateId: changed })
  await traffic({ client: 1, number: 2, count: 3, amountMicro: 30_000, rateId: changed })
  await traffic({ client: 1, number: 2, count: 2, amountMicro: 30_000, rateId: changed, isHeld: true })
  await traffic({ client: 1, number: 3, count: 4, amountMicro: 500_000, rateId: own })
  await traffic({ client: 2, number: 1, count: 1, amountMicro: 50_000 })
  const adjustment = { userId: 1, amount: '-0.01', reason: 'a dispute' }
  await call(6, 'POST', '/api/billing/adjustments', { body: adjustment })
  const period = (await call(1, 'GET', '/api/billing/periods')).body[0].id
  const path = `/api/billing/periods/${period}/statement`
  return { ...environment, path, download: async () => (await call(1, 'GET', path)).text }
}

/** The same, closed and signed. */
async function signedPeriod() {
  const environment = await openPeriod()
  await environment.closeCycle()
  await environment.billing.signStatements()
  return environment
}

test('a message that counts as several SMS says so in its line, and its amount is that many times the rate', async () => {
  const { db, traffic, closeCycle, billing, download } = await openPeriod()
  await traffic({ client: 1, number: 1, count: 1, amountMicro: 150_000 })
  await sql`update records set sms_count = 3 where amount_micro = 150000`.execute(db)
  await closeCycle()
  await billing.signStatements()
  const text = await download()
  expect(text.match(/"amount":"0.15","counts":"bill","sms":3,/g)).toHaveLength(1)
  expect(await faultsOf(text)).toEqual([])
  expect(await verifyAgainst(db, linesOf(text))).toEqual([])
  expect(JSON.stringify(await faultsOf(text.replace('"sms":3', '"sms":2')))).toContain(
    'is not the rate 0.05 for 2 SMS',
  )
})

test('there is no statement of an open period, nor of somebody else', async () => {
  const { billing, call, closeCycle, path } = await openPeriod()
  expect((await call(1, 'GET', path)).status).toBe(409)
  await closeCycle()
  expect((await call(1, 'GET', path)).status).toBe(503)
  await Promise.all([billing.signStatements(), billing.signStatements()])
  expect((await call(2, 'GET', path)).status).toBe(404)
  expect((await call(1, 'GET', '/api/billing/periods/99-1/statement')).status).toBe(409)
  expect((await call(1, 'GET', '/api/billing/periods/x/statement')).status).toBe(404)
  expect((await call(4, 'GET', path)).status).toBe(200)
})

test('a statement holds every record, its sums are the bill, and it verifies from the file alone', async () => {
  const { call, db, path } = await signedPeriod()
  const answer = await call(1, 'GET', path)
  expect(answer.headers['content-type']).toContain('ndjson')
  const lines = answer.text.trim().split('\n')
  expect(lines).toHaveLength(1 + 2_209 + 5 + 1 + 1)
  const checked = await verifyFile(linesOf(answer.text))
  expect(checked.faults).toEqual([])
  const bill = (await call(1, 'GET', '/api/billing/periods')).body[1]
  expect(checked.end).toMatchObject({ records: 2_209, bill: bill.totalCost, payouts: '2.00', held: '0.06' })
  expect(bill.totalCost).toBe('96.08')
  const key = (await call(1, 'GET', '/api/billing/statement-key')).body
  expect(checked.end?.publicKey).toBe(key.publicKey)
  expect(await verifyAgainst(db, linesOf(answer.text))).toEqual([])
})

test('made twice it is the same, whatever became of the records meanwhile', async () => {
  const { billing, db, download } = await signedPeriod()
  const before = await download()
  await sql`update records set status = 4, client_report = 1, updated_at = now(), is_held = false`.execute(db)
  await sql`update numbers set number = '447700000099' where id = 2`.execute(db)
  await sql`delete from statements where user_id = 2`.execute(db)
  await sql`update cycle_bills set signed_at = null`.execute(db)
  await billing.signStatements()
  expect(await download()).toBe(before)
})

const replaced = (text: string, line: number, by: (before: string) => string | undefined) => {
  const lines = text.split('\n')
  const after = by(lines[line - 1] ?? '')
  lines.splice(line - 1, 1, ...(after === undefined ? [] : [after]))
  return lines.join('\n')
}

test('a line that was changed, added, removed or cut off is found', async () => {
  const { download } = await signedPeriod()
  const text = await download()
  const at = async (changedText: string) => (await faultsOf(changedText))[0]?.line
  expect(await at(replaced(text, 1, (line) => line.replace('"u1"', '"u2"')))).toBe(1)
  expect(await at(replaced(text, 50, (line) => line.replace('"0.05"', '"0.06"')))).toBe(50)
  expect(await at(replaced(text, 50, (line) => line.replace('"49', '"48')))).toBe(50)
  expect(await at(replaced(text, 50, () => undefined))).toBe(50)
  expect(await at(replaced(text, 50, (line) => `${line}\n${line}`))).toBe(51)
  expect(
    await at(text.replace('"type":"adjustment","amount":"-0.01"', '"type":"adjustment","amount":"0.01"')),
  ).toBe(2_216)
  expect(await at(text.slice(0, -400))).toBeGreaterThan(2_210)
  expect(await at(`${text}{"type":"record"}\n`)).toBe(2_218)
  expect(await at('not a statement\n')).toBe(1)
  // Two changes far apart are two faults, since every thousandth record has the whole hash.
  const twice = replaced(
    replaced(text, 50, (line) => line.replace('"49', '"48')),
    1_500,
    (line) => line.replace('"49', '"48'),
  )
  expect((await faultsOf(twice)).map(({ line }) => line)).toEqual([50, 1_500])
})

test('a statement with a new chain cannot be signed without the key', async () => {
  const { download } = await signedPeriod()
  const text = await download()
  const forged = text.replace(/"bill":"96.08"/, '"bill":"96.09"')
  const faults = (await faultsOf(forged)).map(({ what }) => what)
  expect(faults).toEqual([expect.stringContaining('96.09'), expect.stringContaining('signature')])
})

test('a record changed in the database is named, against an earlier file and in a later one', async () => {
  const { db, download } = await signedPeriod()
  const before = await download()
  await sql`update records set amount_micro = 60000 where id = 700`.execute(db)
  const [fault] = await verifyAgainst(db, linesOf(before))
  expect(fault).toMatchObject({
    line: 701,
    what: expect.stringContaining('amount is 0.05 in the file, 0.06'),
  })
  const later = await faultsOf(await download())
  expect(later.map(({ line }) => line)).toContain(701)
  expect(later).toContainEqual({
    line: 1_001,
    recordId: expect.any(String),
    what: expect.stringContaining('a record since line 1 '),
    words: expect.objectContaining({ values: { line: 1 } }),
  })
  await sql`update records set amount_micro = 50000 where id = 700`.execute(db)
  expect(await verifyAgainst(db, linesOf(before))).toEqual([])
  await sql`delete from records where id = 1200`.execute(db)
  expect((await verifyAgainst(db, linesOf(before)))[0]?.line).toBe(1_201)
})

test('signatures of RFC 8032 come from one key for each material and purpose', () => {
  const signer = createSigner('material', 'statements')
  const signature = signer.sign('text')
  expect(isSignedBy(signer.publicKey, 'text', signature)).toBe(true)
  expect(isSignedBy(signer.publicKey, 'texT', signature)).toBe(false)
  expect(isSignedBy(createSigner('material', 'other').publicKey, 'text', signature)).toBe(false)
  expect(createSigner('material', 'statements').publicKey).toBe(signer.publicKey)
  expect(isSignedBy('short', 'text', signature)).toBe(false)
})
