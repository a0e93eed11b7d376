import { execFile } from 'node:child_process'
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { connect, createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { expect, test } from 'vitest'
import { eventually } from '../test/environment/eventually.ts'
import { guardsOf, postgresBelow } from '../test/environment/processes.ts'
import { postmasterPid, startProgram, temporaryFolder } from '../test/environment/program.ts'

const folder = await temporaryFolder()
let count = 0

async function newDataDir(): Promise<string> {
  const dataDir = join(folder, `d${++count}`)
  await mkdir(dataDir)
  return dataDir
}

const start = (dataDir: string, environment: Record<string, string> = {}) =>
  startProgram('main', { DATA_DIR: dataDir, ...environment })

/** What a first start left when it had stopped; made once, because making a database costs more than all else here. */
let used: Promise<string> | undefined
async function usedDataDir(): Promise<string> {
  used ??= (async () => {
    const dataDir = await newDataDir()
    const program = await start(dataDir)
    await program.ready
    program.kill('SIGTERM')
    expect((await program.exited).code).toBe(0)
    return dataDir
  })()
  const copy = join(folder, `d${++count}`)
  // With the owners of its files: as root the database runs as another account.
  await promisify(execFile)('cp', ['-a', await used, copy])
  return copy
}

async function statusOf(url: string): Promise<number> {
  return (await fetch(url)).status
}

async function query(dataDir: string, text: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ host: join(dataDir, 'postgres/s'), user: 'postgres', database: 'tollgate' })
  await client.connect()
  try {
    return await client.query(text)
  } finally {
    await client.end()
  }
}

test('a first start says once where the console is, answers, and stops cleanly with status 0', async () => {
  const dataDir = await newDataDir()
  const program = await start(dataDir)
  expect(await program.ready).toBe(`Tollgate is ready: ${program.url}`)
  expect(program.stdout().match(/Tollgate is ready/g)).toHaveLength(1)
  for (const path of ['/healthz', '/readyz', '/version', '/metrics', '/api/openapi.json'])
    expect(await statusOf(program.url + path), path).toBe(200)
  expect((await stat(join(dataDir, 'secret.key'))).mode & 0o777).toBe(0o600)
  program.kill('SIGTERM')
  expect(await program.exited).toEqual({ code: 0, signal: null })
  expect(await postgresBelow(folder)).toEqual([])
  expect(program.stderr()).toBe('')
})

test.each([
  ['SIGINT to the group, as Ctrl-C does', 'SIGINT', 1],
  ['SIGTERM twice to the group', 'SIGTERM', 2],
] as const)('%s ends all with status 0', async (_, signal, times) => {
  const program = await start(await usedDataDir())
  await program.ready
  for (let turn = 0; turn < times; turn++) process.kill(-program.pid, signal)
  expect(await program.exited).toEqual({ code: 0, signal: null })
  expect(await postgresBelow(folder)).toEqual([])
})

test('a signal during the start ends it with status 0 and leaves nothing', async () => {
  const dataDir = await newDataDir()
  const program = await start(dataDir)
  const owner = () =>
    stat(join(dataDir, 'postgres/owner.json')).then(
      () => true,
      () => false,
    )
  await expect.poll(owner, { interval: 20 }).toBe(true)
  program.kill('SIGINT')
  expect(await program.exited).toEqual({ code: 0, signal: null })
  expect(await postgresBelow(folder)).toEqual([])
})

/** Whether our first line has run: Node, which has handlers of its own for other signals, has none for SIGHUP. */
async function listensForSignals(pid: number): Promise<boolean> {
  if (process.platform !== 'linux') return sleep(1_000, true)
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return (BigInt(`0x${/^SigCgt:\s*(\w+)$/m.exec(status)?.[1] ?? 0}`) & 1n) === 1n
}

test('a signal that comes while the program is still loading is heard', async () => {
  const program = await start(await newDataDir())
  await expect.poll(() => listensForSignals(program.pid), { interval: 5 }).toBe(true)
  program.kill('SIGTERM')
  expect(await program.exited).toEqual({ code: 0, signal: null })
  expect(program.stdout()).not.toContain('Tollgate is ready')
})

test('a caller in the middle of a request does not hold up the end', async () => {
  const program = await start(await usedDataDir())
  await program.ready
  const { port } = new URL(program.url)
  const socket = connect(Number(port), '127.0.0.1', () =>
    socket.write('GET /api/user HTTP/1.1\r\nHost: x\r\n'),
  )
  socket.on('error', () => undefined)
  await sleep(200)
  // It would keep the program up until the test fails.
  program.kill('SIGTERM')
  expect((await program.exited).code).toBe(0)
  socket.destroy()
})

test('kill -9 of the gateway leaves no PostgreSQL, loses nothing committed, and the next start works', async () => {
  const dataDir = await usedDataDir()
  const first = await start(dataDir)
  await first.ready
  await query(dataDir, 'create table proof as select 1 as value')
  first.kill('SIGKILL')
  await first.exited
  await expect.poll(() => postgresBelow(dataDir)).toEqual([])
  const second = await start(dataDir)
  await second.ready
  expect((await query(dataDir, 'select value from proof')).rows).toEqual([{ value: 1 }])
  second.kill('SIGTERM')
  await second.exited
})

test('a server whose guard died too is an orphan, and the next start takes its place', async () => {
  const dataDir = await usedDataDir()
  const first = await start(dataDir)
  await first.ready
  const orphan = await postmasterPid(dataDir)
  for (const pid of await guardsOf(dataDir)) process.kill(pid, 'SIGKILL')
  first.kill('SIGKILL')
  await first.exited
  await sleep(300)
  expect(await postgresBelow(dataDir)).toContain(orphan)
  const second = await start(dataDir)
  await second.ready
  expect(await postgresBelow(dataDir)).not.toContain(orphan)
  expect(await statusOf(`${second.url}/readyz`)).toBe(200)
  second.kill('SIGTERM')
  expect((await second.exited).code).toBe(0)
})

test('a second gateway on the same data directory is refused in one line, and the first goes on', async () => {
  const dataDir = await usedDataDir()
  const first = await start(dataDir)
  await first.ready
  const second = await start(dataDir)
  expect((await second.exited).code).toBe(1)
  expect(second.stderr().trim()).toBe(
    `${dataDir} is in use by process ${first.pid}. Stop that process, or choose another DATA_DIR.`,
  )
  expect(await statusOf(`${first.url}/readyz`)).toBe(200)
  first.kill('SIGTERM')
  await first.exited
})

test('stale files of a dead run, a reused process id included, do not stop a start', async () => {
  const dataDir = await usedDataDir()
  const first = await start(dataDir)
  await first.ready
  const sockets = join(dataDir, 'postgres/s')
  const pidFile = join(dataDir, 'postgres/pgdata/postmaster.pid')
  const stalePid = await readFile(pidFile, 'utf8')
  first.kill('SIGTERM')
  await first.exited
  // Our own process id lives and is no PostgreSQL: what a reboot makes of an old number.
  await writeFile(pidFile, stalePid.replace(/^\d+/, String(process.pid)))
  await writeFile(join(sockets, '.s.PGSQL.5432'), '')
  await writeFile(join(sockets, '.s.PGSQL.5432.lock'), `${process.pid}\n`)
  await writeFile(
    join(dataDir, 'postgres/owner.json'),
    JSON.stringify({ pid: process.pid, life: 'another', token: 'x' }),
  )
  const second = await start(dataDir)
  await second.ready
  second.kill('SIGTERM')
  expect((await second.exited).code).toBe(0)
})

test('a half-made cluster of a killed first start is made anew', async () => {
  const dataDir = await newDataDir()
  const draft = join(dataDir, 'postgres/pgdata.init-0000')
  await mkdir(draft, { recursive: true })
  await writeFile(join(draft, 'PG_VERSION'), '18\n')
  const program = await start(dataDir)
  await program.ready
  await expect(stat(draft)).rejects.toThrow('ENOENT')
  program.kill('SIGTERM')
  await program.exited
})

test('a database that dies comes back: readiness flips within 5 s and returns within 10', async () => {
  const dataDir = await usedDataDir()
  const program = await start(dataDir)
  await program.ready
  /** How long until /readyz answers so. */
  const untilReadyzMs = async (status: number) => {
    const startedMs = performance.now()
    await expect.poll(() => statusOf(`${program.url}/readyz`)).toBe(status)
    return performance.now() - startedMs
  }
  // A pause of the machine spoils one try or the other.
  await eventually(async () => {
    const old = await postmasterPid(dataDir)
    process.kill(old, 'SIGSTOP')
    for (const pid of await postgresBelow(dataDir)) process.kill(pid, 'SIGSTOP')
    const goneMs = await untilReadyzMs(503)
    expect(await statusOf(`${program.url}/healthz`)).toBe(200)
    for (const pid of await postgresBelow(dataDir)) process.kill(pid, 'SIGKILL')
    const backMs = await untilReadyzMs(200)
    expect(await postmasterPid(dataDir)).not.toBe(old)
    expect(goneMs).toBeLessThan(5_000)
    expect(backMs).toBeLessThan(10_000)
  })
  program.kill('SIGTERM')
  expect((await program.exited).code).toBe(0)
})

test('a busy SMPP port takes no password along: the start that works prints it', async () => {
  const holder = createServer()
  await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve))
  const { port } = holder.address() as AddressInfo
  const dataDir = await newDataDir()
  const refused = await start(dataDir, { SMPP_PORT: String(port) })
  expect((await refused.exited).code).toBe(1)
  expect(refused.stderr()).toContain(`SMPP_PORT ${port} is in use`)
  expect(refused.stdout()).not.toContain('First admin')
  holder.close()
  const program = await start(dataDir)
  await program.ready
  expect(program.stdout()).toMatch(/First admin: admin, password \w{20} \(shown once\)/)
  program.kill('SIGTERM')
  expect((await program.exited).code).toBe(0)
})

test('a busy HTTP port is one clear line', async () => {
  const holder = createServer()
  await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve))
  const { port } = holder.address() as AddressInfo
  const program = await start(await usedDataDir(), { HTTP_PORT: String(port) })
  expect((await program.exited).code).toBe(1)
  expect(program.stderr().trim()).toBe(
    `HTTP_PORT ${port} is in use by another program. Stop that program, or choose another port.`,
  )
  expect(await postgresBelow(folder)).toEqual([])
  holder.close()
})

test.each([
  [{ HTTP_PORT: 'eighty' }, /^HTTP_PORT=eighty is not valid: .+\.$/],
  [
    { DATABASE_URL: 'postgres://nobody:hunter2@127.0.0.1:1/none' },
    /^The database of DATABASE_URL cannot be used: .+\.$/,
  ],
  // The driver has advice about this mode, ten lines of it.
  [
    { DATABASE_URL: 'postgres://nobody:hunter2@127.0.0.1:1/none?sslmode=require' },
    /^The database of DATABASE_URL cannot be used: .+\.$/,
  ],
])('%j stops the start with one line on stderr and status 1', async (environment, line) => {
  const program = await start(await newDataDir(), environment)
  expect((await program.exited).code).toBe(1)
  expect(program.stderr().trim()).toMatch(line)
  expect(program.stderr()).not.toContain('hunter2')
  expect(program.stdout()).not.toContain('Tollgate is ready')
})

test('a data directory of another PostgreSQL version is refused', async () => {
  const dataDir = await newDataDir()
  await mkdir(join(dataDir, 'postgres/pgdata'), { recursive: true })
  await writeFile(join(dataDir, 'postgres/pgdata/PG_VERSION'), '14\n')
  const program = await start(dataDir)
  expect((await program.exited).code).toBe(1)
  expect(program.stderr()).toMatch(/was made by PostgreSQL 14, and this Tollgate brings PostgreSQL 18/)
  expect(program.stderr().trim().split('\n')).toHaveLength(1)
})

test('a database that has lost its files is refused in one line', async () => {
  const dataDir = await usedDataDir()
  const program = await start(dataDir)
  await program.ready
  program.kill('SIGTERM')
  await program.exited
  await rm(join(dataDir, 'postgres/pgdata/base'), { recursive: true })
  const second = await start(dataDir)
  expect((await second.exited).code).toBe(1)
  expect(second.stderr().trim()).toMatch(
    /^The database in \S+ cannot be used: .*\. Restore it from a backup, .*\.$/,
  )
  expect(await postgresBelow(folder)).toEqual([])
})

test('a database without its key is refused in one line, no other key is made, and the key put back heals it', async () => {
  const dataDir = await usedDataDir()
  const file = join(dataDir, 'secret.key')
  await rename(file, `${file}.away`)
  const refused = await start(dataDir)
  expect((await refused.exited).code).toBe(1)
  expect(refused.stderr().trim()).toMatch(
    /^The key of this database is missing: .* Put that file back, .*\.$/,
  )
  await expect(stat(file)).rejects.toThrow('ENOENT')
  expect(await postgresBelow(folder)).toEqual([])
  await rename(`${file}.away`, file)
  const program = await start(dataDir)
  await program.ready
  const { checks } = (await (await fetch(`${program.url}/readyz`)).json()) as {
    checks: Record<string, string>
  }
  expect(checks).toMatchObject({ key: 'ok', storing: 'ok', database: 'ok' })
  program.kill('SIGTERM')
  expect((await program.exited).code).toBe(0)
})

test('a data directory below a closed folder works and keeps its data, whoever starts it', async () => {
  const closed = join(folder, 'closed')
  await mkdir(closed, { mode: 0o700 })
  const dataDir = join(closed, 'data')
  const first = await start(dataDir)
  await first.ready
  first.kill('SIGTERM')
  expect((await first.exited).code).toBe(0)
  expect((await stat(closed)).mode & 0o777).toBe(0o700)
  // Root's database runs as another account, which cannot pass the closed folder; everybody else's is their own.
  const isRoot = process.getuid?.() === 0
  const place = isRoot
    ? (await readFile(join(dataDir, 'postgres.location'), 'utf8')).trim()
    : join(dataDir, 'postgres')
  const madeAt = (await stat(join(place, 'pgdata/PG_VERSION'))).mtimeMs
  const second = await start(dataDir)
  await second.ready
  expect((await stat(join(place, 'pgdata/PG_VERSION'))).mtimeMs).toBe(madeAt)
  second.kill('SIGTERM')
  await second.exited
  await rm(place, { recursive: true, force: true })
})
