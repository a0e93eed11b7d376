// The bytes of a batch's encrypted bodies: for each record in the order of the batch, the message as it was on the wire.
// Encrypting them together costs a hundredth of encrypting each message.
import type { DefaultAlphabet } from '@tollgate/smpp/text/alphabet.ts'
import { tags } from '@tollgate/smpp/tlv/tags.ts'
import type { Tlv } from '@tollgate/smpp/tlv/tlv.ts'
import type { MessageIdForm } from '@tollgate/smpp/text/message-id.ts'
import type { IdStyle, IngestMessage, SentFields } from './message.ts'
import type { WireWriter } from './wire.ts'

/** A message as it was on the wire. */
export interface RawMessage {
  readonly sourceAddress: string
  readonly destinationAddress: string
  readonly esmClass: number
  readonly dataCoding: number
  readonly body: Uint8Array
  /** What else its PDU carried; undefined for a source without PDUs, and for messages stored without it. */
  readonly sent: SentFields | undefined
  /** How its data_coding 0 was read when it came in. */
  readonly defaultAlphabet: DefaultAlphabet
  /** The form in which the peer got its id. */
  readonly idStyle: IdStyle
  /** The header at the start of the body was made of sar_ parameters. */
  readonly isSarHeader: boolean
}

// Version 1 has no marks, and nothing after the destination address but the body.
const layoutVersion = 2
const bodySizeMax = 65_535
const parametersSizeMax = 65_535
// Three bytes each at most, so that the size fits into one.
const addressCharactersMax = 85
const serviceTypeCharactersMax = 85

// What the octet of marks of a record tells.
const marks = {
  /** The position of its alphabet in {@link alphabets}. */
  alphabet: 0b111,
  isSarHeader: 8,
  /** Four octets follow: both TON and NPI. */
  hasSent: 16,
  /** service_type with its size, protocol_id and priority_flag follow. */
  hasService: 32,
  /** The optional parameters follow, with their size in two octets. */
  hasParameters: 64,
  /** An octet follows: the position of the form of its id in {@link idForms}, and 4 for a short one. */
  hasIdStyle: 128,
} as const
const idForms: readonly MessageIdForm[] = ['text', 'decimal', 'hex']
const shortId = 4
// Only add to the end: the positions are stored.
const alphabets: readonly DefaultAlphabet[] = ['gsm7', 'packed7', 'latin1', 'ascii', 'utf8']

/** The associated data of the encryption: bodies of one batch cannot be decrypted as another's. */
export const encryptionContextOf = (batchId: number | bigint): string =>
  `record_batches.encrypted_bodies:${batchId}`

export function beginBodies(out: WireWriter): void {
  out.length = 0
  out.reserve(1)
  out.byte(layoutVersion)
}

/**
 * Appends one record: the sizes of both addresses, esm_class, data_coding, the body's size, marks; then both addresses,
 * what the marks announce, and the body.
 */
export function appendBody(out: WireWriter, message: IngestMessage): void {
  const { sourceAddress, destinationAddress, sent } = message
  // A longer body would not fit into the size field; no protocol of ours carries one.
  const body = message.body.length > bodySizeMax ? message.body.subarray(0, bodySizeMax) : message.body
  out.reserve(12 + (sourceAddress.length + destinationAddress.length) * 3 + body.length)
  const start = out.length
  out.length += 7
  const sourceSize = address(out, sourceAddress, addressCharactersMax)
  const destinationSize = address(out, destinationAddress, addressCharactersMax)
  let mark = alphabetMark(message.defaultAlphabet)
  if (message.isSarHeader === true) mark |= marks.isSarHeader
  const idStyle = idStyleOctet(message.idStyle)
  if (idStyle !== 0) {
    mark |= marks.hasIdStyle
    out.byte(idStyle)
  }
  if (sent !== undefined) mark |= appendSent(out, sent, body.length)
  const { bytes } = out
  bytes[start] = sourceSize
  bytes[start + 1] = destinationSize
  bytes[start + 2] = message.esmClass
  bytes[start + 3] = message.dataCoding
  bytes[start + 4] = body.length >>> 8
  bytes[start + 5] = body.length
  bytes[start + 6] = mark
  out.raw(body)
}

function alphabetMark(alphabet: DefaultAlphabet | undefined): number {
  return alphabet === undefined || alphabet === 'gsm7' ? 0 : Math.max(0, alphabets.indexOf(alphabet))
}

function idStyleOctet(style: IdStyle | undefined): number {
  return style === undefined ? 0 : idForms.indexOf(style.form) | (style.isShort ? shortId : 0)
}

/** Writes the fields of a PDU, and keeps room for the body after them; returns their marks. */
function appendSent(out: WireWriter, sent: SentFields, bodySize: number): number {
  out.byte(sent.sourceAddrTon)
  out.byte(sent.sourceAddrNpi)
  out.byte(sent.destAddrTon)
  out.byte(sent.destAddrNpi)
  const { serviceType, protocolId = 0, priorityFlag = 0, tlvs } = sent
  const hasService = serviceType !== '' || protocolId !== 0 || priorityFlag !== 0
  if (hasService) {
    out.reserve(3 + serviceTypeCharactersMax * 3 + bodySize)
    const start = out.length
    out.length += 1
    out.bytes[start] = address(out, serviceType, serviceTypeCharactersMax)
    out.byte(protocolId)
    out.byte(priorityFlag)
  }
  const hasParameters = tlvs.length > 0 && appendParameters(out, tlvs, bodySize)
  return marks.hasSent | (hasService ? marks.hasService : 0) | (hasParameters ? marks.hasParameters : 0)
}

/** False when there are none to keep. Those beyond the size field are left out. */
function appendParameters(out: WireWriter, tlvs: readonly Tlv[], bodySize: number): boolean {
  const start = out.length
  out.reserve(2 + bodySize)
  out.length += 2
  let size = 0
  for (const { tag, value } of tlvs) {
    if (tag === tags.messagePayload.tag || size + 4 + value.length > parametersSizeMax) continue
    size += 4 + value.length
    out.reserve(4 + value.length + bodySize)
    out.int16(tag)
    out.int16(value.length)
    out.raw(value)
  }
  if (size === 0) out.length = start
  else out.int16At(start, size)
  return size > 0
}

/** Writes a text of at most `charactersMax` as UTF-8; returns its size. */
function address(out: WireWriter, whole: string, charactersMax: number): number {
  const start = out.length
  const text = whole.length > charactersMax ? whole.slice(0, charactersMax) : whole
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    if (code > 127) {
      out.length = start + out.bytes.write(text, start, 'utf8')
      return out.length - start
    }
    out.bytes[start + index] = code
  }
  out.length = start + text.length
  return text.length
}

/** The record at `index` of a batch; undefined when the layout is unknown or ends before it. */
export function readBodyAt(bodies: Buffer, index: number): RawMessage | undefined {
  return readBodiesAt(bodies, new Set([index])).get(index)
}

/** The records at these indexes of a batch, read in one pass; indexes beyond its end are left out. */
export function readBodiesAt(bodies: Buffer, indexes: ReadonlySet<number>): Map<number, RawMessage> {
  const found = new Map<number, RawMessage>()
  const version = bodies[0] ?? 0
  if (version !== 1 && version !== layoutVersion) return found
  const headSize = version === 1 ? 6 : 7
  let start = 1
  for (let index = 0; found.size < indexes.size; index += 1) {
    if (start + headSize > bodies.length) break
    const sourceEnd = start + headSize + bodies.readUInt8(start)
    const destinationEnd = sourceEnd + bodies.readUInt8(start + 1)
    const mark = version === 1 ? 0 : bodies.readUInt8(start + 6)
    const sentStart = destinationEnd + ((mark & marks.hasIdStyle) === 0 ? 0 : 1)
    const bodyStart = endOfSent(bodies, sentStart, mark)
    const end = bodyStart + bodies.readUInt16BE(start + 4)
    if (end > bodies.length) break
    if (indexes.has(index)) {
      found.set(index, {
        sourceAddress: bodies.toString('utf8', start + headSize, sourceEnd),
        destinationAddress: bodies.toString('utf8', sourceEnd, destinationEnd),
        esmClass: bodies.readUInt8(start + 2),
        dataCoding: bodies.readUInt8(start + 3),
        body: bodies.subarray(bodyStart, end),
        sent: (mark & marks.hasSent) === 0 ? undefined : readSent(bodies, sentStart, mark),
        defaultAlphabet: alphabets[mark & marks.alphabet] ?? 'gsm7',
        idStyle: readIdStyle(sentStart === destinationEnd ? 0 : (bodies[destinationEnd] ?? 0)),
        isSarHeader: (mark & marks.isSarHeader) !== 0,
      })
    }
    start = end
  }
  return found
}

function readIdStyle(octet: number): IdStyle {
  return { form: idForms[octet & 3] ?? 'text', isShort: (octet & shortId) !== 0 }
}

/** Where the body begins: after what the marks announce. */
function endOfSent(bodies: Buffer, start: number, mark: number): number {
  let end = start + ((mark & marks.hasSent) === 0 ? 0 : 4)
  if ((mark & marks.hasService) !== 0) end += 3 + (bodies[end] ?? 0)
  if ((mark & marks.hasParameters) !== 0) end += 2 + uint16(bodies, end)
  return end
}

function readSent(bodies: Buffer, start: number, mark: number): SentFields {
  const [sourceAddrTon = 0, sourceAddrNpi = 0, destAddrTon = 0, destAddrNpi = 0] = bodies.subarray(start)
  const addresses = { sourceAddrTon, sourceAddrNpi, destAddrTon, destAddrNpi }
  let at = start + 4
  let service = { serviceType: '', protocolId: 0, priorityFlag: 0 }
  if ((mark & marks.hasService) !== 0) {
    const textEnd = at + 1 + (bodies[at] ?? 0)
    const [protocolId = 0, priorityFlag = 0] = bodies.subarray(textEnd)
    service = { serviceType: bodies.toString('utf8', at + 1, textEnd), protocolId, priorityFlag }
    at = textEnd + 2
  }
  const tlvs: Tlv[] = []
  if ((mark & marks.hasParameters) !== 0) {
    const end = at + 2 + uint16(bodies, at)
    for (let next = at + 2; next + 4 <= end;) {
      const valueEnd = next + 4 + uint16(bodies, next + 2)
      tlvs.push({ tag: uint16(bodies, next), value: bodies.subarray(next + 4, valueEnd) })
      next = valueEnd
    }
  }
  return { ...addresses, ...service, tlvs }
}

function uint16(octets: Buffer, at: number): number {
  return ((octets[at] ?? 0) << 8) | (octets[at + 1] ?? 0)
}
