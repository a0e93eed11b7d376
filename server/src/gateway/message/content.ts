// The content of a message as its record stores it.
import { positionFromSar } from '@tollgate/smpp/text/segment-position.ts'
import { buildUdh, concatenationElements, parseUdh } from '@tollgate/smpp/text/udh.ts'
import { tags } from '@tollgate/smpp/tlv/tags.ts'
import { findTlv, type Tlv } from '@tollgate/smpp/tlv/tlv.ts'
import { esmClass, hasUdh } from '@tollgate/smpp/values/esm-class.ts'

const noOctets = Buffer.alloc(0)

/** The octets that carry the text: §5.3.2.32 has message_payload stand in for short_message. */
export function textOctets(body: { readonly shortMessage?: Buffer; readonly tlvs: readonly Tlv[] }): Buffer {
  const { shortMessage = noOctets, tlvs } = body
  if (shortMessage.length > 0 || tlvs.length === 0) return shortMessage
  return findTlv(tlvs, tags.messagePayload) ?? shortMessage
}

/**
 * The esm_class and octets that a record stores. A segment of a long message may carry its position in sar_ parameters
 * (SMPP 3.4 §5.3.2.22–24). They become the equivalent user data header (3GPP 23.040 §9.2.3.24.8), so
 * that each client and each reader joins segments in one way.
 */
export function withSarHeader(
  esm: number,
  octets: Buffer,
  tlvs: readonly Tlv[],
): { readonly esmClass: number; readonly body: Buffer; readonly isSarHeader: boolean } {
  const header = sarHeader(esm, tlvs)
  if (header === undefined) return { esmClass: esm, body: octets, isSarHeader: false }
  return {
    esmClass: esm | esmClass.udhIndicator,
    body: Buffer.concat([header, octets]),
    isSarHeader: true,
  }
}

/** The addresses and content that a part of a long message is known by. */
interface PartBody {
  readonly sourceAddr: string
  readonly destinationAddr: string
  readonly esmClass: number
  readonly shortMessage?: Buffer
  readonly tlvs: readonly Tlv[]
}

/** Which long message this is a part of; undefined when it is none. */
export function partOf(body: PartBody): { readonly message: string; readonly total: number } | undefined {
  const { esmClass: esm, tlvs } = body
  const position = hasUdh(esm) ? parseUdh(textOctets(body)).position : sarPosition(tlvs)
  if (position === undefined || position.total < 2) return undefined
  const { carrier, reference, total } = position
  return { message: `${body.sourceAddr} ${body.destinationAddr} ${carrier} ${reference} ${total}`, total }
}

function sarPosition(tlvs: readonly Tlv[]) {
  if (tlvs.length === 0) return undefined
  return positionFromSar({
    reference: findTlv(tlvs, tags.sarMsgRefNum),
    total: findTlv(tlvs, tags.sarTotalSegments),
    sequence: findTlv(tlvs, tags.sarSegmentSeqnum),
  }).position
}

/** The header's octets; undefined when the message is no segment, or has a header of its own, which takes precedence. */
function sarHeader(esm: number, tlvs: readonly Tlv[]): Uint8Array | undefined {
  if (hasUdh(esm)) return undefined
  const position = sarPosition(tlvs)
  return position === undefined
    ? undefined
    : buildUdh(concatenationElements({ ...position, carrier: 'udh16' }))
}
