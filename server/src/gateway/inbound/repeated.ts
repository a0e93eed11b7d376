// A message that repeats one whose answer was lost: stored, marked and held from billing in one transaction.
import type { IncomingRequest } from '@tollgate/smpp/session/handlers.ts'
import type { Session } from '@tollgate/smpp/session/session.ts'
import { commandStatus } from '@tollgate/smpp/values/command-status.ts'
import type { Db } from '../../platform/db.ts'
import type { Logger } from '../../platform/log.ts'
import { transaction } from '../../platform/transaction.ts'
import { changeRecords, recordFlags, type IngestMessage, type RecordKey } from '../../records/index.ts'
import type { Bind } from '../binds/bind.ts'
import type { MessageStore } from '../needs.ts'
import type { LostAnswers } from './lost-answers.ts'
import { addDuplicate, addUnanswered, claimRepetition, type Unanswered } from './lost-store.ts'

export interface RepeatedParts {
  readonly db: Db
  readonly log: Logger
  readonly messages: MessageStore
  readonly lost: LostAnswers
}

type Submit = Extract<IncomingRequest, { command: 'submit_sm' | 'data_sm' }>
type Repeated = IngestMessage & { readonly session: Session<Bind>; readonly request: Submit }

/** Stores the message and answers it. Never rejects. */
export async function storeRepeated(
  { db, log, messages, lost }: RepeatedParts,
  bind: Bind,
  message: Repeated,
  original: Unanswered,
): Promise<void> {
  const { session, request } = message
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
    if (stored === 'refused') session.respond(request, commandStatus.ESME_RINVDSTADR)
    else if (stored === 'taken') {
      if (messages.accept(message) === 'full') session.respond(request, commandStatus.ESME_RMSGQFUL)
    } else if (!session.respond(request, 0, stored.messageId))
      lost.note(bind.userId, message, request.body.tlvs, stored.key)
  } catch (error) {
    log.warn({ err: error, sessionId: session.id }, 'a repeated message could not be stored')
    session.respond(request, commandStatus.ESME_RMSGQFUL)
  }
}
