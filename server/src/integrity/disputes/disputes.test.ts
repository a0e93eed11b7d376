// Disputes of carriers on a real ledger: a file becomes lines, a job finds their messages, and people make cases of it, or a
// correction of what is paid.
import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { openTestBilling } from '../../../test/money/billing.ts'
import { row, rows } from '../../platform/db.ts'
import { matchDisputes } from './match-disputes.ts'
import { readSpan } from './read-span.ts'

const environment = await openTestBilling()
const { db, call, clock, traffic, aPaidBill } = environment
const [support, admin] = [4, 6]
const path = '/api/integrity/disputes'
const numberOf = (id: number) => `44770000000${id}`
const day = () => clock.now().toISOString().slice(0, 10)

const send = (data: string, query = '') =>
  call(support, 'POST', `${path}?carrier=Example+Telecom${query}`, { body: { data } })
async function dispute(...lines: string[]): Promise<string> {
  // The messages came before the file.
  clock.advance(60_000)
  const { body } = await send(['number,from,to,sender,count,amount', ...lines].join('\n'))
  await matchDisputes({ db, clock, goesOn: () => true })
  return body.disputeId
}
const aDayOfItsOwn = () => {
  clock.advance(86_400_000)
  onTestFinished(() => clock.advance(86_400_000))
}
const openCases = (id: string) => call(support, 'POST', `${path}/${id}/cases`, { body: {} })
const linesOf = async (id: string, query = '') =>
  (await call(support, 'GET', `${path}/${id}/lines${query}`)).body.map(
    ({ line, messageCount, twiceCount, outcome }: Record<string, unknown>) => [
      line,
      messageCount,
      twiceCount,
      outcome,
    ],
  )
const clientsOf = async (id: string) => (await call(support, 'GET', `${path}/${id}/clients`)).body

test.each([
  ['2026-03-04', '', '2026-03-04T00:00', '2026-03-05T00:00'],
  ['2026-03-04', '2026-03-05', '2026-03-04T00:00', '2026-03-06T00:00'],
  ['2026-03-04 12:00', '', '2026-03-04T12:00', '2026-03-04T12:01'],
  ['2026-03-04T12:00:30+02:00', '2026-03-04 10:01Z', '2026-03-04T10:00:30', '2026-03-04T10:02'],
])('%s to %s are read as a span', (from, to, start, end) => {
  const time = (text: string) => new Date(`${text}Z`)
  expect(readSpan(from, to)).toEqual({ from: time(start), until: time(end) })
})

test.each([
  ['2026-02-30', ''],
  ['2026-03-04', '2026-03-03'],
  ['04/03/2026', ''],
  ['', ''],
])('%s to %s are no span', (from, to) => {
  expect(readSpan(from, to)).toBeUndefined()
})

test('a file is checked first, its faults are named, and nothing of a faulty one is stored', async () => {
  const before = (await call(support, 'GET', path)).body.length
  const header = 'B-Number;Date;A-Number;Qty;Value'
  const good = `${header}\n+44 7700 00000 1;${day()};+4915112345;3;1,5`
  expect((await send(good)).body).toMatchObject({ faultCount: 1, disputeId: null })
  const report = { lineCount: 2, unknownNumberCount: 1, faultCount: 0, faults: [], disputeId: null }
  const two = `${header}\n${numberOf(1)};${day()};;3;1.5\n449999999;${day()};;;`
  expect((await send(two, '&dryRun=true')).body).toEqual(report)
  const bad = `${header}\nx;${day()};;;\n${numberOf(1)};yesterday;;;\n${numberOf(1)};${day()};;many;`
  expect((await send(bad)).body.faults.map(({ line }: { line: number }) => line)).toEqual([2, 3, 4])
  expect((await call(support, 'GET', path)).body).toHaveLength(before)
  expect((await call(1, 'GET', path)).status).toBe(403)
})

test('each line finds its messages; a message counts once, and a line of nothing says so', async () => {
  await traffic({ client: 1, number: 1, count: 5, amountMicro: 50_000 })
  await traffic({ client: 2, number: 2, count: 2, amountMicro: 50_000 })
  const sender =
    (
      await row<{ sender: string }>(
        db,
        sql`select sender from records where number_id = 1 order by id desc limit 1`,
      )
    )?.sender ?? ''
  const id = await dispute(
    `${numberOf(1)},${day()},,,5,`,
    `${numberOf(1)},${day()},,${sender},5,`,
    `${numberOf(2)},${day()},,,3,`,
    `${numberOf(2)},${day()},,no-such-name,,`,
    `449999999,${day()},,,1,`,
  )
  expect(await linesOf(id)).toEqual([
    [2, 5, 0, 'matched'],
    [3, 1, 1, 'twice'],
    [4, 2, 0, 'differs'],
    [5, 0, 0, 'none'],
    [6, 0, 0, 'none'],
  ])
  expect(await linesOf(id, '?outcome=none')).toHaveLength(2)
  const [found] = (await call(support, 'GET', path)).body
  expect(found).toMatchObject({
    id,
    carrier: 'Example Telecom',
    isMatched: true,
    lineCount: 5,
    noneCount: 2,
    twiceLineCount: 1,
    claimedCount: 14,
    messageCount: 7,
    amountUsd: '0.35',
    twiceCount: 1,
  })
  // The same file again finds nothing that was not disputed before.
  const again = await dispute(`${numberOf(1)},${day()},,,5,`)
  expect(await linesOf(again)).toEqual([[2, 5, 5, 'twice']])
  expect(await clientsOf(again)).toEqual([])
})

test('a match that is done twice, by two nodes and from the beginning, finds the same', async () => {
  await traffic({ client: 1, number: 3, count: 4, amountMicro: 50_000 })
  clock.advance(60_000)
  const { body } = await send(`number,from\n${numberOf(3)},${day()}`)
  const match = () => matchDisputes({ db, clock, goesOn: () => true })
  await Promise.all([match(), match()])
  expect(await linesOf(body.disputeId)).toEqual([[2, 4, 0, 'matched']])
  expect(await match()).toBe(0)
})

test('a dispute of today ends with the messages that came before it', async () => {
  aDayOfItsOwn()
  await traffic({ client: 1, number: 1, count: 2, amountMicro: 50_000 })
  clock.advance(1_000)
  const { body } = await send(`number,from\n${numberOf(1)},${day()}`)
  const ticking = { now: () => (clock.advance(1), clock.now()) }
  let pieces = 0
  await matchDisputes({ db, clock: ticking, goesOn: () => (pieces += 1) < 200 })
  expect(pieces).toBeLessThan(200)
  expect(await linesOf(body.disputeId)).toEqual([[2, 2, 0, 'matched']])
})

test('where holds are enforced, the disputed messages are held, and none after them', async () => {
  aDayOfItsOwn()
  await traffic({ client: 2, number: 4, count: 3, amountMicro: 50_000 })
  const id = await dispute(`${numberOf(4)},${day()},,,3,`)
  await traffic({ client: 2, number: 4, count: 3, amountMicro: 50_000 })
  await sql`update records set sender = (select min(sender) from disputed_records where dispute_id = ${id}::bigint)
    where number_id = 4 and created_at = ${clock.now()}`.execute(db)
  await sql`insert into settings (key, value) values ('integrity_mode', 'enforce')`.execute(db)
  const { body } = await openCases(id)
  await environment.integrity.holdMessages()
  await sql`delete from settings where key = 'integrity_mode'`.execute(db)
  const [client] = body.filter(({ userId }: { userId: number }) => userId === 2)
  expect((await call(support, 'GET', `/api/integrity/cases/${client.caseId}`)).body).toMatchObject({
    state: 'open',
    heldCount: 3,
  })
})

test('cases are made once, for each client with messages that are not paid; they are a dry run', async () => {
  await traffic({ client: 2, number: 4, count: 3, amountMicro: 50_000 })
  const id = await dispute(`${numberOf(4)},${day()},,,3,`)
  const { body } = await openCases(id)
  expect(body).toMatchObject([{ userName: 'u2', messageCount: 3, amountUsd: '0.15', paidCount: 0 }])
  expect(body[0].caseId).not.toBeNull()
  expect((await openCases(id)).status).toBe(409)
  const [found] = (await call(support, 'GET', '/api/integrity/cases?userId=2')).body
  expect(found).toMatchObject({ rule: 'dispute', messageCount: 3, level: 'hold', state: 'dry' })
  expect(found.explanation).toBe(
    `Example Telecom disputes 3 messages of ${found.senderCount} senders: dispute ${id}.`,
  )
  expect(
    (await call(admin, 'POST', `${path}/${id}/corrections`, { body: { userId: 2, reason: 'x' } })).status,
  ).toBe(409)
})

test('what is paid is corrected once, by the means of corrections, and held by no case', async () => {
  const sentOn = day()
  await aPaidBill({ client: 3, number: 2 })
  const id = await dispute(`${numberOf(2)},${sentOn},,,,`)
  const [client] = (await clientsOf(id)).filter(({ userId }: { userId: number }) => userId === 3)
  expect(client).toMatchObject({ paidCount: client.messageCount, paidUsd: '0.50', adjustmentId: null })
  const correct = (by = admin) =>
    call(by, 'POST', `${path}/${id}/corrections`, { body: { userId: 3, reason: 'Disputed' } })
  expect((await correct(support)).status).toBe(403)
  expect((await correct()).body[0].adjustmentId).not.toBeNull()
  expect((await correct()).status).toBe(409)
  const [made] = (await call(support, 'GET', '/api/billing/adjustments?userId=3')).body
  expect(made).toMatchObject({ amount: '-0.50', reason: 'Disputed', requestedBy: 'u6' })
  const actions = await rows<{ action: string }>(
    db,
    sql`select action from audit_entries where object_type = 'dispute' and object_id = ${id} order by id`,
  )
  expect(actions.map(({ action }) => action)).toEqual(['dispute.import', 'dispute.correct'])
})
