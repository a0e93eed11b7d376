// SMPP 3.4 §4.5: one message to many destinations. Each destination becomes a message of its own with its own result.
import type { IncomingRequest } from '@tollgate/smpp/session/session-types.ts'
import type { Session } from '@tollgate/smpp/session/session.ts'
import type { Destination, UnsuccessfulDestination } from '@tollgate/smpp/pdu/submit-multi.ts'
import { commandStatus } from '@tollgate/smpp/values/command-status.ts'
import { recordFlags, type Completion, type IngestMessage } from '../../ingest/index.ts'
import type { Bind } from '../binds/bind.ts'
import type { MessageStore } from '../deps.ts'
import { destinationDigits, printableAddress, submittedSourceAddress } from '../message/address.ts'
import type { LostAnswer } from '../lost-answers/lost-answers.ts'
import { countFailed, storeRepetition } from '../lost-answers/store-repetition.ts'
import { defaultIdStyle, styledId } from '../message/message-id-style.ts'
import { insertAnsweredIds } from '../message/answered-ids.ts'
import { textOctets, withSarHeader } from '../message/content.ts'
import { messageTimes } from '../message/message-times.ts'
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
  const { messages } = deps
  const refuseAll = (reason: string, status: number): void => {
    const from = printableAddress(body.sourceAddr)
    messages.refuse({ digits: '', gatewayId: bind.gatewayId, sender: from }, reason, status)
    session.respond(request, status)
  }
  const sender = submittedSourceAddress(body.sourceAddr, bind.treatment.isStrict)
  if (sender === undefined) return refuseAll('bad_sender', commandStatus.ESME_RINVSRCADR)
  const createdAtMs = messages.nowMs()
  const times = messageTimes(body, createdAtMs)
  if (times === 'too_late') return refuseAll('malformed', commandStatus.ESME_RINVSCHED)
  const answer = new SubmitMultiAnswer(session, request, bind, (recordIds, answeredId) =>
    keepAnsweredId(deps, recordIds, answeredId),
  )
  const common = {
    ...commonFields(request, bind),
    createdAtMs,
    displayedSourceAddress: sender,
    times,
    completion: answer,
  }
  for (const destination of body.destinations) {
    const digits = destination.kind === 'address' ? destinationDigits(destination.address) : undefined
    const refusal = refusalOf(destination, digits, bind, request.receivedAtMs)
    if (refusal !== undefined || digits === undefined || destination.kind === 'list') {
      const { reason, status } = refusal ?? badDestination
      answer.refuse(destination, status)
      const name = destination.kind === 'list' ? destination.name : destination.address
      const shown = digits ?? printableAddress(name)
      const counted = reason === 'throttled' ? '' : printableAddress(name)
      messages.refuse(
        { digits: counted, gatewayId: bind.gatewayId, destination: shown, sender },
        reason,
        status,
      )
      continue
    }
    const message: DestinationMessage = {
      ...common,
      digits,
      destinationAddress: destination.address,
      sent: { ...body, destAddrTon: destination.ton, destAddrNpi: destination.npi },
      destination,
    }
    answer.openCount += 1
    acceptOrRepeat(deps, bind, message)
  }
  answer.allAccepted()
}

/** What the messages to all destinations have in common. */
function commonFields({ body, sequence, isOdd }: SubmitMultiRequest, bind: Bind) {
  const { esmClass, body: octets, isSarHeader } = withSarHeader(body.esmClass, textOctets(body), body.tlvs)
  const receipts = receiptFlags(body.registeredDelivery)
  return {
    gatewayId: bind.gatewayId,
    source: 'smpp' as const,
    sequence,
    sourceAddress: body.sourceAddr,
    esmClass,
    dataCoding: body.dataCoding,
    body: octets,
    isSarHeader,
    defaultAlphabet: bind.treatment.defaultAlphabet,
    idStyle: bind.idStyle,
    flags: (receipts === 0 ? 0 : receipts | recordFlags.sharesAnswer) | (isOdd ? recordFlags.odd : 0),
  }
}

function acceptOrRepeat(deps: SubmitDeps, bind: Bind, message: DestinationMessage): void {
  const original = deps.lost.take(bind.peer, message, message.sent?.tlvs ?? [])
  if (original === undefined) accept(message, deps.messages)
  else void acceptRepeated(deps, message, original)
}

function accept(message: DestinationMessage, messages: MessageStore): void {
  if (messages.accept(message) === 'queued') return
  const { digits: destination, gatewayId, displayedSourceAddress: sender } = message
  messages.refuse({ digits: '', gatewayId, destination, sender }, 'unavailable')
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
  else if (outcome.kind === 'failed') {
    countFailed(deps, message, outcome.reason)
    message.completion.failed(message, outcome.reason)
  } else message.completion.committed(message, outcome.messageId, outcome.key.recordId)
}

const badDestination = { reason: 'bad_destination', status: commandStatus.ESME_RINVDSTADR }

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
  return digits === undefined ? badDestination : undefined
}

/** Notes the id that the supplier gets: the receipts of all these records name it, and the supplier finds them by it. */
async function keepAnsweredId(
  { db, log }: SubmitDeps,
  recordIds: readonly number[],
  answeredId: string,
): Promise<void> {
  await insertAnsweredIds(db, recordIds, answeredId).catch((error: unknown) =>
    log.warn(
      { err: error },
      'The messages of a submit_multi are not found by the id of its answer, and their receipts name others',
    ),
  )
}

class SubmitMultiAnswer implements Completion {
  readonly #session: Session<Bind>
  readonly #request: SubmitMultiRequest
  readonly #bind: Bind
  readonly #keep: (recordIds: readonly number[], answeredId: string) => Promise<void>
  readonly #failures: UnsuccessfulDestination[] = []
  /** The stored messages, for the case that the answer does not arrive. */
  readonly #stored: { readonly message: IngestMessage; readonly recordId: number }[] = []
  #messageId: string | undefined
  #isComplete = false
  #isAnswered = false
  openCount = 0

  /** `keep` is called before the answer leaves, when it names more than one message. */
  constructor(
    session: Session<Bind>,
    request: SubmitMultiRequest,
    bind: Bind,
    keep: (recordIds: readonly number[], answeredId: string) => Promise<void>,
  ) {
    this.#session = session
    this.#request = request
    this.#bind = bind
    this.#keep = keep
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
      const messageId = this.#messageId
      const recordIds = this.#stored.map(({ recordId }) => recordId)
      if (recordIds.length === 1) this.#answer(messageId)
      else void this.#keep(recordIds, messageId).then(() => this.#answer(messageId))
      return
    }
    const statuses = new Set(this.#failures.map(({ status }) => status))
    const [only = commandStatus.ESME_RSUBMITFAIL] = statuses
    this.#session.respond(this.#request, statuses.size === 1 ? only : commandStatus.ESME_RSUBMITFAIL)
  }

  #answer(messageId: string): void {
    const { tlvs } = this.#request.body
    const isAnswered = this.#session.respondWith(this.#request, { messageId, failures: this.#failures })
    for (const { message, recordId } of this.#stored)
      this.#bind.answerTracker.stored(this.#session, isAnswered, message, tlvs, recordId)
  }
}
