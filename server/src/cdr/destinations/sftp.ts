// Delivers over SFTP: under a name that ends in .part, then renamed.
import { createHash, randomUUID } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import ssh, { type SFTPWrapper } from 'ssh2'
import type { CdrDestination } from '@tollgate/contract/cdr/cdr.ts'
import { keptText } from '@tollgate/contract/kept-texts.ts'
import { EgressRefused, OutsideFault, type Egress } from '../../platform/security/egress.ts'
import {
  DeliveryFault,
  hashOfParts,
  HostKeyFault,
  type DestinationSession,
  type Upload,
} from './destination.ts'

type Sftp = Extract<CdrDestination, { type: 'sftp' }>

const connectMs = 15_000
// Nothing was taken for so long: the server or the line is dead.
const silentMs = 30_000
// A window of 64 requests of 32 KiB fills a long line, and is all that is in memory.
const window = { concurrency: 64, chunkSize: 32_768 } as const

/** Connects and signs in. Throws HostKeyFault before any secret is sent when the server is not the one that was named. */
export async function openSftp(
  egress: Pick<Egress, 'resolve'>,
  to: Sftp,
  secret: string,
  signal: AbortSignal,
): Promise<DestinationSession> {
  const [{ address }] = await egress.resolve(to.host).catch((error: unknown) => {
    throw error instanceof EgressRefused || error instanceof OutsideFault
      ? new DeliveryFault(error.message, { cause: error })
      : error
  })
  // SFTP is small requests, each of which waits for its answer: held back for a fuller packet, each takes 40 ms more.
  const socket = connect({ host: address, port: to.port, noDelay: true })
  const client = new ssh.Client()
  const end = () => {
    client.end()
    socket.destroy()
  }
  signal.addEventListener('abort', end, { once: true })
  try {
    const sftp = await signIn(client, socket, to, secret)
    return sessionOn(client, sftp, to, () => {
      signal.removeEventListener('abort', end)
      end()
    })
  } catch (error) {
    signal.removeEventListener('abort', end)
    end()
    throw error
  }
}

function signIn(client: ssh.Client, socket: Socket, to: Sftp, secret: string): Promise<SFTPWrapper> {
  let shown = ''
  return new Promise((resolve, reject) => {
    const fail = (error: Error & { level?: string }) => {
      if (shown !== '' && shown !== to.hostKey) reject(hostKeyFault(to, shown))
      else reject(signInFault(error, to))
    }
    // A listener stays: a connection that breaks later must not end the gateway.
    client.on('error', fail)
    socket.on('error', fail)
    client.on('close', () => fail(new Error('The connection was closed')))
    client.on('ready', () =>
      client.sftp((error, sftp) => {
        if (error === undefined) resolve(sftp)
        else
          reject(
            new DeliveryFault('The server lets this account sign in, but has no SFTP for it.', {
              cause: error,
            }),
          )
      }),
    )
    try {
      client.connect({
        sock: socket,
        username: to.username,
        ...(to.signIn === 'key' ? { privateKey: secret } : { password: secret }),
        readyTimeout: connectMs,
        keepaliveInterval: silentMs / 3,
        keepaliveCountMax: 2,
        hostVerifier: (key: Buffer) => {
          shown = `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`
          return shown === to.hostKey
        },
      })
    } catch (error) {
      // Of a key that cannot be read.
      reject(
        new DeliveryFault(
          'The private key cannot be read: enter it as PEM or OpenSSH, without a passphrase.',
          {
            cause: error,
          },
        ),
      )
    }
  })
}

function hostKeyFault({ hostKey }: Sftp, shown: string): HostKeyFault {
  return new HostKeyFault(
    hostKey === ''
      ? keptText(
          'The server shows the host key {hostKey}. Compare it with what its operator says, then enter it in the schedule.',
          { hostKey: shown },
        )
      : keptText(
          'The server shows another host key, {hostKey}. Nothing was sent. Ask its operator before you enter the new one.',
          { hostKey: shown },
        ),
    shown,
  )
}

function signInFault(error: Error & { level?: string }, { signIn: by }: Sftp): DeliveryFault {
  const text =
    error.level === 'client-authentication'
      ? by === 'key'
        ? 'The server refuses the user name or the private key.'
        : 'The server refuses the user name or the password.'
      : error.level === 'client-timeout'
        ? 'The server did not answer in time.'
        : 'The server cannot be reached, or does not speak SSH. Check host and port.'
  return new DeliveryFault(text, { cause: error })
}

type Done<T> = (error?: Error | null, value?: T) => void
type Call = <T>(work: (done: Done<T>) => void) => Promise<T>

/** Calls of one connection. Each ends with the connection, which answers nothing more then. */
function callsOn(client: ssh.Client): Call {
  let fail: (error: Error) => void = () => undefined
  const ended = new Promise<never>((_, reject) => (fail = reject))
  ended.catch(() => undefined)
  client.on('close', () => fail(new DeliveryFault('The server closed the connection.')))
  return <T>(work: (done: Done<T>) => void) =>
    Promise.race([
      ended,
      new Promise<T>((resolve, reject) =>
        work((error, value) => (error == null ? resolve(value as T) : reject(error))),
      ),
    ])
}

function sessionOn(client: ssh.Client, sftp: SFTPWrapper, to: Sftp, end: () => void): DestinationSession {
  const call = callsOn(client)
  const folder = to.path === '' || to.path.endsWith('/') ? to.path : `${to.path}/`
  const remove = (path: string) => call<void>((done) => sftp.unlink(path, done))
  return {
    async put(file) {
      const part = `${folder}${file.name}.${randomUUID().slice(0, 8)}.part`
      try {
        await makeFolders(call, sftp, to.path)
        await send(call, sftp, file, part, end)
        await replace(call, sftp, part, `${folder}${file.name}`)
      } catch (error) {
        await remove(part).catch(() => undefined)
        throw asFault(error, to)
      }
    },
    hashOf: (name, sizeBytes) =>
      hashOfParts(readBack(call, sftp, { path: `${folder}${name}`, sizeBytes }, end)).catch(
        (error: unknown) => {
          throw asFault(error, to)
        },
      ),
    remove: (name) => remove(`${folder}${name}`),
    close: async () => end(),
  }
}

/** Sends all of it, and looks at the size that arrived. A server that takes nothing for too long is left. */
async function send(
  call: Call,
  sftp: SFTPWrapper,
  file: Upload,
  part: string,
  end: () => void,
): Promise<void> {
  const timer = setTimeout(end, silentMs)
  try {
    await call<void>((done) =>
      sftp.fastPut(file.path, part, { ...window, step: () => timer.refresh() }, done),
    )
    timer.refresh()
    const { size } = await call<ssh.Stats>((done) => sftp.stat(part, done))
    if (size !== file.sizeBytes)
      throw new DeliveryFault(
        keptText('Only {size} of {count} bytes arrived.', { size, count: file.sizeBytes }),
      )
  } finally {
    clearTimeout(timer)
  }
}

/** A file of this size, a window at a time. Throws DeliveryFault when it is shorter. */
async function* readBack(
  call: Call,
  sftp: SFTPWrapper,
  { path, sizeBytes }: { readonly path: string; readonly sizeBytes: number },
  end: () => void,
): AsyncGenerator<Buffer> {
  const timer = setTimeout(end, silentMs)
  try {
    const handle = await call<Buffer>((done) => sftp.open(path, 'r', done))
    const windowBytes = window.concurrency * window.chunkSize
    for (let from = 0; from < sizeBytes; from += windowBytes) {
      const bytes = Buffer.alloc(Math.min(windowBytes, sizeBytes - from))
      const places = Array.from({ length: Math.ceil(bytes.length / window.chunkSize) }, (_, nth) => ({
        at: nth * window.chunkSize,
        length: Math.min(window.chunkSize, bytes.length - nth * window.chunkSize),
      }))
      await Promise.all(
        places.map(async ({ at, length }) => {
          const count = await call<number>((done) => sftp.read(handle, bytes, at, length, from + at, done))
          if (count !== length) throw new DeliveryFault('What was sent is not there as a whole.')
        }),
      )
      timer.refresh()
      yield bytes
    }
    await call<void>((done) => sftp.close(handle, done))
  } finally {
    clearTimeout(timer)
  }
}

/** In one step where the server can; else the former file is removed first, as SFTP 3 renames over nothing. */
async function replace(call: Call, sftp: SFTPWrapper, from: string, to: string): Promise<void> {
  const rename = () => call<void>((done) => sftp.rename(from, to, done))
  try {
    await call<void>((done) => sftp.ext_openssh_rename(from, to, done))
  } catch {
    await rename().catch(async () => {
      await call<void>((done) => sftp.unlink(to, done)).catch(() => undefined)
      await rename()
    })
  }
}

async function makeFolders(call: Call, sftp: SFTPWrapper, path: string): Promise<void> {
  let made = path.startsWith('/') ? '/' : ''
  for (const name of path.split('/').filter(Boolean)) {
    made += name
    // One that is there cannot be made; one that is missing shows when the file is written.
    await call<void>((done) => sftp.mkdir(made, done)).catch(() => undefined)
    made += '/'
  }
}

// SFTP 3, §7.
const reasons: Readonly<Record<number, string>> = {
  2: 'The folder is not there and cannot be made. Ask the operator of the server to make it.',
  3: 'The account may not write there. Ask the operator of the server for the right to write.',
  4: 'The server could not store the file. Its disk may be full.',
}

function asFault(error: unknown, { path }: Sftp): unknown {
  const code = (error as { code?: unknown } | undefined)?.code
  if (error instanceof DeliveryFault) return error
  const reason = (typeof code === 'number' ? reasons[code] : undefined) ?? 'The server broke off.'
  return new DeliveryFault(
    path === ''
      ? keptText('{reason} Folder: the one it opens.', { reason })
      : keptText('{reason} Folder: {path}.', { reason, path }),
    { cause: error },
  )
}
