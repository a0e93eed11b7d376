// SMPP 3.4 §4.5: one message to many. Each destination is a message of its own, and is answered for by name.
import type { IncomingRequest } from '@tollgate/smpp/session/handlers.ts'
import type { Session } from '@tollgate/smpp/session/session.ts'
import type { Destination, UnsuccessfulDestination } from '@tollgate/smpp/pdu/submit-multi.ts'
import { commandStatus } from '@tollgate/smpp/values/command-status.ts'
import type { Completion, IngestMessage } from '../../records/index.ts'
import type { Bind } from '../binds/bind.ts'
import type { MessageStore } from '../deps.ts'
import { destinationDigits, shownSender } from '../message/address.ts'
import type { Lost } from '../lost-answers/lost-answers.ts'
import { storeRepetition } from '../lost-answers/store-repetition.ts'
import { withSarHeader } from '../message/sar-header.ts'
import { bodyOf, failureStatuses, printable, receiptFlags, type SubmitParts } from './submit.ts'

type SubmitMulti = Extract<IncomingRequest, { command: 'submit_multi' }>
type Address = Extract<Destination, { kind: 'address' }>

/** One destination on its way. */
interface Part extends IngestMessage {
  readonly destination: Address
}

/**
 * Takes a message in for each destination. The response comes when all are decided: message_id is that of the first
 * that is stored, the others are listed with their statuses. With none stored it is an error of its own.
 */
export function submitMulti(
  session: Session<Bind>,
  request: SubmitMulti,
  bind: Bind,
  parts: SubmitParts,
): void {
  const { body } = request
  const { messages, lost } = parts
  const sender = shownSender(body.sourceAddr)
  if (sender === undefined) {
    messages.refuse({ digits: '', gatewayId: bind.gatewayId }, 'bad_sender')
    session.respond(request, commandStatus.ESME_RINVSRCADR)
    return
  }
  const kept = withSarHeader(body.esmClass, bodyOf(body.shortMessage, body.tlvs), body.tlvs)
  const answer = new MultiAnswer(session, request, bind)
  const createdAtMs = messages.nowMs()
  for (const destination of body.destinations) {
    const digits = destination.kind === 'address' ? destinationDigits(destination.address) : undefined
    const refusal = refusalOf(destination, digits, bind, request.receivedAtMs)
    if (refusal !== undefined || digits === undefined || destination.kind === 'list') {
      answer.refuse(destination, refusal?.status ?? commandStatus.ESME_RINVDSTADR)
      const name = destination.kind === 'list' ? destination.name : destination.address
      const counted = refusal?.reason === 'throttled' ? '' : printable(name)
      messages.refuse({ digits: counted, gatewayId: bind.gatewayId }, refusal?.reason ?? 'bad_destination')
      continue
    }
    const part: Part = {
      createdAtMs,
      digits,
      sender,
      gatewayId: bind.gatewayId,
      source: 'smpp',
      sequence: request.sequence,
      sourceAddress: body.sourceAddr,
      destinationAddress: destination.address,
      esmClass: kept.esmClass,
      dataCoding: body.dataCoding,
      body: kept.body,
      flags: receiptFlags(body.registeredDelivery),
      completion: answer,
      destination,
    }
    answer.openCount += 1
    const original = lost.take(bind.sender, part, body.tlvs)
    if (original === undefined) takeIn(part, messages)
    else void takeRepeated(parts, part, original)
  }
  answer.allAreIn()
}

function takeIn(part: Part, messages: MessageStore): void {
  if (messages.accept(part) === 'queued') return
  messages.refuse({ digits: '', gatewayId: part.gatewayId }, 'unavailable')
  part.completion.failed(part, 'unavailable')
}

/** A destination of a submit_multi whose answer was lost: as for a submit_sm, see repeated.ts. */
async function takeRepeated(parts: SubmitParts, part: Part, original: Lost): Promise<void> {
  const outcome = await storeRepetition(parts, part, original)
  if (outcome.kind === 'first') takeIn(part, parts.messages)
  else if (outcome.kind === 'failed') part.completion.failed(part, outcome.reason)
  else part.completion.committed(part, outcome.messageId, outcome.key.recordId)
}

function refusalOf(
  destination: Destination,
  digits: string | undefined,
  bind: Bind,
  nowMs: number,
): { reason: string; status: number } | undefined {
  // We keep no distribution lists (§4.5.1.2), which is an answer and not an error of the whole.
  if (destination.kind === 'list') return { reason: 'bad_destination', status: commandStatus.ESME_RCNTSUBDL }
  // Each destination is a message, so a list of 254 must not pass for one of them.
  if (!bind.limit.take(nowMs)) return { reason: 'throttled', status: commandStatus.ESME_RTHROTTLED }
  return digits === undefined
    ? { reason: 'bad_destination', status: commandStatus.ESME_RINVDSTADR }
    : undefined
}

class MultiAnswer implements Completion {
  readonly #session: Session<Bind>
  readonly #request: SubmitMulti
  readonly #bind: Bind
  readonly #failures: UnsuccessfulDestination[] = []
  /** What is stored, for the case that the answer does not arrive. */
  readonly #stored: { readonly message: IngestMessage; readonly recordId: number }[] = []
  #messageId: string | undefined
  #isComplete = false
  #isAnswered = false
  openCount = 0

  constructor(session: Session<Bind>, request: SubmitMulti, bind: Bind) {
    this.#session = session
    this.#request = request
    this.#bind = bind
  }

  refuse(destination: Destination, status: number): void {
    // §4.5.2.1 has no form for a list, so its name stands where an address would.
    const { ton, npi, address } =
      destination.kind === 'address' ? destination : { ton: 0, npi: 0, address: destination.name }
    this.#failures.push({ ton, npi, address, status })
  }

  committed(message: IngestMessage, messageId: string, recordId: number): void {
    this.#messageId ??= messageId
    this.#stored.push({ message, recordId })
    this.openCount -= 1
    this.#answerIfDone()
  }

  failed(message: IngestMessage, reason: keyof typeof failureStatuses): void {
    this.refuse((message as Part).destination, failureStatuses[reason])
    this.openCount -= 1
    this.#answerIfDone()
  }

  doubted(message: IngestMessage, recordId: number, isStored: Promise<boolean | undefined>): void {
    this.#bind.told.doubted(message, this.#request.body.tlvs, recordId, isStored)
    this.failed(message, 'unavailable')
  }

  settled(): void {
    this.#answerIfDone()
  }

  /** Nothing more will be put in. */
  allAreIn(): void {
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
        this.#bind.told.stored(this.#session, isAnswered, message, this.#request.body.tlvs, recordId)
      return
    }
    const statuses = new Set(this.#failures.map(({ status }) => status))
    const [only = commandStatus.ESME_RSUBMITFAIL] = statuses
    this.#session.respond(this.#request, statuses.size === 1 ? only : commandStatus.ESME_RSUBMITFAIL)
  }
}
