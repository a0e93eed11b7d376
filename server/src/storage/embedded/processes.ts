// Finds out about other processes: whether one still lives, since when, and which PostgreSQL works in a folder.
import { execFile } from 'node:child_process'
import { readdir, readFile, readlink } from 'node:fs/promises'
import { basename } from 'node:path'
import { promisify } from 'node:util'
import { programEnvironment } from './initdb.ts'

const run = promisify(execFile)
const hasProc = process.platform === 'linux'

/**
 * When a process started, which tells two processes with the same id apart; null when none lives. A zombie counts as
 * gone, although kill(pid, 0) still finds it.
 */
export async function lifeOf(pid: number): Promise<string | null> {
  return hasProc ? lifeFromProc(pid) : lifeFromPs(pid)
}

async function lifeFromProc(pid: number): Promise<string | null> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null)
  if (stat === null) return null
  // proc(5): the second field is the name in brackets and may hold spaces; field 3 is the state, 22 the start.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  if (fields[0] === 'Z' || fields[0] === 'X') return null
  // Start times count from boot, so the same figure may come again after the next one.
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '')
  return `${boot.trim()}/${fields[19]}`
}

async function lifeFromPs(pid: number): Promise<string | null> {
  const flags = ['-o', 'stat=', '-o', 'lstart=', '-p', String(pid)]
  // The start in a time zone and a language that do not depend on who asks.
  const answer = await run('ps', flags, { env: programEnvironment }).catch(() => null)
  const line = answer?.stdout.trim() ?? ''
  return line === '' || line.startsWith('Z') ? null : line.replace(/^\S+\s+/, '')
}

/**
 * The process ids of PostgreSQL servers and backends that work in `dataDir` (an absolute path without links).
 * undefined where the system has no /proc: there only pg_ctl can tell.
 */
export async function postgresIn(dataDir: string): Promise<number[] | undefined> {
  if (!hasProc) return undefined
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
  const found = await Promise.all(pids.map(async (pid) => ((await worksIn(pid, dataDir)) ? pid : 0)))
  return found.filter((pid) => pid > 0)
}

async function worksIn(pid: number, dataDir: string): Promise<boolean> {
  // PostgreSQL changes into its data directory at its start and stays there. A zombie has neither link.
  const cwd = await readlink(`/proc/${pid}/cwd`).catch(() => null)
  if (cwd !== dataDir) return false
  const exe = await readlink(`/proc/${pid}/exe`).catch(() => '')
  return basename(exe.replace(/ \(deleted\)$/, '')) === 'postgres'
}

/** Sends a signal; a process that is already gone is no error. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
