// Two servers that answer every submit_sm and store nothing: ours and the npm package smpp. Each opens a free port, prints
// it, and runs until its stdin closes.
import { createRequire } from 'node:module'
import { startServer } from '@tollgate/smpp/net/server.ts'

function announce(port: number): void {
  process.stdout.write(`${port}\n`)
  process.stdin.on('end', () => process.exit(0)).resume()
}

/** Our library: every field decoded, a message id for each, one write for each chunk. */
export async function serveOurs(): Promise<void> {
  let made = 0
  const server = await startServer<undefined>({
    host: '127.0.0.1',
    port: 0,
    handlers: {
      onBind: (_session, bind) => ({ accept: true, account: undefined, systemId: bind.systemId }),
      onRequest(session, request) {
        if (request.command === 'submit_sm') session.respond(request, 0, `id${made++}`)
        else session.respond(request, 3)
      },
    },
  })
  announce(server.port)
}

/** The npm package, used as in its documentation. */
export async function serveNpm(): Promise<void> {
  const smpp = createRequire(import.meta.url)('smpp') as {
    createServer(onSession: (session: NpmSession) => void): {
      listen(port: number, host: string, ready: () => void): void
      address(): { port: number }
    }
  }
  let made = 0
  const server = smpp.createServer((session) => {
    session.on('bind_transceiver', (pdu) => session.send(pdu.response()))
    session.on('submit_sm', (pdu) => session.send(pdu.response({ message_id: `id${made++}` })))
    session.on('error', () => session.destroy())
  })
  server.listen(0, '127.0.0.1', () => announce(server.address().port))
}

interface NpmPdu {
  response(fields?: object): NpmPdu
}
interface NpmSession {
  on(event: string, listener: (pdu: NpmPdu) => void): void
  send(pdu: NpmPdu): void
  destroy(): void
}
