// Ceph's gateway for S3's protocol, as a storage that CDR files leave to: on a cluster of one monitor and one OSD, which
// keeps everything in memory.
import { execFile } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { AwsV4Signer } from 'aws4fetch'
import type { Upload } from '../src/cdr/destinations/destination.ts'
import { openS3 } from '../src/cdr/destinations/s3.ts'
import { createEgress, type Egress } from '../src/platform/security/egress.ts'
import { freePort } from '../test/environment/free-port.ts'
import { outcome, type ExchangeDirection, type Exchanged, type Implementation } from './define.ts'
import { makePeerFolder } from './folder.ts'
import { onFreePorts } from './on-free-ports.ts'
import { startPeer, type PeerProcess } from './peer-process.ts'
import { until } from './until.ts'

const run = promisify(execFile)
const key = { accessKeyId: 'TOLLGATE', secretAccessKey: 'a/secret+with/every=sign' }
const [region, bucket] = ['eu-central-1', 'records']

const configuration = (
  folder: string,
  ports: { readonly mon: number; readonly rgw: number },
): string => `[global]
fsid = ${randomUUID()}
mon host = 127.0.0.1:${ports.mon}
public addr = 127.0.0.1
keyring = ${folder}/keyring
run dir = ${folder}
admin socket = ${folder}/$name.asok
log file = ${folder}/$name.log
mon data = ${folder}/mon
mon data avail crit = 1
mon allow pool size one = true
osd data = ${folder}/osd
osd objectstore = memstore
memstore device bytes = 1073741824
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 8
osd crush chooseleaf type = 0
rgw data = ${folder}/rgw
rgw frontends = beast endpoint=127.0.0.1:${ports.rgw}
`

/** Starts all three programs; settles when the gateway answers. */
async function startCeph(folder: string) {
  const ports = { mon: await freePort(), rgw: await freePort() }
  const url = `http://127.0.0.1:${ports.rgw}`
  const [settings, keyring, map] = ['ceph.conf', 'keyring', 'monmap'].map((name) => join(folder, name))
  const text = configuration(folder, ports)
  await writeFile(settings ?? '', text)
  await Promise.all(['mon', 'osd', 'rgw'].map((name) => mkdir(join(folder, name), { recursive: true })))
  const programs: PeerProcess[] = []
  const settled = ['-c', settings ?? '']
  const admin = [...settled, '-n', 'client.admin', '--keyring', keyring ?? '']
  const start = (command: string, args: readonly string[]) =>
    programs.push(startPeer({ command, args: [...args, '-f'], folder, onLine: () => undefined }))
  const ceph = (...args: string[]) => run('ceph', [...admin, ...args], { timeout: 30_000 })
  const makeKey = (name: string, more: readonly string[], caps: readonly string[]) =>
    run('ceph-authtool', [...more, keyring ?? '', '--gen-key', '-n', name, ...caps])
  const close = async () => {
    for (const program of programs.toReversed()) await program.close()
  }
  try {
    const everything = ['--cap', 'mon', 'allow *', '--cap', 'osd', 'allow *']
    await makeKey('mon.', ['--create-keyring'], ['--cap', 'mon', 'allow *'])
    await makeKey('client.admin', [], everything)
    await makeKey('osd.0', [], everything)
    const cluster = /^fsid = (.*)$/m.exec(text)?.[1] ?? ''
    await run('monmaptool', [
      '--create',
      '--add',
      'a',
      `127.0.0.1:${ports.mon}`,
      '--fsid',
      cluster,
      map ?? '',
    ])
    await run('ceph-mon', [
      ...settled,
      '--mkfs',
      '-i',
      'a',
      '--monmap',
      map ?? '',
      '--keyring',
      keyring ?? '',
    ])
    start('ceph-mon', [...settled, '-i', 'a'])
    const disk = randomUUID()
    await ceph('osd', 'new', disk)
    await run('ceph-osd', [...settled, '-i', '0', '--mkfs', '--osd-uuid', disk])
    await ceph('osd', 'crush', 'add', 'osd.0', '1.0', 'root=default', 'host=localhost')
    start('ceph-osd', [...settled, '-i', '0'])
    await until(async () => (await ceph('osd', 'stat')).stdout.includes('1 up'), 'The OSD was not up')
    start('radosgw', admin)
    const answers = () =>
      fetch(url).then(
        ({ ok }) => ok,
        () => false,
      )
    for (let patience = 0; patience < 4 && !(await answers()); patience += 1) await until(answers)
    const { accessKeyId, secretAccessKey } = key
    const person = ['--uid=tollgate', '--display-name=Tollgate', '--access-key', accessKeyId]
    await run('radosgw-admin', [...admin, 'user', 'create', ...person, '--secret-key', secretAccessKey])
    return { url, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Calls the storage past our own code, but for the signature. */
async function ask(url: string, method: string, path: string): Promise<Response> {
  const signed = await new AwsV4Signer({ ...key, method, url: `${url}${path}`, service: 's3', region }).sign()
  return fetch(signed.url, { method, headers: signed.headers })
}

const contents: readonly (readonly [string, Buffer])[] = [
  ['acme-000001-20261125T2300Z.csv', Buffer.from('messageId\r\n01M85Y1SRY0000000000000400\r\n')],
  ['empty.csv', Buffer.alloc(0)],
  ['blanks and (signs)+=%&ä.csv', Buffer.from('odd')],
  ['in three parts.csv', Buffer.alloc(12 * 1024 ** 2 + 7, 'a line of a file\n')],
]

async function uploadOf(folder: string, name: string, content: Buffer): Promise<Upload> {
  const sha256 = createHash('sha256').update(content).digest('hex')
  const path = join(folder, sha256)
  await writeFile(path, content)
  return { name, path, sizeBytes: content.length, sha256 }
}

async function deliverTo(url: string, folder: string, egress: Egress): Promise<Exchanged[]> {
  const { signal } = new AbortController()
  const target = { type: 's3' as const, endpoint: url, region, bucket, path: 'cdr/acme' }
  const { accessKeyId, secretAccessKey } = key
  const right = { ...target, accessKeyId }
  const put = (upload: Upload, to = right, secret = secretAccessKey) =>
    openS3(egress, to, secret, signal).put(upload)
  const rows: Exchanged[] = []
  // What an attempt left that was killed.
  const left = encodeURIComponent('in three parts.csv')
  await ask(url, 'PUT', `/${bucket}`)
  await ask(url, 'POST', `/${bucket}/cdr/acme/${left}?uploads=`)
  for (const [name, content] of contents) {
    await put(await uploadOf(folder, name, content))
    const stored = await ask(url, 'GET', `/${bucket}/cdr/acme/${encodeURIComponent(name)}`)
    const bytes = Buffer.from(await stored.arrayBuffer())
    rows.push(outcome(`${name}, ${content.length} octets`, bytes.equals(content), `${stored.status}`))
  }
  const unfinished = await (await ask(url, 'GET', `/${bucket}?uploads=`)).text()
  rows.push(
    outcome('an upload that was left unfinished is given up', !unfinished.includes('<UploadId>'), unfinished),
  )
  const small = await uploadOf(folder, 'refused.csv', Buffer.from('small'))
  const refusals: readonly (readonly [string, string, () => Promise<void>])[] = [
    ['a wrong secret', 'SignatureDoesNotMatch', () => put(small, right, 'wrong')],
    ['an unknown key', 'InvalidAccessKeyId', () => put(small, { ...right, accessKeyId: 'NOBODY' })],
    ['a bucket that is not there', 'NoSuchBucket', () => put(small, { ...right, bucket: 'nowhere' })],
    [
      'content that was damaged',
      'XAmzContentSHA256Mismatch',
      () => put({ ...small, sha256: 'a'.repeat(64) }),
    ],
  ]
  for (const [name, code, refused] of refusals) {
    const said = await refused().then(() => 'taken', String)
    rows.push(outcome(`${name} is refused`, said.includes(code), said))
  }
  return rows
}

/** Sends files to it and reads them back. */
export async function deliversTo(): Promise<ExchangeDirection[]> {
  const { folder, remove } = await makePeerFolder()
  const egress = createEgress(['127.0.0.0/8'])
  try {
    const { url, close } = await onFreePorts(() => startCeph(folder))
    try {
      return [{ title: 'our CDR files leave to it', exchanged: await deliverTo(url, folder, egress) }]
    } finally {
      await close()
    }
  } finally {
    await egress.close()
    await remove()
  }
}

export const cephRgw: Implementation = {
  name: 'Ceph RGW',
  install: 'apt-get install --no-install-recommends radosgw ceph-mon ceph-osd ceph-common',
  quirks: [
    'No SMPP: a storage that speaks the protocol of S3. Files are read back past our own code, but for the signature.',
    'It takes any region.',
  ],
  async version() {
    try {
      await run('ceph-osd', ['--version'])
      const { stdout } = await run('radosgw', ['--version'])
      return /version (\S+)/.exec(stdout)?.[1]
    } catch {
      return undefined
    }
  },
}
