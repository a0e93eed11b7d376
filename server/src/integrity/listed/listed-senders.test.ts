// The hot list by its calls: entries of people and of files, renewed, ended and taken off, and the days that become due.
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { readListedSender } from '@tollgate/contract/integrity/listed-senders.ts'
import { openTestBilling } from '../../../test/money/billing.ts'
import { rows } from '../../platform/db.ts'

const { db, call, clock } = await openTestBilling()
const support = 4
const path = '/api/integrity/listed-senders'
const reason = 'On the list of a carrier'
const today = clock.now().toISOString().slice(0, 10)
const inDays = (days: number) =>
  new Date(clock.now().getTime() + days * 86_400_000).toISOString().slice(0, 10)

const add = (body: object) => call(support, 'POST', path, { body: { reason, ...body } })
const names = async (query = '') =>
  (await call(support, 'GET', `${path}${query}`)).body.map(
    ({ sender, isBlock, state }: { sender: string; isBlock: boolean; state: string }) =>
      `${sender}${isBlock ? '*' : ''} ${state}`,
  )
const importFile = (data: string, query = '') =>
  call(support, 'POST', `${path}/import${query}`, { body: { data } })

test.each([
  ['+44 7700 900123', { sender: '447700900123', isBlock: false }],
  ['00447700900123', { sender: '447700900123', isBlock: false }],
  ['WINNER', { sender: 'WINNER', isBlock: false }],
  ['+44 7700 90*', { sender: '44770090', isBlock: true }],
  ['44770090 ****', { sender: '44770090', isBlock: true }],
  ['*', undefined],
  ['44*', undefined],
  ['44 77 *90*', undefined],
  ['12', undefined],
  ['-', undefined],
  ['a name that is far too long', undefined],
])('%s is read as a sender or a block, or refused', (text, read) => {
  expect(readListedSender(text)).toEqual(read)
})

test('an entry is added once, renewed by the same sender, and taken off with a reason', async () => {
  const first = await add({ sender: '+44 7700 900111', untilDay: inDays(10) })
  expect([first.status, first.body]).toEqual([
    200,
    expect.objectContaining({
      sender: '447700900111',
      untilDay: inDays(10),
      state: 'active',
      listedBy: 'u4',
    }),
  ])
  const again = await add({ sender: '447700900111', reason: 'It goes on' })
  expect(again.body).toMatchObject({ id: first.body.id, untilDay: null, reason: 'It goes on' })
  expect(await names('?search=900111')).toEqual(['447700900111 active'])
  const remove = () =>
    call(support, 'PUT', `${path}/${first.body.id}/remove`, { body: { reason: 'A mistake' } })
  expect((await remove()).body).toMatchObject({ state: 'ended', removedBy: 'u4', removalReason: 'A mistake' })
  expect((await remove()).status).toBe(409)
  expect((await call(support, 'PUT', `${path}/999/remove`, { body: { reason } })).status).toBe(404)
  const third = await add({ sender: '447700900111' })
  expect(third.body.id).not.toBe(first.body.id)
  expect(await names('?search=900111')).toEqual(['447700900111 active', '447700900111 ended'])
  const actions = await rows<{ action: string }>(
    db,
    sql`select action from audit_entries where object_type = 'listed_sender' and object_id = ${first.body.id} order by id`,
  )
  expect(actions.map(({ action }) => action)).toEqual([
    'listed_sender.add',
    'listed_sender.add',
    'listed_sender.remove',
  ])
})

test('a last day that is over, no reason and no sender are refused; a client sees nothing of the list', async () => {
  expect((await add({ sender: '447700900112', untilDay: inDays(-1) })).body.fields).toHaveProperty('untilDay')
  expect((await add({ sender: '447700900112', untilDay: today })).status).toBe(200)
  expect((await add({ sender: '447700900113', reason: ' ' })).status).toBe(400)
  expect((await add({ sender: '12' })).status).toBe(400)
  expect((await call(1, 'GET', path)).status).toBe(403)
})

test('a file is checked, then taken as a whole; the export is such a file', async () => {
  const data = `A-Number;Comment;Valid until;Other
+44 7700 910001;Reported by a carrier;${inDays(5)};x
WINNER2;;;y
'44770092*;Cards of one batch;;z`
  const report = { lineCount: 3, addedCount: 3, renewedCount: 0, faultCount: 0, faults: [] }
  expect((await importFile(data)).body).toMatchObject({
    faultCount: 1,
    isApplied: false,
    faults: [{ line: 3 }],
  })
  expect((await importFile(data, `?dryRun=true&reason=Reported`)).body).toEqual({
    ...report,
    isApplied: false,
  })
  expect(await names('?search=910001')).toEqual([])
  expect((await importFile(data, `?reason=Reported`)).body).toEqual({ ...report, isApplied: true })
  expect((await importFile(data, `?reason=Reported`)).body).toMatchObject({ addedCount: 0, renewedCount: 3 })
  expect(await names('?search=%2B44+7700+92*')).toEqual(['44770092* active'])
  const { text } = await call(support, 'GET', `${path}/export?state=active`)
  expect(text).toContain('WINNER2,Reported,,active,u4')
  const active = (await names('?state=active')).length
  expect((await importFile(text)).body).toMatchObject({
    addedCount: 0,
    renewedCount: active,
    isApplied: true,
  })
})

test('a faulty line names itself and its fault, and nothing is taken', async () => {
  const data = `sender,reason,until
447700920001,ok,
447700920001,again,
12,short,
447700920002,late,2020-01-01
447700920003,odd,tomorrow`
  const { body } = await importFile(data)
  expect(body).toMatchObject({ lineCount: 5, faultCount: 4, isApplied: false })
  expect(body.faults.map(({ line }: { line: number }) => line)).toEqual([3, 4, 5, 6])
  expect(body.faults[0].message).toBe('It is in line 2 too. Take one of them out')
  expect(await names('?search=44770092000')).toEqual([])
  expect((await importFile('what,else\n1,2')).status).toBe(400)
  expect((await importFile('sender,reason')).status).toBe(400)
})

test('the last day on which a listed sender or block wrote becomes due, and no other', async () => {
  await sql`insert into sender_days select c, current_date - d, 1, s, 1, 1, 0::bit(144), now(), now()
    from (values (11, 3, '447700930001'), (11, 9, '447700930001'), (12, 4, '447700940002'), (13, 2, '4477009400021')) v (c, d, s)`.execute(
    db,
  )
  await sql`insert into client_days (client_id, day, message_count, judged_count)
    select distinct client_id, day, 1, 1 from sender_days where client_id > 10`.execute(db)
  await add({ sender: '447700930001' })
  await add({ sender: '44770094*' })
  expect(
    await rows(
      db,
      sql`select client_id, current_date - day as ago from client_days where judged_count = 0 and client_id > 10 order by 1`,
    ),
  ).toEqual([
    { client_id: 11, ago: 3 },
    { client_id: 12, ago: 4 },
  ])
})
