import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { Peer } from '@tollgate/smpp/testing/peer.ts'
import { parseReceipt } from '@tollgate/smpp/text/receipt.ts'
import { tags } from '@tollgate/smpp/tlv/tags.ts'
import { findTlv } from '@tollgate/smpp/tlv/tlv.ts'
import { Client, submit } from '../../../test/traffic/client.ts'
import { openTestGateway } from '../../../test/traffic/gateway.ts'
import { rows } from '../../platform/db.ts'
import { transaction } from '../../platform/transaction.ts'
import { changeRecords, parseMessageId } from '../../ingest/index.ts'
import { makeDueNow } from './store.ts'

const environment = await openTestGateway({ settings: { responseMs: 1_500 } })
const { db, node } = environment

/** A supplier that sends over one bind and receives its receipts over another. */
async function newSupplier(version = 0x34) {
  const account = await environment.account()
  const sender = await node.bound(account, 'transmitter')
  return { account, sender, receiver: await Client.bound(node, account, { version }) }
}

const textOf = ({ taken }: Client, nth = 0) => taken[nth]?.body.shortMessage.toString('latin1') ?? ''

/** So many receipts came and no other is on its way: the next one is that of a message sent now. */
async function allAre({ sender, receiver }: { sender: Peer; receiver: Client }, count: number) {
  const [id = ''] = await submit(sender, await environment.number(), ['the last'], { registeredDelivery: 1 })
  await receiver.until(count + 1)
  expect(receiver.taken).toHaveLength(count + 1)
  expect(parseReceipt(textOf(receiver, count))).toMatchObject({ id })
}

test('with nowhere to hand the message on, a receipt says delivered within 10 s (conformance 59)', async () => {
  const { sender, receiver } = await newSupplier()
  const digits = await environment.number()
  const [id = ''] = await submit(sender, `+${digits}`, ['secret text'], { registeredDelivery: 1 })
  await receiver.until(1)
  expect(receiver.taken[0]?.body).toMatchObject({
    esmClass: 0x04,
    sourceAddr: digits,
    destinationAddr: '4915112345678',
    destAddrTon: 1,
  })
  expect(textOf(receiver)).toMatch(
    /^id:[0-9A-Z]{26} sub:001 dlvrd:001 submit date:\d{10} done date:\d{10} stat:DELIVRD err:000 text:$/,
  )
  expect(parseReceipt(textOf(receiver))).toMatchObject({ id, state: 2 })
  const { tlvs } = receiver.taken[0]?.body ?? { tlvs: [] }
  expect(findTlv(tlvs, tags.receiptedMessageId)).toBe(id)
  expect(findTlv(tlvs, tags.messageState)).toBe(2)
})

test('a supplier gets only the receipts that it requested: none, failures only, or all', async () => {
  const { sender, receiver } = await newSupplier()
  const client = await environment.account()
  const [nobodys, refusing] = [await environment.number(), await environment.number('active', client)]
  const bind = await Client.bound(node, client)
  bind.answer = () => 0x66
  await submit(sender, nobodys, ['no receipt'])
  await submit(sender, nobodys, ['only failures'], { registeredDelivery: 2 })
  const [failed = ''] = await submit(sender, refusing, ['only failures'], { registeredDelivery: 2 })
  await receiver.until(1)
  expect(parseReceipt(textOf(receiver))).toMatchObject({
    id: failed,
    stateText: 'UNDELIV',
    deliveredCount: 0,
  })
  await allAre({ sender, receiver }, 1)
  bind.peer.destroy()
})

test('a receipt comes when the client has accepted the message, and only once', async () => {
  const { sender, receiver } = await newSupplier()
  const client = await environment.account()
  const digits = await environment.number('active', client)
  const first = await Client.bound(node, client)
  first.peer.destroy()
  await expect.poll(() => first.peer.isClosed).toBe(true)
  const [id = ''] = await submit(sender, digits, ['wait for it'], { registeredDelivery: 1 })
  await allAre({ sender, receiver }, 0)
  const second = await Client.bound(node, client)
  await receiver.until(2)
  expect(parseReceipt(textOf(receiver, 1))).toMatchObject({ id, stateText: 'DELIVRD' })
  const key = parseMessageId(id)
  await transaction(db, (tx) => changeRecords(tx, key === undefined ? [] : [key], { isHeld: true }))
  await allAre({ sender, receiver }, 2)
  second.peer.destroy()
})

test('receipts wait for a receiving bind, and survive a refusal and a disconnect', async () => {
  const account = await environment.account()
  const sender = await node.bound(account, 'transmitter')
  const digits = await environment.number()
  const ids = await submit(sender, digits, ['a', 'b', 'c'], { registeredDelivery: 1 })
  await expect
    .poll(
      async () => (await rows(db, sql`select from bind_deliveries where user_id = ${account.userId}`)).length,
    )
    .toBe(3)
  const dropping = await Client.bound(node, account)
  dropping.answer = () => 'drop'
  await expect.poll(() => dropping.peer.isClosed).toBe(true)
  const receiver = await Client.bound(node, account)
  receiver.answer = (_, nth) => (nth === 1 ? 0x64 : 0)
  await expect
    .poll(() =>
      rows(
        db,
        sql`select from bind_deliveries where user_id = ${account.userId} and attempts > 0
        and status = 'pending'`,
      ),
    )
    .toHaveLength(1)
  await makeDueNow(db, account.userId)
  await receiver.until(4)
  const reported = receiver.taken.map((_, nth) => parseReceipt(textOf(receiver, nth))?.id)
  expect(new Set(reported)).toEqual(new Set(ids))
  await expect
    .poll(() =>
      rows(
        db,
        sql`select status, attempts > 0 as tried from bind_deliveries where user_id = ${account.userId}`,
      ),
    )
    .toEqual(ids.map(() => ({ status: 'delivered', tried: true })))
})

test('a supplier of SMPP 3.3 gets the text without TLVs (conformance 19)', async () => {
  const { sender, receiver } = await newSupplier(0x33)
  const [id = ''] = await submit(sender, await environment.number(), ['old'], { registeredDelivery: 1 })
  await receiver.until(1)
  expect(receiver.taken[0]?.body.tlvs).toEqual([])
  expect(parseReceipt(textOf(receiver))).toMatchObject({ id })
})

test('the receipt of each destination of a submit_multi names the id that was answered', async () => {
  const { sender, receiver } = await newSupplier()
  const numbers = [await environment.number(), await environment.number(), '447700999990']
  sender.send('submit_multi', 5, {
    sourceAddr: '4915112345678',
    registeredDelivery: 1,
    destinations: numbers.map((address) => ({ kind: 'address' as const, ton: 1, npi: 1, address })),
    shortMessage: Buffer.from('both'),
  })
  const answer = await sender.next()
  expect(answer).toMatchObject({ status: 0 })
  const { messageId } = answer.body as unknown as { messageId: string }
  await receiver.until(2)
  expect(receiver.taken.map(({ body }) => body.sourceAddr).toSorted()).toEqual(numbers.slice(0, 2).toSorted())
  for (const [nth, { body }] of receiver.taken.entries()) {
    expect(parseReceipt(textOf(receiver, nth))).toMatchObject({ id: messageId, stateText: 'DELIVRD' })
    expect(findTlv(body.tlvs, tags.receiptedMessageId)).toBe(messageId)
  }
})
