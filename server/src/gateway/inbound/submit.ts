// Takes submit_sm and data_sm into ingest and answers them. The hot path.
import type { IncomingRequest } from '@tollgate/smpp/session/session-types.ts'
import type { Session } from '@tollgate/smpp/session/session.ts'
import { commandStatus } from '@tollgate/smpp/values/command-status.ts'
import { registeredDelivery } from '@tollgate/smpp/values/registered-delivery.ts'
import { recordFlags, type Completion, type FailureReason, type IngestMessage } from '../../ingest/index.ts'
import type { Bind } from '../binds/bind.ts'
import type { MessageStore } from '../deps.ts'
import { defaultIdStyle, styledId } from '../message/message-id-style.ts'
import { partOf, textOctets, withSarHeader } from '../message/content.ts'
import { messageTimes } from '../message/message-times.ts'
import {
  storeAndAnswerRepetition,
  type RepetitionDeps,
  type StoredId,
} from '../lost-answers/store-repetition.ts'
import { destinationDigits, printableAddress, submittedSourceAddress } from '../message/address.ts'

type SubmitRequest = Extract<IncomingRequest, { command: 'submit_sm' | 'data_sm' }>

/** A message on its way through ingest: one object for each. */
interface SubmittedMessage extends IngestMessage {
  readonly session: Session<Bind>
  readonly request: SubmitRequest
  readonly bind: Bind
}

/** The command_status of each failure. A suspended number looks like an unknown one: neither accepts traffic. */
export const failureStatuses: Readonly<Record<FailureReason, number>> = {
  unknown: commandStatus.ESME_RINVDSTADR,
  suspended: commandStatus.ESME_RINVDSTADR,
  // An error that makes the peer send it again.
  unavailable: commandStatus.ESME_RMSGQFUL,
  rejected: commandStatus.ESME_RSUBMITFAIL,
}

// The SMPP library joins the answers of one event-loop turn into one write, so `settled` has nothing left to do.
const completion: Completion = {
  committed(message, messageId, recordId) {
    const { session, request, bind } = message as SubmittedMessage
    const isAnswered = session.respond(
      request,
      0,
      styledId(messageId, recordId, message.idStyle ?? defaultIdStyle),
    )
    bind.answerTracker.stored(session, isAnswered, message, request.body.tlvs, recordId)
  },
  failed(message, reason) {
    const { session, request } = message as SubmittedMessage
    session.respond(request, failureStatuses[reason])
  },
  uncertain(message, recordId, isStored) {
    const { session, request, bind } = message as SubmittedMessage
    bind.answerTracker.uncertain(message, request.body.tlvs, recordId, isStored)
    session.respond(request, failureStatuses.unavailable)
  },
  settled: () => undefined,
}

export interface SubmitDeps extends RepetitionDeps {
  readonly messages: MessageStore
}

/** Queues a message for ingest, which answers it after the commit; a message that is refused is answered at once. */
export function submit(session: Session<Bind>, request: SubmitRequest, bind: Bind, deps: SubmitDeps): void {
  const { body } = request
  const { messages, lost } = deps
  if (!bind.limit.take(request.receivedAtMs, partOf(body))) {
    session.charge(bind.limit.refusalPoints(request.receivedAtMs))
    return refuse(session, request, bind, messages, 'throttled', commandStatus.ESME_RTHROTTLED)
  }
  const digits = destinationDigits(body.destinationAddr)
  if (digits === undefined) {
    return refuse(session, request, bind, messages, 'bad_destination', commandStatus.ESME_RINVDSTADR)
  }
  const sender = submittedSourceAddress(body.sourceAddr, bind.treatment.isStrict)
  if (sender === undefined) {
    return refuse(session, request, bind, messages, 'bad_sender', commandStatus.ESME_RINVSRCADR)
  }
  const nowMs = messages.nowMs()
  const times = messageTimes(body, nowMs)
  if (times === 'too_late') {
    return refuse(session, request, bind, messages, 'malformed', commandStatus.ESME_RINVSCHED)
  }
  const text = textOctets(body)
  const stored = body.tlvs.length === 0 ? undefined : withSarHeader(body.esmClass, text, body.tlvs)
  const message: SubmittedMessage = {
    createdAtMs: nowMs,
    digits,
    displayedSourceAddress: sender,
    gatewayId: bind.gatewayId,
    source: 'smpp',
    sequence: request.sequence,
    sourceAddress: body.sourceAddr,
    destinationAddress: body.destinationAddr,
    esmClass: stored?.esmClass ?? body.esmClass,
    dataCoding: body.dataCoding,
    body: stored?.body ?? text,
    sent: body,
    isSarHeader: stored?.isSarHeader ?? false,
    defaultAlphabet: bind.treatment.defaultAlphabet,
    idStyle: bind.idStyle,
    times,
    flags: receiptFlags(body.registeredDelivery) | (request.isOdd ? recordFlags.odd : 0),
    completion,
    session,
    request,
    bind,
  }
  const original = lost.take(bind.peer, message, body.tlvs)
  if (original !== undefined) {
    const answer = (status: number, stored?: StoredId) =>
      session.respond(request, status, stored && styledId(stored.messageId, stored.recordId, bind.idStyle))
    const retryStatus = commandStatus.ESME_RMSGQFUL
    return void storeAndAnswerRepetition(deps, { message, tlvs: body.tlvs, original, answer, retryStatus })
  }
  if (messages.accept(message) === 'full') {
    refuse(session, request, bind, messages, 'unavailable', commandStatus.ESME_RMSGQFUL)
  }
}

function refuse(
  session: Session<Bind>,
  request: SubmitRequest,
  bind: Bind,
  messages: MessageStore,
  reason: string,
  status: number,
): void {
  // Only an unreadable destination is stored. A throttled message is not the fault of the number that it happens to name.
  const digits = reason === 'bad_destination' ? printableAddress(request.body.destinationAddr) : ''
  messages.refuse({ digits, gatewayId: bind.gatewayId, ...addressesOf(request.body) }, reason, status)
  session.respond(request, status)
}

/** Where a refused message was sent to and from, as far as it can be shown. */
function addressesOf({ destinationAddr, sourceAddr }: SubmitRequest['body']) {
  return {
    destination: destinationDigits(destinationAddr) ?? printableAddress(destinationAddr),
    sender: printableAddress(sourceAddr),
  }
}

/** The requested receipts (§5.2.17) as flags of the record. */
export function receiptFlags(registered: number): number {
  const receipt = registered & registeredDelivery.receiptMask
  if (receipt === registeredDelivery.receipt) return recordFlags.wantsReceipt
  return receipt === registeredDelivery.receiptOnFailure ? recordFlags.wantsFailureReceipt : 0
}
