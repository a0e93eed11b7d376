// SMPP 3.4 §4.8: query_sm, the state of a message for the account that sent it.
import type { RecordStatus } from '@tollgate/contract/vocabulary.ts'
import { recordStatuses } from '@tollgate/contract/vocabulary.ts'
import type { IncomingRequest } from '@tollgate/smpp/session/session-types.ts'
import type { Session } from '@tollgate/smpp/session/session.ts'
import { commandStatus } from '@tollgate/smpp/values/command-status.ts'
import { isFinalState, messageState } from '@tollgate/smpp/values/message-state.ts'
import { formatAbsoluteTime } from '@tollgate/smpp/values/time.ts'
import type { Db } from '../../platform/db.ts'
import type { Logger } from '../../platform/log.ts'
import { parseMessageId } from '../../ingest/index.ts'
import type { Bind } from '../binds/bind.ts'
import { readStyledId } from '../message/message-id-style.ts'
import { keyOfStyledId, ownRecord } from './views.ts'

type QueryRequest = Extract<IncomingRequest, { command: 'query_sm' }>

const states: Readonly<Record<RecordStatus, number>> = {
  pending: messageState.ENROUTE,
  in_progress: messageState.ENROUTE,
  completed: messageState.DELIVERED,
  reported: messageState.DELIVERED,
  failed: messageState.UNDELIVERABLE,
  no_report: messageState.EXPIRED,
}

/** Answers a query. An unknown id and another account's id get the same 0x67, so that nobody learns which ids exist. */
export async function answerQuery(
  session: Session<Bind>,
  request: QueryRequest,
  bind: Bind,
  { db, log }: { readonly db: Db; readonly log: Logger },
): Promise<void> {
  const { messageId } = request.body
  let record: Awaited<ReturnType<typeof ownRecord>>
  try {
    // An id from before a change of the form is still one of ours.
    const styled = readStyledId(messageId, bind.idStyle)
    const key = parseMessageId(messageId) ?? (styled && (await keyOfStyledId(db, styled)))
    record = key === undefined ? undefined : await ownRecord(db, key, bind.userId)
  } catch (error) {
    log.warn({ err: error, sessionId: session.id }, 'a query could not be answered')
    session.respond(request, commandStatus.ESME_RSYSERR)
    return
  }
  const status = record === undefined ? undefined : recordStatuses[record.status]
  if (record === undefined || status === undefined) {
    session.respond(request, commandStatus.ESME_RQUERYFAIL)
    return
  }
  const state = states[status]
  session.respondWith(request, {
    messageId,
    finalDate: isFinalState(state) ? formatAbsoluteTime(record.updatedAt.getTime()) : '',
    messageState: state,
    errorCode: 0,
  })
}
