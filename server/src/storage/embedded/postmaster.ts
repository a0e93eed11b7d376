// One run of the PostgreSQL server: clears what an earlier run left, starts it under a watchdog, stops it.
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { readFile, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { StartFailure } from '../../platform/process/start-failure.ts'
import { timedOut, within } from '../../platform/work/within.ts'
import type { Account } from './account.ts'
import { lastLine, programEnvironment } from './initdb.ts'
import { postgresIn, signal } from './processes.ts'

const run = promisify(execFile)

export interface PostmasterOptions {
  readonly programs: string
  readonly pgdata: string
  readonly socketFolder: string
  readonly account: Account
  readonly settings: Readonly<Record<string, string>>
  readonly onLog: (line: string) => void
  /** It replays an archive first, for as long as that takes; it is ready at the end of it. */
  readonly isRestoring?: boolean
}

export interface Postmaster {
  readonly pid: number
  /** Settles when the server is gone, for whatever reason, with its last line of log. */
  readonly exited: Promise<string>
  /** Fast shutdown: ends the sessions, writes a checkpoint. Harsher after 15 s, so it never takes more than 20. */
  stop(): Promise<void>
}

// A background process outside the server's family holds the read end of a pipe from us. When the pipe closes, because
// we ended or were killed, it shuts the server down. It starts before the server, which then takes over the
// shell's process id ($$), so there is no moment without a guard. Double fork: the server must not find a child that
// it did not make.
const watchdog = `exec 3<&0 </dev/null
( ( trap '' INT TERM HUP QUIT; cat <&3 >/dev/null 2>&1; kill -INT $$ ) >/dev/null 2>&1 & )
exec 3<&-
exec "$@"`

// A start that takes longer than this has failed. Recovery after a crash takes about 5 s at most; the rest is for a
// slow disk.
const readyTimeoutMs = 60_000
const restoreTimeoutMs = 7 * 24 * 3_600_000

/** Starts the server and waits until it takes connections, crash recovery included. */
export async function startPostmaster(launch: PostmasterOptions): Promise<Postmaster> {
  await endLeftovers(launch)
  const settings = {
    listen_addresses: '',
    unix_socket_directories: launch.socketFolder,
    unix_socket_permissions: '0700',
    ...launch.settings,
  }
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const command = [join(launch.programs, 'postgres'), '-D', launch.pgdata, ...flags]
  // detached: a session of its own, so that Ctrl-C on our terminal or a signal to our group does not reach it.
  const child = spawn('/bin/sh', ['-c', watchdog, 'tollgate-postgres', ...command], {
    ...launch.account,
    env: programEnvironment,
    cwd: '/',
    stdio: ['pipe', 'ignore', 'pipe'],
    detached: true,
  })
  const { pid, stdin, stderr } = child
  if (pid === undefined || stdin === null || stderr === null)
    throw new StartFailure('PostgreSQL cannot be started: no process')
  // Nothing is ever written; closing a pipe whose reader is gone is no fault.
  stdin.on('error', () => stdin.destroy())
  let tail = ''
  createInterface({ input: stderr }).on('line', (line) => {
    tail = line
    launch.onLog(line)
  })
  const exited = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message))
    // close, not exit: the last lines of its log are needed.
    child.once('exit', () => stdin.destroy())
    child.once('close', () => resolve(lastLine(tail)))
  })
  await waitUntilReady(launch, pid, exited)
  return { pid, exited, stop: () => stopChild(child, exited) }
}

async function waitUntilReady(
  launch: PostmasterOptions,
  pid: number,
  exited: Promise<string>,
): Promise<void> {
  let words: string | undefined
  void exited.then((last) => (words = last))
  const { isRestoring = false } = launch
  const deadline = Date.now() + (isRestoring ? restoreTimeoutMs : readyTimeoutMs)
  const states = isRestoring ? ['ready'] : ['ready', 'standby']
  while (!(await isIn(states, launch.pgdata, pid))) {
    if (words !== undefined) throw new StartFailure(`PostgreSQL did not start: ${words}`)
    if (Date.now() > deadline) {
      signal(pid, 'SIGKILL')
      throw new StartFailure(`PostgreSQL was not ready after ${readyTimeoutMs / 1000} s.`)
    }
    await sleep(15)
  }
}

/** Line 8 of postmaster.pid is the server's state, `standby` for one that follows; pg_ctl reads it too. */
async function isIn(states: readonly string[], pgdata: string, pid: number): Promise<boolean> {
  const lines = (await readFile(join(pgdata, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n')
  return lines[0] === String(pid) && states.includes(lines[7]?.trim() ?? '')
}

async function stopChild(child: ChildProcess, exited: Promise<string>): Promise<void> {
  const pid = child.pid
  if (pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  // Fast, then immediate (recovery at the next start, nothing acknowledged is lost), then SIGKILL.
  for (const [name, patienceMs] of [
    ['SIGINT', 15_000],
    ['SIGQUIT', 4_000],
    ['SIGKILL', 1_000],
  ] as const) {
    signal(pid, name)
    if ((await within(exited, patienceMs)) !== timedOut) return
  }
}

/**
 * Ends a server (or backends of a killed one) that still works on this cluster: we own the cluster, so
 * nobody else needs it. Then removes the files of a dead run that would block the next one.
 */
async function endLeftovers(launch: PostmasterOptions): Promise<void> {
  const { pgdata, programs, account, socketFolder } = launch
  if ((await postgresIn(pgdata)) === undefined) {
    // No /proc: pg_ctl knows whether the pid file is stale, and the server itself replaces a stale one.
    const flags = ['-D', pgdata, '-m', 'fast', '-w', '-t', '20', 'stop']
    await run(join(programs, 'pg_ctl'), flags, { ...account, env: programEnvironment, cwd: '/' }).catch(
      (error: Error) => launch.onLog(`LOG:  no earlier server to stop: ${lastLine(error.message)}`),
    )
  } else {
    await endProcesses(launch)
    // With no process left on the cluster a pid file is stale, even if another program now has its number.
    await rm(join(pgdata, 'postmaster.pid'), { force: true })
  }
  // The folder is private to this cluster, so a socket or its lock here is nobody's.
  for (const name of await readdir(socketFolder)) await rm(join(socketFolder, name), { force: true })
}

async function endProcesses({ pgdata, onLog }: PostmasterOptions): Promise<void> {
  for (const [name, patienceMs] of [
    ['SIGINT', 20_000],
    ['SIGQUIT', 5_000],
    ['SIGKILL', 5_000],
  ] as const) {
    const deadline = Date.now() + patienceMs
    let isSent = false
    while (Date.now() < deadline) {
      const pids = (await postgresIn(pgdata)) ?? []
      if (pids.length === 0) return
      if (!isSent) onLog(`LOG:  a server left behind is being stopped: ${name} to ${pids.join(', ')}`)
      const postmaster = Number(
        (await readFile(join(pgdata, 'postmaster.pid'), 'utf8').catch(() => '0')).split('\n')[0],
      )
      // Backends obey their postmaster; they are signalled one by one only when it is gone or nothing else helped.
      const targets = pids.includes(postmaster) && name !== 'SIGKILL' ? [postmaster] : pids
      if (!isSent) for (const pid of targets) signal(pid, name)
      isSent = true
      await sleep(25)
    }
  }
  throw new StartFailure(`A PostgreSQL server left behind in ${pgdata} cannot be stopped.`)
}
