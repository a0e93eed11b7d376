// What runs on this machine: from /proc on Linux, from ps and lsof where there is none (macOS).
import { execFile } from 'node:child_process'
import { readdir, readFile, readlink, realpath } from 'node:fs/promises'
import { basename } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const hasProc = process.platform === 'linux'

/** A process id, and the result of the query about it. */
type Found = readonly [pid: number, answer: string]

/** The process ids of all PostgreSQL processes that work below `folder`. */
export async function postgresBelow(folder: string): Promise<number[]> {
  const below = await realpath(folder).catch(() => folder)
  const found = hasProc ? await eachInProc(postgresFolder) : await postgresFoldersByLsof()
  return found.filter(([, works]) => works.startsWith(below)).map(([pid]) => pid)
}

/** The process ids of the guards that would stop the server of `dataDir` when its gateway dies. */
export async function guardsOf(dataDir: string): Promise<number[]> {
  const found = hasProc
    ? await eachInProc((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8'))
    : await commandLinesByPs()
  return found
    .filter(([, line]) => line.includes('tollgate-postgres') && line.includes(dataDir))
    .map(([pid]) => pid)
}

async function eachInProc(ask: (pid: number) => Promise<string>): Promise<Found[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
  return Promise.all(pids.map(async (pid): Promise<Found> => [pid, await ask(pid).catch(() => '')]))
}

async function postgresFolder(pid: number): Promise<string> {
  const program = await readlink(`/proc/${pid}/exe`)
  return basename(program) === 'postgres' ? readlink(`/proc/${pid}/cwd`) : ''
}

/** lsof writes p<process id>, perhaps fcwd, and n<folder>, a line each; its status is 1 when there is none. */
async function postgresFoldersByLsof(): Promise<Found[]> {
  const { stdout } = await run('lsof', ['-a', '-c', 'postgres', '-d', 'cwd', '-Fpn']).catch(
    (error: { stdout?: string }) => ({ stdout: error.stdout ?? '' }),
  )
  return [...stdout.matchAll(/^p(\d+)\n(?:f.*\n)?n(.*)$/gm)].map(([, pid, folder = '']) => [
    Number(pid),
    folder,
  ])
}

async function commandLinesByPs(): Promise<Found[]> {
  const { stdout } = await run('ps', ['-axww', '-o', 'pid=', '-o', 'command='])
  return [...stdout.matchAll(/^ *(\d+) (.*)$/gm)].map(([, pid, line = '']) => [Number(pid), line])
}
