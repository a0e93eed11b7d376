// SMPP 3.4 §5.3.2: every optional parameter (a data table). A tag outside it is kept as raw bytes.

/** The type of a TLV's value: decides its valid lengths (else 0xC2) and, where §5.3.2 lists values, those (else 0xC4). */
export type TlvType =
  | { kind: 'integer'; octets: 1 | 2 | 4; allows?: (value: number) => boolean }
  | { kind: 'c-octet'; octetsMin: number; octetsMax: number }
  | { kind: 'octets'; octetsMin: number; octetsMax: number }
  | { kind: 'flag' }

export interface TlvTag<Type extends TlvType = TlvType> {
  readonly tag: number
  readonly name: string
  readonly type: Type
}

type IntegerTag = TlvTag<Extract<TlvType, { kind: 'integer' }>>
type TextTag = TlvTag<Extract<TlvType, { kind: 'c-octet' }>>
type OctetsTag = TlvTag<Extract<TlvType, { kind: 'octets' }>>

const upTo = (max: number) => (value: number) => value <= max
const within = (min: number, max: number) => (value: number) => value >= min && value <= max

function integer(
  tag: number,
  name: string,
  octets: 1 | 2 | 4,
  allows?: (value: number) => boolean,
): IntegerTag {
  return {
    tag,
    name,
    type: allows === undefined ? { kind: 'integer', octets } : { kind: 'integer', octets, allows },
  }
}

function text(tag: number, name: string, octetsMin: number, octetsMax: number): TextTag {
  return { tag, name, type: { kind: 'c-octet', octetsMin, octetsMax } }
}

function octets(tag: number, name: string, octetsMin: number, octetsMax: number): OctetsTag {
  return { tag, name, type: { kind: 'octets', octetsMin, octetsMax } }
}

export const tags = {
  destAddrSubunit: integer(0x0005, 'dest_addr_subunit', 1, upTo(4)),
  destNetworkType: integer(0x0006, 'dest_network_type', 1, upTo(8)),
  destBearerType: integer(0x0007, 'dest_bearer_type', 1, upTo(8)),
  destTelematicsId: integer(0x0008, 'dest_telematics_id', 2),
  sourceAddrSubunit: integer(0x000d, 'source_addr_subunit', 1, upTo(4)),
  sourceNetworkType: integer(0x000e, 'source_network_type', 1, upTo(8)),
  sourceBearerType: integer(0x000f, 'source_bearer_type', 1, upTo(8)),
  sourceTelematicsId: integer(0x0010, 'source_telematics_id', 1),
  qosTimeToLive: integer(0x0017, 'qos_time_to_live', 4),
  payloadType: integer(0x0019, 'payload_type', 1, upTo(1)),
  additionalStatusText: text(0x001d, 'additional_status_info_text', 1, 256),
  receiptedMessageId: text(0x001e, 'receipted_message_id', 1, 65),
  msMsgWaitFacilities: integer(0x0030, 'ms_msg_wait_facilities', 1),
  privacyIndicator: integer(0x0201, 'privacy_indicator', 1, upTo(3)),
  sourceSubaddress: octets(0x0202, 'source_subaddress', 2, 23),
  destSubaddress: octets(0x0203, 'dest_subaddress', 2, 23),
  userMessageReference: integer(0x0204, 'user_message_reference', 2),
  userResponseCode: integer(0x0205, 'user_response_code', 1),
  sourcePort: integer(0x020a, 'source_port', 2),
  destinationPort: integer(0x020b, 'destination_port', 2),
  sarMsgRefNum: integer(0x020c, 'sar_msg_ref_num', 2),
  languageIndicator: integer(0x020d, 'language_indicator', 1),
  sarTotalSegments: integer(0x020e, 'sar_total_segments', 1),
  sarSegmentSeqnum: integer(0x020f, 'sar_segment_seqnum', 1),
  scInterfaceVersion: integer(0x0210, 'SC_interface_version', 1),
  callbackNumPresInd: integer(0x0302, 'callback_num_pres_ind', 1),
  callbackNumAtag: octets(0x0303, 'callback_num_atag', 0, 65),
  numberOfMessages: integer(0x0304, 'number_of_messages', 1, upTo(99)),
  callbackNum: octets(0x0381, 'callback_num', 4, 19),
  dpfResult: integer(0x0420, 'dpf_result', 1, upTo(1)),
  setDpf: integer(0x0421, 'set_dpf', 1, upTo(1)),
  msAvailabilityStatus: integer(0x0422, 'ms_availability_status', 1, upTo(2)),
  networkErrorCode: octets(0x0423, 'network_error_code', 3, 3),
  messagePayload: octets(0x0424, 'message_payload', 0, 65_535),
  deliveryFailureReason: integer(0x0425, 'delivery_failure_reason', 1, upTo(3)),
  moreMessagesToSend: integer(0x0426, 'more_messages_to_send', 1, upTo(1)),
  messageState: integer(0x0427, 'message_state', 1, within(1, 8)),
  ussdServiceOp: octets(0x0501, 'ussd_service_op', 1, 1),
  displayTime: integer(0x1201, 'display_time', 1, upTo(2)),
  smsSignal: integer(0x1203, 'sms_signal', 2),
  msValidity: integer(0x1204, 'ms_validity', 1, upTo(3)),
  alertOnMessageDelivery: { tag: 0x130c, name: 'alert_on_message_delivery', type: { kind: 'flag' } },
  itsReplyType: integer(0x1380, 'its_reply_type', 1, upTo(8)),
  itsSessionInfo: octets(0x1383, 'its_session_info', 2, 2),
} as const satisfies Record<string, TlvTag>

const byTag = new Map<number, TlvTag>(Object.values(tags).map((definition) => [definition.tag, definition]))

/** The definition of a tag; undefined for one that SMPP 3.4 does not define. */
export function tlvTag(tag: number): TlvTag | undefined {
  return byTag.get(tag)
}

/** The name of a tag in SMPP 3.4; undefined for one that it does not define. */
export function tagName(tag: number): string | undefined {
  return byTag.get(tag)?.name
}
