// What a supplier sees of its own over the API, beside the traffic of another one.
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { KeyScope, Role } from '@tollgate/contract/vocabulary.ts'
import { openTestApi } from '../../test/http/api.ts'
import { Client, submit } from '../../test/traffic/client.ts'
import { eventually } from '../../test/environment/eventually.ts'
import { openTestGateway, type TestAccount } from '../../test/traffic/gateway.ts'
import { transaction } from '../platform/transaction.ts'
import { changeRecords, messageIdOf, parseMessageId, recordsPerBatchId } from '../ingest/index.ts'
import { createSmppTraffic } from './index.ts'

const environment = await openTestGateway()
const { db, node } = environment
const { routes } = createSmppTraffic({ db: environment.db, messages: node.ingest })
const api = await openTestApi(routes)
const staff = await environment.account()

/** What `account` is answered. */
async function ask(account: TestAccount, path: string, role: Role = 'user', scopes?: readonly KeyScope[]) {
  const who = { userId: account.userId, username: account.systemId, role }
  const cookie = api.signIn({ ...who, ...(scopes && { scopes }) })
  const { status, body } = await api.call('GET', `/api/user/${path}`, { cookie })
  return { status, body }
}

const messageOf = async (account: TestAccount, id: string) => (await ask(account, `messages/${id}`)).body

test('a supplier reads what it sent by the hour, and what was refused by status and number', async () => {
  const [own, other] = [await environment.account(), await environment.account()]
  const [digits, suspended] = [await environment.number(), await environment.number('suspended')]
  const [peer, otherPeer] = [await node.bound(own), await node.bound(other)]
  await submit(peer, digits, ['one', 'two'])
  await submit(otherPeer, digits, ['three'])
  const refusals = [
    { destinationAddr: '447700999123' },
    { destinationAddr: '447700999123' },
    { destinationAddr: suspended },
    { destinationAddr: 'nowhere' },
    { destinationAddr: digits, destAddrTon: 9 },
    { destinationAddr: digits, sourceAddr: 'much too long name' },
  ]
  const statuses: number[] = []
  for (const fields of refusals) {
    peer.send('submit_sm', 9, { sourceAddr: '49151', destAddrTon: 1, destAddrNpi: 1, ...fields })
    statuses.push((await peer.next()).status)
  }
  expect(statuses).toEqual([0x0b, 0x0b, 0x0b, 0x0b, 0x50, 0x0a])
  await expect
    .poll(async () => {
      const { accepted, refused } = (await ask(own, 'traffic')).body
      return [accepted.at(-1), refused.map(({ count }: { count: number }) => count)]
    })
    .toEqual([2, [3, 1, 1, 1]])
  const { body } = await ask(own, 'traffic')
  expect(body.accepted).toHaveLength(24)
  expect(body.refused).toEqual(
    [
      ['unknown', 0x0b, 3, 'Invalid destination address (0x0B)'],
      ['bad_destination', 0x0b, 1, 'Invalid destination address (0x0B)'],
      ['bad_sender', 0x0a, 1, 'Invalid source address (0x0A)'],
      ['malformed', 0x50, 1, 'Invalid destination address TON (0x50)'],
    ].map(([reason, status, count, statusText]) => ({
      reason,
      status,
      statusText,
      count,
      lastAt: expect.any(String),
      hours: [...Array.from({ length: 23 }, () => 0), count],
    })),
  )
  const numbersOf = async (role: Role) =>
    (await ask(own, 'traffic?hours=168', role)).body.refusedNumbers.map((each: Record<string, unknown>) => [
      each['number'],
      each['reason'],
      each['count'],
    ])
  // A number of ours that is suspended is told as one that is not ours.
  expect(await numbersOf('user')).toEqual([
    ['447700999123', 'unknown', 2],
    [suspended, 'unknown', 1],
    ['nowhere', 'bad_destination', 1],
  ])
  expect((await numbersOf('test'))[0]).toEqual(['••••••••9123', 'unknown', 2])
  expect((await ask(own, 'traffic?hours=168')).body.accepted).toHaveLength(168)
  expect((await ask(other, 'traffic')).body).toMatchObject({ refused: [], refusedNumbers: [] })
  expect((await ask(own, 'traffic?hours=9000')).status).toBe(400)
})

test('a supplier reads its binds on every node, what they carry, its limits and its receipts', async () => {
  const own = await environment.account({ throughput: 200, window: 30, maxConnections: 7 })
  const other = await environment.account()
  const farNode = await environment.anotherNode()
  const sender = await node.bound(own, 'transmitter')
  const receiver = await Client.bound(farNode, own)
  await node.bound(other)
  await submit(sender, await environment.number(), ['x'], { registeredDelivery: 1 })
  await receiver.until(1)
  const bindsOf = async () => (await ask(own, 'binds')).body
  await expect.poll(bindsOf).toMatchObject({
    systemId: own.systemId,
    hasAccess: true,
    throughput: 200,
    window: 30,
    maxConnections: 7,
    receipts: { waiting: 0, taken: 1, notTaken: 0 },
  })
  await expect
    .poll(async () => {
      const { binds } = await bindsOf()
      return binds.map((bind: Record<string, unknown>) => [
        bind['bindType'],
        bind['received'],
        bind['windowMax'],
      ])
    })
    .toEqual([
      ['receiver', 0, 30],
      ['transmitter', 1, 30],
    ])
  const text = JSON.stringify(await bindsOf())
  expect(text).not.toMatch(/node\d|username|userId/)
  expect(text).not.toContain(other.systemId)
})

test('receipts that are not taken are counted once, and those that wait as waiting', async () => {
  const own = await environment.account()
  const sender = await node.bound(own, 'transmitter')
  await submit(sender, await environment.number(), ['x'], { registeredDelivery: 1 })
  const receiptsOf = async () => (await ask(own, 'binds')).body.receipts
  await expect.poll(receiptsOf).toEqual({ waiting: 1, taken: 0, notTaken: 0 })
  // As if it had waited for days.
  await sql`update bind_deliveries set created_at = now() - interval '40 days' where user_id = ${own.userId}`.execute(
    db,
  )
  await expect.poll(receiptsOf).toEqual({ waiting: 0, taken: 0, notTaken: 1 })
})

test('a key reads its owner’s own side by the scope traffic:read alone', async () => {
  const own = await environment.account()
  for (const path of ['traffic', 'binds', 'refused-binds', 'messages/ABC123']) {
    expect((await ask(own, path, 'user', ['records:read', 'messages:send'])).status, path).toBe(403)
    expect(await ask(own, path, 'user', ['traffic:read']), path).toEqual(await ask(own, path))
  }
})

/** What the person `userId` of this role is answered about `account`. */
async function askAbout(account: TestAccount, path: string, role: Role, userId = staff.userId) {
  const cookie = api.signIn({ userId, username: 'somebody', role })
  const { status, body } = await api.call('GET', `/api/users/${account.userId}/${path}`, { cookie })
  return { status, body }
}

test('staff read of a supplier exactly what it reads itself, and nobody else does', async () => {
  const own = await environment.account()
  const peer = await node.bound(own)
  const [id = ''] = await submit(peer, await environment.number(), ['one'], { registeredDelivery: 1 })
  peer.send('submit_sm', 9, { sourceAddr: '49151', destinationAddr: '447700999124' })
  await node.tryBind(own.systemId, { password: 'wrong' })
  await eventually(async () => {
    expect((await ask(own, 'traffic')).body.refused).toHaveLength(1)
    expect((await ask(own, 'refused-binds')).body).toHaveLength(1)
  })
  for (const path of ['traffic', 'traffic?hours=168', 'binds', 'refused-binds', `messages/${id}`]) {
    for (const role of ['support', 'admin'] as const)
      // Between two answers a heartbeat may come.
      await eventually(async () => {
        const seen = await askAbout(own, path, role)
        expect(seen.status).toBe(200)
        expect(seen).toEqual(await ask(own, path))
      })
    for (const role of ['user', 'test'] as const)
      expect((await askAbout(own, path, role, own.userId)).status, `${role} ${path}`).toBe(403)
  }
})

test('support reads nothing of an admin’s account, and an account that is none is not found', async () => {
  const boss = await environment.account()
  await sql`update users set role = 'admin' where id = ${boss.userId}`.execute(db)
  const [id = ''] = await submit(await node.bound(boss), await environment.number(), ['one'])
  for (const path of ['traffic', 'binds', 'refused-binds', `messages/${id}`]) {
    expect([path, (await askAbout(boss, path, 'support')).status]).toEqual([path, 403])
    expect([path, (await askAbout(boss, path, 'admin')).status]).toEqual([path, 200])
    const nobody = { ...boss, userId: 999_999 }
    expect([path, (await askAbout(nobody, path, 'admin')).status]).toEqual([path, 404])
  }
  // A message of one account is not found under another one.
  expect((await askAbout(await environment.account(), `messages/${id}`, 'admin')).status).toBe(404)
})

test('a supplier reads its refused binds with their status, and nobody else’s', async () => {
  const [own, other] = [await environment.account({ maxConnections: 1 }), await environment.account()]
  const attempts = [
    await node.tryBind(own.systemId, { password: 'wrong' }),
    await node.tryBind(other.systemId, { password: 'wrong' }),
    await node.tryBind(own.systemId),
    await node.tryBind(own.systemId),
  ]
  expect(attempts.map(({ status }) => status)).toEqual([0x0e, 0x0e, 0, 0x0d])
  const common = { systemId: own.systemId, address: '127.0.0.1', count: 1, lastAt: expect.any(String) }
  await expect
    .poll(async () => (await ask(own, 'refused-binds')).body)
    .toEqual([
      { ...common, reason: 'too_many_binds', status: 0x0d, statusText: 'Bind failed (0x0D)' },
      { ...common, reason: 'wrong_credentials', status: 0x0e, statusText: 'Invalid password (0x0E)' },
    ])
})

test.each([
  ['text', 0x34],
  ['decimal', 0x34],
  ['hex', 0x34],
  ['text', 0x33],
  ['decimal', 0x33],
  ['hex', 0x33],
])(
  'a message is found by its id in the form %s of version %i, by its sender alone',
  async (form, version) => {
    const own = await environment.account()
    await sql`update users set smpp_message_id_form = ${form} where id = ${own.userId}`.execute(db)
    const digits = await environment.number('active', await environment.account())
    const { peer } = await node.tryBind(own.systemId, { interfaceVersion: version })
    const [id = ''] = await submit(peer, digits, ['hello'])
    if (version === 0x33) expect(id).toHaveLength(8)
    const [found] = await messageOf(own, id.toLowerCase())
    expect(found).toMatchObject({
      phoneNumber: digits,
      systemId: own.systemId,
      smsCount: 1,
      part: null,
      receipt: { state: 'none', attempts: 0 },
    })
    // Neither whose number it is, nor what it is worth.
    expect(JSON.stringify(found)).not.toMatch(/client|bill|amount|rate/i)
    expect(await messageOf(own, found.messageId)).toEqual([found])
    expect((await ask(own, `messages/${id}`, 'test')).body[0].phoneNumber).toBe(`••••••••${digits.slice(-4)}`)
    for (const stranger of [await environment.account(), own])
      expect((await ask(stranger, `messages/${stranger === own ? 'nosuchid' : id}`)).status).toBe(404)
  },
)

/** A second record with the id of this one and so much, of the same gateway or of another account's. */
async function repeat(messageId: string, by: number, of: TestAccount) {
  const recordId = parseMessageId(messageId)?.recordId ?? 0
  const batchId = Math.floor(recordId / recordsPerBatchId)
  await sql`insert into record_batches
    select (jsonb_populate_record(b, jsonb_build_object('id', b.id + ${by / recordsPerBatchId}::bigint))).*
    from record_batches b where id = ${batchId}`.execute(db)
  await sql`insert into records
    select (jsonb_populate_record(r, jsonb_build_object('id', r.id + ${by}::bigint, 'gateway_id', g.id))).*
    from records r join gateways g on g.name = ${of.systemId} where r.id = ${recordId}`.execute(db)
}

test('a short id that repeats gives each message of its sender, the newest first', async () => {
  const [own, other] = [await environment.account(), await environment.account()]
  await sql`update users set smpp_message_id_form = 'decimal' where id = ${own.userId}`.execute(db)
  const { peer } = await node.tryBind(own.systemId, { interfaceVersion: 0x33 })
  await node.bound(other)
  const [id = ''] = await submit(peer, await environment.number(), ['first'])
  const [{ messageId }] = await messageOf(own, id)
  // Short decimal ids repeat after 100 million records, and at the same place of a batch after 16 times as many.
  await repeat(messageId, 16e8, own)
  await repeat(messageId, 32e8, other)
  const found = await messageOf(own, id)
  expect(found.map((each: { messageId: string }) => parseMessageId(each.messageId)?.recordId)).toEqual([
    (parseMessageId(messageId)?.recordId ?? 0) + 16e8,
    parseMessageId(messageId)?.recordId,
  ])
})

test('all messages of a submit_multi are found by the id of its answer, also without receipts', async () => {
  const own = await environment.account()
  await sql`update users set smpp_message_id_form = 'hex' where id = ${own.userId}`.execute(db)
  const peer = await node.bound(own)
  const numbers = [await environment.number(), await environment.number(), await environment.number()]
  peer.send('submit_multi', 5, {
    sourceAddr: '4915112345678',
    destinations: numbers.map((address) => ({ kind: 'address' as const, ton: 1, npi: 1, address })),
    shortMessage: Buffer.from('all'),
  })
  const answer = await peer.next()
  const { messageId } = answer.body as unknown as { messageId: string }
  const found = await messageOf(own, messageId.toLowerCase())
  expect(found.map((each: { phoneNumber: string }) => each.phoneNumber).toSorted()).toEqual(numbers)
  expect((await ask(await environment.account(), `messages/${messageId}`)).status).toBe(404)
})

test('an id of ours with another time is nobody’s, and so is one of a record that does not exist', async () => {
  const own = await environment.account()
  const [id = ''] = await submit(await node.bound(own), await environment.number(), ['x'])
  const key = parseMessageId(id) ?? { createdAtMs: 0, recordId: 0 }
  for (const wrong of [
    messageIdOf({ ...key, createdAtMs: key.createdAtMs + 1 }),
    messageIdOf({ ...key, recordId: key.recordId + 1_000 }),
    '0',
    '9'.repeat(16),
    'FFFFFFFFFFFFFF',
  ])
    expect([wrong, (await ask(own, `messages/${encodeURIComponent(wrong)}`)).status]).toEqual([wrong, 404])
})

test('a message says what became of its receipt', async () => {
  const own = await environment.account()
  const digits = await environment.number('active', await environment.account())
  const sender = await node.bound(own, 'transmitter')
  const stateOf = async (id: string) => {
    const [{ status, receipt }] = await messageOf(own, id)
    return [status, receipt.state, receipt.error]
  }
  const send = async (registeredDelivery: number) =>
    (await submit(sender, digits, ['x'], { registeredDelivery }))[0] ?? ''
  const [requested, onFailure] = [await send(1), await send(2)]
  const finish = (id: string, status: 'completed' | 'failed') =>
    transaction(db, (tx) =>
      changeRecords(tx, [parseMessageId(id) ?? { createdAtMs: 0, recordId: 0 }], { status }),
    )
  // The client of this number takes nothing over SMPP or HTTP, so its messages are completed at once.
  await expect.poll(() => stateOf(requested)).toEqual(['completed', 'waiting', ''])
  expect(await stateOf(onFailure)).toEqual(['completed', 'none', ''])
  await finish(onFailure, 'failed')
  await expect.poll(() => stateOf(onFailure)).toEqual(['failed', 'waiting', ''])
  const receiver = await Client.bound(node, own)
  receiver.answer = () => 0x66
  await expect
    .poll(() => stateOf(requested))
    .toEqual(['completed', 'not_taken', expect.stringMatching(/^Refused with 0x66/)])
})
