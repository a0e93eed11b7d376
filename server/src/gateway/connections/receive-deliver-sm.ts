// deliver_sm and data_sm that an outside gateway sends us: into ingest, or to the message whose receipt it is.
import type { IncomingRequest } from '@tollgate/smpp/session/handlers.ts'
import type { Session } from '@tollgate/smpp/session/session.ts'
import { messageIdKey, type MessageIdForm } from '@tollgate/smpp/text/message-id.ts'
import { parseReceipt } from '@tollgate/smpp/text/receipt.ts'
import { tags } from '@tollgate/smpp/tlv/tags.ts'
import { findTlv } from '@tollgate/smpp/tlv/tlv.ts'
import { commandStatus } from '@tollgate/smpp/values/command-status.ts'
import { isReceipt } from '@tollgate/smpp/values/esm-class.ts'
import type { Completion, FailureReason, IngestMessage } from '../../records/index.ts'
import { destinationDigits, shownSender } from '../message/address.ts'
import type { Sender } from '../lost-answers/store.ts'
import { storeRepeated, type RepeatedParts } from '../lost-answers/store-repetition.ts'
import { withSarHeader } from '../message/sar-header.ts'
import { bodyOf, printable } from '../inbound/submit.ts'
import type { Told } from '../lost-answers/answer-tracker.ts'
import type { MessageStore } from '../deps.ts'

type Delivery = Extract<IncomingRequest, { command: 'deliver_sm' | 'data_sm' }>

interface Delivered extends IngestMessage {
  readonly session: Session<undefined>
  readonly request: Delivery
  readonly told: Told
}

export interface DeliveryParts extends RepeatedParts {
  readonly messages: Pick<MessageStore, 'accept' | 'refuse' | 'storeWithin' | 'nowMs'>
  /** Whose messages they are, and which of them may have had no answer. */
  readonly sender: Sender
  readonly told: Told
  readonly gatewayId: number
  readonly receiptIdForm: MessageIdForm
  /** Files a receipt; rejects when the database cannot take it. */
  fileReceipt(receipt: { readonly key: string; readonly state: string }): Promise<void>
}

// operations.md, Ingest 2: 0x64 has the centre send it again; an unknown number would be refused each time.
const failureStatuses: Readonly<Record<FailureReason, number>> = {
  unknown: commandStatus.ESME_RINVDSTADR,
  suspended: commandStatus.ESME_RINVDSTADR,
  unavailable: commandStatus.ESME_RX_T_APPN,
  rejected: commandStatus.ESME_RX_P_APPN,
}

const answers: Completion = {
  committed(message, messageId, recordId) {
    const { session, request, told } = message as Delivered
    const isAnswered = session.respond(request, 0, idToTell(request, messageId))
    told.stored(session, isAnswered, message, request.body.tlvs, recordId)
  },
  failed(message, reason) {
    const { session, request } = message as Delivered
    session.respond(request, failureStatuses[reason])
  },
  doubted(message, recordId, isStored) {
    const { session, request, told } = message as Delivered
    told.doubted(message, request.body.tlvs, recordId, isStored)
    session.respond(request, failureStatuses.unavailable)
  },
  settled: () => undefined,
}

/** §4.6.2: message_id of deliver_sm_resp is not used. */
function idToTell({ command }: Delivery, messageId: string): string {
  return command === 'data_sm' ? messageId : ''
}

const noOctets = Buffer.alloc(0)

/** Takes a message or receipt in. It is answered once it is committed. True when it was a message for a number. */
export function takeDelivery(session: Session<undefined>, request: Delivery, parts: DeliveryParts): boolean {
  const { body } = request
  const octets = bodyOf('shortMessage' in body ? body.shortMessage : noOctets, body.tlvs)
  if (isReceipt(body.esmClass)) {
    takeReceipt(session, request, octets, parts)
    return false
  }
  const digits = destinationDigits(body.destinationAddr)
  const sender = shownSender(body.sourceAddr)
  if (digits === undefined || sender === undefined) {
    const isDestination = digits === undefined
    parts.messages.refuse(
      { digits: isDestination ? printable(body.destinationAddr) : '', gatewayId: parts.gatewayId },
      isDestination ? 'bad_destination' : 'bad_sender',
    )
    session.respond(request, isDestination ? commandStatus.ESME_RINVDSTADR : commandStatus.ESME_RINVSRCADR)
    return true
  }
  const kept = withSarHeader(body.esmClass, octets, body.tlvs)
  const message: Delivered = {
    createdAtMs: parts.messages.nowMs(),
    digits,
    sender,
    gatewayId: parts.gatewayId,
    source: 'connection',
    sequence: request.sequence,
    sourceAddress: body.sourceAddr,
    destinationAddress: body.destinationAddr,
    esmClass: kept.esmClass,
    dataCoding: body.dataCoding,
    body: kept.body,
    flags: 0,
    completion: answers,
    session,
    request,
    told: parts.told,
  }
  const original = parts.lost.take(parts.sender, message, body.tlvs)
  if (original !== undefined) {
    const answer = (status: number, id = '') => session.respond(request, status, idToTell(request, id))
    const retryStatus = commandStatus.ESME_RX_T_APPN
    void storeRepeated(parts, { message, tlvs: body.tlvs, original, answer, retryStatus })
    return true
  }
  if (parts.messages.accept(message) === 'full') {
    parts.messages.refuse({ digits: '', gatewayId: parts.gatewayId }, 'unavailable')
    session.respond(request, commandStatus.ESME_RX_T_APPN)
  }
  return true
}

function takeReceipt(
  session: Session<undefined>,
  request: Delivery,
  octets: Buffer,
  parts: DeliveryParts,
): void {
  const receipt = parseReceipt(octets.toString('latin1'), {
    receiptedMessageId: findTlv(request.body.tlvs, tags.receiptedMessageId),
    messageState: findTlv(request.body.tlvs, tags.messageState),
  })
  // One that names no message can be filed nowhere, and would be no better the next time.
  if (receipt?.id === undefined) {
    session.respond(request, 0)
    return
  }
  const key = messageIdKey(receipt.id, parts.receiptIdForm)
  const state = receipt.stateText ?? (receipt.state === undefined ? 'UNKNOWN' : `state ${receipt.state}`)
  parts.fileReceipt({ key: key.slice(0, 64), state: state.slice(0, 20) }).then(
    () => session.respond(request, 0),
    () => session.respond(request, commandStatus.ESME_RX_T_APPN),
  )
}
