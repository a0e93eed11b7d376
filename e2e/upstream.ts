// The other side of our links: upstreams that we bind to and webhook receivers that we deliver to.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import smpp from 'smpp'

export interface Upstream {
  readonly port: number
  /** The texts that it received. */
  readonly texts: string[]
  /** The passwords of all binds. */
  readonly passwords: string[]
  /** Its answer to the next bind: 0 accepts, 14 is a wrong password. */
  bindStatus: number
  close(): void
}

/** An SMSC made of the npm package "smpp". */
export async function startUpstream(): Promise<Upstream> {
  const sessions = new Set<smpp.Session>()
  const server = smpp.createServer((session) => {
    sessions.add(session)
    // The end of a test closes the links. That is not a failure.
    session.on('error', () => session.destroy())
    session.on('close', () => sessions.delete(session))
    session.on('bind_transceiver', (pdu) => {
      gateway.passwords.push(String(pdu['password']))
      session.send(pdu.response({ command_status: gateway.bindStatus, system_id: 'outside' }))
    })
    session.on('enquire_link', (pdu) => session.send(pdu.response()))
    session.on('unbind', (pdu) => session.send(pdu.response()))
    session.on('submit_sm', (pdu) => {
      const { message } = pdu['short_message'] as { message: string }
      gateway.texts.push(message)
      session.send(pdu.response({ message_id: `m${gateway.texts.length}` }))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const gateway: Upstream = {
    port: server.address().port,
    texts: [],
    passwords: [],
    bindStatus: 0,
    close() {
      for (const session of sessions) session.destroy()
      server.close()
    },
  }
  return gateway
}

export interface WebhookReceiver {
  readonly url: string
  /** The types of the events that it received. */
  readonly types: string[]
  /** The HTTP status of its answers, and their headers. */
  status: number
  headers: Record<string, string>
  close(): void
}

/** A webhook receiver. */
export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      address.types.push((JSON.parse(Buffer.concat(chunks).toString()) as { type: string }).type)
      response.writeHead(address.status, address.headers).end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address: WebhookReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    types: [],
    status: 204,
    headers: {},
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
  return address
}
