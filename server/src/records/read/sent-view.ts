// What a message carried, as its PDU had it, in the form of the API.
import type { RawView, SentView } from '@tollgate/contract/records/records.ts'
import { parseUdh } from '@tollgate/smpp/text/udh.ts'
import { tagName } from '@tollgate/smpp/tlv/tags.ts'
import { esmClass as esmBits, hasUdh } from '@tollgate/smpp/values/esm-class.ts'
import type { RawMessage } from '../../ingest/index.ts'

/** The fields of a message's PDU but its text; undefined for a source without PDUs, or when they were not kept. */
export function viewSent(raw: RawMessage): SentView | undefined {
  const { sent } = raw
  if (sent === undefined) return undefined
  const { esmClass } = asReceived(raw)
  return {
    sourceAddress: raw.sourceAddress,
    sourceTon: sent.sourceAddrTon,
    sourceNpi: sent.sourceAddrNpi,
    destinationAddress: raw.destinationAddress,
    destTon: sent.destAddrTon,
    destNpi: sent.destAddrNpi,
    serviceType: sent.serviceType,
    protocolId: sent.protocolId ?? 0,
    priority: sent.priorityFlag ?? 0,
    esmClass,
    dataCoding: raw.dataCoding,
    parameters: sent.tlvs.map(({ tag, value }) => ({
      tag: `0x${tag.toString(16).padStart(4, '0')}`,
      name: tagName(tag) ?? '',
      hex: value.toString('hex'),
    })),
  }
}

/** The octets of a message's text with its coding. */
export function viewRaw(raw: RawMessage): RawView {
  const { esmClass, octets } = asReceived(raw)
  const header = hasUdh(esmClass) ? octets.subarray(0, parseUdh(octets).octetCount) : octets.subarray(0, 0)
  return {
    octets: octets.toString('hex'),
    header: header.toString('hex'),
    dataCoding: raw.dataCoding,
    esmClass,
    defaultAlphabet: raw.defaultAlphabet,
  }
}

/** Without the header that was made of sar_ parameters. */
function asReceived({ esmClass, body, isSarHeader }: RawMessage): { esmClass: number; octets: Buffer } {
  const octets = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  if (!isSarHeader) return { esmClass, octets }
  return { esmClass: esmClass & ~esmBits.udhIndicator, octets: octets.subarray(parseUdh(octets).octetCount) }
}
