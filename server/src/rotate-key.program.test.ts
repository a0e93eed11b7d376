// SECRET_KEY is rotated by the built command, beside gateways that run.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, inject, test } from 'vitest'
import type { Db } from './platform/db.ts'
import { listRootKeys, openFirst } from './platform/security/root-key.ts'
import { transaction } from './platform/transaction.ts'
import { openTestDatabase, waitersFor } from '../test/environment/database.ts'
import {
  builtPrograms,
  onTestDatabase,
  runCommand,
  signedIn,
  startProgram,
  temporaryFolder,
  type Program,
} from '../test/environment/program.ts'

const programs = builtPrograms()
const rotate = (args: readonly string[], environment: Readonly<Record<string, string>>) =>
  runCommand('rotate-key', args, environment)
const admin = { username: 'root', password: 'the words of the root' }
const signInAsAdmin = (program: Program) => signedIn(program, admin.username, admin.password)

/** The environment of a command on a new database whose key is in a file. */
async function withKeyFile(key: string) {
  const database = await openTestDatabase()
  const { SECRET_KEY: _, ...environment } = await onTestDatabase(
    database.address.database,
    inject('postgresHost'),
    admin,
  )
  const file = join(environment['DATA_DIR'] ?? '', 'secret.key')
  await writeFile(file, `${key}\n`)
  return { db: database.db, environment, file }
}

/** What the key in the file opens; undefined when it opens nothing. */
async function rootKeyOf(db: Db, file: string): Promise<string | undefined> {
  return openFirst(await listRootKeys(db), (await readFile(file, 'utf8')).trim())
}

test('a key file is rotated while the gateway runs: it goes on, its secrets open after a restart, the old key is dead', async () => {
  const dataDir = await temporaryFolder()
  const start = (more = {}) =>
    startProgram('main', {
      DATA_DIR: dataDir,
      ADMIN_USERNAME: admin.username,
      ADMIN_PASSWORD: admin.password,
      ...more,
    })
  const keyFile = () => readFile(join(dataDir, 'secret.key'), 'utf8')
  const gateway = await start()
  await gateway.ready
  const call = await signInAsAdmin(gateway)
  const { id } = await call<{ id: number }>('GET', '/api/user')
  const credentials = `/api/users/${id}/smpp-credentials`
  await call('PUT', `/api/users/${id}/smpp-access`, { smppAccess: true })
  const shown = await call<{ password: string }>('GET', credentials)
  expect(shown.password).toMatch(/^\w{8}$/)
  const oldKey = await keyFile()

  const done = await rotate([], { DATA_DIR: dataDir })
  expect(done, done.stderr).toMatchObject({ code: 0, stderr: '' })
  expect(await keyFile()).not.toBe(oldKey)
  expect(await call('GET', credentials)).toEqual(shown)
  const entries = await call<{ action: string }[]>('GET', '/api/audit?objectType=secret-key')
  expect(entries.map(({ action }) => action)).toEqual(['secret-key.retire', 'secret-key.add'])
  gateway.kill('SIGTERM')
  await gateway.exited

  const stale = await start({ SECRET_KEY: oldKey.trim() })
  await expect(stale.ready).rejects.toThrow()
  expect(stale.stderr()).toMatch(/SECRET_KEY is not the key/)
  const again = await start()
  await again.ready
  expect(await (await signInAsAdmin(again))('GET', credentials)).toMatchObject({ password: shown.password })
  again.kill('SIGTERM')
  await again.exited
})

test('of rotations at once one works at a time, and the file holds the key that opens the database', async () => {
  const { environment } = await withKeyFile('0'.repeat(64))
  const outcomes = await Promise.all(Array.from({ length: 4 }, () => rotate([], environment)))
  expect(outcomes.some(({ code }) => code === 0)).toBe(true)
  for (const { code, stderr } of outcomes)
    if (code !== 0)
      expect(stderr).toBe(
        'Another rotate-key runs on this database. Nothing was changed. Wait for its end.\n',
      )
  expect(await readdir(environment['DATA_DIR'] ?? '')).toEqual(['secret.key'])
  const after = await rotate([], environment)
  expect(after, after.stderr).toMatchObject({ code: 0, stderr: '' })
})

test('killed at any moment, a rotation leaves a key file that opens the database', async () => {
  const { db, environment, file } = await withKeyFile('1'.repeat(64))
  const start = () =>
    spawn(process.execPath, [join(programs, 'rotate-key.js')], {
      env: { PATH: process.env['PATH'], ...environment },
      stdio: 'ignore',
    })
  const startedAtMs = performance.now()
  const whole = await rotate([], environment)
  expect(whole, whole.stderr).toMatchObject({ code: 0 })
  const tookMs = performance.now() - startedAtMs
  const material = await rootKeyOf(db, file)
  expect(material).toBeDefined()
  // In the middle: the draft of the file is written, and its key is not in the database yet.
  await transaction(db, async (tx) => {
    await sql`lock table root_keys in share row exclusive mode`.execute(tx)
    const child = start()
    await expect.poll(() => waitersFor(db, 'root_keys')).toBe(1)
    child.kill('SIGKILL')
    await once(child, 'exit')
  })
  expect(await rootKeyOf(db, file)).toBe(material)
  // Anywhere. Most of the time is the start of Node; what counts is at the end.
  for (const share of [0.4, 0.5, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1]) {
    const child = start()
    const timer = setTimeout(() => child.kill('SIGKILL'), tookMs * share)
    await once(child, 'exit')
    clearTimeout(timer)
    expect(await rootKeyOf(db, file)).toBe(material)
  }
  // What a kill between the database and the file leaves, whether or not one of these hit that moment.
  await writeFile(`${file}.0123abcd`, `${'2'.repeat(64)}\n`)
  const last = await rotate([], environment)
  expect(last, last.stderr).toMatchObject({ code: 0 })
  expect(await rootKeyOf(db, file)).toBe(material)
  expect(await listRootKeys(db)).toHaveLength(1)
  expect(await readdir(environment['DATA_DIR'] ?? '')).toEqual(['secret.key'])
})

test('a SECRET_KEY that several nodes have is rotated in two steps, with both keys good between them', async () => {
  const { address } = await openTestDatabase()
  const [one, two] = ['the first key of all nodes', 'the second key of all nodes']
  const settings = async (SECRET_KEY: string, more = {}) => ({
    ...(await onTestDatabase(address.database, inject('postgresHost'), admin)),
    SECRET_KEY,
    ...more,
  })
  const node = async (secretKey: string) => startProgram('main', await settings(secretKey))
  const first = await node(one)
  await first.ready
  const missing = await rotate([], await settings(one))
  expect([missing.code, missing.stderr]).toEqual([1, expect.stringMatching(/NEW_SECRET_KEY is missing/)])
  const added = await rotate([], await settings(one, { NEW_SECRET_KEY: two }))
  expect(added, added.stderr).toMatchObject({ code: 0, stderr: '' })
  const second = await node(two)
  await second.ready
  const finished = await rotate(['--finish'], await settings(two))
  expect(finished, finished.stderr).toMatchObject({ code: 0, stderr: '' })
  expect(await (await signInAsAdmin(first))('GET', '/api/audit/verify')).toMatchObject({ isIntact: true })
  expect(await (await signInAsAdmin(second))('GET', '/api/audit/verify')).toMatchObject({ isIntact: true })
  const late = await node(one)
  await expect(late.ready).rejects.toThrow()
  for (const program of [first, second]) program.kill('SIGTERM')
  await Promise.all([first.exited, second.exited])
})
