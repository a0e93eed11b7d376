// Statements outlive their records: archived when they are signed, and read from the archive when the records are gone.
import { gunzipSync } from 'node:zlib'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openTestBilling } from '../../test/money/billing.ts'
import { row, rows } from '../platform/db.ts'
import { retentionJobs } from '../records/index.ts'
import { verifyAgainst } from './verify-against.ts'
import { verifyFile } from './verify-file.ts'

const linesOf = async function* (text: string) {
  yield* text.split('\n')
}
const never = new AbortController().signal
// Thirteen months and more after the records of the tests.
const later = new Date('2027-05-01T00:00:00Z')

/** A signed period of client 1 with 12,003 records, hence three pieces of the archive, and one of client 2. */
async function signedPeriod() {
  const environment = await openTestBilling()
  const { billing, call, closeCycle, db, traffic } = environment
  await traffic({ client: 1, number: 1, count: 7_000, amountMicro: 50_000 })
  await traffic({ client: 2, number: 1, count: 1, amountMicro: 50_000 })
  await traffic({ client: 1, number: 2, count: 5_003, amountMicro: 50_000 })
  const { id } = await closeCycle()
  await billing.signStatements()
  const path = `/api/billing/periods/${id}-1/statement`
  /** Retention, as its job works in 13 months. */
  async function dropRecords(): Promise<void> {
    const log = { info: () => undefined, warn: () => undefined }
    const jobs = retentionJobs({ db, clock: { now: () => later }, log, textDays: 7, recordMonths: 13 })
    await jobs.find(({ name }) => name === 'drop-records')?.run(never)
  }
  return {
    ...environment,
    cycleId: id,
    path,
    dropRecords,
    download: async () => (await call(1, 'GET', path)).text,
  }
}

const countRecords = async ({ db }: { db: Parameters<typeof row>[0] }) =>
  (await row<{ count: number }>(db, sql`select count(*)::int as count from records`))?.count

test('when the records are gone, the statement is the same file, verifies, and the database says the same', async () => {
  const environment = await signedPeriod()
  const { call, cycleId, db, download, dropRecords } = environment
  const before = await download()
  await dropRecords()
  expect(await countRecords(environment)).toBe(0)
  // An older week that stays does not hide that this one is gone.
  await sql`select ensure_record_week('2020-01-06')`.execute(db)
  const { body } = await call(1, 'GET', `/api/billing/periods?limit=50`)
  expect(body.find(({ id }: { id: string }) => id === `${cycleId}-1`)).toMatchObject({
    areRecordsRemoved: true,
  })
  const after = await download()
  expect(after).toBe(before)
  const { faults, recordCount } = await verifyFile(linesOf(after))
  expect([faults, recordCount]).toEqual([[], 12_003])
  expect(await verifyAgainst(db, linesOf(after))).toEqual([])
  const changed = after.replace('"49700"', '"49701"')
  expect((await verifyAgainst(db, linesOf(changed)))[0]).toMatchObject({
    what: expect.stringContaining('sender is 49701 in the file, 49700 in the database'),
  })
})

test('the pieces of an archive are one gzip file, which any tool opens', async () => {
  const { cycleId, db, download } = await signedPeriod()
  const pieces = await rows<{ content: Buffer }>(
    db,
    sql`select content from statement_archives where cycle_id = ${cycleId} and user_id = 1 order by piece`,
  )
  expect(pieces).toHaveLength(3)
  const text = gunzipSync(Buffer.concat(pieces.map(({ content }) => content))).toString()
  const whole = await download()
  expect(whole).toContain(text)
  expect(text.trimEnd().split('\n')).toHaveLength(12_003)
})

test('an archive that was changed or lost a piece breaks the download off', async () => {
  const { cycleId, db, dropRecords, path, call } = await signedPeriod()
  await dropRecords()
  const take = (piece: number) =>
    sql`delete from statement_archives where cycle_id = ${cycleId} and user_id = 1 and piece = ${piece}`.execute(
      db,
    )
  // The last piece in place of the second: the lines are whole, the file is not what was archived.
  await sql`update statement_archives a set content = b.content from statement_archives b
    where a.user_id = 1 and b.user_id = 1 and a.piece = 1 and b.piece = 2`.execute(db)
  await expect(call(1, 'GET', path)).rejects.toThrow()
  await take(1)
  await expect(call(1, 'GET', path)).rejects.toThrow()
})

test('a refused hold lets its records go once a statement names it; an open one keeps them', async () => {
  const environment = await openTestBilling()
  const { billing, call, closeCycle, db, held } = environment
  const [refused, open] = [
    await held({ client: 1, number: 1, amountMicro: 50_000 }),
    await held({ client: 2, number: 1, amountMicro: 50_000 }),
  ]
  await closeCycle()
  const word = { body: { reason: 'it came twice' } }
  expect((await call(4, 'PUT', `/api/holds/${refused.id}/confirm`, word)).status).toBe(200)
  await billing.signStatements()
  const log = { info: () => undefined, warn: () => undefined }
  const drop = () =>
    retentionJobs({ db, clock: { now: () => later }, log, textDays: 0, recordMonths: 13 })[0]?.run(never)
  await drop()
  expect(await countRecords(environment)).toBe(2)
  const { id: deciding } = await closeCycle()
  await billing.signStatements()
  await drop()
  expect(await rows(db, sql`select client_id from records`)).toEqual([{ client_id: 2 }])
  const { text } = await call(1, 'GET', `/api/billing/periods/${deciding}-1/statement`)
  expect(text).toContain(`"type":"refusal","id":"${refused.messageId}"`)
  expect(text).toContain('"sender":"49')
  expect((await call(4, 'PUT', `/api/holds/${open.id}/release`, word)).status).toBe(200)
})
