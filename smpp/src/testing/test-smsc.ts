// A small SMSC for tests: one account, and every message is answered with the next id.
import { type ServerOptions, type SmppServer, startServer } from '../net/server.ts'
import type { CloseReason, IncomingRequest, SessionFault } from '../session/session-types.ts'
import type { Session } from '../session/session.ts'

export interface TestSmsc {
  server: SmppServer<string>
  requests: IncomingRequest[]
  faults: SessionFault[]
  closes: CloseReason[]
  /** The newest bound session. */
  bound: () => Session<string>
}

/** Starts it on a free port. With `holdAnswers` the test answers the requests. */
export async function startTestSmsc(
  options: Partial<ServerOptions<string>> & { holdAnswers?: boolean } = {},
): Promise<TestSmsc> {
  const requests: IncomingRequest[] = []
  const faults: SessionFault[] = []
  const closes: CloseReason[] = []
  let bound: Session<string> | undefined
  const server = await startServer<string>({
    host: '127.0.0.1',
    port: 0,
    ...options,
    handlers: {
      onBind: (_session, bind) =>
        bind.password === 'secret'
          ? { accept: true, account: bind.systemId, systemId: 'gate' }
          : { accept: false, status: 0x0e },
      onBound(session) {
        bound = session
      },
      onRequest(session, request) {
        requests.push(request)
        if (options.holdAnswers !== true) session.respond(request, 0, `id-${requests.length}`)
      },
      onFault: (_session, fault) => faults.push(fault),
      onClosed: (_session, reason) => closes.push(reason),
      ...options.handlers,
    },
  })
  return {
    server,
    requests,
    faults,
    closes,
    bound() {
      if (bound === undefined) throw new Error('no session is bound')
      return bound
    },
  }
}
