// The demo's outside world, in the suppliers' process: an SMSC that our connection binds to, an HTTP provider that is
// polled, and a receiver of webhooks. All are on loopback and run only in the demo.
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { z } from 'zod'
import { startServer } from '@tollgate/smpp/net/server.ts'
import type { Session } from '@tollgate/smpp/session/session.ts'
import { commandStatus } from '@tollgate/smpp/values/command-status.ts'
import { activityAt, makeMessage, pickNumber, type DemoNumber } from './messages.ts'

const host = '127.0.0.1'

/** The credentials that the SMSC and the provider require. */
export const credentialsSchema = z.object({ systemId: z.string(), password: z.string(), apiKey: z.string() })
export const portsSchema = z.object({ smsc: z.int(), provider: z.int(), receiver: z.int() })
export type OutsidePorts = z.infer<typeof portsSchema>

export interface OutsideOptions {
  readonly credentials: z.infer<typeof credentialsSchema>
  readonly numbers: readonly DemoNumber[]
}

export interface OutsideWorld {
  readonly ports: OutsidePorts
  /** Sends one message over the connection, and adds one row at the provider. */
  sendMessage(): void
  stop(): Promise<void>
}

/** Opens all three on free ports. */
export async function openOutside({ credentials, numbers }: OutsideOptions): Promise<OutsideWorld> {
  const smsc = await openSmsc(credentials)
  const rows: DemoProviderRow[] = []
  const provider = await listen(provide(rows, credentials.apiKey))
  const receiver = await listen(receive)
  return {
    ports: { smsc: smsc.port, provider: provider.port, receiver: receiver.port },
    sendMessage() {
      for (const part of makeMessage(pickNumber(numbers, Math.random), Math.random)) smsc.deliver(part)
      addRow(rows, pickNumber(numbers, Math.random))
    },
    async stop() {
      await Promise.all([smsc.stop(), provider.stop(), receiver.stop()])
    },
  }
}

async function openSmsc({ systemId, password }: OutsideOptions['credentials']) {
  const bound = new Set<Session<undefined>>()
  let sentCount = 0
  const server = await startServer<undefined>({
    host,
    port: 0,
    handlers: {
      onBind: (_session, bind) =>
        bind.systemId === systemId && bind.password === password
          ? { accept: true, account: undefined, systemId: 'demo-smsc' }
          : { accept: false, status: commandStatus.ESME_RINVPASWD },
      onBound: (session) => void bound.add(session),
      onClosed: (session) => void bound.delete(session),
      onRequest(session, request) {
        sentCount += 1
        session.respond(request, 0, request.command === 'submit_sm' ? `demo${sentCount}` : '')
      },
    },
  })
  return {
    port: server.port,
    deliver(part: ReturnType<typeof makeMessage>[number]) {
      const [session] = bound
      void session?.send('deliver_sm', {
        sourceAddrTon: 1,
        sourceAddrNpi: 1,
        sourceAddr: part.sender,
        destAddrTon: 1,
        destAddrNpi: 1,
        destinationAddr: part.digits,
        esmClass: part.esmClass,
        dataCoding: part.dataCoding,
        shortMessage: Buffer.from(part.octets),
      })
    },
    stop: () => server.stop(2_000),
  }
}

interface DemoProviderRow {
  readonly id: string
  readonly timestamp: string
  readonly number: string
  readonly sender: string
  readonly text: string
}

const rowsKept = 5_000
const pageSize = 200

function addRow(rows: DemoProviderRow[], number: string): void {
  const [part] = makeMessage(number, Math.random)
  if (part === undefined) return
  const id = randomUUID()
  rows.push({ id, timestamp: new Date().toISOString(), number, sender: part.sender, text: 'VOTE 3' })
  if (rows.length > rowsKept) rows.shift()
}

/** Serves rows in the default format: `since`, `cursor`, pages. */
function provide(rows: readonly DemoProviderRow[], apiKey: string): RequestListener {
  return (request, response) => {
    if (request.headers['x-api-key'] !== apiKey) return end(response, 401, { error: 'wrong key' })
    const { searchParams } = new URL(request.url ?? '', 'http://localhost')
    const since = searchParams.get('since') ?? ''
    const from = Number(searchParams.get('cursor') ?? 0)
    const found = rows.filter(({ timestamp }) => timestamp >= since)
    const next = from + pageSize
    end(response, 200, {
      records: found.slice(from, next),
      ...(next < found.length ? { nextCursor: String(next) } : {}),
    })
  }
}

/** Accepts webhooks; some are refused with 503, so that retries can be seen. */
function receive(request: IncomingMessage, response: ServerResponse): void {
  request.resume().on('end', () => end(response, Math.random() < 0.03 ? 503 : 200, {}))
}

function end(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

async function listen(listener: RequestListener) {
  const server = createServer(listener).listen(0, host)
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async stop() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}

/** The pause until the next message from outside, in ms; shorter in busy hours. */
export function outsidePauseMs(nowMs: number): number {
  return 15_000 / activityAt(nowMs)
}
