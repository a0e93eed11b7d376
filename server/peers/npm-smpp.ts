// The npm package "smpp", in this process. It is a development dependency, so it is loaded when it is used.
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type smpp from 'smpp'
import { projectRoot } from '../src/platform/process/project.ts'
import type { PeerProgram, PeerAccount } from './define.ts'
import type { PeerMessage, SeenMessage } from './messages.ts'
import { receiptOf } from './receipts.ts'
import { until } from './until.ts'

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

const keeping = new WeakSet<object>()
/** The octets of each message that the package decoded, by its PDU. */
const rawOctets = new WeakMap<object, Buffer>()

/** Loads the package, and lets each PDU keep the octets that its filter turns into a text. */
export const loadNpmSmpp = async () => {
  const library = (await import('smpp')).default
  const filter = library.filters.message
  if (!keeping.has(filter)) {
    keeping.add(filter)
    const { decode } = filter
    filter.decode = function keepOctets(this: object, value, skipsHeader) {
      if (Buffer.isBuffer(value)) rawOctets.set(this, Buffer.from(value))
      return decode.call(this, value, skipsHeader)
    }
  }
  return library
}
/** The octets as they came, and the header and text that the package made of them. */
export function seenOf(pdu: smpp.Pdu): SeenMessage {
  const { udh, message } = pdu['short_message'] as { udh?: Buffer[]; message: string | Buffer }
  const octets = rawOctets.get(pdu) ?? Buffer.alloc(0)
  const header = Buffer.concat(udh ?? [])
  // It leaves the length of the whole header out.
  const isHeaderRight = header.equals(octets.subarray(1, 1 + header.length))
  return {
    source: String(pdu['source_addr']),
    sourceTon: Number(pdu['source_addr_ton']),
    coding: Number(pdu['data_coding']),
    esmClass: Number(pdu['esm_class']),
    hex: isHeaderRight ? octets.toString('hex') : `header ${header.toString('hex')}`,
    text: typeof message === 'string' ? message : undefined,
  }
}

async function bind({ port, systemId, password }: PeerAccount) {
  const library = await loadNpmSmpp()
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

export const npmSmpp: PeerProgram = {
  name: 'npm smpp',
  install: 'npm install',
  quirks: [
    'It reads data_coding 0 as the GSM alphabet, as we send it.',
    'Its users get a text instead of octets: both are compared, and the header that it gives apart.',
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
    const library = await loadNpmSmpp()
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
