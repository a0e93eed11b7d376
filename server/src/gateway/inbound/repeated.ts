// A message that repeats one whose answer was lost: stored, marked and held from billing in one transaction.
import type { Tlv } from '@tollgate/smpp/tlv/tlv.ts'
import { commandStatus } from '@tollgate/smpp/values/command-status.ts'
import type { Db } from '../../platform/db.ts'
import type { Logger } from '../../platform/log.ts'
import { transaction } from '../../platform/transaction.ts'
import { changeRecords, recordFlags, type IngestMessage, type RecordKey } from '../../records/index.ts'
import type { MessageStore } from '../needs.ts'
import type { LostAnswers } from './lost-answers.ts'
import { addDuplicate, addUnanswered, claimRepetition, type Unanswered } from './lost-store.ts'

export interface RepeatedParts {
  readonly db: Db
  readonly log: Logger
  readonly messages: Pick<MessageStore, 'accept' | 'storeWithin'>
  readonly lost: LostAnswers
}

export interface Repeated {
  readonly message: IngestMessage
  readonly tlvs: readonly Tlv[]
  /** The stored message that this one repeats. */
  readonly original: Unanswered
  /** Tells the sender; false when the session is gone. */
  readonly answer: (status: number, messageId?: string) => boolean
  /** Has the sender send it again. */
  readonly retryStatus: number
}

/** Stores the message and answers it. Never rejects. */
export async function storeRepeated(
  { db, log, messages, lost }: RepeatedParts,
  { message, tlvs, original, answer, retryStatus }: Repeated,
): Promise<void> {
  try {
    const stored = await transaction(db, async (tx) => {
      // What is not written down yet is so now; another node may have taken it for a repetition already.
      await addUnanswered(tx, [original])
      if (!(await claimRepetition(tx, original))) return 'taken' as const
      const flags = message.flags | recordFlags.duplicateSuspect
      const [result] = await messages.storeWithin(tx, [{ ...message, flags }])
      if (result === undefined || 'refused' in result) return 'refused' as const
      const key: RecordKey = { createdAtMs: message.createdAtMs, recordId: result.recordId }
      await changeRecords(tx, [key], { isHeld: true })
      await addDuplicate(tx, key, original)
      return { messageId: result.messageId, key }
    })
    if (stored === 'refused') answer(commandStatus.ESME_RINVDSTADR)
    else if (stored === 'taken') {
      if (messages.accept(message) === 'full') answer(retryStatus)
    } else if (!answer(0, stored.messageId)) lost.note(original.sender, message, tlvs, stored.key)
  } catch (error) {
    log.warn({ err: error, sender: original.sender }, 'a repeated message could not be stored')
    answer(retryStatus)
  }
}
