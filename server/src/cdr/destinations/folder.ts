// Delivers into a folder of this machine, below the one that the operator permits.
import { randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, open, readdir, realpath, rename, rm } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { DeliveryFault, hashOfParts, type DestinationSession, type Upload } from './destination.ts'

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'The gateway may not write there. Give its account the right to write.',
  EPERM: 'The gateway may not write there. Give its account the right to write.',
  EROFS: 'The disk is read-only. Mount it for writing, or choose another folder.',
  ENOSPC: 'The disk is full. Make room, or choose another folder.',
  EDQUOT: 'The disk quota is used up. Make room, or choose another folder.',
  ENOTDIR: 'A file stands in the way of the folder. Remove it, or choose another folder.',
  EEXIST: 'A file stands in the way of the folder. Remove it, or choose another folder.',
  ENOENT: 'The folder of CDR_DIR is not there. Make it, or mount its disk.',
}

function asFault(error: unknown): unknown {
  const code = (error as NodeJS.ErrnoException | undefined)?.code
  const reason = code === undefined ? undefined : reasons[code]
  return reason === undefined ? error : new DeliveryFault(reason, { cause: error })
}

/** `root` is CDR_DIR; `path` is relative to it and was checked to have no `..`. */
export async function openFolder(
  root: string | undefined,
  path: string,
  signal: AbortSignal,
): Promise<DestinationSession> {
  if (root === undefined)
    throw new DeliveryFault('Folders are not permitted: the operator must set CDR_DIR on every worker node.')
  const folder = await makeBelow(root, path).catch((error: unknown) => {
    throw asFault(error)
  })
  return {
    put: async (upload) => {
      await place(folder, upload, signal).catch((error: unknown) => {
        throw asFault(error)
      })
    },
    hashOf: (name) =>
      hashOfParts(createReadStream(join(folder, name), { signal })).catch((error: unknown) => {
        throw asFault(error)
      }),
    remove: (name) => rm(join(folder, name), { force: true }),
    close: async () => undefined,
  }
}

/** The folder, made if it is missing. A link below the root must not lead out of it. */
async function makeBelow(root: string, path: string): Promise<string> {
  const top = await realpath(root)
  const requested = join(top, path)
  await mkdir(requested, { recursive: true })
  const folder = await realpath(requested)
  if (folder !== top && !folder.startsWith(top.endsWith(sep) ? top : top + sep))
    throw new DeliveryFault(
      'A link leads outside the folder that the operator permits. Choose another folder.',
    )
  return folder
}

/** Written beside its name, flushed to the disk, then renamed, which is atomic. */
async function place(folder: string, { name, path }: Upload, signal: AbortSignal): Promise<void> {
  await removeParts(folder, name)
  const part = join(folder, `.${name}.${randomUUID()}.part`)
  try {
    await pipeline(createReadStream(path), createWriteStream(part, { flags: 'wx', flush: true }), { signal })
    signal.throwIfAborted()
    await rename(part, join(folder, name))
    await flushFolder(folder)
  } finally {
    await rm(part, { force: true })
  }
}

/** What an attempt left that was killed. */
async function removeParts(folder: string, name: string): Promise<void> {
  const left = (await readdir(folder)).filter(
    (each) => each.startsWith(`.${name}.`) && each.endsWith('.part'),
  )
  for (const each of left) await rm(join(folder, each), { force: true })
}

/** Without it a crash of the machine could undo the rename. */
async function flushFolder(folder: string): Promise<void> {
  // Windows cannot open a folder, and does not need this.
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
