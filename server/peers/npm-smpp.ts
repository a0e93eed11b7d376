// The npm package "smpp", in this process. It is a development dependency, so it is loaded when it is used.
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type smpp from 'smpp'
import { projectRoot } from '../src/platform/process/project.ts'
import type { Peer, PeerAccount } from './define.ts'
import { messages as known, type PeerMessage, type SeenMessage } from './messages.ts'
import { receiptOf } from './receipts.ts'
import { until } from './until.ts'

const load = async () => (await import('smpp')).default

const fieldsOf = (message: PeerMessage, destination: string) => ({
  source_addr_ton: message.sourceTon,
  source_addr_npi: 1,
  source_addr: message.source,
  dest_addr_ton: 1,
  dest_addr_npi: 1,
  destination_addr: destination,
  esm_class: message.esmClass,
  data_coding: message.coding,
  registered_delivery: message.registeredDelivery,
  short_message: Buffer.from(message.hex, 'hex'),
})

/** The package reads texts before anybody sees their octets: one that it read right has the octets of that text. */
function hexOf(pdu: smpp.Pdu): string {
  const { udh, message } = pdu['short_message'] as { udh?: Buffer[]; message: string | Buffer }
  if (Buffer.isBuffer(message) && udh === undefined) return message.toString('hex')
  if (Buffer.isBuffer(message)) return `header and ${message.toString('hex')}`
  const header = (udh ?? []).map((element) => element.toString('hex')).join('')
  const same = known.find(({ text, hex }) => text === message && hex.slice(2).startsWith(header))
  return same?.hex ?? Buffer.from(message, 'latin1').toString('hex')
}

const seenOf = (pdu: smpp.Pdu): SeenMessage => ({
  source: String(pdu['source_addr']),
  sourceTon: Number(pdu['source_addr_ton']),
  coding: Number(pdu['data_coding']),
  esmClass: Number(pdu['esm_class']),
  hex: hexOf(pdu),
})

async function bind({ port, systemId, password }: PeerAccount) {
  const library = await load()
  const session = library.connect({ host: '127.0.0.1', port })
  const seen: SeenMessage[] = []
  session.on('error', () => session.destroy())
  session.on('deliver_sm', (pdu) => {
    seen.push(seenOf(pdu))
    session.send(pdu.response())
  })
  session.on('enquire_link', (pdu) => session.send(pdu.response()))
  await once(session, 'connect')
  const answer = await new Promise<smpp.Pdu>((settle) =>
    session.bind_transceiver({ system_id: systemId, password }, settle),
  )
  if (answer.command_status !== 0) throw new Error(`npm smpp cannot bind: status ${answer.command_status}.`)
  return { session, seen, close: async () => session.destroy() }
}

export const npmSmpp: Peer = {
  name: 'npm smpp',
  install: 'npm install',
  quirks: [
    'It reads data_coding 0 as the GSM alphabet, as we send it.',
    'It shows a text after reading it: the octets of a received text are compared by the text that they make, headers and binary as they are.',
  ],
  async version() {
    try {
      const path = join(projectRoot, 'node_modules/smpp/package.json')
      return (JSON.parse(await readFile(path, 'utf8')) as { version: string }).version
    } catch {
      return undefined
    }
  },
  async submit(account, messages) {
    const { session, seen, close } = await bind(account)
    const ids: string[] = []
    for (const message of messages) {
      const answer = await new Promise<smpp.Pdu>((settle) =>
        session.submit_sm(fieldsOf(message, account.destination), settle),
      )
      ids.push(answer.command_status === 0 ? String(answer['message_id']) : '')
    }
    const delivered = () => seen.flatMap(receiptOf)
    await until(() => delivered().length > 0)
    await close()
    return { ids, delivered: delivered() }
  },
  receive: bind,
  async serve(messages, destination) {
    const library = await load()
    const seen: SeenMessage[] = []
    const sessions = new Set<smpp.Session>()
    const server = library.createServer((session) => {
      sessions.add(session)
      session.on('error', () => session.destroy())
      session.on('bind_transceiver', (pdu) => {
        session.send(pdu.response({ system_id: 'npm' }))
        for (const message of messages) session.deliver_sm(fieldsOf(message, destination), () => undefined)
      })
      session.on('enquire_link', (pdu) => session.send(pdu.response()))
      session.on('unbind', (pdu) => session.send(pdu.response()))
      session.on('submit_sm', (pdu) => {
        seen.push(seenOf(pdu))
        session.send(pdu.response({ message_id: `n${seen.length}` }))
      })
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const close = async () => {
      for (const session of sessions) session.destroy()
      server.close()
    }
    return { port: server.address().port, seen, close }
  },
}
