// PDUs → bytes, appended to a Writer so that many leave in one socket write.
import { tags } from '../tlv/tags.ts'
import { findTlv } from '../tlv/tlv.ts'
import type { CommandName } from '../values/command-id.ts'
import { Writer } from '../wire/writer.ts'
import { smOctetsMax } from './field.ts'
import { type PduBody, registry } from './registry.ts'
import type { PduType } from './define.ts'

/**
 * Appends a PDU. Fields left out of `body` are 0 or empty.
 * Returns undefined on success, else why the body does not fit; the writer is then unchanged.
 */
export function encodePdu<Name extends CommandName>(
  writer: Writer,
  command: Name,
  status: number,
  sequence: number,
  body: Partial<PduBody<Name>>,
  withTlvs = true,
): string | undefined {
  const start = writer.at
  const type = registry[command] as unknown as PduType<Name, object>
  writeHeader(writer, type.id, status, sequence)
  const whole = { ...type.initial(), ...body }
  type.write(writer, withTlvs ? whole : withoutPayload(whole, writer), withTlvs)
  const { failure } = writer
  if (failure === undefined) {
    writer.bytes.writeUInt32BE(writer.at - start, start)
    return undefined
  }
  writer.failure = undefined
  writer.at = start
  return failure
}

/** Appends the 16 octets of a header-only PDU. */
export function encodeHeaderOnly(writer: Writer, id: number, status: number, sequence: number): void {
  const start = writer.at
  writeHeader(writer, id, status, sequence)
  writer.bytes[start + 3] = 16
}

/** Appends a response with only a message_id of at most 64 ASCII characters: the hot path. */
export function encodeMessageId(
  writer: Writer,
  id: number,
  sequence: number,
  messageId: string,
): string | undefined {
  const start = writer.at
  writeHeader(writer, id, 0, sequence)
  writer.cOctetString(messageId, 65)
  const { failure } = writer
  if (failure === undefined) {
    writer.bytes[start + 3] = writer.at - start
    return undefined
  }
  writer.failure = undefined
  writer.at = start
  return failure
}

/** Encodes one PDU into a buffer of its own, for tests and tools. Throws a RangeError when the body does not fit. */
export function encodeAlone<Name extends CommandName>(
  command: Name,
  status: number,
  sequence: number,
  body: Partial<PduBody<Name>>,
): Buffer {
  const writer = new Writer(64)
  const fault = encodePdu(writer, command, status, sequence, body)
  if (fault !== undefined) throw new RangeError(fault)
  return writer.bytes.subarray(0, writer.at)
}

function writeHeader(writer: Writer, id: number, status: number, sequence: number): void {
  writer.reserve(16)
  const { bytes, at } = writer
  bytes.writeUInt32BE(0, at)
  bytes.writeUInt32BE(id, at + 4)
  bytes.writeUInt32BE(status, at + 8)
  bytes.writeUInt32BE(sequence, at + 12)
  writer.at = at + 16
}

// A 3.3 peer knows no TLVs: a message_payload that fits is sent as short_message, a longer one is an error.
function withoutPayload(body: object, writer: Writer): object {
  if (!('shortMessage' in body) || !('tlvs' in body)) return body
  const { tlvs } = body as PduBody<'deliver_sm'>
  const payload = findTlv(tlvs, tags.messagePayload)
  if (payload === undefined) return body
  if (payload.length > smOctetsMax)
    writer.fail('a message_payload over 254 octets for a peer before SMPP 3.4')
  return { ...body, shortMessage: payload }
}
