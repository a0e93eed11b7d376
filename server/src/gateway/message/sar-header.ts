// The part of a long message told by sar_ parameters (SMPP 3.4 §5.3.2.22–24), as the header that means the same
// (3GPP 23.040 §9.2.3.24.8): a record keeps a text's octets, and its client must still be able to join the parts.
import { positionFromSar } from '@tollgate/smpp/text/position.ts'
import { buildUdh, concatenationElements } from '@tollgate/smpp/text/udh.ts'
import { tags } from '@tollgate/smpp/tlv/tags.ts'
import { findTlv, type Tlv } from '@tollgate/smpp/tlv/tlv.ts'
import { esmClass, hasUdh } from '@tollgate/smpp/values/esm-class.ts'

/** What is kept of a message's esm_class and octets: as they came, or with the header that its sar_ parameters mean. */
export function withSarHeader(
  kept: number,
  octets: Buffer,
  tlvs: readonly Tlv[],
): { readonly esmClass: number; readonly body: Buffer } {
  const header = sarHeader(kept, tlvs)
  if (header === undefined) return { esmClass: kept, body: octets }
  return { esmClass: kept | esmClass.udhIndicator, body: Buffer.concat([header, octets]) }
}

/** The header's octets; undefined when the message stands alone or has a header of its own, which wins. */
function sarHeader(kept: number, tlvs: readonly Tlv[]): Uint8Array | undefined {
  if (hasUdh(kept)) return undefined
  const { position } = positionFromSar({
    reference: findTlv(tlvs, tags.sarMsgRefNum),
    total: findTlv(tlvs, tags.sarTotalSegments),
    sequence: findTlv(tlvs, tags.sarSegmentSeqnum),
  })
  return position === undefined
    ? undefined
    : buildUdh(concatenationElements({ ...position, carrier: 'udh16' }))
}
