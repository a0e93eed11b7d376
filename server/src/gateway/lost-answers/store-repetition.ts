// A message that repeats one whose answer was lost: stored, marked and held from billing in one transaction.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Tlv } from '@tollgate/smpp/tlv/tlv.ts'
import { commandStatus } from '@tollgate/smpp/values/command-status.ts'
import type { Db } from '../../platform/db.ts'
import type { Logger } from '../../platform/log.ts'
import { transaction } from '../../platform/transaction.ts'
import { recordFlags, type FailureReason, type IngestMessage, type RecordKey } from '../../records/index.ts'
import type { HoldStore, MessageStore } from '../deps.ts'
import type { Lost, LostAnswers } from './lost-answers.ts'
import { addDuplicate, addUnanswered, claimRepetition } from './store.ts'

export interface RepeatedParts {
  readonly db: Db
  readonly log: Logger
  readonly messages: Pick<MessageStore, 'accept' | 'storeWithin'>
  readonly holds: HoldStore
  readonly lost: LostAnswers
}

export interface Repeated {
  readonly message: IngestMessage
  readonly tlvs: readonly Tlv[]
  /** The stored message that this one repeats. */
  readonly original: Lost
  /** Tells the sender; false when the session is gone. */
  readonly answer: (status: number, messageId?: string) => boolean
  /** Has the sender send it again. */
  readonly retryStatus: number
}

/** What became of a repetition. `first`: it repeats nothing after all, and goes the way of every message. */
export type Repetition =
  | { readonly kind: 'first' }
  | { readonly kind: 'stored'; readonly messageId: string; readonly key: RecordKey }
  | { readonly kind: 'failed'; readonly reason: FailureReason }

// As long as any message may wait for the database.
const patienceMs = 2_000

/** Stores the message and answers it. Never rejects. */
export async function storeRepeated(
  parts: RepeatedParts,
  { message, tlvs, original, answer, retryStatus }: Repeated,
): Promise<void> {
  const outcome = await storeRepetition(parts, message, original)
  if (outcome.kind === 'first') {
    if (parts.messages.accept(message) === 'full') answer(retryStatus)
  } else if (outcome.kind === 'failed') {
    answer(outcome.reason === 'unavailable' ? retryStatus : commandStatus.ESME_RINVDSTADR)
  } else if (!answer(0, outcome.messageId)) parts.lost.note(original.sender, message, tlvs, outcome.key)
}

/** The same without the answer. Never rejects. */
export async function storeRepetition(
  { db, log, messages, holds, lost }: RepeatedParts,
  message: IngestMessage,
  original: Lost,
): Promise<Repetition> {
  try {
    const isStored = await isOriginalStored(original)
    if (isStored === undefined) {
      lost.putBack(original)
      return { kind: 'failed', reason: 'unavailable' }
    }
    if (!isStored) return { kind: 'first' }
    return await transaction(db, async (tx): Promise<Repetition> => {
      // What is not written down yet is so now; another node may have taken it for a repetition already.
      await addUnanswered(tx, [original])
      if (!(await claimRepetition(tx, original))) return { kind: 'first' }
      const flags = message.flags | recordFlags.duplicateSuspect
      const [result] = await messages.storeWithin(tx, [{ ...message, flags }])
      if (result === undefined || 'refused' in result)
        return { kind: 'failed', reason: result?.refused ?? 'unknown' }
      const key: RecordKey = { createdAtMs: message.createdAtMs, recordId: result.recordId }
      await holds.hold(tx, key, causeOf(original))
      await addDuplicate(tx, key, original)
      return { kind: 'stored', messageId: result.messageId, key }
    })
  } catch (error) {
    log.warn({ err: error, sender: original.sender }, 'a repeated message could not be stored')
    lost.putBack(original)
    return { kind: 'failed', reason: 'unavailable' }
  }
}

/** Undefined while the database has not said whether the first one's commit came through. */
function isOriginalStored({ isStored }: Lost): Promise<boolean | undefined> | true {
  return isStored === undefined || Promise.race([isStored, sleep(patienceMs, undefined, { ref: false })])
}

/** dd/mm/yyyy and the time in UTC, as the console writes them. */
function secondOf(ms: number): string {
  const [day = '', time = ''] = new Date(ms).toISOString().slice(0, 19).split('T')
  return `${day.split('-').toReversed().join('/')} ${time} UTC`
}

// 60 and above holds. A repetition is sure to be one message; whether it was meant as two, a person says.
const duplicateScore = 60

const causeOf = ({ createdAtMs }: Lost) => ({
  rule: 'duplicate',
  explanation: `The same message came on ${secondOf(createdAtMs)}, and its answer may not have reached the sender, who may have sent it again.`,
  score: duplicateScore,
})
