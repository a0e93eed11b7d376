// Kannel as an operator runs it: a bearerbox that binds to us, a smsbox, and the service that the smsbox calls.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AddressInfo } from 'node:net'
import { freePort } from '../test/environment/free-port.ts'
import type { PeerAccount } from './define.ts'
import { KannelLog, textOf, type LoggedPdu } from './kannel-log.ts'
import { onFreePorts } from './on-free-ports.ts'
import { startPeer } from './peer-process.ts'

/** What the smsbox told its service: a message or a receipt. */
export interface KannelCall {
  readonly path: string
  /** The query as octets, each as one character. */
  readonly query: ReadonlyMap<string, string>
}

export interface KannelBoxes {
  readonly pdus: readonly LoggedPdu[]
  readonly calls: readonly KannelCall[]
  /** A message for the smsbox; the values are octets, each as one character. */
  send(values: Readonly<Record<string, string>>): Promise<void>
  /** Where the service is asked for `path`. */
  serviceUrl(path: string): string
  close(): Promise<void>
}

interface Ports {
  readonly admin: number
  readonly box: number
  readonly send: number
  readonly service: number
}

const configuration = (
  { port, systemId, password }: PeerAccount,
  ports: Ports,
  joins: boolean,
): string => `group = core
admin-port = ${ports.admin}
admin-password = none
smsbox-port = ${ports.box}
box-allow-ip = 127.0.0.1
log-level = 0
sms-combine-concatenated-mo = ${String(joins)}

group = smsc
smsc = smpp
smsc-id = tollgate
host = 127.0.0.1
port = ${port}
transceiver-mode = true
smsc-username = ${systemId}
smsc-password = ${password}
system-type = ""
reconnect-delay = 1

group = smsbox
bearerbox-host = 127.0.0.1
sendsms-port = ${ports.send}
max-pending-requests = 1

group = sendsms-user
username = peer
password = peer
max-messages = 20
concatenation = true

group = sms-service
keyword = default
catch-all = true
max-messages = 0
get-url = "http://127.0.0.1:${ports.service}/message?charset=%C&text=%b"
`

const escapeOctets = (text: string): string =>
  [...Buffer.from(text, 'latin1')].map((octet) => `%${octet.toString(16).padStart(2, '0')}`).join('')

const unescapeOctets = (text: string): string =>
  text
    .replaceAll('+', ' ')
    .replaceAll(/%([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)))

function callOf(url: string): KannelCall {
  const [path = '', query = ''] = url.split('?')
  const pairs = query.split('&').map((pair) => pair.split('=').map(unescapeOctets))
  return { path, query: new Map(pairs.map(([name = '', value = '']) => [name, value])) }
}

async function startService() {
  const calls: KannelCall[] = []
  const server = createServer((request, response) => {
    calls.push(callOf(request.url ?? ''))
    response.end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { calls, port: (server.address() as AddressInfo).port, close: () => server.close() }
}

/** Settles once it is bound and the smsbox is there; `joins` lets it join long messages. */
export function startKannel(account: PeerAccount, { joins } = { joins: false }): Promise<KannelBoxes> {
  return onFreePorts(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tollgate-kannel-'))
    const service = await startService()
    const ports = {
      admin: await freePort(),
      box: await freePort(),
      send: await freePort(),
      service: service.port,
    }
    const path = join(folder, 'kannel.conf')
    await writeFile(path, configuration(account, ports, joins))
    const pdus: LoggedPdu[] = []
    const log = new KannelLog((pdu) => pdus.push(pdu))
    let boxLines = ''
    const bearerbox = startPeer({
      command: 'bearerbox',
      args: [path],
      folder,
      onLine(line) {
        log.hear(line)
        if (!line.includes('DEBUG')) boxLines += `${line}\n`
      },
    })
    const smsboxes: ReturnType<typeof startPeer>[] = []
    const close = async () => {
      for (const each of [...smsboxes, bearerbox]) await each.close()
      service.close()
      await rm(folder, { recursive: true, force: true })
    }
    try {
      const isBound = () =>
        pdus.some(
          ({ name, fields }) => name === 'bind_transceiver_resp' && fields.get('command_status') === '0',
        )
      await bearerbox.readyWhen(isBound, 'Kannel did not bind')
      let smsboxLines = ''
      const smsbox = startPeer({
        command: 'smsbox',
        args: [path],
        folder,
        onLine: (line) => (smsboxLines += `${line}\n`),
      })
      smsboxes.push(smsbox)
      const isThere = () =>
        boxLines.includes('Client connected') && smsboxLines.includes('Connected to bearerbox')
      await smsbox.readyWhen(isThere, 'Kannel’s smsbox did not start')
    } catch (error) {
      await close()
      throw error
    }
    const send = async (values: Readonly<Record<string, string>>) => {
      const query = Object.entries({ username: 'peer', password: 'peer', ...values })
        .map(([name, value]) => `${name}=${escapeOctets(value)}`)
        .join('&')
      const answer = await fetch(`http://127.0.0.1:${ports.send}/cgi-bin/sendsms?${query}`)
      if (answer.status !== 202) throw new Error(`Kannel refused a message: ${await answer.text()}`)
    }
    const serviceUrl = (name: string) => `http://127.0.0.1:${service.port}/${name}`
    return { pdus, calls: service.calls, send, serviceUrl, close }
  })
}

/** The ids of the answers to what was submitted, in the order of the messages; '' for one that was refused. */
export function answeredIds(pdus: readonly LoggedPdu[]): string[] {
  const sequenceOf = ({ fields }: LoggedPdu) => fields.get('sequence_number')
  return pdus
    .filter(({ way, name }) => way === 'Sending' && name === 'submit_sm')
    .flatMap((sent) => {
      const answer = pdus.find((pdu) => pdu.name === 'submit_sm_resp' && sequenceOf(pdu) === sequenceOf(sent))
      return answer === undefined ? [] : [textOf(answer, 'message_id')]
    })
}
