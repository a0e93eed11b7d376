// Finding one thing by any of its names, as each role, and notes on it.
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { Found } from '@tollgate/contract/objects/objects.ts'
import { messageIdOf } from '../ingest/index.ts'
import { row } from '../platform/db.ts'
import { forgetNotes } from './notes.ts'
import { openTestBilling } from '../../test/money/billing.ts'

// u1 to u3 are clients, u4 and u5 support, u6 admin; numbers 1 to 4 are 447700000001 to …4.
const environment = await openTestBilling()
const { db, call, api } = environment
await sql`insert into gateways (source, name) values (0, 'acme')`.execute(db)
await sql`update users set username = 'ada', first_name = 'Ada', last_name = 'Byron', email = 'ada@engines.example' where id = 1`.execute(
  db,
)
await sql`update numbers set holder_id = id, account_number = 'ACC-100' || id, held_from = '2026-01-01' where id < 3`.execute(
  db,
)
await sql`insert into number_holders (number_id, user_id, held_from) select id, holder_id, held_from from numbers where id < 3`.execute(
  db,
)
await sql`update numbers set description = 'Quiz of the North' where id = 1`.execute(db)
await sql`insert into smpp_credentials (user_id, system_id, encrypted_password) values (2, 'NorthTel', '\\x00')`.execute(
  db,
)
await sql`insert into ranges (range_number, start_number, end_number) values ('UK-77', '447700000000', '447700000099')`.execute(
  db,
)
await sql`insert into smpp_connections (name, host, port, use_tls, bind_type, system_id, encrypted_password, system_type,
    interface_version, source_ton, source_npi, dest_ton, dest_npi, throughput, answer_id_form, receipt_id_form)
  values ('Carrier West', 'smsc.example', 2775, false, 'transceiver', 'tg-west', '\\x00', '', '3.4', 1, 1, 1, 1, 0, 'text', 'text')`.execute(
  db,
)
await sql`insert into providers (name, api_url, auth_type, poll_interval_ms, lookback_ms, gap_alarm_ms, mapping, is_enabled)
  values ('Feed One', 'https://feed.example/cdr?key=s3cret', 'bearer', 60000, 0, 0, '{}', false)`.execute(db)
await sql`insert into endpoints (user_id, name, url, method, encrypted_secret, rate_limit, status)
  values (1, 'CRM of Ada', 'https://hooks.example/in?key=s3cret', 'POST', '\\x00', 1000, 'active'),
    (null, 'Warehouse', 'https://dwh.example/', 'POST', '\\x00', 1000, 'inactive')`.execute(db)

const testRole = api.signIn({ userId: 1, username: 'ada', role: 'test' })

async function find(userId: number, q: string): Promise<Found[]> {
  const answer = await call(userId, 'GET', `/api/search?q=${encodeURIComponent(q)}`)
  expect(answer.status, answer.text).toBe(200)
  return answer.body
}
const named = (found: readonly Found[]) => found.map(({ kind, title }) => `${kind} ${title}`)

test('an admin finds each kind of object by each of its names', async () => {
  const bill = await environment.aPaidBill()
  const hold = await environment.held({ client: 2, number: 2, amountMicro: 50_000 })
  // The record 16,385 is the second of batch 4; a peer may know it by its number.
  await sql`insert into record_batches (id, stored_at, priced_at, created_from, created_to, record_count)
    select 4, now(), now(), created_at, created_at, 1 from records where id = ${hold.key.recordId}`.execute(
    db,
  )
  await sql`insert into records (created_at, id, updated_at, bill_micro, amount_micro, number_id, client_id, gateway_id,
      cycle_id, status, settlement, sender)
    select created_at, 16385, now(), 0, 0, number_id, client_id, 1, cycle_id, 2, 1, '49' from records
    where id = ${hold.key.recordId}`.execute(db)
  const numbered = messageIdOf({ ...hold.key, recordId: 16_385 })
  const cycle = await row<{ id: number }>(db, sql`select max(id) as id from cycles where closed_at is null`)
  const open = `${cycle?.id}-1`
  const wallet = 'TWalletOfOurs'
  await sql`insert into settings (key, value) values ('treasury_addresses', ${wallet})
    on conflict (key) do update set value = excluded.value`.execute(db)
  // The second did not leave our wallet.
  await sql`insert into transfers (network, txid, log_index, from_address, to_address, amount_micro, block_at, is_final, first_seen_at)
    values ('usdt', ${`ab12cd${'0'.repeat(58)}`}, 0, ${wallet}, 'TSomebody', 5000000, now(), true, now()),
      ('usdt', ${`ab12ce${'0'.repeat(58)}`}, 0, 'TSomebody', 'TElse', 5000000, now(), true, now())`.execute(
    db,
  )
  for (const [q, expected] of [
    ['ada', 'person ada'],
    ['Byron', 'person ada'],
    ['engines.ex', 'person ada'],
    ['northt', 'person u2'],
    ['0000001', 'number +447700000001'],
    ['+44 7700 000001', 'number +447700000001'],
    ['\u202a+44 (0)7700/000–001\u202c', 'number +447700000001'],
    ['acc-1002', 'number +447700000002'],
    ['quiz of', 'number +447700000001'],
    ['uk-7', 'range UK-77'],
    ['west', 'connection Carrier West'],
    ['smsc.ex', 'connection Carrier West'],
    ['feed o', 'provider Feed One'],
    ['crm of', 'endpoint CRM of Ada'],
    ['hooks.ex', 'endpoint CRM of Ada'],
    ['wareh', 'endpoint Warehouse'],
    [bill.id, `bill Bill ${bill.id}`],
    [bill.transactionHash.slice(0, 12), `payment ${bill.transactionHash}`],
    [`0x${bill.transactionHash.toUpperCase()}`, `payment ${bill.transactionHash}`],
    [hold.messageId.toLowerCase(), `record ${hold.messageId}`],
    ['16385', `record ${numbered}`],
    ['4001', `record ${numbered}`],
    // As a peer of SMPP 3.3 gets it: eight characters of each form.
    ['00004001', `record ${numbered}`],
    ['00016385', `record ${numbered}`],
    ['00000g01', `record ${numbered}`],
    ['ab12cd', `transfer ab12cd${'0'.repeat(58)}`],
    [`#${open}`, `bill Bill ${open}`],
    [hold.messageId, `hold Hold ${hold.id}`],
  ] as const)
    expect.soft([q, named(await find(6, q))]).toEqual([q, expect.arrayContaining([expected])])
  const [payment] = await find(6, bill.transactionHash)
  expect(payment).toMatchObject({ periodId: bill.id, detail: expect.stringContaining('0.50 USDT') })
  // An address may contain a key.
  expect(JSON.stringify([...(await find(6, 'feed')), ...(await find(6, 'crm'))])).not.toContain('s3cret')
  expect(named(await find(6, 'ab12ce'))).toEqual([])
  expect(named(await find(1, 'ab12cd'))).toEqual([])
  expect(await find(6, 'a')).toEqual([])
  expect(await find(6, '%_%')).toEqual([])
})

test('a client finds its own things and nobody else’s, and staff only what they may open', async () => {
  const bill = await environment.aPaidBill({ client: 1 })
  const theirs = await environment.aPaidBill({ client: 2, number: 2 })
  const record = await environment.held({ client: 2, number: 2, amountMicro: 50_000 })
  expect(named(await find(1, '44770000000'))).toEqual(['number +447700000001', 'range UK-77'])
  expect(named(await find(1, bill.id))).toEqual([`bill Bill ${bill.id}`])
  expect(named(await find(1, bill.transactionHash))).toEqual([`payment ${bill.transactionHash}`])
  for (const q of [
    'u2',
    'northtel',
    'west',
    'feed',
    'warehouse',
    theirs.id,
    theirs.transactionHash,
    record.messageId,
    'ACC-1002',
  ])
    expect.soft([q, await find(1, q)]).toEqual([q, []])
  expect(named(await find(2, record.messageId))).toEqual([`record ${record.messageId}`])
  expect(await find(1, 'crm')).toMatchObject([
    { kind: 'endpoint', title: 'CRM of Ada', detail: 'hooks.example' },
  ])
  expect(await find(2, 'crm')).toEqual([])
  expect(await find(4, 'crm')).toMatchObject([{ title: 'CRM of Ada', detail: 'hooks.example · ada' }])
  expect(named(await find(4, 'feed'))).toEqual([])
  expect(named(await find(4, 'west'))).toEqual(['connection Carrier West'])
  const asTest = async (q: string) =>
    (await api.call('GET', `/api/search?q=${encodeURIComponent(q)}`, { cookie: testRole })).body
  // Digits of a masked number are not found; its names are, and its digits stay hidden.
  expect(await asTest('0000001')).toEqual([])
  expect(await asTest('crm')).toEqual([])
  expect(named(await asTest('quiz'))).toEqual(['number ••••••••0001'])
})

test('one object is read by its owner and by staff; for anybody else it does not exist', async () => {
  const bill = await environment.aBill()
  for (const [path, other] of [
    ['/api/numbers/1', '/api/numbers/2'],
    [`/api/billing/periods/${bill.id}`, `/api/billing/periods/${bill.id.split('-')[0]}-2`],
  ] as const) {
    expect.soft([path, (await call(1, 'GET', path)).status]).toEqual([path, 200])
    expect.soft([path, (await call(2, 'GET', path)).status]).toEqual([path, 404])
    expect.soft([path, (await call(4, 'GET', path)).status]).toEqual([path, 200])
    expect.soft([other, (await call(1, 'GET', other)).status]).toEqual([other, 404])
  }
  expect((await call(1, 'GET', '/api/numbers/1')).body).toMatchObject({
    phoneNumber: '447700000001',
    range: { id: '1', rangeNumber: 'UK-77' },
    holder: { id: 1, username: 'ada' },
    holdings: [{ userId: 1, to: null }],
  })
  const masked = (await api.call('GET', '/api/numbers/1', { cookie: testRole })).body
  expect(masked).toMatchObject({ phoneNumber: '••••••••0001', usdPerSms: '' })
  expect((await call(1, 'GET', '/api/ranges/1')).body).toMatchObject({ rangeNumber: 'UK-77' })
  expect((await call(1, 'GET', '/api/ranges/999')).status).toBe(404)
  expect((await call(4, 'GET', '/api/numbers?rangeId=1&holderId=2')).body).toMatchObject([{ id: '2' }])
  // Somebody else's numbers stay theirs, whoever is named.
  expect((await call(1, 'GET', '/api/numbers?holderId=2')).body).toEqual([])
})

test('staff note what they know about a case', async () => {
  const made = await row<{ id: string }>(
    db,
    sql`insert into integrity_cases (rule, version_id, client_id, subject, day, level, from_day, facts, words, sender_count,
          message_count, amount_micro, first_at, created_at)
        values ('paced', 1, 1, '', current_date, 'hold', current_date, '{}', '[]', 1, 1, 1, now(), now()) returning id`,
  )
  const about = { objectType: 'integrity_case', objectId: made?.id ?? '' }
  const note = (body: object) =>
    call(4, 'POST', '/api/notes', { body: { ...about, text: 'Asked them.', ...body } })
  expect((await note({})).status).toBe(201)
  expect((await note({ objectId: '999' })).status).toBe(404)
  const notesOn = ({ objectType, objectId }: typeof about) =>
    call(5, 'GET', `/api/notes?objectType=${objectType}&objectId=${objectId}`)
  expect((await notesOn(about)).body).toMatchObject([{ author: 'u4', text: 'Asked them.' }])
  // With the case they go, and no others.
  const other = { objectType: 'number', objectId: '2' }
  const kept = (await call(4, 'POST', '/api/notes', { body: { ...other, text: 'x' } })).body.id
  await forgetNotes(db)
  expect((await notesOn(about)).body).toHaveLength(1)
  await sql`delete from integrity_cases`.execute(db)
  await forgetNotes(db)
  expect((await notesOn(about)).body).toEqual([])
  expect((await notesOn(other)).body).toMatchObject([{ id: kept }])
})

test('staff note what they know about an object; the log says so without the text', async () => {
  const about = { objectType: 'number', objectId: '1' }
  const query = '/api/notes?objectType=number&objectId=1'
  const made = await call(4, 'POST', '/api/notes', {
    body: { ...about, text: '  Called about the tariff.\nWaits. ' },
  })
  expect([made.status, made.body]).toMatchObject([
    201,
    { author: 'u4', text: 'Called about the tariff.\nWaits.' },
  ])
  expect((await call(5, 'GET', query)).body).toEqual([made.body])
  expect((await call(1, 'GET', query)).status).toBe(403)
  for (const gone of [
    { objectType: 'number', objectId: '99' },
    { objectType: 'user', objectId: '3-1' },
    { objectType: 'endpoint', objectId: '99' },
    { objectType: 'billing_period', objectId: '999-1' },
    // Support may not open providers.
    { objectType: 'provider', objectId: '1' },
  ])
    expect
      .soft([gone, (await call(4, 'POST', '/api/notes', { body: { ...gone, text: 'x' } })).status])
      .toEqual([gone, 404])
  for (const text of [' ', 'x'.repeat(2001)])
    expect((await call(4, 'POST', '/api/notes', { body: { ...about, text } })).body.fields).toHaveProperty(
      'text',
    )
  // Of somebody else's note only an admin may dispose.
  expect((await call(5, 'DELETE', `/api/notes/${made.body.id}`)).status).toBe(404)
  expect((await call(6, 'DELETE', `/api/notes/${made.body.id}`)).status).toBe(200)
  expect((await call(4, 'GET', query)).body).toEqual([])
  const log = await call(6, 'GET', '/api/audit?objectType=number&objectId=1')
  expect(log.body.map(({ action }: { action: string }) => action)).toEqual(['note.delete', 'note.create'])
  expect(log.text).not.toContain('tariff')
})
