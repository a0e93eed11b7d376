// A webhook receiver on a real socket, with faults on order; it checks each signature as Standard Webhooks says.
import { createHmac } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll } from 'vitest'

/** What it answers: a status, with headers perhaps, or nothing at all, or whatever a function writes to the socket. */
export type ReceiverAnswer =
  | { readonly status: number; readonly headers?: Record<string, string> }
  | 'silence'
  | 'hang up'
  | ((socket: Socket) => unknown)

export interface ReceivedWebhook {
  readonly atMs: number
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly text: string
  // oxlint-disable-next-line typescript/no-explicit-any -- each test knows what it expects
  readonly body: any
  readonly id: string
}

/** Whether the signature is what somebody with the secret computes. */
export function isSigned({ headers, text }: ReceivedWebhook, secret: string): boolean {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${text}`
  return headers['webhook-signature'] === `v1,${createHmac('sha256', key).update(signed).digest('base64')}`
}

/** Listens until the test file ends; with a certificate, for https. */
export async function openReceiver(tls?: { readonly cert: string; readonly key: string }) {
  const received: ReceivedWebhook[] = []
  let scripted: ReceiverAnswer[] = []
  let usual: ReceiverAnswer = { status: 204 }
  const server = tls === undefined ? createServer() : createTlsServer(tls)
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString()
      const { headers, method = '', url: path = '' } = request
      const body = text === '' ? undefined : JSON.parse(text)
      received.push({
        atMs: Date.now(),
        method,
        path,
        headers,
        text,
        body,
        id: String(headers['webhook-id']),
      })
      const answer = scripted.shift() ?? usual
      if (typeof answer === 'function') answer(request.socket)
      else if (answer === 'hang up') request.socket.destroy()
      else if (answer !== 'silence') response.writeHead(answer.status, answer.headers).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    /** Answers of the next requests in order; then 204. */
    script: (...answers: ReceiverAnswer[]) => void (scripted = answers),
    /** The answer to every request that the script does not reach. */
    always: (answer: ReceiverAnswer) => void (usual = answer),
    /** Resolves when so many requests have come in all. */
    async until(count: number, patienceMs = 60_000) {
      for (const endMs = Date.now() + patienceMs; received.length < count; await sleep(20))
        if (Date.now() > endMs) throw new Error(`${received.length} requests came instead of ${count}`)
    },
  }
}
