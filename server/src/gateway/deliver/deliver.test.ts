import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { tags } from '@tollgate/smpp/tlv/tags.ts'
import { findTlv, makeTlv } from '@tollgate/smpp/tlv/tlv.ts'
import { Client, submit } from '../../../test/traffic/client.ts'
import { openTestGateway, type TestAccount } from '../../../test/traffic/gateway.ts'
import { row, rows } from '../../platform/db.ts'
import { parseMessageId } from '../../ingest/index.ts'
import { makeDueNow } from './store.ts'

// Short response timer and a small window, so that a silent client is noticed soon.
const environment = await openTestGateway({ settings: { responseMs: 1_500, sendWindowMax: 10 } })
const { db, node } = environment
const supplier = await environment.account({ maxConnections: 50 })

async function stateOf(messageId: string): Promise<{ status: number; report: number } | undefined> {
  const key = parseMessageId(messageId)
  return row(db, sql`select status, client_report as report from records where id = ${key?.recordId ?? 0}`)
}

/** Waits until a delivery to this account is to be tried again, and gives the pause before that. */
async function pauseOf({ userId }: TestAccount): Promise<number> {
  const read = () =>
    row<{ pauseMs: number }>(
      db,
      sql`select extract(epoch from next_attempt_at - last_attempt_at)::float8 * 1000 as "pauseMs"
          from bind_deliveries where user_id = ${userId} and status = 'pending' and attempts > 0`,
    )
  await expect.poll(read).toBeDefined()
  return (await read())?.pauseMs ?? NaN
}

const [pending, inProgress, completed, failed, reported, noReport] = [0, 1, 2, 3, 4, 5]
const sender = await node.bound(supplier, 'transmitter')

test('a bound client gets its records as deliver_sm, and its answer makes them reported', async () => {
  const account = await environment.account()
  const digits = await environment.number('active', account)
  const client = await Client.bound(node, account)
  const [id = ''] = await submit(sender, `+${digits}`, ['hello'])
  await client.until(1)
  expect(client.taken[0]).toMatchObject({
    body: {
      sourceAddr: '4915112345678',
      sourceAddrTon: 1,
      sourceAddrNpi: 1,
      destinationAddr: digits,
      destAddrTon: 1,
      esmClass: 0,
      dataCoding: 0,
      registeredDelivery: 0,
    },
  })
  expect(client.texts).toEqual(['hello'])
  await expect.poll(() => stateOf(id)).toEqual({ status: reported, report: 1 })
  client.peer.destroy()
})

test('header, coding and long text reach the client unchanged; the source address may be a name', async () => {
  const account = await environment.account()
  const digits = await environment.number('active', account)
  const client = await Client.bound(node, account, { mode: 'transceiver' })
  const part = Buffer.from([5, 0, 3, 77, 2, 1, 0x05, 0xd0])
  await submit(sender, digits, [''], {
    shortMessage: part,
    esmClass: 0x43,
    dataCoding: 8,
    sourceAddr: 'ACME',
    sourceAddrTon: 5,
  })
  const long = Buffer.alloc(3_000, 'y')
  await submit(sender, digits, [''], {
    shortMessage: Buffer.alloc(0),
    tlvs: [makeTlv(tags.messagePayload, long)],
  })
  await client.until(2)
  expect(client.taken[0]?.body).toMatchObject({
    esmClass: 0x40,
    dataCoding: 8,
    sourceAddr: 'ACME',
    sourceAddrTon: 5,
  })
  expect(client.taken[0]?.body.shortMessage).toEqual(part)
  expect(findTlv(client.taken[1]?.body.tlvs ?? [], tags.messagePayload)).toEqual(long)
  client.peer.destroy()
})

test('parts told by sar_ parameters reach the client with a header that says the same (conformance 56)', async () => {
  const account = await environment.account()
  const digits = await environment.number('active', account)
  const client = await Client.bound(node, account)
  await submit(sender, digits, ['part two'], {
    tlvs: [
      makeTlv(tags.sarMsgRefNum, 0x1234),
      makeTlv(tags.sarTotalSegments, 3),
      makeTlv(tags.sarSegmentSeqnum, 2),
    ],
  })
  await client.until(1)
  expect(client.taken[0]?.body).toMatchObject({ esmClass: 0x40 })
  const header = Buffer.from([6, 8, 4, 0x12, 0x34, 3, 2])
  expect(client.taken[0]?.body.shortMessage).toEqual(Buffer.concat([header, Buffer.from('part two')]))
  client.peer.destroy()
})

test('records that arrive without a bind wait, and are delivered in order after the next bind', async () => {
  const account = await environment.account()
  const digits = await environment.number('active', account)
  const first = await Client.bound(node, account)
  first.peer.destroy()
  await expect.poll(() => first.peer.isClosed).toBe(true)
  const texts = Array.from({ length: 30 }, (_, nth) => `m${nth}`)
  const ids = await submit(sender, digits, texts)
  expect(await stateOf(ids[0] ?? '')).toEqual({ status: pending, report: 0 })
  const second = await Client.bound(node, account)
  await second.until(30)
  expect(second.texts).toEqual(texts)
  await expect.poll(() => stateOf(ids[29] ?? '')).toEqual({ status: reported, report: 1 })
  second.peer.destroy()
})

test('records of a client that never bound to receive are completed at once', async () => {
  const account = await environment.account()
  const digits = await environment.number('active', account)
  const transmitter = await node.bound(account, 'transmitter')
  const [id = ''] = await submit(sender, digits, ['nobody takes it'])
  expect(await stateOf(id)).toEqual({ status: completed, report: 0 })
  transmitter.destroy()
})

test('a refused message is due again within 15 s, a final refusal fails it (conformance 62)', async () => {
  const account = await environment.account()
  const digits = await environment.number('active', account)
  const client = await Client.bound(node, account)
  client.answer = ({ body }, nth) => (body.shortMessage.toString() === 'never' ? 0x65 : nth <= 2 ? 0x64 : 0)
  const [again = '', never = ''] = await submit(sender, digits, ['again', 'never'])
  await client.until(2)
  await expect.poll(() => stateOf(again)).toEqual({ status: inProgress, report: 0 })
  await expect.poll(() => stateOf(never)).toEqual({ status: failed, report: 2 })
  expect(await pauseOf(account)).toBeLessThan(15_000)
  await makeDueNow(db, account.userId)
  await client.until(3)
  expect(client.texts).toEqual(['again', 'never', 'again'])
  await expect.poll(() => stateOf(again)).toEqual({ status: reported, report: 1 })
  client.peer.destroy()
})

test('generic_nack for our deliver_sm is a failed delivery and is tried again (conformance 10)', async () => {
  const account = await environment.account()
  const digits = await environment.number('active', account)
  const client = await Client.bound(node, account)
  client.answer = (pdu, nth) => {
    if (nth > 1) return 0
    client.peer.send('generic_nack', pdu.sequence, {}, 0x03)
    return 'silence'
  }
  const [id = ''] = await submit(sender, digits, ['nack me'])
  expect(await pauseOf(account)).toBeLessThan(15_000)
  await makeDueNow(db, account.userId)
  await client.until(2)
  await expect.poll(() => stateOf(id)).toEqual({ status: reported, report: 1 })
  client.peer.destroy()
})

test('a client that answers late is believed: nothing comes twice (conformance 62)', async () => {
  const account = await environment.account()
  const digits = await environment.number('active', account)
  const client = await Client.bound(node, account)
  client.answer = () => 'silence'
  const [id = ''] = await submit(sender, digits, ['slowly'])
  await client.until(1)
  // After the response timer of 1.5 s, long before the next attempt.
  expect(await pauseOf(account)).toBeGreaterThan(0)
  await sql`update bind_deliveries set next_attempt_at = now() + interval '1 h' where user_id = ${account.userId}`.execute(
    db,
  )
  client.answer = () => 0
  client.peer.send('deliver_sm_resp', client.taken[0]?.sequence ?? 0)
  await expect.poll(() => stateOf(id)).toEqual({ status: reported, report: 1 })
  await makeDueNow(db, account.userId)
  // Deliveries that are due are read four times a second.
  await sleep(1_000)
  expect(client.taken).toHaveLength(1)
  client.peer.destroy()
})

test('a client that disconnects in the middle gets the rest, and the unanswered record again', async () => {
  const account = await environment.account()
  const digits = await environment.number('active', account)
  const first = await Client.bound(node, account)
  first.answer = (_, nth) => (nth < 5 ? 0 : nth === 5 ? 'drop' : 'silence')
  const texts = Array.from({ length: 20 }, (_, nth) => `d${nth}`)
  const ids = await submit(sender, digits, texts)
  await expect.poll(() => first.peer.isClosed).toBe(true)
  const second = await Client.bound(node, account)
  await expect.poll(() => new Set([...first.texts.slice(0, 4), ...second.texts]).size).toBe(20)
  for (const id of ids) await expect.poll(() => stateOf(id)).toEqual({ status: reported, report: 1 })
  // Answered records are not sent again.
  expect(second.texts.filter((text) => first.texts.slice(0, 4).includes(text))).toEqual([])
  second.peer.destroy()
})

test('with two nodes each record is delivered once, and the other node takes over when the bind moves', async () => {
  const other = await environment.anotherNode()
  const account = await environment.account()
  const digits = await environment.number('active', account)
  const here = await Client.bound(node, account)
  const there = await Client.bound(other, account)
  const texts = Array.from({ length: 20 }, (_, nth) => `n${nth}`)
  const ids = await submit(sender, digits, texts)
  await expect.poll(() => here.taken.length + there.taken.length).toBe(20)
  for (const id of ids) await expect.poll(() => stateOf(id)).toEqual({ status: reported, report: 1 })
  const [busy, idle] = here.taken.length > 0 ? [here, there] : [there, here]
  expect(idle.taken).toHaveLength(0)
  busy.peer.destroy()
  await expect.poll(() => busy.peer.isClosed).toBe(true)
  await submit(sender, digits, ['after the move'])
  await idle.until(1)
  expect(idle.texts).toEqual(['after the move'])
  idle.peer.destroy()
})

test('an SMPP 3.3 client gets a long text in parts without TLVs, and one that cannot be cut fails (conformance 19)', async () => {
  const account = await environment.account()
  const digits = await environment.number('active', account)
  const client = await Client.bound(node, account, { version: 0x33 })
  const long = (esmClass: number, payload: Buffer) =>
    submit(sender, digits, [''], {
      esmClass,
      shortMessage: Buffer.alloc(0),
      tlvs: [makeTlv(tags.messagePayload, payload)],
    })
  const text = 'A text of 399 octets. '.repeat(19).slice(0, 399)
  const [whole = ''] = await long(0, Buffer.from(text))
  await client.until(3)
  const bodies = client.taken.map(({ body }) => body)
  expect(bodies.map(({ tlvs, esmClass }) => [tlvs, esmClass])).toEqual(Array(3).fill([[], 0x40]))
  const parts = bodies.map(({ shortMessage }) => shortMessage)
  expect(parts.map((part) => [part[0], part[4], part[5]])).toEqual([
    [5, 3, 1],
    [5, 3, 2],
    [5, 3, 3],
  ])
  expect(new Set(parts.map((part) => part[3])).size).toBe(1)
  expect(parts.map((part) => part.subarray(6).toString()).join('')).toBe(text)
  await expect.poll(() => stateOf(whole)).toMatchObject({ status: reported })
  const withPorts = Buffer.concat([Buffer.from('06050400500051', 'hex'), Buffer.alloc(300, 'l')])
  const [uncut = ''] = await long(0x40, withPorts)
  await submit(sender, digits, ['short'])
  await client.until(4)
  expect(client.texts.at(-1)).toBe('short')
  await expect.poll(() => stateOf(uncut)).toEqual({ status: failed, report: 2 })
  client.peer.destroy()
})

test('records nobody came back for run out: no_report, and the client is none that receives any more', async () => {
  const account = await environment.account()
  const digits = await environment.number('active', account)
  const client = await Client.bound(node, account)
  client.peer.destroy()
  await expect.poll(() => client.peer.isClosed).toBe(true)
  const [id = ''] = await submit(sender, digits, ['too late'])
  expect(await stateOf(id)).toEqual({ status: pending, report: 0 })
  await sql`update bind_receivers set last_bound_at = now() - interval '169 hours' where user_id = ${account.userId}`.execute(
    db,
  )
  await expect.poll(() => stateOf(id)).toEqual({ status: noReport, report: 2 })
  expect(await rows(db, sql`select from bind_receivers where user_id = ${account.userId}`)).toHaveLength(0)
})
