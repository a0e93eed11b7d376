// What a message asks of its delivery: not before, not after, and what is no message of its own.
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { parseReceipt } from '@tollgate/smpp/text/receipt.ts'
import { tags } from '@tollgate/smpp/tlv/tags.ts'
import { makeTlv } from '@tollgate/smpp/tlv/tlv.ts'
import { formatAbsoluteTime } from '@tollgate/smpp/values/time.ts'
import { Client, submit } from '../../../test/traffic/client.ts'
import { openTestGateway, type TestAccount } from '../../../test/traffic/gateway.ts'
import { row, rows } from '../../platform/db.ts'
import { parseMessageId } from '../../ingest/index.ts'

const environment = await openTestGateway({ settings: { responseMs: 1_500 } })
const { db, node } = environment
const sender = await node.bound(await environment.account())
const [completed, reported, noReport] = [2, 4, 5]
const hourMs = 3_600_000

/** A client with a number of its own. */
async function newClient() {
  const account = await environment.account()
  return { account, digits: await environment.number('active', account) }
}

/** Binds the client once, so that its records wait for it from then on. */
async function bindOnce(account: TestAccount): Promise<void> {
  const { peer } = await Client.bound(node, account)
  peer.destroy()
  await expect.poll(() => peer.isClosed).toBe(true)
}

const recordOf = async (messageId: string) =>
  row<{ status: number; report: number; amount: string; bill: string; sms: number }>(
    db,
    sql`select status, client_report as report, amount_micro as amount, bill_micro as bill, sms_count as sms
        from records where id = ${parseMessageId(messageId)?.recordId}`,
  )

const timesOf = (messageId: string) =>
  row<{ deliver: Date | null; expires: Date | null }>(
    db,
    sql`select deliver_at as deliver, expires_at as expires from record_times
        where record_id = ${parseMessageId(messageId)?.recordId}`,
  )

const inAnHour = () => formatAbsoluteTime(Date.now() + hourMs)
const expireNow = (messageId: string) =>
  sql`update record_times set expires_at = clock_timestamp()
      where record_id = ${parseMessageId(messageId)?.recordId}`.execute(db)

test('a message that nobody took within its validity is no_report, its receipt says so, and it is not delivered', async () => {
  const { account, digits } = await newClient()
  await bindOnce(account)
  const supplier = await environment.account()
  const transmitter = await node.bound(supplier, 'transmitter')
  const receiver = await Client.bound(node, supplier)
  const [id = ''] = await submit(transmitter, digits, ['for an hour'], {
    validityPeriod: '000000010000000R',
    registeredDelivery: 1,
  })
  const { expires } = (await timesOf(id))!
  expect(Math.abs(expires!.getTime() - Date.now() - hourMs)).toBeLessThan(60_000)
  await expireNow(id)
  await expect.poll(() => recordOf(id)).toMatchObject({ status: noReport, report: 2 })
  await receiver.until(1)
  expect(parseReceipt(receiver.texts[0] ?? '')).toMatchObject({ id, stateText: 'EXPIRED' })
  transmitter.send('query_sm', 9, { messageId: id })
  expect(await transmitter.next()).toMatchObject({ body: { messageState: 3 } })
  const client = await Client.bound(node, account)
  await submit(sender, digits, ['next'])
  await client.until(1)
  expect(client.texts).toEqual(['next'])
  expect(await timesOf(id)).toBeUndefined()
})

test('a message that a client refuses again and again is not tried after its validity', async () => {
  const { account, digits } = await newClient()
  const client = await Client.bound(node, account)
  client.answer = () => 0x64
  const [id = ''] = await submit(sender, digits, ['refused'], { validityPeriod: inAnHour() })
  await client.until(1)
  const deliveries = () =>
    rows(db, sql`select status, error from bind_deliveries where record_id = ${parseMessageId(id)?.recordId}`)
  await expect.poll(deliveries).toMatchObject([{ status: 'pending' }])
  await expireNow(id)
  await expect.poll(() => recordOf(id)).toMatchObject({ status: noReport })
  expect(await deliveries()).toEqual([{ status: 'failed', error: 'Its validity period is over.' }])
})

test('a scheduled message waits for its time, also when its client binds again meanwhile', async () => {
  const { account, digits } = await newClient()
  const first = await Client.bound(node, account)
  const [later = ''] = await submit(sender, digits, ['later'], { scheduleDeliveryTime: inAnHour() })
  const waiting = () =>
    row(
      db,
      sql`select status, attempts, next_attempt_at > clock_timestamp() + interval '30 minutes' as later
          from bind_deliveries where record_id = ${parseMessageId(later)?.recordId}`,
    )
  await expect.poll(waiting).toEqual({ status: 'pending', attempts: 0, later: true })
  first.peer.destroy()
  await expect.poll(() => first.peer.isClosed).toBe(true)
  const client = await Client.bound(node, account)
  await submit(sender, digits, ['now'])
  await client.until(1)
  expect(client.texts).toEqual(['now'])
  expect(await waiting()).toEqual({ status: 'pending', attempts: 0, later: true })
  await sql`update record_times set deliver_at = clock_timestamp()
    where record_id = ${parseMessageId(later)?.recordId}`.execute(db)
  await sql`update bind_deliveries set next_attempt_at = clock_timestamp()
    where record_id = ${parseMessageId(later)?.recordId}`.execute(db)
  await client.until(2)
  expect(client.texts).toEqual(['now', 'later'])
  await expect.poll(() => recordOf(later)).toMatchObject({ status: reported })
})

test('times within the last minute mean now, and what is scheduled beyond the keeping of texts is refused', async () => {
  const { account, digits } = await newClient()
  const client = await Client.bound(node, account)
  const justPast = formatAbsoluteTime(Date.now() - 30_000)
  const [id = ''] = await submit(sender, digits, ['deferred=0'], {
    scheduleDeliveryTime: justPast,
    validityPeriod: justPast,
  })
  await client.until(1)
  await expect.poll(() => recordOf(id)).toMatchObject({ status: reported })
  await expect.poll(() => timesOf(id)).toBeUndefined()
  const far = formatAbsoluteTime(Date.now() + 8 * 24 * hourMs)
  await expect(submit(sender, digits, ['far'], { scheduleDeliveryTime: far })).rejects.toThrow(`${0x61}`)
})

test('a validity of a second ends after it, and one of nothing is the minute of grace', async () => {
  const { account, digits } = await newClient()
  await bindOnce(account)
  const [short = ''] = await submit(sender, digits, ['for a second'], { validityPeriod: '000000000001000R' })
  const [none = ''] = await submit(sender, digits, ['for nothing'], { validityPeriod: '000000000000000R' })
  const leftMs = async (id: string) => (await timesOf(id))!.expires!.getTime() - Date.now()
  expect(await leftMs(short)).toBeLessThan(1_000)
  expect(await leftMs(none)).toBeGreaterThan(50_000)
  await expect.poll(() => recordOf(short), { timeout: 5_000 }).toMatchObject({ status: noReport })
  const client = await Client.bound(node, account)
  await client.until(1)
  expect(client.texts).toEqual(['for nothing'])
  await expect.poll(() => recordOf(none)).toMatchObject({ status: reported })
})

test('a message that has nowhere to go keeps no times', async () => {
  const [id = ''] = await submit(sender, await environment.number(), ['x'], { validityPeriod: inAnHour() })
  expect(await recordOf(id)).toMatchObject({ status: completed })
  expect(await timesOf(id)).toBeUndefined()
})

test.each([0x08, 0x10])(
  'an acknowledgement of an SME (esm_class %i) earns nothing and reaches the client as one',
  async (esmClass) => {
    const { account, digits } = await newClient()
    const client = await Client.bound(node, account)
    const [id = ''] = await submit(sender, digits, ['ack'], { esmClass })
    expect(await recordOf(id)).toMatchObject({ amount: '0', bill: '0', sms: 0 })
    await client.until(1)
    expect(client.taken[0]?.body.esmClass).toBe(esmClass)
  },
)

test('a payload of 64,000 octets counts as the SMS that it fills, a segment as one', async () => {
  const { account, digits } = await newClient()
  await bindOnce(account)
  const [one = ''] = await submit(sender, digits, ['short'])
  const { amount, bill } = (await recordOf(one))!
  expect(Number(amount)).toBeGreaterThan(0)
  const [long = ''] = await submit(sender, digits, [''], {
    dataCoding: 4,
    tlvs: [makeTlv(tags.messagePayload, Buffer.alloc(64_000))],
  })
  expect(await recordOf(long)).toMatchObject({
    sms: 478,
    amount: String(Number(amount) * 478),
    bill: String(Number(bill) * 478),
  })
  const header = Buffer.from('0608040001020101', 'hex').subarray(0, 7)
  const [segment = ''] = await submit(sender, digits, [''], {
    esmClass: 0x40,
    shortMessage: Buffer.concat([header, Buffer.alloc(153, 'a')]),
  })
  expect(await recordOf(segment)).toMatchObject({ sms: 1, amount })
})
