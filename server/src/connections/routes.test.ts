import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openTestConnections } from '../../test/traffic/connections.ts'
import { openSmsc } from '../../test/stand-ins/smsc.ts'
import { rows } from '../platform/db.ts'

const { db, call, add, shows } = await openTestConnections()

test('a new password is used at once, and an edit without one keeps it', async () => {
  const smsc = await openSmsc()
  const id = await add(smsc)
  await shows(id, { status: 'connected' })
  expect((await call('PUT', `/${id}`, { throughput: 50 })).body).toMatchObject({ throughput: 50, version: 2 })
  await expect.poll(() => smsc.binds.length).toBe(2)
  expect(smsc.binds.at(-1)?.fields['password']).toBe('pass1234')
  await call('PUT', `/${id}`, { password: 'newer123' })
  await expect.poll(() => smsc.binds.at(-1)?.fields['password']).toBe('newer123')
  expect((await call('PUT', `/${id}`, { port: 1, version: 1 })).body).toMatchObject({ code: 'stale' })
  const entries = await rows<{ entry: string }>(
    db,
    sql`select (before::text || after::text) as entry from audit_entries where object_type = 'connection' and object_id = ${id}`,
  )
  expect(entries.length).toBeGreaterThan(0)
  expect(JSON.stringify(entries)).not.toMatch(/pass1234|newer123/)
})

test('a password is sent to no other host, port, transport or system_id than it was entered for', async () => {
  const [smsc, stranger] = [await openSmsc(), await openSmsc()]
  const id = await add(smsc)
  await shows(id, { status: 'connected' })
  for (const [edit, changed] of [
    [{ port: stranger.port }, 'port'],
    [{ port: stranger.port, password: '' }, 'port'],
    [{ host: 'localhost' }, 'host'],
    [{ host: '127.1' }, 'host'],
    [{ useTls: true }, 'TLS setting'],
    [{ systemId: 'another' }, 'system ID'],
  ] as const) {
    const { status, body } = await call('PUT', `/${id}`, edit)
    const fields = { password: `Enter the password again: the ${changed} has changed` }
    expect([edit, status, body.fields]).toEqual([edit, 400, fields])
  }
  expect(await call('PUT', `/${id}`, { host: '127.0.0.1', useTls: false })).toMatchObject({ status: 200 })
  expect(stranger.binds).toEqual([])
  const moved = await call('PUT', `/${id}`, { port: stranger.port, password: 'theirs' })
  expect(moved.status).toBe(200)
  await expect.poll(() => stranger.binds.at(-1)?.fields['password']).toBe('theirs')
  const [entry] = await rows<{ after: object }>(
    db,
    sql`select after from audit_entries where object_type = 'connection' and object_id = ${id}
        order by audit_entries.id desc limit 1`,
  )
  expect(entry?.after).toMatchObject({ isDestinationChanged: true, isCredentialChanged: true })
})

test('a link without a password may change its destination', async () => {
  const { body } = await call('POST', '', { name: 'open', host: 'gateway.invalid' })
  expect((await call('PUT', `/${body.id}`, { host: 'other.invalid' })).status).toBe(200)
})

test.each([
  ['name', ''],
  ['name', 'x'.repeat(65)],
  ['host', ''],
  ['host', 'a b'],
  ['host', 'http://example.org'],
  ['port', 0],
  ['port', 65_536],
  ['port', 'x'],
  ['systemId', 'x'.repeat(16)],
  ['systemId', 'ü'],
  ['password', 'x'.repeat(65)],
  ['systemType', 'x'.repeat(13)],
  ['interfaceVersion', '3.5'],
  ['sourceTon', 7],
  ['sourceNpi', 2],
  ['destTon', -1],
  ['destNpi', 19],
  ['throughput', -1],
  ['throughput', 1.5],
  ['bindType', 'both'],
])('%s %j is refused, with the field named', async (field, value) => {
  const body = { name: 'never', host: 'example.org', [field]: value }
  const answer = await call('POST', '', body)
  expect(answer.status).toBe(400)
  expect(Object.keys(answer.body.fields)).toEqual([field])
  await new Promise((resolve) => setTimeout(resolve, 15))
})

test('a name is unique regardless of its case, and defaults are those of the specification', async () => {
  const answer = await call('POST', '', { name: 'Twice', host: 'gateway.invalid' })
  expect(answer.body).toMatchObject({
    port: 2775,
    interfaceVersion: '3.4',
    sourceTon: 1,
    sourceNpi: 1,
    destTon: 1,
    destNpi: 1,
    throughput: 100,
    bindType: 'transceiver',
  })
  const second = await call('POST', '', { name: 'tWICE', host: 'other.invalid' })
  expect([second.status, second.body.fields]).toEqual([409, { name: 'This name is taken' }])
})
