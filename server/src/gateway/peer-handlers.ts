// Handles the events of peers' sessions: passes each to the folder that owns it.
import type { CloseReason, IncomingRequest } from '@tollgate/smpp/session/session-types.ts'
import type { Session, SessionHandlers } from '@tollgate/smpp/session/session.ts'
import { commandId } from '@tollgate/smpp/values/command-id.ts'
import { commandStatus } from '@tollgate/smpp/values/command-status.ts'
import type { Admission } from './binds/admit-bind.ts'
import type { Bind } from './binds/bind.ts'
import type { LiveBinds } from './binds/live-binds.ts'
import type { Deliveries } from './deliver/create-deliveries.ts'
import { deleteBinds } from './binds/store.ts'
import { answerQuery } from './inbound/query.ts'
import { submitMulti } from './inbound/submit-multi.ts'
import type { FlightRecorder } from './flight-recorder/recorder.ts'
import { submit, type SubmitDeps } from './inbound/submit.ts'
import { countRefusal } from './count-refusal.ts'
import { countPdu, sessionFaults, sessions } from './metrics.ts'

interface PeerHandlerDeps extends SubmitDeps {
  readonly admission: Admission
  readonly live: LiveBinds
  readonly deliveries: Pick<Deliveries, 'deliverer'>
  readonly flight: Pick<FlightRecorder, 'watch' | 'unwatch' | 'watchBind'>
}

// Causes that count as faults although no PDU was wrong: the peer was too slow, silent, not reading, or had too many
// sessions.
const faultyEnds: ReadonlySet<CloseReason['cause']> = new Set([
  'bind-timeout',
  'read-timeout',
  'enquire-link',
  'overflow',
  'limit',
  'flood',
  'socket',
])

/** Builds the handlers of the listening side. */
export function peerHandlers(deps: PeerHandlerDeps): SessionHandlers<Bind> {
  const { log, admission, live, messages } = deps
  const { deliverer } = deps.deliveries
  const { flight } = deps
  return {
    onBind: (session, request) => admission.judge(session, request),
    onBound(session, bind) {
      live.markBound(bind)
      flight.watch(`bind-${bind.userId}`, session)
      if (bind.mode !== 'transmitter') deliverer.bound(bind)
      sessions.inc({ direction: 'inbound', state: 'bound' })
      log.info(
        { sessionId: session.id, systemId: bind.systemId, mode: bind.mode, ip: bind.remoteAddress },
        'peer bound',
      )
    },
    // A peer that has its unbind_resp may bind again at once.
    onPeerUnbind: (session) => session.account && leave(deps, session.account),
    onRequest: (session, request, bind) => takeRequest(deps, session, request, bind),
    onLateResponse: (session, sequence, response) => deliverer.late(session, sequence, response),
    onPdu(session, id, direction, status) {
      countPdu(id, direction, status)
      // Before the PDU is captured, so that a refused bind can be shown.
      if (isBindRequest(id)) flight.watchBind(session)
    },
    onFault(session, fault, detail, status, frame) {
      sessionFaults.inc({ kind: fault })
      const bind = session.account
      if (bind !== undefined && status !== undefined)
        countRefusal(messages, bind.gatewayId, session, { fault, detail, status, frame })
      if (fault === 'handler-failed') log.error({ sessionId: session.id, fault, detail }, 'a session failed')
      else log.debug({ sessionId: session.id, fault }, 'a peer broke a rule')
    },
    onClosed(session, reason) {
      if (faultyEnds.has(reason.cause)) sessionFaults.inc({ kind: reason.cause })
      const bind = session.account
      if (bind === undefined) return
      void leave(deps, bind)
      flight.unwatch(`bind-${bind.userId}`, session)
      bind.answerTracker.sessionEnded(reason)
      deliverer.gone(bind)
      log.info(
        { sessionId: session.id, systemId: bind.systemId, by: reason.by, cause: reason.cause },
        'peer gone',
      )
    },
  }
}

/** A bind counts no more; the promise resolves once no node counts it. Only the first call for a bind does anything. */
async function leave({ db, log, live }: PeerHandlerDeps, bind: Bind): Promise<void> {
  const wasBound = live.bound.has(bind.id)
  if (!live.release(bind)) return
  if (wasBound) sessions.dec({ direction: 'inbound', state: 'bound' })
  await deleteBinds(db, [bind.id]).catch((error: unknown) =>
    log.warn({ err: error }, 'The row of a bind that ended is removed later'),
  )
}

/** These three are small numbers, so a message costs one comparison. */
function isBindRequest(id: number): boolean {
  return (
    id <= commandId.bind_transceiver &&
    (id === commandId.bind_receiver || id === commandId.bind_transmitter || id === commandId.bind_transceiver)
  )
}

function takeRequest(
  deps: PeerHandlerDeps,
  session: Session<Bind>,
  request: IncomingRequest,
  bind: Bind,
): void {
  switch (request.command) {
    case 'submit_sm':
    case 'data_sm':
      bind.receivedCount += 1
      return submit(session, request, bind, deps)
    case 'submit_multi':
      bind.receivedCount += request.body.destinations.length
      return submitMulti(session, request, bind, deps)
    case 'query_sm':
      return void answerQuery(session, request, bind, deps)
    // A message is delivered as soon as it is stored, so it can no longer be cancelled or replaced.
    case 'cancel_sm':
      return void session.respond(request, commandStatus.ESME_RCANCELFAIL)
    case 'replace_sm':
      return void session.respond(request, commandStatus.ESME_RREPLACEFAIL)
    default:
      session.respond(request, commandStatus.ESME_RINVCMDID)
  }
}
