// submit_sm and data_sm on their way into ingest, and the answers on their way out. The hot path.
import type { IncomingRequest } from '@tollgate/smpp/session/handlers.ts'
import type { Session } from '@tollgate/smpp/session/session.ts'
import { tags } from '@tollgate/smpp/tlv/tags.ts'
import { findTlv, type Tlv } from '@tollgate/smpp/tlv/tlv.ts'
import { commandStatus } from '@tollgate/smpp/values/command-status.ts'
import { registeredDelivery } from '@tollgate/smpp/values/registered-delivery.ts'
import { recordFlags, type Completion, type FailureReason, type IngestMessage } from '../../records/index.ts'
import type { Bind } from '../binds/bind.ts'
import type { MessageStore } from '../deps.ts'
import { withSarHeader } from '../message/sar-header.ts'
import { storeRepeated, type RepeatedParts } from '../lost-answers/store-repetition.ts'
import { destinationDigits, shownSender } from '../message/address.ts'

type Submit = Extract<IncomingRequest, { command: 'submit_sm' | 'data_sm' }>

/** A message on its way; the one object it costs. */
interface Submitted extends IngestMessage {
  readonly session: Session<Bind>
  readonly request: Submit
  readonly bind: Bind
}

/** How each outcome is told. A suspended number looks like an unknown one: neither is a destination for traffic. */
export const failureStatuses: Readonly<Record<FailureReason, number>> = {
  unknown: commandStatus.ESME_RINVDSTADR,
  suspended: commandStatus.ESME_RINVDSTADR,
  // operations.md, Ingest 2: an error that makes the peer send it again.
  unavailable: commandStatus.ESME_RMSGQFUL,
  rejected: commandStatus.ESME_RSUBMITFAIL,
}

// Of the answers of one turn the library makes one write, so `settled` has nothing left to do.
const answers: Completion = {
  committed(message, messageId, recordId) {
    const { session, request, bind } = message as Submitted
    const isAnswered = session.respond(request, 0, messageId)
    bind.told.stored(session, isAnswered, message, request.body.tlvs, recordId)
  },
  failed(message, reason) {
    const { session, request } = message as Submitted
    session.respond(request, failureStatuses[reason])
  },
  doubted(message, recordId, isStored) {
    const { session, request, bind } = message as Submitted
    bind.told.doubted(message, request.body.tlvs, recordId, isStored)
    session.respond(request, failureStatuses.unavailable)
  },
  settled: () => undefined,
}

const emptyBody = Buffer.alloc(0)

/** The octets that carry the text: §5.3.2.32 has message_payload stand in for short_message. */
export function bodyOf(shortMessage: Buffer, tlvs: readonly Tlv[]): Buffer {
  if (shortMessage.length > 0 || tlvs.length === 0) return shortMessage
  return findTlv(tlvs, tags.messagePayload) ?? shortMessage
}

/** What taking a message in needs. */
export interface SubmitParts extends RepeatedParts {
  readonly messages: MessageStore
}

/** Takes a message in, or answers why not. With success it is answered once it is committed. */
export function submit(session: Session<Bind>, request: Submit, bind: Bind, parts: SubmitParts): void {
  const { body } = request
  const { messages, lost } = parts
  if (!bind.limit.take(request.receivedAtMs)) {
    session.charge(bind.limit.refusalPoints(request.receivedAtMs))
    return refuse(session, request, bind, messages, 'throttled', commandStatus.ESME_RTHROTTLED)
  }
  const digits = destinationDigits(body.destinationAddr)
  if (digits === undefined) {
    return refuse(session, request, bind, messages, 'bad_destination', commandStatus.ESME_RINVDSTADR)
  }
  const sender = shownSender(body.sourceAddr)
  if (sender === undefined) {
    return refuse(session, request, bind, messages, 'bad_sender', commandStatus.ESME_RINVSRCADR)
  }
  const text = bodyOf('shortMessage' in body ? body.shortMessage : emptyBody, body.tlvs)
  const kept = body.tlvs.length === 0 ? undefined : withSarHeader(body.esmClass, text, body.tlvs)
  const message: Submitted = {
    createdAtMs: messages.nowMs(),
    digits,
    sender,
    gatewayId: bind.gatewayId,
    source: 'smpp',
    sequence: request.sequence,
    sourceAddress: body.sourceAddr,
    destinationAddress: body.destinationAddr,
    esmClass: kept?.esmClass ?? body.esmClass,
    dataCoding: body.dataCoding,
    body: kept?.body ?? text,
    flags: receiptFlags(body.registeredDelivery),
    completion: answers,
    session,
    request,
    bind,
  }
  const original = lost.take(bind.sender, message, body.tlvs)
  if (original !== undefined) {
    const answer = (status: number, messageId = '') => session.respond(request, status, messageId)
    const retryStatus = commandStatus.ESME_RMSGQFUL
    return void storeRepeated(parts, { message, tlvs: body.tlvs, original, answer, retryStatus })
  }
  if (messages.accept(message) === 'full') {
    refuse(session, request, bind, messages, 'unavailable', commandStatus.ESME_RMSGQFUL)
  }
}

function refuse(
  session: Session<Bind>,
  request: Submit,
  bind: Bind,
  messages: MessageStore,
  reason: string,
  status: number,
): void {
  // Only a destination that cannot be read is kept as it came: with a limit, any number would be the next one's fault.
  const digits = reason === 'bad_destination' ? printable(request.body.destinationAddr) : ''
  messages.refuse({ digits, gatewayId: bind.gatewayId }, reason)
  session.respond(request, status)
}

/** What the sender asked for (§5.2.17), as the record keeps it. */
export function receiptFlags(registered: number): number {
  const wanted = registered & registeredDelivery.receiptMask
  if (wanted === registeredDelivery.receipt) return recordFlags.wantsReceipt
  return wanted === registeredDelivery.receiptOnFailure ? recordFlags.wantsFailureReceipt : 0
}

/** Text from a peer as a table may keep it: at most 20 characters, nothing but ASCII. */
export function printable(text: string): string {
  return text.slice(0, 20).replace(/[^\x20-\x7e]/g, '?')
}
