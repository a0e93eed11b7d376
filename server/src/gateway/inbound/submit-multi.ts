// SMPP 3.4 §4.5: one message to many destinations. Each destination becomes a message of its own with its own result.
import type { IncomingRequest } from '@tollgate/smpp/session/session-types.ts'
import type { Session } from '@tollgate/smpp/session/session.ts'
import type { Destination, UnsuccessfulDestination } from '@tollgate/smpp/pdu/submit-multi.ts'
import { commandStatus } from '@tollgate/smpp/values/command-status.ts'
import type { Completion, IngestMessage } from '../../records/index.ts'
import type { Bind } from '../binds/bind.ts'
import type { MessageStore } from '../deps.ts'
import { destinationDigits, printableAddress, submittedSourceAddress } from '../message/address.ts'
import type { LostAnswer } from '../lost-answers/lost-answers.ts'
import { storeRepetition } from '../lost-answers/store-repetition.ts'
import { defaultIdStyle, styledId } from '../message/message-id-style.ts'
import { textOctets, withSarHeader } from '../message/content.ts'
import { failureStatuses, receiptFlags, type SubmitDeps } from './submit.ts'

type SubmitMultiRequest = Extract<IncomingRequest, { command: 'submit_multi' }>
type AddressDestination = Extract<Destination, { kind: 'address' }>

/** The message to one destination. */
interface DestinationMessage extends IngestMessage {
  readonly destination: AddressDestination
}

/**
 * Queues a message for each destination and answers when the last one is decided. The response carries the message_id of
 * the first stored message, and the status of each destination that failed. When none is stored it is an error.
 */
export function submitMulti(
  session: Session<Bind>,
  request: SubmitMultiRequest,
  bind: Bind,
  deps: SubmitDeps,
): void {
  const { body } = request
  const { messages, lost } = deps
  const sender = submittedSourceAddress(body.sourceAddr, bind.treatment.isStrict)
  if (sender === undefined) {
    messages.refuse({ digits: '', gatewayId: bind.gatewayId }, 'bad_sender')
    session.respond(request, commandStatus.ESME_RINVSRCADR)
    return
  }
  const stored = withSarHeader(body.esmClass, textOctets(body), body.tlvs)
  const answer = new SubmitMultiAnswer(session, request, bind)
  const createdAtMs = messages.nowMs()
  for (const destination of body.destinations) {
    const digits = destination.kind === 'address' ? destinationDigits(destination.address) : undefined
    const refusal = refusalOf(destination, digits, bind, request.receivedAtMs)
    if (refusal !== undefined || digits === undefined || destination.kind === 'list') {
      answer.refuse(destination, refusal?.status ?? commandStatus.ESME_RINVDSTADR)
      const name = destination.kind === 'list' ? destination.name : destination.address
      const counted = refusal?.reason === 'throttled' ? '' : printableAddress(name)
      messages.refuse({ digits: counted, gatewayId: bind.gatewayId }, refusal?.reason ?? 'bad_destination')
      continue
    }
    const message: DestinationMessage = {
      createdAtMs,
      digits,
      displayedSourceAddress: sender,
      gatewayId: bind.gatewayId,
      source: 'smpp',
      sequence: request.sequence,
      sourceAddress: body.sourceAddr,
      destinationAddress: destination.address,
      esmClass: stored.esmClass,
      dataCoding: body.dataCoding,
      body: stored.body,
      sent: { ...body, destAddrTon: destination.ton, destAddrNpi: destination.npi },
      isSarHeader: stored.isSarHeader,
      defaultAlphabet: bind.treatment.defaultAlphabet,
      idStyle: bind.idStyle,
      flags: receiptFlags(body.registeredDelivery),
      completion: answer,
      destination,
    }
    answer.openCount += 1
    const original = lost.take(bind.peer, message, body.tlvs)
    if (original === undefined) accept(message, messages)
    else void acceptRepeated(deps, message, original)
  }
  answer.allAccepted()
}

function accept(message: DestinationMessage, messages: MessageStore): void {
  if (messages.accept(message) === 'queued') return
  messages.refuse({ digits: '', gatewayId: message.gatewayId }, 'unavailable')
  message.completion.failed(message, 'unavailable')
}

/** A destination of a repeated submit_multi: as for a submit_sm, see lost-answers/store-repetition.ts. */
async function acceptRepeated(
  deps: SubmitDeps,
  message: DestinationMessage,
  original: LostAnswer,
): Promise<void> {
  const outcome = await storeRepetition(deps, message, original)
  if (outcome.kind === 'first') accept(message, deps.messages)
  else if (outcome.kind === 'failed') message.completion.failed(message, outcome.reason)
  else message.completion.committed(message, outcome.messageId, outcome.key.recordId)
}

function refusalOf(
  destination: Destination,
  digits: string | undefined,
  bind: Bind,
  nowMs: number,
): { reason: string; status: number } | undefined {
  // We have no distribution lists (§4.5.1.2): this destination fails, the others may succeed.
  if (destination.kind === 'list') return { reason: 'bad_destination', status: commandStatus.ESME_RCNTSUBDL }
  // Each destination counts as one message of the account's rate.
  if (!bind.limit.take(nowMs)) return { reason: 'throttled', status: commandStatus.ESME_RTHROTTLED }
  return digits === undefined
    ? { reason: 'bad_destination', status: commandStatus.ESME_RINVDSTADR }
    : undefined
}

class SubmitMultiAnswer implements Completion {
  readonly #session: Session<Bind>
  readonly #request: SubmitMultiRequest
  readonly #bind: Bind
  readonly #failures: UnsuccessfulDestination[] = []
  /** The stored messages, for the case that the answer does not arrive. */
  readonly #stored: { readonly message: IngestMessage; readonly recordId: number }[] = []
  #messageId: string | undefined
  #isComplete = false
  #isAnswered = false
  openCount = 0

  constructor(session: Session<Bind>, request: SubmitMultiRequest, bind: Bind) {
    this.#session = session
    this.#request = request
    this.#bind = bind
  }

  refuse(destination: Destination, status: number): void {
    // §4.5.2.1 defines no form for a distribution list, so its name takes the place of the address.
    const { ton, npi, address } =
      destination.kind === 'address' ? destination : { ton: 0, npi: 0, address: destination.name }
    this.#failures.push({ ton, npi, address, status })
  }

  committed(message: IngestMessage, messageId: string, recordId: number): void {
    this.#messageId ??= styledId(messageId, recordId, message.idStyle ?? defaultIdStyle)
    this.#stored.push({ message, recordId })
    this.openCount -= 1
    this.#answerIfDone()
  }

  failed(message: IngestMessage, reason: keyof typeof failureStatuses): void {
    this.refuse((message as DestinationMessage).destination, failureStatuses[reason])
    this.openCount -= 1
    this.#answerIfDone()
  }

  uncertain(message: IngestMessage, recordId: number, isStored: Promise<boolean | undefined>): void {
    this.#bind.answerTracker.uncertain(message, this.#request.body.tlvs, recordId, isStored)
    this.failed(message, 'unavailable')
  }

  settled(): void {
    this.#answerIfDone()
  }

  /** All destinations were passed on: nothing more will be added. */
  allAccepted(): void {
    this.#isComplete = true
    this.#answerIfDone()
  }

  #answerIfDone(): void {
    if (!this.#isComplete || this.openCount > 0 || this.#isAnswered) return
    this.#isAnswered = true
    if (this.#messageId !== undefined) {
      const body = { messageId: this.#messageId, failures: this.#failures }
      const isAnswered = this.#session.respondWith(this.#request, body)
      for (const { message, recordId } of this.#stored)
        this.#bind.answerTracker.stored(this.#session, isAnswered, message, this.#request.body.tlvs, recordId)
      return
    }
    const statuses = new Set(this.#failures.map(({ status }) => status))
    const [only = commandStatus.ESME_RSUBMITFAIL] = statuses
    this.#session.respond(this.#request, statuses.size === 1 ? only : commandStatus.ESME_RSUBMITFAIL)
  }
}
