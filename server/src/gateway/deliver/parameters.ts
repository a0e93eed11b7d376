// The optional parameters that travel with a message (SMPP 3.4 §5.3.2).
import { tags } from '@tollgate/smpp/tlv/tags.ts'
import { isOddTlv, type Tlv } from '@tollgate/smpp/tlv/tlv.ts'
import type { RawMessage } from '../../ingest/index.ts'

// What concerns only the hop from the supplier to us, or would make a message look like a receipt. The text itself and
// its position travel in the body.
const hopTags: ReadonlySet<number> = new Set(
  [
    tags.messagePayload,
    tags.receiptedMessageId,
    tags.messageState,
    tags.networkErrorCode,
    tags.deliveryFailureReason,
    tags.additionalStatusText,
    tags.qosTimeToLive,
    tags.moreMessagesToSend,
    tags.setDpf,
    tags.dpfResult,
    tags.msAvailabilityStatus,
    tags.alertOnMessageDelivery,
    tags.scInterfaceVersion,
  ].map(({ tag }) => tag),
)
const sarTags: ReadonlySet<number> = new Set(
  [tags.sarMsgRefNum, tags.sarTotalSegments, tags.sarSegmentSeqnum].map(({ tag }) => tag),
)
// §5.3.2, table 5-7: the tags that SMSC vendors may use.
const isVendorTag = (tag: number): boolean => tag >= 0x1400 && tag <= 0x3fff

/** The parameters for the client, in the order in which they came, without odd ones and those that became a header. */
export function carriedParameters({ sent, isSarHeader }: RawMessage): readonly Tlv[] {
  if (sent === undefined || sent.tlvs.length === 0) return []
  return sent.tlvs.filter(
    (tlv) => !hopTags.has(tlv.tag) && !(isSarHeader && sarTags.has(tlv.tag)) && !isOddTlv(tlv),
  )
}

/**
 * The parameters that go back with a receipt: what the supplier knows its message by, and the two ports, which change
 * their places as the addresses do.
 */
export function returnedParameters(raw: RawMessage | undefined): readonly Tlv[] {
  return (raw?.sent?.tlvs ?? []).flatMap((tlv) => {
    const { tag, value } = tlv
    if (isOddTlv(tlv)) return []
    if (tag === tags.userMessageReference.tag || isVendorTag(tag)) return [{ tag, value }]
    if (tag === tags.sourcePort.tag) return [{ tag: tags.destinationPort.tag, value }]
    return tag === tags.destinationPort.tag ? [{ tag: tags.sourcePort.tag, value }] : []
  })
}
