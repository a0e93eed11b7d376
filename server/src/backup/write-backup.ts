// Writes a base backup as a folder that a gateway can start on, and checks each file against the server's manifest.
import { createHash, randomBytes, type Hash } from 'node:crypto'
import { chown, mkdir, open, readdir, rename, rm, stat, writeFile, type FileHandle } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { StartFailure } from '../platform/process/start-failure.ts'
import { takeBaseBackup, type BaseBackupOptions } from './base-backup.ts'
import { checkManifest, type CopiedFile } from './manifest.ts'
import { TarReader, type TarEntry, type TarSink } from './read-tar.ts'

export interface BackupOptions extends BaseBackupOptions {
  /** The folder of the backup: one that does not exist yet, or an empty one. */
  readonly folder: string
  /** The server's data folder; its owner also owns the copy. */
  readonly pgdata: string
}

export interface Backup {
  /** Absolute. Has the form of DATA_DIR. */
  readonly folder: string
  readonly files: number
  readonly bytes: number
}

/**
 * Makes the backup. The folder gets its name only when all is written, checked and on the disk, so a folder with the
 * name is complete. Throws StartFailure for a folder in use; what was written is then removed.
 */
export async function writeBackup(options: BackupOptions): Promise<Backup> {
  const folder = resolve(options.folder)
  if ((await readdir(folder).catch(() => [])).length > 0)
    throw new StartFailure(`${folder} is not empty. Give a folder that is not there yet.`)
  const owner = await stat(options.pgdata)
  const draft = `${folder}.draft-${randomBytes(4).toString('hex')}`
  await mkdir(draft, { recursive: true, mode: 0o711 })
  try {
    const copied = await writeFiles(options, join(draft, 'postgres', 'pgdata'), owner)
    const bytes = copied.reduce((sum, { size }) => sum + size, 0)
    // Replaces an empty folder, and fails on one that was filled meanwhile.
    await rename(draft, folder)
    await syncFolder(dirname(folder))
    return { folder, files: copied.length, bytes }
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    throw error
  }
}

interface Owner {
  readonly uid: number
  readonly gid: number
}

async function writeFiles(options: BackupOptions, pgdata: string, owner: Owner): Promise<CopiedFile[]> {
  const writer = new FolderWriter(pgdata, owner)
  await writer.start()
  let tar: TarReader | undefined
  const manifest: Buffer[] = []
  try {
    for await (const part of takeBaseBackup(options)) {
      if (part.kind === 'manifest') manifest.push(part.bytes)
      else if (part.kind === 'data') await tar?.write(part.bytes)
      else if (part.name === 'base.tar') tar = new TarReader(writer)
      else throw new Error(`The database has tablespaces, which an embedded one never has: ${part.name}`)
    }
    tar?.close()
  } finally {
    await writer.close()
  }
  const text = Buffer.concat(manifest).toString('utf8')
  checkManifest(text, writer.copied)
  await writer.finish(text)
  return writer.copied
}

/** Writes what a tar holds into a folder, hashes it, and flushes it. */
class FolderWriter implements TarSink {
  readonly copied: CopiedFile[] = []
  readonly #root: string
  readonly #owner: Owner
  readonly #folders: string[] = []
  #open: { readonly entry: TarEntry; readonly handle: FileHandle; readonly hash: Hash } | undefined

  constructor(root: string, owner: Owner) {
    this.#root = root
    this.#owner = owner
  }

  async start(): Promise<void> {
    await mkdir(dirname(this.#root), { mode: 0o711 })
    await this.#makeFolder(this.#root)
  }

  async begin(entry: TarEntry): Promise<void> {
    const path = join(this.#root, entry.name)
    if (entry.kind === 'link')
      throw new Error(`The database has a tablespace, which an embedded one never has: ${entry.name}`)
    if (entry.kind === 'folder') return this.#makeFolder(path)
    this.#open = { entry, handle: await open(path, 'wx', 0o600), hash: createHash('sha256') }
  }

  async data(bytes: Buffer): Promise<void> {
    this.#open?.hash.update(bytes)
    await this.#open?.handle.writeFile(bytes)
  }

  async end(): Promise<void> {
    if (this.#open === undefined) return
    const { entry, handle, hash } = this.#open
    await this.#give((uid, gid) => handle.chown(uid, gid))
    await handle.sync()
    await this.close()
    this.copied.push({ path: entry.name, size: entry.size, sha256: hash.digest('hex') })
  }

  /** Closes the file that is open: there is one after a copy that broke off. */
  async close(): Promise<void> {
    const handle = this.#open?.handle
    this.#open = undefined
    await handle?.close()
  }

  /** The manifest goes beside the files, as PostgreSQL's own tools have it: pg_verifybackup reads it there. */
  async finish(manifest: string): Promise<void> {
    const path = join(this.#root, 'backup_manifest')
    await writeFile(path, manifest, { mode: 0o600, flush: true })
    await this.#give((uid, gid) => chown(path, uid, gid))
    for (const folder of this.#folders.toReversed()) await syncFolder(folder)
    await syncFolder(dirname(this.#root))
  }

  async #makeFolder(path: string): Promise<void> {
    await mkdir(path, { recursive: true, mode: 0o700 })
    await this.#give((uid, gid) => chown(path, uid, gid))
    this.#folders.push(path)
  }

  /** Root gives the files to the account that the database runs as; everybody else is that account already. */
  async #give(chownTo: (uid: number, gid: number) => Promise<void>): Promise<void> {
    if (process.getuid?.() === 0) await chownTo(this.#owner.uid, this.#owner.gid)
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
