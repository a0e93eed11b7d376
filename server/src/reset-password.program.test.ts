// The operator's command reset-password, with the built programs: with and without a running gateway.
import { expect, inject, test } from 'vitest'
import { openTestDatabase } from '../test/environment/database.ts'
import { postgresBelow } from '../test/environment/processes.ts'
import {
  onTestDatabase,
  runCommand,
  startProgram,
  temporaryFolder,
  type Program,
} from '../test/environment/program.ts'
import { rows } from './platform/db.ts'
import { sql } from 'kysely'

const reset = (args: readonly string[], environment: Readonly<Record<string, string>>) =>
  runCommand('reset-password', args, environment)

const passwordIn = (text: string) => /New password +(\S+)/.exec(text)?.[1] ?? ''

async function call({ url }: Program, method: string, path: string, body?: object, cookie = '') {
  const reply = await fetch(`${url}${path}`, {
    method,
    headers: { 'content-type': 'application/json', origin: url, cookie },
    ...(body && { body: JSON.stringify(body) }),
  })
  const json = (await reply.json()) as { code?: string; restriction?: string }
  return { ...json, status: reply.status, cookie: reply.headers.getSetCookie()[0]?.split(';')[0] ?? cookie }
}

const signIn = (program: Program, username: string, password: string) =>
  call(program, 'POST', '/api/login', { username, password })

test('the admin of a first start, and whom the operator gave a password, must choose their own first', async () => {
  const dataDir = await temporaryFolder()
  const gateway = await startProgram('main', { DATA_DIR: dataDir })
  await gateway.ready
  const printed = /First admin: admin, password (\S+) /.exec(gateway.stdout())?.[1] ?? ''
  const first = await signIn(gateway, 'admin', printed)
  expect([first.status, first.restriction]).toEqual([200, 'password_change'])
  expect(await call(gateway, 'GET', '/api/users', undefined, first.cookie)).toMatchObject({
    status: 403,
    code: 'password_change_required',
  })
  const newPassword = 'the words of the admin'
  await call(gateway, 'PUT', '/api/user/password', { newPassword }, first.cookie)
  expect((await call(gateway, 'GET', '/api/users', undefined, first.cookie)).status).toBe(200)
  expect((await signIn(gateway, 'admin', newPassword)).restriction).toBeUndefined()

  // Beside the gateway that runs, under another spelling of the name.
  const beside = await reset(['ADMIN'], { DATA_DIR: dataDir })
  expect(beside, beside.stderr).toMatchObject({ code: 0, stderr: '' })
  expect(beside.stdout).toMatch(/Username +admin/)
  expect((await signIn(gateway, 'admin', newPassword)).status).toBe(401)
  expect((await call(gateway, 'GET', '/api/user', undefined, first.cookie)).status).toBe(401)
  expect((await signIn(gateway, 'admin', passwordIn(beside.stdout))).restriction).toBe('password_change')

  gateway.kill('SIGTERM')
  await gateway.exited
  const stopped = await reset(['admin'], { DATA_DIR: dataDir })
  expect(stopped, stopped.stderr).toMatchObject({ code: 0, stderr: '' })
  expect(await postgresBelow(dataDir)).toEqual([])
  const again = await startProgram('main', { DATA_DIR: dataDir })
  await again.ready
  expect((await signIn(again, 'admin', passwordIn(beside.stdout))).status).toBe(401)
  expect((await signIn(again, 'admin', passwordIn(stopped.stdout))).status).toBe(200)
  again.kill('SIGTERM')
  await again.exited
})

test('what cannot be done is said in one line, with status 1, and nothing is changed', async () => {
  const { db, address } = await openTestDatabase()
  const environment = await onTestDatabase(address.database, inject('postgresHost'), {
    username: 'root',
    password: 'a long enough first password',
  })
  expect(await reset(['nobody'], environment)).toMatchObject({
    code: 1,
    stdout: '',
    stderr: 'There is no account nobody. Nothing was changed.\n',
  })
  expect((await reset(['nobody'], { ...environment, SECRET_KEY: 'another key than that' })).stderr).toMatch(
    /^SECRET_KEY is not the key .*\n$/,
  )
  expect((await reset(['nobody'], { ...environment, SECRET_KEY: '' })).stderr).toMatch(
    /^There is no key.*\n$/,
  )
  const empty = await temporaryFolder()
  expect(await reset(['nobody'], { DATA_DIR: empty })).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^There is no database in .*\n$/) as string,
  })
  expect(await reset([], environment)).toMatchObject({ code: 2, stdout: '' })
  expect(await rows(db, sql`select 1 from users`)).toEqual([])
})
