// Receives deliver_sm and data_sm from an upstream. A message goes into ingest, a receipt to the message that it reports.
import type { DefaultAlphabet } from '@tollgate/smpp/text/alphabet.ts'
import type { IncomingRequest } from '@tollgate/smpp/session/session-types.ts'
import type { Session } from '@tollgate/smpp/session/session.ts'
import { messageIdKey, type MessageIdForm } from '@tollgate/smpp/text/message-id.ts'
import { parseReceipt, stateName } from '@tollgate/smpp/text/receipt.ts'
import { tags } from '@tollgate/smpp/tlv/tags.ts'
import { findTlv } from '@tollgate/smpp/tlv/tlv.ts'
import { commandStatus } from '@tollgate/smpp/values/command-status.ts'
import { isReceipt } from '@tollgate/smpp/values/esm-class.ts'
import type { Completion, FailureReason, IngestMessage } from '../ingest/index.ts'
import {
  destinationDigits,
  printableAddress,
  submittedSourceAddress,
  type PeerRef,
  storeAndAnswerRepetition,
  type RepetitionDeps,
  type StoredId,
  textOctets,
  withSarHeader,
  defaultIdStyle,
  type AnswerTracker,
  type MessageStore,
} from '../gateway/index.ts'

type DeliverRequest = Extract<IncomingRequest, { command: 'deliver_sm' | 'data_sm' }>

interface ReceivedMessage extends IngestMessage {
  readonly session: Session<undefined>
  readonly request: DeliverRequest
  readonly answerTracker: AnswerTracker
}

interface ReceiveDeps extends RepetitionDeps {
  readonly messages: Pick<MessageStore, 'accept' | 'refuse' | 'storeWithin' | 'nowMs'>
  /** Identifies the connection to the lost-answers folder. */
  readonly peer: PeerRef
  readonly answerTracker: AnswerTracker
  readonly gatewayId: number
  readonly receiptIdForm: MessageIdForm
  readonly defaultAlphabet: DefaultAlphabet
  /** Whether a name that GSM has no room for is refused. */
  readonly isStrict: boolean
  /** Stores a receipt; rejects when the database does not take it. */
  fileReceipt(receipt: { readonly key: string; readonly state: string }): Promise<void>
}

// 0x64 makes the upstream send the message again; an unknown number would be refused each time.
const failureStatuses: Readonly<Record<FailureReason, number>> = {
  unknown: commandStatus.ESME_RINVDSTADR,
  suspended: commandStatus.ESME_RINVDSTADR,
  unavailable: commandStatus.ESME_RX_T_APPN,
  rejected: commandStatus.ESME_RX_P_APPN,
}

const completion: Completion = {
  committed(message, messageId, recordId) {
    const { session, request, answerTracker } = message as ReceivedMessage
    const isAnswered = session.respond(request, 0, responseMessageId(request, messageId))
    answerTracker.stored(session, isAnswered, message, request.body.tlvs, recordId)
  },
  failed(message, reason) {
    const { session, request } = message as ReceivedMessage
    session.respond(request, failureStatuses[reason])
  },
  uncertain(message, recordId, isStored) {
    const { session, request, answerTracker } = message as ReceivedMessage
    answerTracker.uncertain(message, request.body.tlvs, recordId, isStored)
    session.respond(request, failureStatuses.unavailable)
  },
  settled: () => undefined,
}

/** §4.6.2: message_id of deliver_sm_resp is not used. */
function responseMessageId({ command }: DeliverRequest, messageId: string): string {
  return command === 'data_sm' ? messageId : ''
}

/** Receives a message or a receipt and answers it after its commit. True for a message, false for a receipt. */
export function receiveDeliverSm(
  session: Session<undefined>,
  request: DeliverRequest,
  deps: ReceiveDeps,
): boolean {
  const { body } = request
  const octets = textOctets(body)
  if (isReceipt(body.esmClass)) {
    receiveReceipt(session, request, octets, deps)
    return false
  }
  const digits = destinationDigits(body.destinationAddr)
  const sender = submittedSourceAddress(body.sourceAddr, deps.isStrict)
  if (digits === undefined || sender === undefined) {
    const isDestination = digits === undefined
    deps.messages.refuse(
      { digits: isDestination ? printableAddress(body.destinationAddr) : '', gatewayId: deps.gatewayId },
      isDestination ? 'bad_destination' : 'bad_sender',
    )
    session.respond(request, isDestination ? commandStatus.ESME_RINVDSTADR : commandStatus.ESME_RINVSRCADR)
    return true
  }
  const stored = withSarHeader(body.esmClass, octets, body.tlvs)
  const message: ReceivedMessage = {
    createdAtMs: deps.messages.nowMs(),
    digits,
    displayedSourceAddress: sender,
    gatewayId: deps.gatewayId,
    source: 'connection',
    sequence: request.sequence,
    sourceAddress: body.sourceAddr,
    destinationAddress: body.destinationAddr,
    esmClass: stored.esmClass,
    dataCoding: body.dataCoding,
    body: stored.body,
    sent: body,
    isSarHeader: stored.isSarHeader,
    defaultAlphabet: deps.defaultAlphabet,
    // The answer to a data_sm names its message, as a text; that to a deliver_sm does not.
    ...(request.command === 'data_sm' && { idStyle: defaultIdStyle }),
    flags: 0,
    completion,
    session,
    request,
    answerTracker: deps.answerTracker,
  }
  const original = deps.lost.take(deps.peer, message, body.tlvs)
  if (original !== undefined) {
    const answer = (status: number, stored?: StoredId) =>
      session.respond(request, status, responseMessageId(request, stored?.messageId ?? ''))
    const retryStatus = commandStatus.ESME_RX_T_APPN
    void storeAndAnswerRepetition(deps, { message, tlvs: body.tlvs, original, answer, retryStatus })
    return true
  }
  if (deps.messages.accept(message) === 'full') {
    deps.messages.refuse({ digits: '', gatewayId: deps.gatewayId }, 'unavailable')
    session.respond(request, commandStatus.ESME_RX_T_APPN)
  }
  return true
}

function receiveReceipt(
  session: Session<undefined>,
  request: DeliverRequest,
  octets: Buffer,
  deps: ReceiveDeps,
): void {
  const receipt = parseReceipt(octets.toString('latin1'), {
    receiptedMessageId: findTlv(request.body.tlvs, tags.receiptedMessageId),
    messageState: findTlv(request.body.tlvs, tags.messageState),
  })
  // A receipt without a message id belongs to no message. It is accepted, because sending it again would not help.
  if (receipt?.id === undefined) {
    session.respond(request, 0)
    return
  }
  const key = messageIdKey(receipt.id, deps.receiptIdForm)
  const state = stateName(receipt.state) ?? receipt.stateText ?? 'UNKNOWN'
  deps.fileReceipt({ key: key.slice(0, 64), state: state.slice(0, 20) }).then(
    () => session.respond(request, 0),
    () => session.respond(request, commandStatus.ESME_RX_T_APPN),
  )
}
