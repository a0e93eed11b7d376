// Receives deliver_sm and data_sm from an upstream. A message goes into ingest, a receipt to the message that it reports.
import type { DefaultAlphabet } from '@tollgate/smpp/text/alphabet.ts'
import type { IncomingRequest } from '@tollgate/smpp/session/session-types.ts'
import type { Session } from '@tollgate/smpp/session/session.ts'
import { messageIdKey, type ReadIdForm } from '@tollgate/smpp/text/message-id.ts'
import { readReceipt, type ReadReceipt } from '@tollgate/smpp/client/read-receipt.ts'
import { commandStatus } from '@tollgate/smpp/values/command-status.ts'
import { recordFlags, type Completion, type FailureReason, type IngestMessage } from '../ingest/index.ts'
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
import { receiptOctets } from './receipt-octets.ts'
import type { FiledReceipt } from './send-store.ts'

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
  readonly receiptIdForm: ReadIdForm
  readonly isReceiptByText: boolean
  readonly defaultAlphabet: DefaultAlphabet
  /** Whether a name that GSM has no room for is refused. */
  readonly isStrict: boolean
  /** Stores a receipt; rejects when the database does not take it. */
  fileReceipt(receipt: FiledReceipt): Promise<void>
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
  const receipt = readReceipt(body, deps)
  if (receipt !== undefined) {
    fileReceipt(session, request, receipt, deps)
    return false
  }
  const digits = destinationDigits(body.destinationAddr)
  const sender = submittedSourceAddress(body.sourceAddr, deps.isStrict)
  if (digits === undefined || sender === undefined) {
    const isDestination = digits === undefined
    deps.messages.refuse(
      {
        digits: isDestination ? printableAddress(body.destinationAddr) : '',
        gatewayId: deps.gatewayId,
        destination: digits ?? printableAddress(body.destinationAddr),
        sender: sender ?? printableAddress(body.sourceAddr),
      },
      isDestination ? 'bad_destination' : 'bad_sender',
    )
    session.respond(request, isDestination ? commandStatus.ESME_RINVDSTADR : commandStatus.ESME_RINVSRCADR)
    return true
  }
  const stored = withSarHeader(body.esmClass, textOctets(body), body.tlvs)
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
    flags: request.isOdd ? recordFlags.odd : 0,
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
    deps.messages.refuse(
      { digits: '', gatewayId: deps.gatewayId, destination: digits, sender },
      'unavailable',
    )
    session.respond(request, commandStatus.ESME_RX_T_APPN)
  }
  return true
}

/** One that names no message is filed too, so that it is seen; sending it again would not help. */
function fileReceipt(
  session: Session<undefined>,
  request: DeliverRequest,
  { id = '', state }: ReadReceipt,
  deps: ReceiveDeps,
): void {
  // PostgreSQL stores no NUL.
  const [key, word] = [messageIdKey(id, deps.receiptIdForm), state].map((text) => text.replaceAll('\0', ' '))
  const octets = receiptOctets(textOctets(request.body))
  deps.fileReceipt({ key: (key ?? '').slice(0, 64), state: (word ?? '').slice(0, 20), octets }).then(
    () => session.respond(request, 0),
    () => session.respond(request, commandStatus.ESME_RX_T_APPN),
  )
}
