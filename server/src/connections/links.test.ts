import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openTestConnections } from '../../test/traffic/connections.ts'
import { openSmsc } from '../../test/stand-ins/smsc.ts'
import { row } from '../platform/db.ts'
import { registry } from '../platform/metrics.ts'
import { deadLinkRecords } from '../gateway/lost-answers/store.ts'
import { writeHeartbeats } from './state-store.ts'

const environment = await openTestConnections()
const { db, first, published, call, add, read, shows } = environment

test('a link binds as transceiver with its TON and NPI, shows a heartbeat, and unbinds on order', async () => {
  const smsc = await openSmsc()
  const id = await add(smsc, { sourceTon: 2, sourceNpi: 8, systemType: 'VMS' })
  await shows(id, {
    status: 'connected',
    isWanted: true,
    node: expect.stringMatching(/./),
    password: '••••••••',
    lastErrorCode: null,
    lastHeartbeat: expect.any(String),
  })
  expect(smsc.binds).toMatchObject([
    {
      command: 'bind_transceiver',
      fields: { system_id: 'tollgate', password: 'pass1234', system_type: 'VMS', addr_ton: 2, addr_npi: 8 },
    },
  ])
  expect(published).toContainEqual(expect.objectContaining({ id, status: 'connected' }))
  expect(JSON.stringify(await call('GET'))).not.toContain('pass1234')
  expect((await call('POST', `/${id}/disconnect`)).status).toBe(200)
  await shows(id, { status: 'disconnected', isWanted: false, node: '' })
  expect(smsc.unbindCount).toBe(1)
  expect((await call('POST', `/${id}/connect`)).status).toBe(200)
  await shows(id, { status: 'connected', isWanted: true })
})

test('connect does not disturb a link that is connected or connecting', async () => {
  const smsc = await openSmsc()
  const id = await add(smsc)
  await call('POST', `/${id}/connect`)
  await shows(id, { status: 'connected' })
  await call('POST', `/${id}/connect`)
  await new Promise((resolve) => setTimeout(resolve, 500))
  expect([smsc.binds.length, smsc.unbindCount]).toEqual([1, 0])
})

test('the heartbeat of an idle link is updated', async () => {
  const smsc = await openSmsc()
  const id = await add(smsc)
  await shows(id, { status: 'connected' })
  const { lastHeartbeat } = await read(id)
  await expect.poll(async () => (await read(id)).lastHeartbeat > lastHeartbeat).toBe(true)
  expect(smsc.binds).toHaveLength(1)
})

test('the heartbeat of a stale owner is ignored', async () => {
  const smsc = await openSmsc()
  const id = await add(smsc)
  await shows(id, { status: 'connected' })
  // So that the owner itself writes no heartbeat meanwhile.
  await call('POST', `/${id}/disconnect`)
  await shows(id, { status: 'disconnected' })
  const stateOf = () =>
    row<{ lease_token: string; messages_per_second: number }>(
      db,
      sql`select lease_token, messages_per_second from connection_states where connection_id = ${Number(id)}`,
    )
  const token = (await stateOf())!.lease_token
  const written: number[] = []
  const beatOf = (leaseToken: string, messagesPerSecond: number) => ({
    owner: {
      connectionId: Number(id),
      node: 'first',
      lease: { name: `connection:${id}`, token: leaseToken },
    },
    lastHeartbeatAt: new Date(),
    messagesPerSecond,
    onWritten: () => void written.push(messagesPerSecond),
  })
  const stale = beatOf(String(BigInt(token) - 1n), 7)
  await writeHeartbeats(db, [stale])
  expect((await stateOf())?.messages_per_second).toBe(0)
  await writeHeartbeats(db, [stale, beatOf(token, 9)])
  expect((await stateOf())?.messages_per_second).toBe(9)
  expect(written).toEqual([7, 7, 9])
})

test.each(['restart', 'connect'])(
  'a wrong password shows as 14, is tried ever more seldom, and %s tries at once',
  async (order) => {
    const smsc = await openSmsc()
    smsc.behaviour = 'wrong-password'
    const id = await add(smsc)
    await shows(id, { status: 'error', lastErrorCode: 14, lastError: 'Invalid Password', isWanted: true })
    expect(await first.outboundLinks()).toContainEqual(
      expect.objectContaining({ id, status: 'error', errorCode: 14, errorText: 'Invalid Password' }),
    )
    expect((await call('POST', `/${id}/test`)).body).toMatchObject({
      success: false,
      error: 'Error Code 14: Invalid Password',
      errorCode: 14,
    })
    smsc.behaviour = 'accept'
    const orderedAtMs = Date.now()
    await call('POST', `/${id}/${order}`)
    await shows(id, { status: 'connected', lastErrorCode: null, lastError: '' })
    expect((smsc.binds.at(-1)?.atMs ?? 0) - orderedAtMs).toBeLessThan(10_000)
    expect((await call('POST', `/${id}/test`)).body).toMatchObject({ success: true, peerSystemId: 'standin' })
  },
)

test('the metric of an upstream is 0 while it refuses the bind, 1 while it is bound, and gone on a node that let it go', async () => {
  const smsc = await openSmsc()
  smsc.behaviour = 'wrong-password'
  const id = await add(smsc)
  const { name } = (await read(id)) as { name: string }
  const upOf = async () => {
    const text = await registry.getSingleMetricAsString('tollgate_upstream_up')
    return text
      .split('\n')
      .find((line) => line.includes(`connection="${name}"`))
      ?.split(' ')
      .at(-1)
  }
  await expect.poll(upOf).toBe('0')
  smsc.behaviour = 'accept'
  await call('POST', `/${id}/restart`)
  await expect.poll(upOf).toBe('1')
  await call('POST', `/${id}/disconnect`)
  await expect.poll(upOf).toBeUndefined()
})

test('a link that is dropped after its bind reconnects by itself', async () => {
  const smsc = await openSmsc()
  smsc.behaviour = 'drop-after-bind'
  const id = await add(smsc)
  await expect.poll(() => smsc.binds.length).toBeGreaterThan(1)
  smsc.behaviour = 'accept'
  await expect.poll(() => smsc.sessions.size).toBe(1)
  await shows(id, { status: 'connected' })
})

test('a deleted link unbinds and is gone', async () => {
  const smsc = await openSmsc()
  const id = await add(smsc)
  await shows(id, { status: 'connected' })
  expect((await call('DELETE', `/${id}`)).status).toBe(200)
  await expect.poll(() => smsc.unbindCount).toBe(1)
  expect(await read(id)).toBeUndefined()
  for (const path of ['connect', 'disconnect', 'restart', 'test'])
    expect((await call('POST', `/${id}/${path}`)).status).toBe(404)
  expect((await call('DELETE', `/${id}`)).status).toBe(404)
})

test('an internal address may be entered, but is never called', async () => {
  const smsc = await openSmsc()
  const id = await add(smsc, { host: '127.0.0.2' })
  await shows(id, { status: 'error', lastError: expect.stringContaining('may not be called') })
  expect((await call('POST', `/${id}/test`)).body).toMatchObject({ success: false })
  expect(smsc.binds).toHaveLength(0)
})

test('after the death of its node as many records count as unanswered as the link may have had', async () => {
  const smsc = await openSmsc()
  const id = await add(smsc, { receiveWindow: 100 })
  await shows(id, { status: 'connected' })
  const digits = await environment.number()
  const statuses = await Promise.all(
    Array.from({ length: 60 }, () =>
      smsc.deliver({ source_addr: '4915112345678', destination_addr: digits, short_message: 'x' }),
    ),
  )
  expect(new Set(statuses)).toEqual(new Set([0]))
  // The state that a node leaves behind when it dies is the one of a link that is up.
  expect(await deadLinkRecords(db, Number(id))).toHaveLength(60)
})
