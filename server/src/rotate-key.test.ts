// SECRET_KEY is rotated by the built command, beside gateways that run.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, inject, test } from 'vitest'
import type { Db } from './platform/db.ts'
import { listRootKeys, openFirst } from './platform/security/root-key.ts'
import { openTestDatabase } from '../test/harness.ts'
import {
  buildPrograms,
  onTestDatabase,
  runCommand,
  startProgram,
  temporaryFolder,
  type Program,
} from '../test/program.ts'

const programs = await buildPrograms()
const rotate = (args: readonly string[], environment: Readonly<Record<string, string>>) =>
  runCommand(join(programs, 'rotate-key.js'), args, environment)
const admin = { ADMIN_USERNAME: 'root', ADMIN_PASSWORD: 'the words of the root' }

async function signedIn({ url }: Program) {
  const send = (method: string, path: string, body?: object, cookie = '') =>
    fetch(`${url}${path}`, {
      method,
      headers: { 'content-type': 'application/json', origin: url, cookie },
      ...(body && { body: JSON.stringify(body) }),
    })
  const signIn = await send('POST', '/api/login', { username: 'root', password: admin.ADMIN_PASSWORD })
  const cookie = signIn.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  const { id } = (await signIn.json()) as { id: number }
  return async (method: string, path: string, body?: object) =>
    (await send(method, path.replace('{id}', String(id)), body, cookie)).json() as Promise<
      Record<string, unknown>
    >
}

/** What the key in the file opens; undefined when it opens nothing. */
async function rootKeyOf(db: Db, file: string): Promise<string | undefined> {
  return openFirst(await listRootKeys(db), (await readFile(file, 'utf8')).trim())
}

test('a key file is rotated while the gateway runs: it goes on, its secrets open after a restart, the old key is dead', async () => {
  const dataDir = await temporaryFolder()
  const start = (more = {}) =>
    startProgram(join(programs, 'main.js'), { DATA_DIR: dataDir, ...admin, ...more })
  const keyFile = () => readFile(join(dataDir, 'secret.key'), 'utf8')
  const gateway = await start()
  await gateway.ready
  const call = await signedIn(gateway)
  await call('PUT', '/api/users/{id}/smpp-access', { smppAccess: true })
  const shown = await call('GET', '/api/users/{id}/smpp-credentials')
  expect(shown['password']).toMatch(/^\w{8}$/)
  const oldKey = await keyFile()

  const done = await rotate([], { DATA_DIR: dataDir })
  expect(done, done.stderr).toMatchObject({ code: 0, stderr: '' })
  expect(await keyFile()).not.toBe(oldKey)
  expect(await call('GET', '/api/users/{id}/smpp-credentials')).toEqual(shown)
  const entries = (await call('GET', '/api/audit?objectType=secret-key')) as unknown as { action: string }[]
  expect(entries.map(({ action }) => action)).toEqual(['secret-key.retire', 'secret-key.add'])
  gateway.kill('SIGTERM')
  await gateway.exited

  const stale = await start({ SECRET_KEY: oldKey.trim() })
  await expect(stale.ready).rejects.toThrow()
  expect(stale.stderr()).toMatch(/SECRET_KEY is not the key/)
  const again = await start()
  await again.ready
  const { password } = await (await signedIn(again))('GET', '/api/users/{id}/smpp-credentials')
  expect(password).toBe(shown['password'])
  again.kill('SIGTERM')
  await again.exited
})

test('of rotations at once one works at a time, and the file holds the key that opens the database', async () => {
  const { address } = await openTestDatabase()
  const given = { username: admin.ADMIN_USERNAME, password: admin.ADMIN_PASSWORD }
  const { SECRET_KEY: _, ...environment } = await onTestDatabase(
    address.database,
    inject('postgresHost'),
    given,
  )
  const key = '0'.repeat(64)
  await writeFile(join(environment['DATA_DIR'] ?? '', 'secret.key'), `${key}\n`)
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
  const { db, address } = await openTestDatabase()
  const given = { username: admin.ADMIN_USERNAME, password: admin.ADMIN_PASSWORD }
  const { SECRET_KEY: _, ...environment } = await onTestDatabase(
    address.database,
    inject('postgresHost'),
    given,
  )
  const file = join(environment['DATA_DIR'] ?? '', 'secret.key')
  await writeFile(file, `${'1'.repeat(64)}\n`)
  const startedAtMs = performance.now()
  const whole = await rotate([], environment)
  expect(whole, whole.stderr).toMatchObject({ code: 0 })
  const tookMs = performance.now() - startedAtMs
  const material = await rootKeyOf(db, file)
  expect(material).toBeDefined()
  const killed: boolean[] = []
  // Most of the time is the start of Node; what counts is at the end.
  for (const share of [0.4, 0.5, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1]) {
    const child = spawn(process.execPath, [join(programs, 'rotate-key.js')], {
      env: { PATH: process.env['PATH'], ...environment },
      stdio: 'ignore',
    })
    const timer = setTimeout(() => child.kill('SIGKILL'), tookMs * share)
    await once(child, 'exit')
    clearTimeout(timer)
    killed.push(child.signalCode === 'SIGKILL')
    expect(await rootKeyOf(db, file)).toBe(material)
  }
  expect(killed).toContain(true)
  const last = await rotate([], environment)
  expect(last, last.stderr).toMatchObject({ code: 0 })
  expect(await rootKeyOf(db, file)).toBe(material)
  expect(await listRootKeys(db)).toHaveLength(1)
  expect(await readdir(environment['DATA_DIR'] ?? '')).toEqual(['secret.key'])
})

test('a SECRET_KEY that several nodes have is rotated in two steps, with both keys good between them', async () => {
  const { address } = await openTestDatabase()
  const [one, two] = ['the first key of all nodes', 'the second key of all nodes']
  const given = { username: admin.ADMIN_USERNAME, password: admin.ADMIN_PASSWORD }
  const settings = async (SECRET_KEY: string, more = {}) => ({
    ...(await onTestDatabase(address.database, inject('postgresHost'), given)),
    SECRET_KEY,
    ...more,
  })
  const node = async (secretKey: string) => startProgram(join(programs, 'main.js'), await settings(secretKey))
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
  expect(await (await signedIn(first))('GET', '/api/audit/verify')).toMatchObject({ isIntact: true })
  expect(await (await signedIn(second))('GET', '/api/audit/verify')).toMatchObject({ isIntact: true })
  const late = await node(one)
  await expect(late.ready).rejects.toThrow()
  for (const program of [first, second]) program.kill('SIGTERM')
  await Promise.all([first.exited, second.exited])
})
