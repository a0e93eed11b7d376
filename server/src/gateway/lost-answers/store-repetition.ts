// Stores a message that repeats one whose answer was lost. In one transaction it is marked and held from billing.
import { sentence } from '@tollgate/contract/sentences.ts'
import type { Tlv } from '@tollgate/smpp/tlv/tlv.ts'
import { commandStatus } from '@tollgate/smpp/values/command-status.ts'
import type { Db } from '../../platform/db.ts'
import type { Logger } from '../../platform/log.ts'
import { transaction } from '../../platform/transaction.ts'
import { timedOut, within } from '../../platform/work/within.ts'
import { recordFlags, type FailureReason, type IngestMessage, type RecordKey } from '../../ingest/index.ts'
import type { HoldStore, MessageStore } from '../deps.ts'
import type { LostAnswer, LostAnswers } from './lost-answers.ts'
import { addDuplicate, addUnanswered, claimRepetition } from './store.ts'

export interface RepetitionDeps {
  readonly db: Db
  readonly log: Logger
  readonly messages: Pick<MessageStore, 'accept' | 'storeWithin' | 'refuse'>
  readonly holds: HoldStore
  readonly lost: LostAnswers
}

interface RepeatedMessage {
  readonly message: IngestMessage
  readonly tlvs: readonly Tlv[]
  /** The stored message that this one repeats. */
  readonly original: LostAnswer
  /** Answers the peer; false when the session is gone. */
  readonly answer: (status: number, stored?: StoredId) => boolean
  /** The status that makes the peer send it again. */
  readonly retryStatus: number
}

/** The id of a stored record, in both of its forms. */
export interface StoredId {
  readonly messageId: string
  readonly recordId: number
}

/** `first`: the message repeats nothing after all, and is ingested like any other. */
type RepetitionResult =
  | { readonly kind: 'first' }
  | { readonly kind: 'stored'; readonly messageId: string; readonly key: RecordKey }
  | { readonly kind: 'failed'; readonly reason: FailureReason }

// The same limit as for any message that waits for the database.
const originalWaitMs = 2_000

/** Stores the message and answers it. Never rejects. */
export async function storeAndAnswerRepetition(
  deps: RepetitionDeps,
  { message, tlvs, original, answer, retryStatus }: RepeatedMessage,
): Promise<void> {
  const refuse = (reason: FailureReason): void => {
    countFailed(deps, message, reason)
    answer(reason === 'unavailable' ? retryStatus : commandStatus.ESME_RINVDSTADR)
  }
  const outcome = await storeRepetition(deps, message, original)
  if (outcome.kind === 'first') {
    if (deps.messages.accept(message) === 'full') refuse('unavailable')
  } else if (outcome.kind === 'failed') refuse(outcome.reason)
  else if (!answer(0, { messageId: outcome.messageId, recordId: outcome.key.recordId }))
    deps.lost.note(original.peer, message, tlvs, outcome.key)
}

/** Counts a repetition that was not stored, as ingest counts any other message. */
export function countFailed(
  { messages }: Pick<RepetitionDeps, 'messages'>,
  { digits, gatewayId, displayedSourceAddress: sender }: IngestMessage,
  reason: FailureReason,
): void {
  const counted = reason === 'unavailable' ? '' : digits
  messages.refuse({ digits: counted, gatewayId, destination: digits, sender }, reason)
}

/** Stores the message without an answer. Never rejects. */
export async function storeRepetition(
  { db, log, messages, holds, lost }: RepetitionDeps,
  message: IngestMessage,
  original: LostAnswer,
): Promise<RepetitionResult> {
  try {
    const isStored = await isOriginalStored(original)
    if (isStored === undefined) {
      lost.putBack(original)
      return { kind: 'failed', reason: 'unavailable' }
    }
    if (!isStored) return { kind: 'first' }
    return await transaction(db, async (tx): Promise<RepetitionResult> => {
      // The original may not be written yet, and another node may have claimed it for another repetition.
      await addUnanswered(tx, [original])
      if (!(await claimRepetition(tx, original))) return { kind: 'first' }
      const flags = message.flags | recordFlags.duplicateSuspect
      const [result] = await messages.storeWithin(tx, [{ ...message, flags }])
      if (result === undefined || 'refused' in result)
        return { kind: 'failed', reason: result?.refused ?? 'unknown' }
      const key: RecordKey = { createdAtMs: message.createdAtMs, recordId: result.recordId }
      await holds.hold(tx, key, holdCauseOf(original))
      await addDuplicate(tx, key, original)
      return { kind: 'stored', messageId: result.messageId, key }
    })
  } catch (error) {
    log.warn({ err: error, peer: original.peer }, 'a repeated message could not be stored')
    lost.putBack(original)
    return { kind: 'failed', reason: 'unavailable' }
  }
}

/** Undefined when the original's commit is still uncertain after the limit. */
async function isOriginalStored({
  isStored = Promise.resolve(true),
}: LostAnswer): Promise<boolean | undefined> {
  const result = await within(isStored, originalWaitMs)
  return result === timedOut ? undefined : result
}

// A score of 60 or more holds a record. The repetition is certain; a person decides whether it is a second message.
const duplicateScore = 60

const holdCauseOf = ({ createdAtMs }: LostAnswer) => ({
  rule: 'duplicate',
  explanation: sentence(
    'The same message came on {at}, and its answer may not have reached the sender, who may have sent it again.',
    { at: { at: new Date(createdAtMs).toISOString() } },
  ),
  score: duplicateScore,
})
