import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openAdminApi, openTestGateway } from '../../test/traffic/gateway.ts'
import { row, rows } from '../platform/db.ts'

const environment = await openTestGateway()
const { node, db } = environment
const { api, admin, cookie } = await openAdminApi(environment)

test('the status counts binds, records and numbers, and says that the server runs', async () => {
  const account = await environment.account()
  const digits = await environment.number()
  const peer = await node.bound(account)
  peer.send('submit_sm', 2, { sourceAddr: '1', destAddrTon: 1, destAddrNpi: 1, destinationAddr: digits })
  expect((await peer.next()).status).toBe(0)
  // Other tests of this file add to the same figures, so each poll reads both sides.
  const isShownAsStored = async () => {
    const { body } = await api.call('GET', '/api/smpp/status', { cookie })
    expect(body).toMatchObject({
      server: { running: true, port: node.port, startedAt: expect.any(String) },
      outbound: { failing: false, connections: [] },
    })
    const { records, numbers } = body.cdr
    const stored = await row(
      db,
      sql`select (select count(*)::int from binds) as connections, (select count(*)::int from records) as records,
            (select count(*)::int from numbers) as numbers`,
    )
    return isDeepStrictEqual(stored, { connections: body.server.connections, records, numbers })
  }
  await expect.poll(isShownAsStored).toBe(true)
  peer.destroy()
})

test('throughput counts what every node accepted, once its step of ten seconds is whole', async () => {
  const account = await environment.account()
  const digits = await environment.number()
  const other = await environment.anotherNode()
  const sum = async (): Promise<number> => {
    const { body } = await api.call('GET', '/api/smpp/throughput', { cookie })
    expect(body).toMatchObject({ stepSeconds: 10, from: expect.any(String) })
    expect(body.counts).toHaveLength(90)
    return body.counts.reduce((total: number, count: number) => total + count, 0)
  }
  const before = await rows<{ count: number }>(
    db,
    sql`select coalesce(sum(record_count), 0)::int as count from record_batches`,
  )
  for (const each of [node, other]) {
    const peer = await each.bound(account)
    peer.send('submit_sm', 2, { sourceAddr: '1', destAddrTon: 1, destAddrNpi: 1, destinationAddr: digits })
    expect((await peer.next()).status).toBe(0)
    peer.destroy()
  }
  // As if it had been ten seconds ago.
  await sql`update record_batches set stored_at = stored_at - interval '10 s'`.execute(db)
  await expect.poll(sum).toBe((before[0]?.count ?? 0) + 2)
})

test('a bound peer is listed with its figures, and a disconnected one unbound, with an audit entry', async () => {
  const account = await environment.account()
  const digits = await environment.number()
  const peer = await node.bound(account, 'transmitter')
  peer.send('submit_sm', 2, { sourceAddr: '1', destAddrTon: 1, destAddrNpi: 1, destinationAddr: digits })
  await peer.next()
  const listed = async () => {
    const { body } = await api.call('GET', '/api/smpp/binds', { cookie })
    return body.find((bind: { systemId: string }) => bind.systemId === account.systemId)
  }
  await expect.poll(listed).toMatchObject({
    username: account.systemId,
    userId: account.userId,
    bindType: 'transmitter',
    interfaceVersion: '3.4',
    remoteAddress: '127.0.0.1',
    isTls: false,
    received: 1,
    windowMax: 50,
  })
  const { id } = await listed()
  expect((await api.call('POST', `/api/smpp/binds/${id}/disconnect`, { cookie })).status).toBe(200)
  expect(await peer.next()).toMatchObject({ command: 'unbind' })
  peer.send('unbind_resp', 1)
  await peer.closed()
  await expect.poll(listed).toBeUndefined()
  const entry = await row<{ action: string; actor: string }>(
    db,
    sql`select action, actor from audit_entries where object_id = ${id}`,
  )
  expect(entry).toEqual({ action: 'bind.disconnect', actor: admin.systemId })
  expect((await api.call('POST', `/api/smpp/binds/${id}/disconnect`, { cookie })).status).toBe(404)
})

test('a peer of another node can be disconnected from this one', async () => {
  const account = await environment.account()
  const other = await environment.anotherNode()
  const peer = await other.bound(account)
  const found = await row<{ id: string }>(db, sql`select id from binds where user_id = ${account.userId}`)
  expect((await api.call('POST', `/api/smpp/binds/${found?.id}/disconnect`, { cookie })).status).toBe(200)
  expect(await peer.next()).toMatchObject({ command: 'unbind' })
  peer.destroy()
})

test('refused messages are listed with reason, number and peer', async () => {
  const account = await environment.account()
  const peer = await node.bound(account)
  peer.send('submit_sm', 2, {
    sourceAddr: '1',
    destAddrTon: 1,
    destAddrNpi: 1,
    destinationAddr: '447700999999',
  })
  expect((await peer.next()).status).toBe(0x0b)
  await expect
    .poll(async () => (await api.call('GET', '/api/smpp/refusals', { cookie })).body)
    .toContainEqual({
      day: new Date().toISOString().slice(0, 10),
      reason: 'unknown',
      number: '447700999999',
      gateway: account.systemId,
      count: 1,
      lastAt: expect.any(String),
      statuses: [],
      detail: '',
      octets: '',
    })
  peer.destroy()
})

test('metrics name sessions, PDUs and refused binds', async () => {
  const { peer: stranger } = await node.tryBind('nobody', { password: 'x' })
  stranger.destroy()
  const peer = await node.bound(await environment.account())
  peer.send('submit_sm', 2, {
    sourceAddr: '1',
    destAddrTon: 1,
    destAddrNpi: 1,
    destinationAddr: '447999999999',
  })
  expect((await peer.next()).status).toBe(0x0b)
  peer.destroy()
  const { text } = await api.call('GET', '/metrics')
  expect(text).toMatch(/^tollgate_smpp_sessions\{direction="inbound",state="bound"\} \d+$/m)
  expect(text).toMatch(
    /^tollgate_smpp_pdus_total\{command="submit_sm_resp",direction="out",status="ESME_RINVDSTADR"\} [1-9]/m,
  )
  expect(text).toMatch(/^tollgate_smpp_bind_failures_total\{reason="wrong_credentials"\} [1-9]/m)
})
