// A small SFTP server over files in memory, for tests: one user, a password or a key, and faults on order.
import { createHash } from 'node:crypto'
import { createServer, type AddressInfo } from 'node:net'
import ssh, { type Connection, type SFTPWrapper } from 'ssh2'
import { afterUse } from '../environment/database.ts'

const { OPEN_MODE, STATUS_CODE } = ssh.utils.sftp

/** What breaks at the next chance: the connection in the middle of a file, or the right to write. */
type SftpFault = 'cut' | 'denied'

export interface SftpServer {
  readonly port: number
  /** `SHA256:…` of its host key. */
  readonly hostKey: string
  /** The private key that may sign in as `cdr`. */
  readonly clientKey: string
  readonly files: Map<string, Buffer>
  readonly faults: SftpFault[]
  /** Names that a file had before it was whole. */
  readonly opened: string[]
  /** Called with where in its file each block begins, before it is kept. */
  onWrite: (offset: number) => void
}

type Served = Pick<SftpServer, 'files' | 'faults' | 'opened' | 'onWrite'>

export const sftpPassword = 'right password'

export async function openSftpServer({ hasPosixRename = true } = {}): Promise<SftpServer> {
  const [host, client] = [ssh.utils.generateKeyPairSync('ed25519'), ssh.utils.generateKeyPairSync('ed25519')]
  const parsed = ssh.utils.parseKey(host.private)
  const allowed = ssh.utils.parseKey(client.public)
  if (parsed instanceof Error || allowed instanceof Error) throw new Error('No key was made')
  const state: Served = { files: new Map(), faults: [], opened: [], onWrite: () => undefined }
  const connections = new Set<Connection>()
  const sshServer = new ssh.Server({ hostKeys: [host.private] }, (connection) => {
    connections.add(connection)
    connection.on('error', () => undefined).on('close', () => connections.delete(connection))
    connection.on('authentication', (attempt) => {
      const isPassword = attempt.method === 'password' && attempt.password === sftpPassword
      const isKey =
        attempt.method === 'publickey' &&
        attempt.key.data.equals(allowed.getPublicSSH()) &&
        (attempt.signature === undefined ||
          allowed.verify(attempt.blob ?? Buffer.alloc(0), attempt.signature, attempt.hashAlgo) === true)
      if (attempt.username === 'cdr' && (isPassword || isKey)) attempt.accept()
      else attempt.reject(['password', 'publickey'])
    })
    connection.on('session', (accept) =>
      accept().on('sftp', (acceptSftp) => serve(acceptSftp(), state, hasPosixRename, () => connection.end())),
    )
  })
  // Answers are small, too: its own listener would hold each back for 40 ms.
  const server = createServer({ noDelay: true }, (socket) => sshServer.injectSocket(socket))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterUse(async () => {
    for (const connection of connections) connection.end()
    await new Promise<void>((resolve) => server.close(() => resolve()))
  })
  return Object.assign(state, {
    port: (server.address() as AddressInfo).port,
    hostKey: `SHA256:${createHash('sha256').update(parsed.getPublicSSH()).digest('base64').replace(/=+$/, '')}`,
    clientKey: client.private,
  })
}

function serve(sftp: SFTPWrapper, state: Served, hasPosixRename: boolean, cut: () => void): void {
  const { files, faults, opened } = state
  const handles = new Map<number, string>()
  const isNext = (fault: SftpFault) => faults[0] === fault && faults.shift() !== undefined
  const nameOf = (handle: Buffer) => handles.get(handle.readUInt32BE(0)) ?? ''
  const rename = (id: number, from: string, to: string, replaces: boolean) => {
    const content = files.get(from)
    if (content === undefined) return sftp.status(id, STATUS_CODE.NO_SUCH_FILE)
    if (!replaces && files.has(to)) return sftp.status(id, STATUS_CODE.FAILURE)
    files.delete(from)
    files.set(to, content)
    return sftp.status(id, STATUS_CODE.OK)
  }
  const stat = (id: number, path: string) => {
    const size = files.get(path)?.length
    if (size === undefined) return sftp.status(id, STATUS_CODE.NO_SUCH_FILE)
    return sftp.attrs(id, { mode: 0o100_644, uid: 0, gid: 0, size, atime: 0, mtime: 0 })
  }
  sftp.on('OPEN', (id, path, flags) => {
    if (isNext('denied')) return sftp.status(id, STATUS_CODE.PERMISSION_DENIED)
    if ((flags & OPEN_MODE.WRITE) !== 0) {
      opened.push(path)
      files.set(path, Buffer.alloc(0))
    } else if (!files.has(path)) return sftp.status(id, STATUS_CODE.NO_SUCH_FILE)
    const handle = Buffer.alloc(4)
    handle.writeUInt32BE(handles.size)
    handles.set(handles.size, path)
    return sftp.handle(id, handle)
  })
  sftp.on('WRITE', (id, handle, offset, data) => {
    if (isNext('cut')) return cut()
    state.onWrite(offset)
    const before = files.get(nameOf(handle)) ?? Buffer.alloc(0)
    const after = Buffer.alloc(Math.max(before.length, offset + data.length))
    before.copy(after)
    data.copy(after, offset)
    files.set(nameOf(handle), after)
    return sftp.status(id, STATUS_CODE.OK)
  })
  sftp.on('READ', (id, handle, offset, length) => {
    const piece = files.get(nameOf(handle))?.subarray(offset, offset + length)
    if (piece === undefined || piece.length === 0) return sftp.status(id, STATUS_CODE.EOF)
    return sftp.data(id, piece)
  })
  sftp.on('FSETSTAT', (id) => sftp.status(id, STATUS_CODE.OK))
  sftp.on('FSTAT', (id, handle) => stat(id, nameOf(handle)))
  sftp.on('STAT', stat)
  sftp.on('CLOSE', (id) => sftp.status(id, STATUS_CODE.OK))
  sftp.on('MKDIR', (id) => sftp.status(id, STATUS_CODE.OK))
  sftp.on('REMOVE', (id, path) =>
    sftp.status(id, files.delete(path) ? STATUS_CODE.OK : STATUS_CODE.NO_SUCH_FILE),
  )
  sftp.on('RENAME', (id, from, to) => rename(id, from, to, false))
  sftp.on('EXTENDED', (id, name, data) => {
    if (!hasPosixRename || name !== 'posix-rename@openssh.com')
      return sftp.status(id, STATUS_CODE.OP_UNSUPPORTED)
    const length = data.readUInt32BE(0)
    return rename(id, data.subarray(4, 4 + length).toString(), data.subarray(8 + length).toString(), true)
  })
}
