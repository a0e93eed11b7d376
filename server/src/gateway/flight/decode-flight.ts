// One recorded PDU in words. Of a text only its size is kept, and the library has masked passwords already.
import { decodePdu, isProblem } from '@tollgate/smpp/pdu/decode.ts'
import type { Direction } from '@tollgate/smpp/session/handlers.ts'
import type { Tlv } from '@tollgate/smpp/tlv/tlv.ts'
import { tags } from '@tollgate/smpp/tlv/tags.ts'
import { commandName } from '@tollgate/smpp/values/command-id.ts'

/** A PDU as it was taken on the session. */
export interface Taken {
  readonly link: string
  readonly session: string
  readonly atMs: number
  readonly direction: Direction
  readonly raw: Buffer
}

export interface Decoded {
  readonly command: string
  readonly status: number
  readonly sequence: number
  readonly messageId: string
  readonly fields: readonly { readonly name: string; readonly value: string }[]
}

const valueCharactersMax = 200
const headerOctets = 16
const tagNames = new Map<number, string>(Object.values(tags).map(({ tag, name }) => [tag, name]))
// Whatever holds words of a person, or a password.
const hiddenFields = new Set(['shortMessage', 'password'])
const hiddenTags = new Set<number>([tags.messagePayload.tag, tags.additionalStatusText.tag])

/** Reads a PDU; one that is broken is told by its header and what is wrong with it. */
export function decodeFlight({ raw, atMs }: Taken): Decoded {
  const id = raw.length >= headerOctets ? raw.readUInt32BE(4) : 0
  const command = commandName(id) ?? `0x${id.toString(16).padStart(8, '0')}`
  const pdu = decodePdu(raw, 0, raw.length, false, atMs)
  const { sequence } = pdu
  const status = raw.length >= headerOctets ? raw.readUInt32BE(8) : 0
  if (isProblem(pdu))
    return { command, status, sequence, messageId: '', fields: [{ name: 'problem', value: pdu.reason }] }
  const fields: { name: string; value: string }[] = []
  let messageId = ''
  for (const [name, value] of Object.entries(pdu.body)) {
    if (name === 'tlvs') fields.push(...(value as readonly Tlv[]).map(shownTlv))
    else fields.push({ name: snakeCase(name), value: hiddenFields.has(name) ? sizeOf(value) : shown(value) })
    if (name === 'messageId' && typeof value === 'string') messageId = value
  }
  const receipted = fields.find(({ name }) => name === tags.receiptedMessageId.name)
  return { command, status, sequence, messageId: messageId || (receipted?.value ?? ''), fields }
}

function shownTlv({ tag, value }: Tlv): { name: string; value: string } {
  const name = tagNames.get(tag) ?? `tlv 0x${tag.toString(16).padStart(4, '0')}`
  if (hiddenTags.has(tag) || !tagNames.has(tag)) return { name, value: `${value.length} octets` }
  if (tag === tags.receiptedMessageId.tag)
    return { name, value: value.toString('latin1').replace(/\0+$/, '') }
  return { name, value: `0x${value.toString('hex').slice(0, valueCharactersMax)}` }
}

function shown(value: unknown): string {
  if (typeof value === 'string') return value.slice(0, valueCharactersMax)
  if (typeof value === 'number') return String(value)
  return JSON.stringify(value).slice(0, valueCharactersMax)
}

function sizeOf(value: unknown): string {
  if (typeof value === 'string') return value === '' ? '' : 'hidden'
  return `${Buffer.isBuffer(value) ? value.length : 0} octets`
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
