// One gateway for each cluster: a file names the process that owns it, and counts only while that process lives.
import { randomBytes } from 'node:crypto'
import { link, readFile, rename, rm, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { StartFailure } from '../../platform/process/start-failure.ts'
import { lifeOf } from './processes.ts'

interface OwnerFile {
  readonly pid: number
  readonly life: string
  readonly token: string
}

/** Releases the cluster; harmless when another process owns the file by now. */
export type Release = () => Promise<void>

/**
 * Claims `home` for this process. A claim of a process that no longer lives (kill -9, power cut, a reused process id)
 * is replaced. Throws StartFailure while another one lives: two servers on one cluster would destroy it.
 */
export async function claim(home: string, shownName: string): Promise<Release> {
  const file = join(home, 'owner.json')
  const mine: OwnerFile = {
    pid: process.pid,
    life: (await lifeOf(process.pid)) ?? '',
    token: randomBytes(8).toString('hex'),
  }
  const draft = `${file}.${mine.token}`
  await writeFile(draft, JSON.stringify(mine), { mode: 0o644 })
  try {
    // More than one round is needed only when several starts compete for the file of a dead owner.
    for (let turn = 0; turn < 20; turn++) {
      if (await linked(draft, file)) return async () => release(file, mine)
      const found = await readClaim(file)
      if (found !== undefined && (await lifeOf(found.pid)) === found.life)
        throw new StartFailure(
          `${shownName} is in use by process ${found.pid}. Stop that process, or choose another DATA_DIR.`,
        )
      await removeStale(file, found)
    }
  } finally {
    await unlink(draft)
  }
  throw new StartFailure(`${shownName} is being claimed by several starts at once. Start one of them again.`)
}

async function linked(draft: string, file: string): Promise<boolean> {
  return link(draft, file).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return false
      throw error
    },
  )
}

async function readClaim(file: string): Promise<OwnerFile | undefined> {
  const text = await readFile(file, 'utf8').catch(() => '')
  try {
    return JSON.parse(text) as OwnerFile
  } catch {
    // An incomplete file never gave ownership: only complete files are linked.
    return undefined
  }
}

/** Removes the file of a dead owner by rename, so that only one of two starts gets it. */
async function removeStale(file: string, stale: OwnerFile | undefined): Promise<void> {
  const aside = `${file}.${randomBytes(4).toString('hex')}`
  const moved = await rename(file, aside).then(
    () => true,
    () => false,
  )
  if (!moved) return
  const taken = await readClaim(aside)
  // The file was already that of another start, so it is put back.
  if (taken?.token !== stale?.token) await linked(aside, file)
  await rm(aside, { force: true })
}

async function release(file: string, mine: OwnerFile): Promise<void> {
  if ((await readClaim(file))?.token === mine.token) await rm(file, { force: true })
}
