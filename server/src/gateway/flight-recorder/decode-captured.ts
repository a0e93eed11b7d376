// One recorded PDU in words. Of a text only its size is kept, and the library has masked passwords already.
import { decodePdu, isProblem } from '@tollgate/smpp/pdu/decode.ts'
import type { PduType } from '@tollgate/smpp/pdu/define.ts'
import { pduType, type AnyPdu } from '@tollgate/smpp/pdu/registry.ts'
import type { Direction } from '@tollgate/smpp/session/handlers.ts'
import type { Tlv } from '@tollgate/smpp/tlv/tlv.ts'
import { tags } from '@tollgate/smpp/tlv/tags.ts'
import { commandName } from '@tollgate/smpp/values/command-id.ts'
import { OctetWriter, placesOf, type Span } from './shown-octets.ts'

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
  readonly fields: readonly FlightField[]
}

export interface FlightField {
  readonly name: string
  readonly value: string
  /** Its octets, those of a text hidden; cut off where a PDU is long. */
  readonly hex: string
}

const valueCharactersMax = 200
const headerOctets = 16
const tlvHeaderOctets = 4
const tagNames = new Map<number, string>(Object.values(tags).map(({ tag, name }) => [tag, name]))
// Whatever holds words of a person, or a password.
const hiddenFields = new Set(['shortMessage', 'password'])
const hiddenTags = new Set<number>([tags.messagePayload.tag, tags.additionalStatusText.tag])

/** Reads a PDU; one that is broken is told by its header and what is wrong with it. */
export function decodeFlight({ raw, atMs }: Taken): Decoded {
  const pdu = decodePdu(raw, 0, raw.length, false, atMs)
  const { id, sequence } = pdu
  const command = commandName(id) ?? hexNumber(id)
  const status = raw.readUInt32BE(8)
  const octets = new OctetWriter(raw)
  const fields: FlightField[] = [
    { name: 'command_length', value: String(raw.length), hex: octets.hex(0, 4) },
    { name: 'command_id', value: hexNumber(id), hex: octets.hex(4, 8) },
    { name: 'command_status', value: hexNumber(status), hex: octets.hex(8, 12) },
    { name: 'sequence_number', value: String(sequence), hex: octets.hex(12, 16) },
  ]
  const type = pduType(id)
  if (isProblem(pdu) || type === undefined) {
    fields.push({ name: 'problem', value: isProblem(pdu) ? pdu.reason : 'unknown command', hex: '' })
    // What stands where is not known, so a text could be anywhere.
    fields.push(...restOf(octets, headerOctets, raw.length))
    return { command, status, sequence, messageId: '', fields }
  }
  fields.push(...bodyFields(pdu, type, raw, octets))
  return { command, status, sequence, messageId: messageIdOf(pdu, fields), fields }
}

function bodyFields(pdu: AnyPdu, type: PduType, raw: Buffer, octets: OctetWriter): FlightField[] {
  const { places, end } = placesOf(type, raw, headerOctets)
  const fields = Object.entries(pdu.body)
    .filter(([name]) => name !== 'tlvs')
    .map(([name, value]) => mandatory(name, value, places.get(name), octets))
  // Where the optional part could not be read there are none, and all of it is hidden.
  const tlvs = pdu.body.tlvs.length === 0 ? [] : tlvsOf(raw, end)
  fields.push(...tlvs.map(({ tlv, place }) => optional(tlv, place, octets)))
  fields.push(...restOf(octets, tlvs.at(-1)?.place.end ?? end, raw.length))
  return fields
}

/** Of the message itself, or of the one that a receipt is for. */
function messageIdOf({ body }: AnyPdu, fields: readonly FlightField[]): string {
  if ('messageId' in body && body.messageId !== '') return body.messageId
  return fields.find(({ name }) => name === tags.receiptedMessageId.name)?.value ?? ''
}

function mandatory(name: string, value: unknown, place: Span | undefined, octets: OctetWriter): FlightField {
  const isHidden = hiddenFields.has(name)
  // A short message begins with its length, which may be seen.
  const lead = Buffer.isBuffer(value) ? 1 : 0
  const hex =
    place === undefined ? '' : octets.hex(place.start, place.end, isHidden ? place.start + lead : place.end)
  return { name: snakeCase(name), value: isHidden ? sizeOf(value) : shown(value), hex }
}

interface PlacedTlv {
  readonly tlv: Tlv
  readonly place: Span
}

/** All of them, one that came twice too. */
function tlvsOf(raw: Buffer, from: number): PlacedTlv[] {
  const found: PlacedTlv[] = []
  for (let start = from; start + tlvHeaderOctets <= raw.length;) {
    const end = start + tlvHeaderOctets + raw.readUInt16BE(start + 2)
    const value = raw.subarray(start + tlvHeaderOctets, end)
    found.push({ tlv: { tag: raw.readUInt16BE(start), value }, place: { start, end } })
    start = end
  }
  return found
}

function optional(tlv: Tlv, { start, end }: Span, octets: OctetWriter): FlightField {
  const isHidden = hiddenTags.has(tlv.tag) || !tagNames.has(tlv.tag)
  return { ...shownTlv(tlv), hex: octets.hex(start, end, isHidden ? start + tlvHeaderOctets : end) }
}

/** What could not be told apart: hidden, since it may be a text. */
function restOf(octets: OctetWriter, from: number, to: number): FlightField[] {
  if (from >= to) return []
  return [{ name: 'rest', value: `${to - from} octets`, hex: octets.hex(from, to, from) }]
}

function shownTlv({ tag, value }: Tlv): { name: string; value: string } {
  const name = tagNames.get(tag) ?? `tlv 0x${tag.toString(16).padStart(4, '0')}`
  if (hiddenTags.has(tag) || !tagNames.has(tag)) return { name, value: `${value.length} octets` }
  if (tag === tags.receiptedMessageId.tag)
    // Up to its NUL, which PostgreSQL could not keep either.
    return { name, value: value.toString('latin1').replace(/\0.*$/s, '') }
  return { name, value: `0x${value.toString('hex').slice(0, valueCharactersMax)}` }
}

function hexNumber(value: number): string {
  return `0x${value.toString(16).padStart(8, '0')}`
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
