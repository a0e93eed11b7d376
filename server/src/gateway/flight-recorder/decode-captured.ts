// Decodes one captured PDU for people. Of a text only the size is stored; the SMPP library has already masked passwords.
import { DecodedPdu, decodePdu, isProblem } from '@tollgate/smpp/pdu/decode.ts'
import type { PduType } from '@tollgate/smpp/pdu/define.ts'
import { pduType, type AnyPdu } from '@tollgate/smpp/pdu/registry.ts'
import type { Direction } from '@tollgate/smpp/session/session-types.ts'
import type { Tlv } from '@tollgate/smpp/tlv/tlv.ts'
import { tagName, tags } from '@tollgate/smpp/tlv/tags.ts'
import { commandName } from '@tollgate/smpp/values/command-id.ts'
import { OctetWriter, fieldSpans, type OctetSpan } from './shown-octets.ts'

interface CapturedOctets {
  readonly atMs: number
  readonly raw: Buffer
}

/** A PDU as it was captured on the session. */
export interface CapturedPdu extends CapturedOctets {
  readonly link: string
  readonly session: string
  readonly direction: Direction
  /** Of a peer that was refused; it is found by it. */
  readonly address?: string
}

export interface DecodedCapture {
  readonly command: string
  readonly status: number
  readonly sequence: number
  readonly messageId: string
  readonly fields: readonly FlightField[]
}

export interface FlightField {
  readonly name: string
  readonly value: string
  /** Its octets in hexadecimal, with those of a text hidden; truncated when the PDU is long. */
  readonly hex: string
}

const valueCharactersMax = 200
const headerOctets = 16
const tlvHeaderOctets = 4
// Fields that contain a person's text or a password.
const hiddenFields = new Set(['shortMessage', 'password'])
const hiddenTags = new Set<number>([tags.messagePayload.tag, tags.additionalStatusText.tag])

/** Decodes a PDU; of a broken one the problem and the fields that can be told apart are shown. */
export function decodeCaptured({ raw, atMs }: CapturedOctets): DecodedCapture {
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
  if (isProblem(pdu) || type === undefined)
    fields.push({ name: 'problem', value: isProblem(pdu) ? pdu.reason : 'unknown command', hex: '' })
  // Without a layout a text could be anywhere, and in a broken bind its password: everything is hidden.
  if (type === undefined || ('password' in type.fields && (isProblem(pdu) || isOdd(pdu))))
    fields.push(...restOf(octets, raw, headerOctets))
  else fields.push(...bodyFields(type, raw, octets, isProblem(pdu)))
  return { command, status, sequence, messageId: isProblem(pdu) ? '' : messageIdOf(pdu, fields), fields }
}

/** A strict reader would have refused it, so its fields may be shifted. */
function isOdd(pdu: unknown): boolean {
  return pdu instanceof DecodedPdu && pdu.isOdd
}

function bodyFields(type: PduType, raw: Buffer, octets: OctetWriter, isBroken: boolean): FlightField[] {
  if (raw.length === headerOctets) return []
  const { spans, end, isWhole } = fieldSpans(type, raw, headerOctets)
  const fields = [...spans].map(([name, span]) => mandatoryField(name, span.value, span, octets))
  const found = isWhole ? tlvsOf(raw, end) : []
  // What follows a text whose length is wrong looks like an unknown parameter: nothing of it is shown.
  const first = isBroken ? found.findIndex(({ tlv }) => tagName(tlv.tag) === undefined) : -1
  const tlvs = first < 0 ? found : found.slice(0, first)
  fields.push(...tlvs.map(({ tlv, span }) => optionalField(tlv, span, octets)))
  fields.push(...restOf(octets, raw, tlvs.at(-1)?.span.end ?? end))
  return fields
}

/** The id of the message itself, or of the message that a receipt is for. */
function messageIdOf({ body }: AnyPdu, fields: readonly FlightField[]): string {
  if ('messageId' in body && body.messageId !== '') return body.messageId
  return fields.find(({ name }) => name === tags.receiptedMessageId.name)?.value ?? ''
}

function mandatoryField(name: string, value: unknown, span: OctetSpan, octets: OctetWriter): FlightField {
  // A string that is too long may be a part of another field.
  const isHidden = hiddenFields.has(name) || value === undefined
  // A short message begins with its length, which may be shown.
  const lead = Buffer.isBuffer(value) ? 1 : 0
  const hex = octets.hex(span.start, span.end, isHidden ? span.start + lead : span.end)
  return { name: snakeCase(name), value: hiddenFields.has(name) ? sizeOf(value) : shown(value), hex }
}

interface TlvWithSpan {
  readonly tlv: Tlv
  readonly span: OctetSpan
}

/** All TLVs, including repeated ones. */
function tlvsOf(raw: Buffer, from: number): TlvWithSpan[] {
  const found: TlvWithSpan[] = []
  for (let start = from; start + tlvHeaderOctets <= raw.length;) {
    const end = start + tlvHeaderOctets + raw.readUInt16BE(start + 2)
    if (end > raw.length) break
    const value = raw.subarray(start + tlvHeaderOctets, end)
    found.push({ tlv: { tag: raw.readUInt16BE(start), value }, span: { start, end } })
    start = end
  }
  return found
}

function optionalField(tlv: Tlv, { start, end }: OctetSpan, octets: OctetWriter): FlightField {
  const isHidden = hiddenTags.has(tlv.tag) || tagName(tlv.tag) === undefined
  return { ...shownTlv(tlv), hex: octets.hex(start, end, isHidden ? start + tlvHeaderOctets : end) }
}

/** Octets that could not be decoded: hidden, because they may be a text. NULs are none. */
function restOf(octets: OctetWriter, raw: Buffer, from: number): FlightField[] {
  const to = raw.length
  if (from >= to) return []
  const isEmpty = raw.subarray(from, to).every((octet) => octet === 0)
  return [{ name: 'rest', value: `${to - from} octets`, hex: octets.hex(from, to, isEmpty ? to : from) }]
}

function shownTlv({ tag, value }: Tlv): { name: string; value: string } {
  const name = tagName(tag) ?? `tlv 0x${tag.toString(16).padStart(4, '0')}`
  if (hiddenTags.has(tag) || tagName(tag) === undefined) return { name, value: `${value.length} octets` }
  if (tag === tags.receiptedMessageId.tag)
    // Up to its NUL, which PostgreSQL cannot store.
    return { name, value: value.toString('latin1').replace(/\0.*$/s, '') }
  return { name, value: `0x${value.toString('hex').slice(0, valueCharactersMax)}` }
}

function hexNumber(value: number): string {
  return `0x${value.toString(16).padStart(8, '0')}`
}

function shown(value: unknown): string {
  if (value === undefined) return 'too long'
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
