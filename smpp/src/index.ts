// What programs outside may use. The other workspaces of this repository use the same names by their files.

// Sending and receiving texts.
export { SmsClient, type SmsClientOptions } from './client/sms-client.ts'
export { BindPool, type BindPoolOptions, type PoolHost } from './client/bind-pool.ts'
export {
  sendText,
  type OutgoingText,
  type RequestCarrier,
  type SegmentFault,
  type SegmentResult,
  type SendTextOptions,
  type TextOutcome,
} from './client/send-text.ts'
export { addressOf, type Address } from './client/addresses.ts'
export { ReceiptTracker, type MessageIdForms, type TrackedMessage } from './client/receipt-tracker.ts'
export { readReceipt, type ReadReceipt } from './client/read-receipt.ts'
export { PartJoiner, type JoinedMessage, type ReceivedBody } from './client/part-joiner.ts'
export { SendPace } from './client/send-pace.ts'

// Sessions on sockets.
export { startServer, type ServerOptions, type SmppServer } from './net/server.ts'
export { connect, type SmppClientOptions, type ConnectOutcome } from './net/client.ts'
export { tlsOptions, type CertificateFault, type PeerTrust } from './net/certificate.ts'
export { keepConnected, type Link, type LinkFault, type LinkState } from './net/reconnect.ts'
export type { Session, SessionHandlers } from './session/session.ts'
export {
  defaultSettings,
  type BindDecision,
  type BindRequest,
  type CloseReason,
  type IncomingRequest,
  type SendBody,
  type SendOutcome,
  type SessionSettings,
} from './session/session-types.ts'
export { PduBudget } from './session/pdu-budget.ts'

// PDUs and their values.
export { decodePdu, isProblem } from './pdu/decode.ts'
export { encodeAlone } from './pdu/encode.ts'
export type { AnyPdu, PduBody } from './pdu/registry.ts'
export { findTlv, makeTlv, type Tlv } from './tlv/tlv.ts'
export { tags } from './tlv/tags.ts'
export { commandStatus, statusName, statusText } from './values/command-status.ts'
export { esmClass } from './values/esm-class.ts'
export { messageState } from './values/message-state.ts'
export { ton } from './values/ton-npi.ts'

// The text of message bodies.
export { splitText, type MessageSegment } from './text/split.ts'
export { joinSegments } from './text/join.ts'
export { decodeBody, type DecodedBody } from './text/decode.ts'
export { countSms } from './text/sms-count.ts'
export { formatReceipt, parseReceipt } from './text/receipt.ts'
export { stateAfter, stateOfAll } from './text/receipt-states.ts'
export { messageIdKey } from './text/message-id.ts'
