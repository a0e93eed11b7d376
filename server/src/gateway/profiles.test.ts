// The SMPP profile of an account, at work in sessions that are bound already.
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { parseReceipt } from '@tollgate/smpp/text/receipt.ts'
import { tags } from '@tollgate/smpp/tlv/tags.ts'
import { findTlv } from '@tollgate/smpp/tlv/tlv.ts'
import type { Peer } from '@tollgate/smpp/testing/peer.ts'
import { Client, submit } from '../../test/traffic/client.ts'
import { openTestGateway, secrets } from '../../test/traffic/gateway.ts'
import { row } from '../platform/db.ts'
import { messageIdOf, readBody } from '../ingest/index.ts'
import { readStyledId, styledId } from './message/message-id-style.ts'

const environment = await openTestGateway()
const { db, node } = environment

/** Changes the profile as the API does, but for the notification: nodes look every 1.5 s anyway. */
async function change(userId: number, columns: Readonly<Record<string, string | number | boolean>>) {
  const changes = Object.entries(columns).map(([name, value]) => sql`${sql.ref(name)} = ${value}`)
  await sql`update users set ${sql.join(changes)} where id = ${userId}`.execute(db)
}

async function statusOf(peer: Peer, fields: NonNullable<Parameters<typeof peer.send<'submit_sm'>>[2]>) {
  peer.send('submit_sm', 7, { sourceAddr: '49151', shortMessage: Buffer.from('x'), ...fields })
  return (await peer.next()).status
}

async function bodyOf(digits: string) {
  const [record] = await environment.recordsTo(digits)
  return readBody(db, secrets, BigInt((record as { id: string }).id))
}

test('a strict account that becomes lenient may send reserved values in the session that it has', async () => {
  const account = await environment.account()
  const digits = await environment.number()
  const peer = await node.bound(account)
  expect(await statusOf(peer, { destinationAddr: digits, priorityFlag: 4 })).toBe(0x06)
  await change(account.userId, { smpp_is_strict: false })
  await expect.poll(() => statusOf(peer, { destinationAddr: digits, priorityFlag: 4 })).toBe(0)
})

test('the alphabet of coding 0 is that of the profile when the message came in', async () => {
  const account = await environment.account()
  await change(account.userId, { smpp_default_alphabet: 'latin1' })
  const [first, second] = [await environment.number(), await environment.number()]
  const peer = await node.bound(account)
  await submit(peer, first, ['@'])
  expect((await bodyOf(first))?.defaultAlphabet).toBe('latin1')
  await change(account.userId, { smpp_default_alphabet: 'packed7' })
  const alphabetNow = async () => {
    const digits = await environment.number()
    await submit(peer, digits, ['@'])
    return (await bodyOf(digits))?.defaultAlphabet
  }
  await expect.poll(alphabetNow).toBe('packed7')
  await submit(peer, second, ['@'])
  expect((await bodyOf(first))?.defaultAlphabet).toBe('latin1')
})

test('a client whose coding 0 is another alphabet than its supplier’s reads the same text', async () => {
  const [client, supplier] = [await environment.account(), await environment.account()]
  await change(supplier.userId, { smpp_default_alphabet: 'latin1' })
  await change(client.userId, { smpp_default_alphabet: 'utf8' })
  const digits = await environment.number('active', client)
  const receiver = await Client.bound(node, client)
  const latin1 = Buffer.from('caf\u00e9', 'latin1')
  await submit(await node.bound(supplier), digits, [''], { shortMessage: latin1 })
  await submit(await node.bound(await environment.account()), digits, [''], {
    shortMessage: Buffer.from('636166051b65', 'hex'),
  })
  await receiver.until(2)
  expect(receiver.taken.map(({ body }) => [body.dataCoding, body.shortMessage])).toEqual([
    [3, latin1],
    [0, Buffer.from('caf\u00e9\u20ac')],
  ])
})

test('the delivery window bounds what a client leaves unanswered, and grows while it is bound', async () => {
  const [account, supplier] = [await environment.account(), await environment.account()]
  await change(account.userId, { smpp_delivery_window: 2 })
  const digits = await environment.number('active', account)
  const client = await Client.bound(node, account)
  client.answer = () => 'silence'
  await submit(await node.bound(supplier), digits, ['1', '2', '3', '4', '5', '6', '7'])
  await client.until(2)
  await new Promise((done) => setTimeout(done, 300))
  expect(client.taken).toHaveLength(2)
  await change(account.userId, { smpp_delivery_window: 5 })
  await client.until(5)
  await new Promise((done) => setTimeout(done, 300))
  expect(client.taken).toHaveLength(5)
  client.peer.destroy()
})

const forms = [
  { form: 'decimal', version: 0x34, pattern: /^\d{4,16}$/ },
  { form: 'hex', version: 0x34, pattern: /^[0-9A-F]{4,14}$/ },
  { form: 'text', version: 0x33, pattern: /^[0-9A-HJKMNP-TV-Z]{8}$/ },
  { form: 'decimal', version: 0x33, pattern: /^\d{8}$/ },
  { form: 'hex', version: 0x33, pattern: /^[0-9A-F]{8}$/ },
]
test.each(forms)(
  'ids in $form for version $version: answer, receipt and query name the message alike',
  async (given) => {
    const account = await environment.account()
    await change(account.userId, { smpp_message_id_form: given.form })
    const digits = await environment.number()
    const { peer } = await node.tryBind(account.systemId, {
      mode: 'transmitter',
      interfaceVersion: given.version,
    })
    const receiver = await Client.bound(node, account, { version: given.version })
    const [id = ''] = await submit(peer, digits, ['x'], { registeredDelivery: 1 })
    expect(id).toMatch(given.pattern)
    await receiver.until(1)
    const { shortMessage, tlvs } = receiver.taken[0]?.body ?? { shortMessage: Buffer.alloc(0), tlvs: [] }
    expect(parseReceipt(shortMessage.toString('latin1'))?.id).toBe(id)
    expect(findTlv(tlvs, tags.receiptedMessageId)).toBe(given.version === 0x33 ? undefined : id)
    peer.send('query_sm', 9, { messageId: id })
    expect(await peer.next()).toMatchObject({ status: 0, body: { messageId: id, messageState: 2 } })
    const stranger = await environment.account()
    await change(stranger.userId, { smpp_message_id_form: given.form })
    const other = await node.tryBind(stranger.systemId, { interfaceVersion: given.version })
    other.peer.send('query_sm', 9, { messageId: id })
    expect((await other.peer.next()).status).toBe(0x67)
  },
)

test.each([true, false])(
  'a receipt names the id in the form of the answer, whatever the profile says since (message kept: %s)',
  async (isKept) => {
    const account = await environment.account()
    await change(account.userId, { smpp_message_id_form: 'hex' })
    const digits = await environment.number()
    const [id = ''] = await submit(await node.bound(account, 'transmitter'), digits, ['x'], {
      registeredDelivery: 1,
    })
    if (!isKept) await sql`update record_batches set encrypted_bodies = null`.execute(db)
    await change(account.userId, { smpp_message_id_form: 'text' })
    const receiver = await Client.bound(node, account)
    await receiver.until(1)
    expect(parseReceipt(receiver.taken[0]?.body.shortMessage.toString('latin1') ?? '')?.id).toBe(id)
  },
)

test('an account that is treated as 3.3 gets no optional parameters, whatever it says', async () => {
  const account = await environment.account()
  await change(account.userId, { smpp_interface_version: '3.3' })
  const digits = await environment.number()
  const receiver = await Client.bound(node, account, { mode: 'transceiver', version: 0x34 })
  const sender = await node.bound(account, 'transmitter')
  const [id = ''] = await submit(sender, digits, ['x'], { registeredDelivery: 1 })
  expect(id).toHaveLength(8)
  await receiver.until(1)
  expect(receiver.taken[0]?.body.tlvs).toEqual([])
  const found = await row<{ version: string }>(
    db,
    sql`select interface_version as version from binds where user_id = ${account.userId} limit 1`,
  )
  expect(found?.version).toBe('3.3')
})

test('short ids of any record read back to the same rest, long ones to the record itself', () => {
  for (const recordId of [1, 4_096, 2 ** 31, 2 ** 40 + 5, 2 ** 52 + 1]) {
    const messageId = messageIdOf({ createdAtMs: 1, recordId })
    for (const form of ['decimal', 'hex'] as const) {
      const whole = styledId(messageId, recordId, { form, isShort: false })
      expect(readStyledId(whole, { form, isShort: false })).toEqual({ rest: recordId, modulus: undefined })
    }
    for (const form of ['text', 'decimal', 'hex'] as const) {
      const short = styledId(messageId, recordId, { form, isShort: true })
      const key = readStyledId(short, { form, isShort: true })
      expect([short.length, key?.rest]).toEqual([8, recordId % (key?.modulus ?? 1)])
    }
    expect(styledId(messageId, recordId, { form: 'text', isShort: false })).toBe(messageId)
  }
  expect(readStyledId('xyz', { form: 'hex', isShort: false })).toBeUndefined()
})
