// What a lenient connection takes of real upstreams, and how receipts of all forms find their messages.
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openTestConnections } from '../../test/traffic/connections.ts'
import { rawDeliver, rawReceipt, text } from '../../test/traffic/odd-deliver.ts'
import { openSmsc } from '../../test/stand-ins/smsc.ts'
import { row } from '../platform/db.ts'
import { recordFlags } from '../ingest/index.ts'

const environment = await openTestConnections()
const { add, call, shows, db } = environment

const opened = async (over: object = {}) => {
  const smsc = await openSmsc()
  const id = await add(smsc, over)
  await shows(id, { status: 'connected' })
  return { smsc, id }
}
let made: ReturnType<typeof opened> | undefined
/** The one that most tests share, with the settings that a connection has by default. */
const lenient = () => (made ??= opened())
const deliver = async (octets: Buffer) => (await lenient()).smsc.deliverRaw(octets)
const hex = (octets: string) => Buffer.from(octets, 'hex')

test.each([
  ['a NUL after the text', { rest: Buffer.of(0) }],
  ['an incomplete parameter at the end', { rest: hex('04270001') }],
  ['user_message_reference of 1 octet', { rest: hex('0204000105') }],
  ['source_network_type of 2 octets', { rest: hex('000e00020001') }],
  ['callback_num of 3 octets', { rest: hex('03810003010203') }],
  ['callback_num of 22 octets', { rest: hex(`03810016${'01'.repeat(22)}`) }],
  ['a text and an empty message_payload', { rest: hex('04240000') }],
  ['a reserved message_state', { rest: hex('0427000100') }],
  ['a service_type of 8 characters', { serviceType: text('12345678') }],
  ['TON 7', { sourceTon: 7 }],
])(
  'a lenient connection takes a message with %s, flags its record and keeps the octets',
  async (_, changed) => {
    const digits = await environment.number()
    expect(await deliver(rawDeliver(digits, changed))).toBe(0)
    const [record] = await environment.recordsTo(digits)
    expect(record!.flags & recordFlags.odd).toBe(recordFlags.odd)
  },
)

test('a message that nothing is odd about has no flag', async () => {
  const digits = await environment.number()
  expect(await deliver(rawDeliver(digits, { rest: hex('020400020005') }))).toBe(0)
  expect((await environment.recordsTo(digits))[0]!.flags & recordFlags.odd).toBe(0)
})

test.each([
  ['the end of a text behind its length', { length: 4 }, 0x02],
  ['two different texts', { rest: hex('042400026162') }, 0xc1],
  ['a message_payload that is cut off', { message: Buffer.alloc(0), rest: hex('042400056162') }, 0xc0],
])('even a lenient connection refuses %s, because a text would be lost', async (_, changed, status) => {
  expect(await deliver(rawDeliver(await environment.number(), changed))).toBe(status)
})

let sentCount = 0
/** Sends a message over the link that the upstream answers with this id. */
async function sent({ smsc, id }: Awaited<ReturnType<typeof opened>>, messageId: string) {
  smsc.nextMessageId = messageId
  await call('POST', `/${id}/send`, { from: '1', to: '447700900123', text: `m${(sentCount += 1)}` })
  const last = async () => (await call('GET', `/${id}/sends`)).body[0]
  await expect.poll(last, { timeout: 5_000 }).toMatchObject({ status: 'sent', receipt: '' })
  return async () => (await last()).receipt
}

const receiptText = (id: string, word = 'DELIVRD') =>
  `id:${id} submit date:2611281900 done date:2611281901 stat:${word} err:000 text:`
const ucs2 = (characters: string) => Buffer.from(characters, 'utf16le').swap16()
const marks = (id: string) =>
  `001e${(id.length + 1).toString(16).padStart(4, '0')}${Buffer.from(id).toString('hex')}00042700010${2}`

test.each([
  ['in UCS-2', 'DELIVRD', (id: string) => rawReceipt(ucs2(receiptText(id)), '', { dataCoding: 8 })],
  [
    'in ASCII under data_coding 8',
    'DELIVRD',
    (id: string) => rawReceipt(receiptText(id), '', { dataCoding: 8 }),
  ],
  [
    'behind a header',
    'DELIVRD',
    (id: string) =>
      rawReceipt(Buffer.concat([hex('050003840101'), Buffer.from(receiptText(id))]), '', { esmClass: 0x44 }),
  ],
  ['with a NUL behind it', 'DELIVRD', (id: string) => rawReceipt(receiptText(id), '00')],
  [
    'with network_error_code of 4 octets',
    'DELIVRD',
    (id: string) => rawReceipt(receiptText(id), '0423000403000000'),
  ],
  ['with message_state 0', 'UNDELIV', (id: string) => rawReceipt(receiptText(id, 'UNDELIV'), '0427000100')],
  ['with message_state 9', 'SKIPPED', (id: string) => rawReceipt(receiptText(id, 'SKIPPED'), '0427000109')],
  [
    'with receipted_message_id without its NUL alone',
    'DELIVRD',
    (id: string) => rawReceipt('', `001e000${id.length}${Buffer.from(id).toString('hex')}0427000102`),
  ],
  ['with an incomplete parameter', 'DELIVRD', (id: string) => rawReceipt(receiptText(id), '04270001')],
  [
    'with esm_class 0 and both parameters',
    'DELIVRD',
    (id: string) => rawReceipt('', marks(id), { esmClass: 0 }),
  ],
  ['with a word of Kannel', 'ACCEPTD', (id: string) => rawReceipt(receiptText(id, 'ACKED'))],
  ['with a digit for a word', '0', (id: string) => rawReceipt(receiptText(id, '0'))],
  ['with a word of its own', 'FAILED', (id: string) => rawReceipt(receiptText(id, 'FAILED'))],
  [
    'without stat:',
    'DELIVRD',
    (id: string) => rawReceipt(`id:${id} done date:261128190816 DELIVRD err:000 Text:`),
  ],
])('a receipt %s finds its message', async (_, state, receipt) => {
  const messageId = `o${(sentCount += 1)}`
  const shown = await sent(await lenient(), messageId)
  expect(await deliver(receipt(messageId))).toBe(0)
  expect(await shown()).toBe(state)
})

test('a text alone is a receipt by the setting of the connection, and a message without it', async () => {
  const digits = await environment.number()
  const link = await opened({ isReceiptByText: true })
  const shown = await sent(link, 'by-text')
  const receipt = (to: string) => rawDeliver(to, { message: Buffer.from(receiptText('by-text')) })
  expect(await link.smsc.deliverRaw(receipt(digits))).toBe(0)
  expect(await shown()).toBe('DELIVRD')
  expect(await environment.recordsTo(digits)).toHaveLength(0)
  expect(await deliver(receipt(digits))).toBe(0)
  expect(await environment.recordsTo(digits)).toHaveLength(1)
})

test.each([
  ['caseless', 'SAR-2347-1eedf843-2-1', 'SAR-2347-1EEDF843-2-1'],
  ['decimal', '0654354026', '654354026'],
  ['hex', '0x00AB', 'ab'],
])('ids that differ in form match by the form %s of the connection', async (form, answered, received) => {
  const link = await opened({ answerIdForm: form, receiptIdForm: form })
  const shown = await sent(link, answered)
  expect(await link.smsc.deliverRaw(rawReceipt(receiptText(received)))).toBe(0)
  expect(await shown()).toBe('DELIVRD')
})

test('a receipt that belongs to no message is listed with its connection for a week, and one without an id too', async () => {
  const { smsc, id } = await opened()
  const list = async () => (await call('GET', `/${id}/receipts`)).body
  expect(await list()).toEqual([])
  for (let count = 0; count < 2; count += 1)
    expect(await smsc.deliverRaw(rawReceipt(receiptText('astray')))).toBe(0)
  expect(await smsc.deliverRaw(rawReceipt('what is this'))).toBe(0)
  expect(await list()).toMatchObject([
    { messageId: '', receipt: 'UNKNOWN', count: 1, octets: '··'.repeat(12), receivedAt: expect.any(String) },
    {
      messageId: 'astray',
      receipt: 'DELIVRD',
      count: 2,
      octets: Buffer.from(receiptText('astray')).toString('hex'),
    },
  ])
  await sql`update connection_receipts set received_at = now() - interval '8 days'`.execute(db)
  expect(await list()).toEqual([])
  // The next one takes the old ones away.
  expect(await smsc.deliverRaw(rawReceipt(receiptText('later')))).toBe(0)
  expect(
    await row(
      db,
      sql`select count(*)::int as count from connection_receipts where connection_id = ${Number(id)}`,
    ),
  ).toEqual({ count: 1 })
})

test('a name with letters beyond ASCII is taken alike in UTF-8 and Latin-1, and shown as it was meant', async () => {
  for (const [octets, sender] of [
    ['c384727a7465', 'Ärzte'],
    ['436166c3a9', 'Café'],
    ['d09fd180d0b8d0b2d0b5d182', 'Привет'],
    ['436166e9', 'Café'],
  ] as const) {
    const digits = await environment.number()
    const source = Buffer.from(`${octets}00`, 'hex')
    expect(await deliver(rawDeliver(digits, { source, sourceTon: 5, sourceNpi: 0 }))).toBe(0)
    expect((await environment.recordsTo(digits))[0]!.sender).toBe(sender)
  }
})
