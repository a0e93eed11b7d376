// HAProxy and nginx from Debian's packages, with the configurations that docs/proxy/ shows: only addresses, ports and
// paths are put in for a machine that runs everything on its loopback.
import { execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import net from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll } from 'vitest'
import { firstCertificate } from '@tollgate/smpp/testing/certificates.ts'
import { projectRoot } from '../../src/platform/process/project.ts'
import { freePort } from '../environment/free-port.ts'
import { temporaryFolder } from '../environment/program.ts'

export type BalancerName = 'haproxy' | 'nginx'

export interface NodePorts {
  readonly smpp: number
  readonly smppTls: number
  readonly http: number
}

export interface Balancer {
  /** Where it listens, on 127.0.0.1. */
  readonly smpp: number
  readonly smppTls: number
  readonly https: number
}

// Heard as the file is read: vitest never calls an afterAll that a running test asks for.
const left: (() => Promise<unknown>)[] = []
afterAll(async () => {
  for (const end of left) await end()
})

/** Starts one before a gateway that listens on 127.0.0.1; it is ended after the test file. */
export async function startBalancer(name: BalancerName, node: NodePorts): Promise<Balancer> {
  const program = `/usr/sbin/${name}`
  if (!existsSync(program))
    throw new Error(
      `${program} is missing: this test starts it as docs/proxy/ says. On Debian, as root: apt-get install haproxy nginx libnginx-mod-stream.`,
    )
  const balancer = { smpp: await freePort(), smppTls: await freePort(), https: await freePort() }
  const folder = await temporaryFolder()
  const file = join(folder, `${name}.conf`)
  await writeFile(join(folder, 'gateway.crt'), firstCertificate.cert)
  await writeFile(join(folder, 'gateway.key'), firstCertificate.key)
  await writeFile(join(folder, 'gateway.pem'), firstCertificate.cert + firstCertificate.key)
  const shown = await readFile(join(projectRoot, 'docs/proxy', files[name]), 'utf8')
  await writeFile(file, onThisMachine(shown, folder, balancer, node))
  await promisify(execFile)(program, name === 'haproxy' ? ['-c', '-f', file] : ['-t', '-c', file])
  const child = spawn(program, name === 'haproxy' ? ['-db', '-f', file] : ['-c', file, '-g', 'daemon off;'], {
    stdio: ['ignore', 'ignore', 'inherit'],
    // nginx has children: the whole group is ended.
    detached: true,
  })
  const ended = new Promise((resolve) => child.once('close', resolve))
  left.push(async () => {
    child.kill('SIGTERM')
    if ((await Promise.race([ended, sleep(3_000, 'late')])) === 'late' && child.pid !== undefined)
      process.kill(-child.pid, 'SIGKILL')
    await ended
  })
  for (const port of Object.values(balancer)) await listening(port)
  return balancer
}

const files: Record<BalancerName, string> = { haproxy: 'haproxy.cfg', nginx: 'nginx.conf' }

function onThisMachine(shown: string, folder: string, balancer: Balancer, node: NodePorts): string {
  const places: readonly [shown: RegExp, here: string][] = [
    [/192\.0\.2\.10:2775/g, `127.0.0.1:${balancer.smpp}`],
    [/192\.0\.2\.10:3550/g, `127.0.0.1:${balancer.smppTls}`],
    [/192\.0\.2\.10:443/g, `127.0.0.1:${balancer.https}`],
    // Both nodes are the one there is.
    [/10\.0\.0\.1[12]:2775/g, `127.0.0.1:${node.smpp}`],
    [/10\.0\.0\.1[12]:3550/g, `127.0.0.1:${node.smppTls}`],
    [/10\.0\.0\.1[12]:8080/g, `127.0.0.1:${node.http}`],
    [/check port 8080/g, `check port ${node.http}`],
    [/\/etc\/(?:haproxy|nginx)\/(?=gateway\.)/g, `${folder}/`],
    [/\/run\/nginx\.pid/g, join(folder, 'nginx.pid')],
    [/\/var\/log\/nginx\//g, `${folder}/`],
    [/worker_processes auto/g, 'worker_processes 1'],
    // Fewer descriptors than this process has.
    [/(maxconn|worker_connections|worker_rlimit_nofile) \d+/g, '$1 1000'],
  ]
  return places.reduce((text, [from, to]) => text.replace(from, to), shown)
}

async function listening(port: number): Promise<void> {
  for (let tries = 0; tries < 100; tries += 1) {
    const isThere = await new Promise<boolean>((resolve) => {
      const socket = net.connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false))
      socket.on('connect', () => socket.destroy())
    })
    if (isThere) return
    await sleep(50)
  }
  throw new Error(`nothing listens on port ${port} after 5 s`)
}
