// The package for programs outside, used as they use it: its files alone, its types by the compiler, its calls against a
// running server.
import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { openTestKeys } from '../test/http/keys.ts'
import { makeTemporaryFolder } from '../test/environment/temporary-folder.ts'

const run = promisify(execFile)
const root = resolve(import.meta.dirname, '../..')

const { folder, remove } = await makeTemporaryFolder()
afterAll(remove)
const home = join(folder, 'node_modules/tollgate-client')
await mkdir(join(folder, 'node_modules'), { recursive: true })
// In a process of its own, as `npm run build` does it.
await run(process.execPath, [join(root, 'tools/build.mjs'), '--client-into', home], { cwd: root })

const { baseUrl, routes, receive } = await openTestKeys()

// oxlint-disable-next-line typescript/no-explicit-any -- its own types are checked by the compiler below
const client: any = await import(pathToFileURL(join(home, 'index.js')).href)
// oxlint-disable-next-line typescript/no-explicit-any -- as above
const gatewayWith = (key: string): any => client.createClient({ baseUrl, key: `user,${key}`, triesMax: 1 })

test('it has a method for every call that a key may make, and for no other', () => {
  const open = routes.flatMap(({ table }) =>
    Object.entries(table).flatMap(([name, { scope }]) => (scope === undefined ? [] : [name])),
  )
  expect(open.length).toBeGreaterThan(15)
  expect(Object.keys(gatewayWith('')).toSorted()).toEqual(open.toSorted())
})

test('a program walks a list, polls for what comes, and reads a text if its key may', async () => {
  const gateway = gatewayWith('records:read,events:read')
  const { cursor } = await gateway.pollEvents()
  const ids = await receive(5)
  const listed: string[] = []
  for await (const record of client.itemsOf(gateway.listRecords, { query: { limit: 2 } }))
    listed.push(record.id)
  expect(listed).toEqual(expect.arrayContaining(ids))
  const polled: string[] = []
  for (let at = cursor; polled.length < ids.length;) {
    const page = await gateway.pollEvents({ query: { cursor: at, waitSeconds: 20 } })
    polled.push(...page.events.map(({ record }: { record: { id: string } }) => record.id))
    at = page.cursor
  }
  expect(polled.toSorted()).toEqual(ids.toSorted())
  const params = { id: ids[0] }
  expect((await gateway.getRecord({ params })).text).toMatch(/^•+$/)
  const reader = gatewayWith('texts:read')
  expect((await reader.readRecordText({ params })).text).toMatch(/^text \d+$/)
  await expect(gateway.readRecordText({ params })).rejects.toMatchObject({ status: 403, code: 'forbidden' })
  await expect(gatewayWith('records:read').pollEvents()).rejects.toBeInstanceOf(client.TollgateError)
  expect(typeof (await gateway.exportRecords())).toBe('string')
})

test('a key reads the texts of its owner’s records alone, also when the owner may read all', async () => {
  const [[own], [other]] = [await receive(1), await receive(1, 2)]
  const admin = client.createClient({ baseUrl, key: 'admin,texts:read', triesMax: 1 })
  expect((await admin.readRecordText({ params: { id: own } })).text).toMatch(/^text \d+$/)
  await expect(admin.readRecordText({ params: { id: other } })).rejects.toMatchObject({ status: 404 })
})

test('the live feed is an async iterable', async () => {
  const gateway = gatewayWith('events:read')
  const events = await gateway.streamEvents()
  const [id] = await receive(1)
  for await (const { event, data } of events) if (event === 'record' && data.id === id) break
  await events.return(undefined)
})

test('a call that is sent again after 503 keeps its Idempotency-Key', async () => {
  const keys: (string | null)[] = []
  const gateway = client.createClient({
    baseUrl: 'https://gateway.example.com',
    key: 'k',
    async fetch(_: string, { headers }: { headers: Record<string, string> }) {
      keys.push(headers['idempotency-key'] ?? null)
      return keys.length === 1
        ? new Response('{}', { status: 503, headers: { 'retry-after': '0.01' } })
        : Response.json({ id: '1' }, { status: 202 })
    },
  })
  const body = { from: '4915112345678', to: '447700900123', text: 'hello' }
  expect(await gateway.sendTestMessage({ params: { id: '1' }, body })).toEqual({ id: '1' })
  expect(keys).toHaveLength(2)
  expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/)
  expect(keys[1]).toBe(keys[0])
})

test('the program of its README compiles against its types, and a mistake does not', async () => {
  const page = await readFile(join(home, 'README.md'), 'utf8')
  const program = /```ts\n([\s\S]+?)```/.exec(page)?.[1] ?? ''
  const compilerOptions = {
    target: 'es2022',
    module: 'nodenext',
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    types: ['node'],
    typeRoots: [join(root, 'node_modules/@types')],
  }
  await writeFile(join(folder, 'package.json'), '{"type":"module"}')
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts'] }))
  const compile = async (text: string) => {
    await writeFile(join(folder, 'program.ts'), text)
    const tsc = join(root, 'node_modules/.bin/tsc')
    return run(tsc, ['-p', folder]).then(
      () => '',
      ({ stdout }: { stdout: string }) => stdout,
    )
  }
  expect(program).toContain('pollEvents')
  expect(await compile(program)).toBe('')
  expect(await compile(program.replace('dateFrom', 'dateform'))).toContain('dateform')
  expect(await compile(program.replace('record.amountUsd', 'record.amount'))).toContain('amount')
})
