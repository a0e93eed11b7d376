// `npm run peers`: drives other implementations of SMPP, and a storage that speaks S3, against a gateway of its own and
// writes docs/peers.md.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { cephRgw, deliversTo } from './ceph-rgw.ts'
import { complain, runCommand, say, UsageError } from '../src/platform/process/command.ts'
import { projectRoot } from '../src/platform/process/project.ts'
import { makePeerFolder } from './folder.ts'
import type { ExchangeDirection, Implementation, PeerProgram } from './define.ts'
import { exchange } from './exchange.ts'
import { openPeerGateway, type PeerGateway } from './test-gateway.ts'
import { kannel } from './kannel.ts'
import { netSmpp } from './net-smpp.ts'
import { npmSmpp } from './npm-smpp.ts'
import { bindsToIt, osmoMsc } from './osmo-msc.ts'
import { writePage, type PeerResult } from './page.ts'

const usage = `Usage: npm run peers
  --only NAME   only this peer, and the page stays as it is: npm-smpp, net-smpp, kannel, osmo-msc
                or ceph-rgw
It starts a gateway with a database of its own, exchanges messages with each peer in every direction, compares the octets,
and writes docs/peers.md. The exit status is 0 when everything was exact. Each peer must be installed.`

/** An implementation, and what drives it. */
interface Driven extends Implementation {
  readonly drive: (gateway: PeerGateway) => Promise<ExchangeDirection[]>
}

const exchanging = (peer: PeerProgram): Driven => ({ ...peer, drive: (gateway) => exchange(gateway, peer) })

const peers: Readonly<Record<string, Driven>> = {
  'npm-smpp': exchanging(npmSmpp),
  'net-smpp': exchanging(netSmpp),
  kannel: exchanging(kannel),
  'osmo-msc': { ...osmoMsc, drive: bindsToIt },
  'ceph-rgw': { ...cephRgw, drive: deliversTo },
}

function chosen(only: string | undefined): readonly Driven[] {
  if (only === undefined) return Object.values(peers)
  const peer = peers[only]
  if (peer === undefined) throw new UsageError(`There is no peer ${only}.`)
  return [peer]
}

/** The versions of all; says what to install and gives nothing when one is missing. */
async function versionsOf(all: readonly Driven[]): Promise<string[] | undefined> {
  const versions: string[] = []
  for (const peer of all) {
    const version = await peer.version()
    if (version === undefined) complain(`${peer.name} IS MISSING. Install it: ${peer.install}`)
    else versions.push(version)
  }
  return versions.length === all.length ? versions : undefined
}

async function drive(all: readonly Driven[], versions: readonly string[]): Promise<PeerResult[]> {
  const { folder, remove } = await makePeerFolder()
  const results: PeerResult[] = []
  try {
    const gateway = await openPeerGateway(folder)
    try {
      for (const [index, peer] of all.entries()) {
        const directions = await peer.drive(gateway)
        results.push({ name: peer.name, version: versions[index] ?? '', quirks: peer.quirks, directions })
        for (const { title, exchanged } of directions) {
          say(title)
          for (const { name, fault } of exchanged)
            say(`  ${fault === '' ? 'exact' : 'FAILED'}  ${name}${fault && `: ${fault}`}`)
        }
      }
    } finally {
      await gateway.stop()
    }
  } finally {
    await remove()
  }
  return results
}

async function run(only: string | undefined): Promise<number> {
  const all = chosen(only)
  const versions = await versionsOf(all)
  if (versions === undefined) return 1
  const results = await drive(all, versions)
  if (only === undefined) await writeFile(join(projectRoot, 'docs/peers.md'), writePage(results))
  const outcomes = results.flatMap(({ directions }) => directions).flatMap(({ exchanged }) => exchanged)
  const failed = outcomes.filter(({ fault }) => fault !== '').length
  say(`${outcomes.length - failed} exact, ${failed} failed.`)
  return failed === 0 ? 0 : 1
}

await runCommand({ usage, options: { only: { type: 'string' } }, run: ({ values }) => run(values.only) })
