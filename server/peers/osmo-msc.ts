// osmo-msc as an SMSC that we bind to. Without a radio network it keeps what it takes; it logs the octets of
// each PDU that it gets.
import { execFile } from 'node:child_process'
import { access, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { projectRoot } from '../src/platform/process/project.ts'
import { freePort } from '../test/environment/free-port.ts'
import { outcome, type ExchangeDirection, type Exchanged, type Implementation } from './define.ts'
import { sentTexts } from './exchange.ts'
import type { PeerGateway } from './test-gateway.ts'
import { loadNpmSmpp, seenOf } from './npm-smpp.ts'
import { onFreePorts } from './on-free-ports.ts'
import { startPeer } from './peer-process.ts'
import { until } from './until.ts'

const run = promisify(execFile)
const password = 'secret12'

const configuration = (port: number): string => `log stderr
 logging filter all 1
 logging color 0
 logging level smpp debug
network
 network country code 1
 mobile network code 1
msc
 mgw remote-ip 127.0.0.1
smpp
 local-tcp-ip 127.0.0.1 ${port}
 system-id osmo
 policy closed
 esme tollgate
  password ${password}
  default-route
`

/** What makes it start on a kernel without SCTP; nothing where the kernel has it. */
async function environmentFor(folder: string): Promise<Record<string, string>> {
  try {
    await access('/proc/net/sctp')
    return {}
  } catch {
    const library = join(folder, 'sctp-as-tcp.so')
    await run('cc', ['-shared', '-fPIC', '-o', library, join(projectRoot, 'server/peers/sctp-as-tcp.c')])
    return { LD_PRELOAD: library }
  }
}

async function startOsmo() {
  return await onFreePorts(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tollgate-osmo-'))
    const port = await freePort()
    const path = join(folder, 'osmo-msc.cfg')
    await writeFile(path, configuration(port))
    const lines: string[] = []
    const program = startPeer({
      command: 'osmo-msc',
      args: ['-c', path],
      folder,
      environment: await environmentFor(folder),
      onLine: (line) => lines.push(line),
    })
    const close = async () => {
      await program.close()
      await rm(folder, { recursive: true, force: true })
    }
    const hears = (text: string) => lines.some((line) => line.includes(text))
    try {
      await program.readyWhen(() => hears('SMPP at') && hears('A-interface:'), 'osmo-msc did not start')
    } catch (error) {
      await close()
      throw error
    }
    const received = () =>
      lines.flatMap((line) => {
        const octets = /smpp_pdu_rx\(([0-9a-f ]+)\)/.exec(line)?.[1]
        return octets === undefined ? [] : [Buffer.from(octets.replaceAll(' ', ''), 'hex')]
      })
    return { port, hears, received, close }
  })
}

interface Link {
  readonly id: string
  readonly status: string
  readonly lastErrorCode: number | null
}

type Osmo = Awaited<ReturnType<typeof startOsmo>>

/** Binds with a wrong and with the right password, sends texts and unbinds. */
export async function bindsToIt(gateway: PeerGateway): Promise<ExchangeDirection[]> {
  const osmo = await startOsmo()
  try {
    return [{ title: 'we bind to osmo-msc as an SMSC', exchanged: await exchanged(gateway, osmo) }]
  } finally {
    await osmo.close()
  }
}

async function exchanged(gateway: PeerGateway, osmo: Osmo): Promise<Exchanged[]> {
  const path = '/api/smpp-connections'
  const connect = (secret: string) =>
    gateway.call<Link>('POST', path, {
      name: `osmo-msc ${secret}`,
      host: '127.0.0.1',
      port: osmo.port,
      systemId: 'tollgate',
      password: secret,
      enquireLinkSeconds: 5,
    })
  const linkOf = async (id: string) =>
    (await gateway.call<Link[]>('GET', path)).find((link) => link.id === id)
  const wrong = await connect('other123')
  await until(async () => (await linkOf(wrong.id))?.lastErrorCode !== null)
  const refused = await linkOf(wrong.id)
  await gateway.call('DELETE', `${path}/${wrong.id}`)
  const { id } = await connect(password)
  await until(async () => (await linkOf(id))?.status === 'connected')
  const bound = await linkOf(id)
  await until(() => osmo.hears('Rx Enquire Link'))
  const probed = await linkOf(id)
  const rows = [
    outcome('a wrong password is refused, and its status shows', refused?.lastErrorCode === 0x0e, refused),
    outcome('a bind as a transceiver', bound?.status === 'connected', bound),
    outcome(
      'our enquire_link is answered, and the bind stays',
      osmo.hears('Tx Enquire Link Response') && probed?.status === 'connected',
      probed,
    ),
    ...(await sendTexts(gateway, osmo, `${path}/${id}`)),
  ]
  await gateway.call('DELETE', `${path}/${id}`)
  await until(() => osmo.hears('Rx UNBIND'))
  return [...rows, outcome('a link that is deleted unbinds', osmo.hears('Rx UNBIND'), 'no unbind came')]
}

async function sendTexts(gateway: PeerGateway, osmo: Osmo, link: string): Promise<Exchanged[]> {
  const { destination } = await gateway.account()
  for (const { source, text } of sentTexts)
    await gateway.call('POST', `${link}/send`, { from: source, to: destination, text })
  const sends = () => gateway.call<{ status: string }[]>('GET', `${link}/sends`)
  await until(async () => {
    const all = await sends()
    return (
      all.length === sentTexts.length && all.every(({ status }) => status === 'sent' || status === 'failed')
    )
  })
  const library = await loadNpmSmpp()
  // submit_sm is command 4 (SMPP 3.4 §5.1.2.1).
  const seen = osmo
    .received()
    .filter((octets) => octets.readUInt32BE(4) === 4)
    .map((octets) => seenOf(new library.PDU(octets)))
  const states = (await sends()).map(({ status }) => status)
  return [
    ...sentTexts.map(({ text, hex, coding }) => {
      const found = seen.find((each) => each.hex === hex)
      const isExact = found?.coding === coding && found.text === text
      return outcome(`to it: ${text}`, isExact, found ?? 'did not arrive')
    }),
    outcome(
      'each is accepted, though all answers carry the same id',
      states.length === sentTexts.length && states.every((state) => state === 'sent'),
      states,
    ),
  ]
}

export const osmoMsc: Implementation = {
  name: 'osmo-msc',
  install: 'apt-get install osmo-msc',
  quirks: [
    'A mobile switching centre: messages come from telephones and go to telephones, over a radio network that is not there. So a bind, a refused one, enquire_link, submit_sm and unbind are driven; it sends us no message and no receipt. The octets of what we send are those of its log.',
    'It answers every submit_sm with the id `msg_id_not_implemented`, so its receipts name no message.',
    'It starts only where it can open an SCTP socket. Where the kernel has no SCTP, this command compiles `server/peers/sctp-as-tcp.c` (it needs cc), which opens these sockets, to which nobody connects, as TCP.',
  ],
  async version() {
    try {
      const { stdout } = await run('osmo-msc', ['--version'])
      return /version (\S+)/.exec(stdout)?.[1]
    } catch {
      return undefined
    }
  },
}
