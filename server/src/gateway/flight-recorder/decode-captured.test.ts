import { expect, test } from 'vitest'
import { encodeAlone } from '@tollgate/smpp/pdu/encode.ts'
import { golden } from '@tollgate/smpp/testing/golden.ts'
import { tags } from '@tollgate/smpp/tlv/tags.ts'
import { decodeCaptured } from './decode-captured.ts'

const decode = (raw: Buffer) => decodeCaptured({ atMs: 0, raw })
const hexOf = (raw: Buffer) =>
  decode(raw)
    .fields.map(({ hex }) => hex)
    .join('')

test.each(golden.map(({ command, hex }) => [command, Buffer.from(hex.replaceAll(' ', ''), 'hex')] as const))(
  '%s: the octets of its fields are those of the PDU, none left out',
  (_, raw) => {
    const shown = hexOf(raw)
    expect(shown).toHaveLength(2 * raw.length)
    // A dot stands for one hidden digit: texts are hidden octet by octet.
    expect(raw.toString('hex')).toMatch(new RegExp(`^${shown.replaceAll('·', '.')}$`))
  },
)

// Octets that occur only in the text.
const text = Buffer.alloc(40, 0xa5)
const texts = [
  ['short_message', encodeAlone('submit_sm', 0, 1, { destinationAddr: '1', shortMessage: text })],
  [
    'of submit_multi',
    encodeAlone('submit_multi', 0, 1, {
      destinations: [{ kind: 'address', ton: 1, npi: 1, address: '1' }],
      shortMessage: text,
    }),
  ],
  ['of replace_sm', encodeAlone('replace_sm', 0, 1, { messageId: 'a', shortMessage: text })],
  [
    'message_payload',
    encodeAlone('data_sm', 0, 1, {
      destinationAddr: '1',
      tlvs: [{ tag: tags.messagePayload.tag, value: text }],
    }),
  ],
  [
    'an unknown parameter',
    encodeAlone('deliver_sm', 0, 1, { destinationAddr: '1', tlvs: [{ tag: 0x1401, value: text }] }),
  ],
  [
    'additional_status_info_text',
    encodeAlone('data_sm_resp', 0, 1, {
      messageId: 'a',
      tlvs: [{ tag: tags.additionalStatusText.tag, value: text }],
    }),
  ],
  ['password', encodeAlone('bind_transceiver', 0, 1, { systemId: 'a', password: '\u00a5'.repeat(8) })],
] as const

test.each(texts)(
  'the octets of %s are hidden, even when the PDU is truncated or its lengths are wrong',
  (_, raw) => {
    expect(hexOf(raw)).toContain('··'.repeat(8))
    for (let length = 16; length <= raw.length; length += 1) {
      const cut = Buffer.from(raw.subarray(0, length))
      cut.writeUInt32BE(length)
      expect(JSON.stringify(decode(cut)), `cut at ${length}`).not.toMatch(/a5/i)
    }
    for (let at = 16; at < raw.length; at += 1) {
      const wrong = Buffer.from(raw)
      wrong[at] = 0
      expect(JSON.stringify(decode(wrong).fields.map(({ hex }) => hex)), `0 at ${at}`).not.toMatch(/a5/)
    }
  },
)

test('a repeated parameter is shown twice, and of a long PDU only the beginning', () => {
  const note = { tag: tags.userMessageReference.tag, value: Buffer.from([1, 2]) }
  const twice = decode(encodeAlone('deliver_sm', 0, 1, { tlvs: [note, note] })).fields.slice(-2)
  expect(twice.map(({ name, hex }) => [name, hex])).toEqual([
    ['user_message_reference', '020400020102'],
    ['user_message_reference', '020400020102'],
  ])
  const long = encodeAlone('data_sm', 0, 1, {
    tlvs: [{ tag: tags.messagePayload.tag, value: Buffer.alloc(60_000) }, note],
  })
  expect(hexOf(long)).toHaveLength(2 * 512)
  expect(decode(long).fields.at(-1)).toMatchObject({ name: 'user_message_reference', hex: '' })
})

test('of an unknown command and of a broken one only the header is shown', () => {
  const unknown = Buffer.from('00000014000009990000000000000007a5a5a5a5', 'hex')
  const { command, fields } = decode(unknown)
  expect(command).toBe('0x00000999')
  expect(fields.map(({ name, hex }) => `${name} ${hex}`)).toEqual([
    'command_length 00000014',
    'command_id 00000999',
    'command_status 00000000',
    'sequence_number 00000007',
    'problem ',
    'rest ········',
  ])
})
