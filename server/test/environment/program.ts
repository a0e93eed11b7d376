// The gateway as a process of its own, for tests of starting, stopping, signals and crashes.
import { spawn, type ChildProcess } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, inject } from 'vitest'
import { freePort } from './free-port.ts'
import { makeTemporaryFolder } from './temporary-folder.ts'
import { signIn, type Call } from '../http/session.ts'

export interface ProgramExit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

export interface Program {
  readonly pid: number
  readonly url: string
  /** What it has written so far. */
  stdout(): string
  stderr(): string
  /** Settles with the ready line; rejects when the program ends before. */
  readonly ready: Promise<string>
  readonly exited: Promise<ProgramExit>
  kill(signal: NodeJS.Signals): void
}

// Heard as the file is read: vitest never calls an afterAll that a running test asks for, and a test that failed would
// leave its programs running for good.
const left: (() => Promise<unknown>)[] = []
afterAll(async () => {
  for (const end of left.toReversed()) await end()
})

/** A folder that is removed after the test file, when its programs have ended. */
export async function temporaryFolder(): Promise<string> {
  const { folder, remove } = await makeTemporaryFolder()
  left.push(remove)
  return folder
}

/** The folder with the server's programs, built once for the whole run (build.ts). */
export function builtPrograms(): string {
  return inject('programsFolder')
}

const programFile = (name: string) => join(builtPrograms(), `${name}.js`)

/** Starts a built program, 'main' for the gateway; whatever is left of it is killed after the test file. */
export function startProgram(name: string, environment: Readonly<Record<string, string>>): Promise<Program> {
  return startScript(programFile(name), environment)
}

/** The same for a script of the repository. */
export async function startScript(
  path: string,
  environment: Readonly<Record<string, string>>,
): Promise<Program> {
  const httpPort = environment['HTTP_PORT'] ?? String(await freePort())
  const smppPort = environment['SMPP_PORT'] ?? String(await freePort())
  const child = spawn(process.execPath, [path], {
    env: {
      PATH: process.env['PATH'],
      HTTP_PORT: httpPort,
      SMPP_PORT: smppPort,
      LOG_LEVEL: 'warn',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own, so that a test can signal the group as a terminal would.
    detached: true,
  })
  const program = observe(child, `http://127.0.0.1:${httpPort}`)
  left.push(() => {
    killGroup(child)
    return program.exited
  })
  return program
}

/** Kills a program and what it has started. */
function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // All have ended.
  }
}

/** Runs a built command to its end, with no terminal. */
export async function runCommand(
  name: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<ProgramExit & { readonly stdout: string; readonly stderr: string }> {
  const child = spawn(process.execPath, [programFile(name), ...args], {
    env: { PATH: process.env['PATH'], ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const program = observe(child, '')
  left.push(() => {
    child.kill('SIGKILL')
    return program.exited
  })
  return { ...(await program.exited), stdout: program.stdout(), stderr: program.stderr() }
}

function observe(child: ChildProcess, url: string): Program {
  const written = { stdout: '', stderr: '' }
  const exited = new Promise<ProgramExit>((resolve) =>
    child.once('close', (code, signal) => resolve({ code, signal })),
  )
  const ready = new Promise<string>((resolve, reject) => {
    child.stdout?.on('data', (text: Buffer) => {
      written.stdout += text.toString()
      const line = /^Tollgate is ready.*$/m.exec(written.stdout)?.[0]
      if (line !== undefined) resolve(line)
    })
    child.stderr?.on('data', (text: Buffer) => (written.stderr += text.toString()))
    void exited.then(() => reject(new Error(`ended before it was ready: ${written.stderr}`)))
  })
  // Many tests expect an end without readiness and never look at this promise.
  ready.catch(() => undefined)
  return {
    pid: child.pid ?? 0,
    url,
    ready,
    exited,
    stdout: () => written.stdout,
    stderr: () => written.stderr,
    kill: (signal) => void child.kill(signal),
  }
}

/** Calls the program's API as this person. */
export const signedIn = ({ url }: Program, username: string, password: string): Promise<Call> =>
  signIn(url, username, password)

/** Where a started program finds a test's database, with the first admin whom {@link signedIn} may be. */
export async function onTestDatabase(
  database: string,
  postgresHost: string,
  admin: { readonly username: string; readonly password: string },
): Promise<Record<string, string>> {
  return {
    DATABASE_URL: `postgresql://postgres@localhost/${database}?host=${encodeURIComponent(postgresHost)}`,
    DATA_DIR: await temporaryFolder(),
    SECRET_KEY: 'the same key for each start',
    ADMIN_USERNAME: admin.username,
    ADMIN_PASSWORD: admin.password,
    EGRESS_ALLOW: '127.0.0.0/8',
  }
}

/** The postmaster's process id from its own file. */
export async function postmasterPid(dataDir: string): Promise<number> {
  return Number((await readFile(join(dataDir, 'postgres/pgdata/postmaster.pid'), 'utf8')).split('\n')[0])
}
