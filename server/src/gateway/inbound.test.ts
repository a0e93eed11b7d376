import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { tags } from '@tollgate/smpp/tlv/tags.ts'
import { makeTlv } from '@tollgate/smpp/tlv/tlv.ts'
import { formatAbsoluteTime } from '@tollgate/smpp/values/time.ts'
import { spoiltSubmit } from '@tollgate/smpp/testing/hostile.ts'
import type { Peer } from '@tollgate/smpp/testing/peer.ts'
import { handleOn, row, rows } from '../platform/db.ts'
import { closeTrafficGate } from '../platform/locks/traffic-gate.ts'
import { openInboundEnvironment, offerUntil } from './testing/inbound-environment.ts'

const { environment, node, db } = await openInboundEnvironment()

const account = await environment.account({ maxConnections: 50 })
const number = await environment.number()
const peer = await node.bound(account)
let sequence = 100

type Fields = NonNullable<Parameters<typeof peer.send<'submit_sm'>>[2]>

/** Submits on the shared bind and returns the answer. */
async function submit(fields: Fields = {}, from: Peer = peer) {
  sequence += 1
  from.send('submit_sm', sequence, {
    sourceAddr: '4915112345678',
    sourceAddrTon: 1,
    sourceAddrNpi: 1,
    destAddrTon: 1,
    destAddrNpi: 1,
    destinationAddr: number,
    shortMessage: Buffer.from('hello'),
    ...fields,
  })
  const answer = await from.next()
  expect(answer.sequence).toBe(sequence)
  return answer
}

/** The statuses of an account's refused messages with their counts. */
async function refusedStatuses(from: { systemId: string }) {
  return rows(
    db,
    sql`select reason, command_status::int as status, sum(refused_count)::int as count from refusal_hours r
          join gateways g on g.id = r.gateway_id
        where g.name = ${from.systemId} group by 1, 2 order by 1, 2`,
  )
}

test('refused messages are counted with the status of their answer', async () => {
  const spoilt = await environment.account()
  const both = await node.bound(spoilt)
  expect(await submit({ destAddrTon: 9 }, both)).toMatchObject({ status: 0x50 })
  expect(await submit({ sourceAddrNpi: 99 }, both)).toMatchObject({ status: 0x49 })
  expect(await submit({ destinationAddr: 'nowhere' }, both)).toMatchObject({ status: 0x0b })
  const receiver = await node.bound(spoilt, 'receiver')
  expect(await submit({}, receiver)).toMatchObject({ status: 0x04 })
  await expect
    .poll(() => refusedStatuses(spoilt))
    .toEqual([
      { reason: 'bad_destination', status: 0x0b, count: 1 },
      { reason: 'malformed', status: 0x49, count: 1 },
      { reason: 'malformed', status: 0x50, count: 1 },
      { reason: 'not_permitted', status: 0x04, count: 1 },
    ])
  await expect
    .poll(() =>
      rows(
        db,
        sql`select number, sender, reason from refused_messages r join gateways g on g.id = r.gateway_id
          where g.name = ${spoilt.systemId} and number <> ''`,
      ),
    )
    .toEqual([{ number: 'nowhere', sender: '4915112345678', reason: 'bad_destination' }])
  both.destroy()
  receiver.destroy()
})

async function refusedCount(reason: string, digits: string): Promise<number> {
  const found = await row<{ count: string }>(
    db,
    sql`select sum(refused_count) as count from refusal_hours r
        join gateways g on g.id = r.gateway_id
        where reason = ${reason} and number = ${digits} and g.name = ${account.systemId}`,
  )
  return Number(found?.count ?? 0)
}

test.each([
  ['an unknown number', { destinationAddr: '447700999999' }, 0x0b],
  ['no destination', { destinationAddr: '' }, 0x0b],
  ['letters', { destinationAddr: 'nowhere' }, 0x0b],
  ['a control character in the sender', { sourceAddr: 'ev\u0007il' }, 0x0a],
  ['a name of 12 characters as sender', { sourceAddr: 'ACME Bank 12', sourceAddrTon: 5 }, 0x0a],
  // The library's table has the other fields (smpp/src/net/submitting.test.ts); here, that an account is strict by default.
  ['a reserved TON', { destAddrTon: 9 }, 0x50],
])('%s is refused header-only', async (_, fields, status) => {
  const answer = await submit(fields)
  expect(answer).toMatchObject({ command: 'submit_sm_resp', status, octets: 16 })
})

test('a message to a short code is a record; a plus or 00 before it makes it none', async () => {
  for (const digits of ['779', '77912345']) {
    await sql`with version as (update catalog set version = version + 1 returning version)
      insert into numbers (number, catalog_version) select ${digits}, version from version`.execute(db)
    expect((await submit({ destinationAddr: digits, destAddrTon: 3, destAddrNpi: 0 })).status).toBe(0)
    expect(await environment.recordsTo(digits)).toHaveLength(1)
  }
  for (const address of ['+779', '00779', '77'])
    expect((await submit({ destinationAddr: address })).status).toBe(0x0b)
})

test('a time that passed within the last minute is now; an older one is refused', async () => {
  const ago = (seconds: number) => formatAbsoluteTime(Date.now() - seconds * 1_000)
  expect((await submit({ scheduleDeliveryTime: ago(30), validityPeriod: ago(30) })).status).toBe(0)
  expect((await submit({ scheduleDeliveryTime: ago(90) })).status).toBe(0x61)
  expect((await submit({ validityPeriod: ago(90) })).status).toBe(0x62)
})

test('a lenient account may send names of 20 characters', async () => {
  const lenient = await environment.account()
  await sql`update users set smpp_is_strict = false where id = ${lenient.userId}`.execute(db)
  const from = await node.bound(lenient)
  const fields = { sourceAddr: 'ACME Bank of Nowhere', sourceAddrTon: 5 }
  expect((await submit(fields, from)).status).toBe(0)
})

test.each([
  ['no sender', { sourceAddr: '', sourceAddrTon: 0 }],
  ['a name as sender', { sourceAddr: 'ACME Bank 1', sourceAddrTon: 5 }],
])('%s is accepted', async (_, fields) => {
  expect(await submit(fields)).toMatchObject({ status: 0 })
})

test('plus, 00 and spaces before a number are taken off once', async () => {
  const digits = await environment.number()
  for (const destinationAddr of [`+${digits}`, `00${digits}`, `+44 ${digits.slice(2)}`]) {
    expect(await submit({ destinationAddr, sourceAddr: '+49 151 1' })).toMatchObject({ status: 0 })
  }
  const records = await environment.recordsTo(digits)
  expect(records.map(({ sender }) => sender)).toEqual(['491511', '491511', '491511'])
})

test('a broken PDU is refused in its own response and the session stays', async () => {
  // §4.4.1: an sm_length that is larger than the octets present.
  peer.write(spoiltSubmit(9_001, { destinationAddr: number }, (bytes) => bytes.fill(40, bytes.length - 1)))
  const answer = await peer.next()
  expect(answer).toMatchObject({ command: 'submit_sm_resp', sequence: 9_001 })
  expect([0x01, 0x02]).toContain(answer.status)
  expect(await submit()).toMatchObject({ status: 0 })
})

test('refusals are counted by reason, number and peer', async () => {
  const suspended = await environment.number('suspended')
  expect((await submit({ destinationAddr: suspended })).status).toBe(0x0b)
  await submit({ destinationAddr: '447700999998' })
  await submit({ destinationAddr: '447700999998' })
  await submit({ destinationAddr: 'call me' })
  await expect.poll(() => refusedCount('unknown', '447700999998')).toBe(2)
  await expect.poll(() => refusedCount('suspended', suspended)).toBe(1)
  await expect.poll(() => refusedCount('bad_destination', 'call me')).toBe(1)
})

test('a new number accepts messages at once', async () => {
  expect(await submit({ destinationAddr: await environment.number() })).toMatchObject({ status: 0 })
})

test('the same sequence twice gives two records, the second flagged', async () => {
  const digits = await environment.number()
  const fields = { sourceAddr: '1', destAddrTon: 1, destAddrNpi: 1, destinationAddr: digits }
  peer.socket.cork()
  peer.send('submit_sm', 7_777, fields)
  peer.send('submit_sm', 7_777, fields)
  peer.socket.uncork()
  const answers = await peer.take(2)
  expect(answers.map(({ status, sequence: own }) => [status, own])).toEqual([
    [0, 7_777],
    [0, 7_777],
  ])
  const flags = (await environment.recordsTo(digits)).map((record) => record.flags & 1)
  expect(flags.toSorted((a, b) => a - b)).toEqual([0, 1])
})

test('data_sm carries its text in message_payload and gets an id', async () => {
  const digits = await environment.number()
  peer.send('data_sm', 50, {
    destAddrTon: 1,
    destAddrNpi: 1,
    destinationAddr: digits,
    tlvs: [makeTlv(tags.messagePayload, Buffer.from('by data_sm'))],
  })
  expect(await peer.next()).toMatchObject({ command: 'data_sm_resp', status: 0, sequence: 50 })
  expect(await environment.recordsTo(digits)).toHaveLength(1)
})

test('submit_multi stores one record for each good destination and names the others', async () => {
  const [first, second] = [await environment.number(), await environment.number()]
  peer.send('submit_multi', 60, {
    destinations: [
      { kind: 'address', ton: 1, npi: 1, address: first },
      { kind: 'address', ton: 1, npi: 1, address: '447700999997' },
      { kind: 'list', name: 'friends' },
      { kind: 'address', ton: 1, npi: 1, address: second },
    ],
    shortMessage: Buffer.from('to many'),
  })
  const answer = await peer.next()
  expect(answer).toMatchObject({ command: 'submit_multi_resp', status: 0, sequence: 60 })
  const { failures } = answer.body as unknown as { failures: { address: string; status: number }[] }
  expect(new Map(failures.map(({ address, status }) => [address, status]))).toEqual(
    new Map([
      ['447700999997', 0x0b],
      ['friends', 0x44],
    ]),
  )
  expect(await environment.recordsTo(first)).toHaveLength(1)
  expect(await environment.recordsTo(second)).toHaveLength(1)
})

test('submit_multi to unknown destinations only is an error', async () => {
  peer.send('submit_multi', 61, {
    destinations: [{ kind: 'address', ton: 1, npi: 1, address: '447700999997' }],
  })
  expect(await peer.next()).toMatchObject({ command: 'submit_multi_resp', status: 0x0b, octets: 16 })
})

test('query_sm tells the state of an own message, and 0x67 for all others', async () => {
  const { messageId } = (await submit()).body as { messageId: string }
  peer.send('query_sm', 70, { messageId })
  expect(await peer.next()).toMatchObject({
    command: 'query_sm_resp',
    status: 0,
    body: { messageId, messageState: 2 },
  })
  const stranger = await node.bound(await environment.account())
  stranger.send('query_sm', 71, { messageId })
  expect(await stranger.next()).toMatchObject({ command: 'query_sm_resp', status: 0x67, octets: 16 })
  for (const unknown of ['', 'no-such-id', `${messageId.slice(0, -4)}ZZZZ`]) {
    peer.send('query_sm', 72, { messageId: unknown })
    expect(await peer.next()).toMatchObject({ status: 0x67 })
  }
  stranger.destroy()
})

test('cancel_sm and replace_sm are refused, and the session stays', async () => {
  peer.send('cancel_sm', 80, { messageId: 'x' })
  expect(await peer.next()).toMatchObject({ command: 'cancel_sm_resp', status: 0x11 })
  peer.send('replace_sm', 81, { messageId: 'x' })
  expect(await peer.next()).toMatchObject({ command: 'replace_sm_resp', status: 0x13 })
  expect(await submit()).toMatchObject({ status: 0 })
})

test('submits before the bind and on a receiver are 0x04', async () => {
  const receiver = await node.bound(account, 'receiver')
  expect(await submit({}, receiver)).toMatchObject({ command: 'submit_sm_resp', status: 0x04 })
  receiver.destroy()
})

test('the 51st unanswered submit is 0x58 within 100 ms, and none is lost', async () => {
  const digits = await environment.number()
  const hasty = await node.bound(account)
  // Nothing commits while another transaction holds the traffic gate.
  const client = await environment.pool.connect()
  await client.query('begin')
  await closeTrafficGate(handleOn(client))
  hasty.socket.cork()
  for (let own = 1; own <= 51; own += 1) {
    hasty.send('submit_sm', own, { sourceAddr: '1', destAddrTon: 1, destAddrNpi: 1, destinationAddr: digits })
  }
  hasty.socket.uncork()
  const waitsMs: number[] = []
  for (let own = 51; own <= 55; own += 1) {
    const sentAtMs = performance.now()
    if (own > 51) hasty.send('submit_sm', own, { sourceAddr: '1', destinationAddr: digits })
    expect(await hasty.next()).toMatchObject({ status: 0x58, sequence: own })
    waitsMs.push(performance.now() - sentAtMs)
  }
  // The quickest, because any other may have met a pause of the machine.
  expect(Math.min(...waitsMs)).toBeLessThan(100)
  await client.query('commit')
  client.release()
  const answers = await hasty.take(50)
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([0]))
  expect(await environment.recordsTo(digits)).toHaveLength(50)
  hasty.destroy()
})

test('an account above its throughput gets 0x58 and keeps its rate, over all of its binds', async () => {
  const digits = await environment.number()
  const limited = await environment.account({ throughput: 50 })
  const peers = [await node.bound(limited), await node.bound(limited)]
  // The burst of a second is spent first.
  const taken = await offerUntil(peers, digits, { above: 43, below: 55 })
  expect(await environment.recordsTo(digits)).toHaveLength(taken)
  for (const each of peers) each.destroy()
})

test('an unbind is answered after all earlier submits', async () => {
  const leaving = await node.bound(account)
  leaving.socket.cork()
  for (let own = 1; own <= 20; own += 1) {
    leaving.send('submit_sm', own, {
      sourceAddr: '1',
      destAddrTon: 1,
      destAddrNpi: 1,
      destinationAddr: number,
    })
  }
  leaving.send('unbind', 21)
  leaving.socket.uncork()
  const answers = await leaving.take(21)
  expect(
    answers.slice(0, 20).every(({ command, status }) => command === 'submit_sm_resp' && status === 0),
  ).toBe(true)
  expect(answers[20]).toMatchObject({ command: 'unbind_resp', status: 0, sequence: 21 })
  await leaving.closed()
})

test('committed records stay when the peer resets in the middle of a batch', async () => {
  const digits = await environment.number()
  const cut = await node.bound(account)
  cut.socket.cork()
  for (let own = 1; own <= 30; own += 1) {
    cut.send('submit_sm', own, { sourceAddr: '1', destAddrTon: 1, destAddrNpi: 1, destinationAddr: digits })
  }
  cut.socket.uncork()
  await cut.next()
  cut.socket.resetAndDestroy()
  await expect.poll(async () => (await environment.recordsTo(digits)).length).toBe(30)
})

test('every stored message names its supplier', async () => {
  expect((await submit()).status).toBe(0)
  const found = await rows<{ name: string }>(
    db,
    sql`select distinct g.name from records r join gateways g on g.id = r.gateway_id order by 1`,
  )
  expect(found.map(({ name }) => name)).toContain(account.systemId)
})

test.each([
  [1, 3],
  [5, 6],
  [20, 10],
])('at %i a second all %i parts of one message that come together are taken', async (throughput, total) => {
  const digits = await environment.number()
  const limited = await node.bound(await environment.account({ throughput }))
  const part = (reference: number, sequence: number) => ({
    sourceAddr: '1',
    destAddrTon: 1,
    destAddrNpi: 1,
    destinationAddr: digits,
    esmClass: 0x40,
    shortMessage: Buffer.of(5, 0, 3, reference, total, sequence, 0x61),
  })
  limited.socket.cork()
  for (let own = 1; own <= total; own += 1) limited.send('submit_sm', own, part(7, own))
  // A message that has not begun waits for the rate.
  for (let own = 1; own <= 30; own += 1) limited.send('submit_sm', 100 + own, part(100 + own, 1))
  limited.socket.uncork()
  const answers = await limited.take(total + 30)
  const statusOf = new Map(answers.map(({ sequence, status }) => [sequence, status]))
  for (let own = 1; own <= total; own += 1) expect([own, statusOf.get(own)]).toEqual([own, 0])
  const others = answers.filter(({ sequence, status }) => sequence > 100 && status === 0)
  expect(others.length).toBeLessThanOrEqual(Math.max(throughput - total, 0) + 2)
  limited.destroy()
})
