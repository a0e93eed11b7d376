import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { openTestApi } from '../../../test/api.ts'
import { openGatewayBench } from '../../../test/gateway.ts'
import { silentLog } from '../../../test/harness.ts'
import { openSmsc, type StandInSmsc } from '../../../test/smsc.ts'
import { createAudit } from '../../audit/index.ts'
import { systemClock } from '../../platform/clock.ts'
import { row, rows } from '../../platform/db.ts'
import { createEgress } from '../../platform/egress.ts'
import { createSecrets } from '../../platform/secrets.ts'
import { createConnections, type ConnectionNews } from '../index.ts'
import { writeHeartbeats } from './state-store.ts'

const bench = await openGatewayBench()
const { db, node } = bench
const news: ConnectionNews[] = []
const sendPausesMs = [300, 600]
const secrets = createSecrets('key material for connections')

function newNode(name: string, over: { holdsLinks?: boolean; allow?: string[] } = {}) {
  const connections = createConnections({
    db,
    log: silentLog,
    audit: createAudit({ db, clock: systemClock }),
    secrets,
    egress: createEgress(over.allow ?? ['127.0.0.1/32']),
    messages: node.ingest,
    holds: node.holds,
    node: name,
    holdsLinks: over.holdsLinks ?? true,
    publish: (item) => news.push(item),
    sendPausesMs,
    settings: { sessionInitMs: 1_000, responseMs: 1_000, enquireLinkMs: 500 },
  })
  afterAll(() => connections.stop())
  return connections
}

const first = newNode('first')
await first.start()
const api = await openTestApi(first.routes)
const admin = await bench.account()
const cookie = api.signIn({
  userId: admin.userId,
  username: 'root',
  role: 'admin',
  authenticatedAt: new Date(),
})
const base = '/api/smpp-connections'
let made = 0

const call = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path = '', body?: unknown) =>
  api.call(method, `${base}${path}`, { cookie, ...(body === undefined ? {} : { body }) })

async function add(smsc: StandInSmsc, over: object = {}): Promise<string> {
  const name = `link${(made += 1)}`
  const answer = await call('POST', '', {
    name,
    host: '127.0.0.1',
    port: smsc.port,
    systemId: 'tollgate',
    password: 'pass1234',
    ...over,
  })
  expect(answer.status, answer.text).toBe(201)
  return answer.body.id
}

const read = async (id: string) => {
  const { body } = await call('GET')
  return body.find((each: { id: string }) => each.id === id)
}

const shows = (id: string, state: object, timeout = 10_000) =>
  expect.poll(() => read(id), { timeout }).toMatchObject(state)

test('a link binds as transceiver with its own TON and NPI, is heard, and unbinds when told', async () => {
  const smsc = await openSmsc()
  const id = await add(smsc, { sourceTon: 2, sourceNpi: 8, systemType: 'VMS' })
  await shows(id, {
    status: 'connected',
    isWanted: true,
    node: 'first',
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
  expect(news).toContainEqual(expect.objectContaining({ id, status: 'connected' }))
  expect(JSON.stringify(await call('GET'))).not.toContain('pass1234')
  expect((await call('POST', `/${id}/disconnect`)).status).toBe(200)
  await shows(id, { status: 'disconnected', isWanted: false, node: '' })
  expect(smsc.unbindCount).toBe(1)
  expect((await call('POST', `/${id}/connect`)).status).toBe(200)
  await shows(id, { status: 'connected', isWanted: true })
})

test('connect on a link that is up, or on its way, does not disturb it', async () => {
  const smsc = await openSmsc()
  const id = await add(smsc)
  await call('POST', `/${id}/connect`)
  await shows(id, { status: 'connected' })
  await call('POST', `/${id}/connect`)
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  expect([smsc.binds.length, smsc.unbindCount]).toEqual([1, 0])
})

test('its heartbeat goes on while nothing else is sent', async () => {
  const smsc = await openSmsc()
  const id = await add(smsc)
  await shows(id, { status: 'connected' })
  const { lastHeartbeat } = await read(id)
  await expect.poll(async () => (await read(id)).lastHeartbeat > lastHeartbeat).toBe(true)
  expect(smsc.binds).toHaveLength(1)
})

test('a heartbeat of an owner who was cut off is passed over', async () => {
  const smsc = await openSmsc()
  const id = await add(smsc)
  await shows(id, { status: 'connected' })
  // So that the owner itself writes none meanwhile.
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
    expect((smsc.binds.at(-1)?.atMs ?? 0) - orderedAtMs).toBeLessThan(2_000)
    expect((await call('POST', `/${id}/test`)).body).toMatchObject({ success: true, peerSystemId: 'standin' })
  },
)

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

test.each([
  ['silent', 'The gateway took the connection but did not answer the bind.'],
  ['garbage', 'The gateway answered with something that is not SMPP.'],
] as const)('a %s gateway fails the link and the test, with words for it', async (behaviour, words) => {
  const smsc = await openSmsc()
  smsc.behaviour = behaviour
  const id = await add(smsc)
  await shows(id, { status: 'error', lastErrorCode: null, lastError: words })
  expect((await call('POST', `/${id}/test`)).body).toMatchObject({ success: false, error: words })
  smsc.behaviour = 'accept'
  await shows(id, { status: 'connected' }, 20_000)
})

test('a link that is dropped after its bind comes back by itself', async () => {
  const smsc = await openSmsc()
  smsc.behaviour = 'drop-after-bind'
  const id = await add(smsc)
  await expect.poll(() => smsc.binds.length).toBeGreaterThan(1)
  smsc.behaviour = 'accept'
  await expect.poll(() => smsc.sessions.size).toBe(1)
  await shows(id, { status: 'connected' })
})

test('deliver_sm to a number of ours is a record by the time it is answered; others are refused', async () => {
  const smsc = await openSmsc()
  const id = await add(smsc)
  await shows(id, { status: 'connected' })
  const digits = await bench.number()
  const status = await smsc.deliver({
    source_addr: '447700900999',
    destination_addr: `+${digits}`,
    short_message: 'hello',
  })
  expect(status).toBe(0)
  const stored = await row<{ source: number; name: string }>(
    db,
    sql`select g.source, g.name from records r join numbers n on n.id = r.number_id join gateways g on g.id = r.gateway_id
        where n.number = ${digits}`,
  )
  expect(stored).toEqual({ source: 1, name: `link${made}` })
  expect(await smsc.deliver({ source_addr: '1', destination_addr: '447700999999' })).toBe(0x0b)
  await shows(id, { received24h: 2 })
  expect((await read(id)).messagesPerSecond).toBeGreaterThan(0)
})

test('while the database cannot take messages the gateway is asked to send again', async () => {
  const smsc = await openSmsc()
  const id = await add(smsc)
  await shows(id, { status: 'connected' })
  const digits = await bench.number()
  await bench.pool
    .query('begin; lock table records in access exclusive mode; select 1')
    .catch(() => undefined)
  const blocker = await bench.pool.connect()
  await blocker.query('begin')
  await blocker.query('lock table record_batches in access exclusive mode')
  try {
    expect(await smsc.deliver({ source_addr: '1', destination_addr: digits })).toBe(0x64)
  } finally {
    await blocker.query('rollback')
    blocker.release()
  }
  await expect.poll(() => smsc.deliver({ source_addr: '1', destination_addr: digits })).toBe(0)
})

test('a message sent by hand leaves once, and its receipt finds it, late or early', async () => {
  const smsc = await openSmsc()
  const id = await add(smsc, { answerIdForm: 'hex', receiptIdForm: 'decimal' })
  await shows(id, { status: 'connected' })
  const receipt = (message: number) =>
    smsc.deliver({
      esm_class: 4,
      source_addr: '447700900123',
      destination_addr: 'Tollgate',
      short_message: `id:${message} sub:001 dlvrd:001 stat:DELIVRD err:000 text:`,
    })
  smsc.nextMessageId = 'ff'
  const sent = await call('POST', `/${id}/send`, { from: 'Tollgate', to: '+44 7700 900123', text: 'Grüße' })
  expect([sent.status, sent.body]).toEqual([
    202,
    expect.objectContaining({ status: 'queued', to: '447700900123' }),
  ])
  const last = async () => (await call('GET', `/${id}/sends`)).body[0]
  await expect.poll(last).toMatchObject({ status: 'sent', error: '' })
  expect(smsc.submits).toMatchObject([{ source_addr_ton: 5, destination_addr: '447700900123' }])
  expect(await receipt(255)).toBe(0)
  expect(await last()).toMatchObject({ receipt: 'DELIVRD' })

  expect(await receipt(0x100)).toBe(0)
  smsc.nextMessageId = '100'
  await call('POST', `/${id}/send`, { from: '447700900001', to: '447700900124', text: 'x'.repeat(10) })
  await expect.poll(last).toMatchObject({ status: 'sent', receipt: 'DELIVRD' })
  expect(smsc.submits).toHaveLength(2)
  await shows(id, { sent24h: 2, received24h: 0 })
})

test('a gateway that throttles, answers twice, wrongly or never fails no more than that message', async () => {
  const smsc = await openSmsc()
  const id = await add(smsc)
  await shows(id, { status: 'connected' })
  const send = async (answering: StandInSmsc['answering']) => {
    smsc.answering = answering
    const { body } = await call('POST', `/${id}/send`, { from: '1', to: '447700900123', text: answering })
    const sent = async () =>
      (await call('GET', `/${id}/sends`)).body.find((each: { id: string }) => each.id === body.id)
    await expect.poll(async () => (await sent()).status).toMatch(/sent|failed/)
    return sent()
  }
  expect(await send('throttled')).toMatchObject({
    status: 'failed',
    errorCode: 0x58,
    error: 'Throttling error: allowed message limits exceeded (0x58); tried 3 times',
  })
  expect(await send('twice')).toMatchObject({ status: 'sent', error: '' })
  for (const answering of ['with another command', 'never'] as const)
    expect(await send(answering), answering).toMatchObject({
      status: 'failed',
      error: 'The gateway did not answer in time; it may have left.',
    })
  expect(await send('well')).toMatchObject({ status: 'sent', error: '' })
  expect(smsc.submits).toHaveLength(7)
  expect(smsc.binds).toHaveLength(1)
  await shows(id, { status: 'connected', sent24h: 2 })
})

test.each([
  ['throttled', 0x58],
  ['full', 0x14],
] as const)('what a gateway that is %s did not take goes again, and leaves once', async (busy, code) => {
  const smsc = await openSmsc()
  const id = await add(smsc)
  await shows(id, { status: 'connected' })
  smsc.scripted = [busy, busy]
  await call('POST', `/${id}/send`, { from: '1', to: '447700900123', text: 'patience' })
  const last = async () => (await call('GET', `/${id}/sends`)).body[0]
  await expect.poll(last).toMatchObject({ status: 'sending', errorCode: code })
  await expect.poll(last).toMatchObject({ status: 'sent', errorCode: null, error: '' })
  expect(smsc.submits).toHaveLength(3)
  await shows(id, { sent24h: 1 })
})

test.each(['full', 'never'] as const)(
  'a message whose answer is %s keeps none of the others of its link waiting',
  async (answering) => {
    const smsc = await openSmsc()
    const id = await add(smsc)
    await shows(id, { status: 'connected' })
    sendPausesMs.unshift(60_000)
    smsc.answeringTo.set('447700900100', answering)
    const send = (to: string) => call('POST', `/${id}/send`, { from: '1', to, text: 'x' })
    await send('447700900100')
    await Promise.all(['447700900101', '447700900102', '447700900103'].map(send))
    const sends = async () => (await call('GET', `/${id}/sends`)).body.toReversed()
    const sent = { status: 'sent', error: '' }
    await expect.poll(sends).toMatchObject([{}, sent, sent, sent])
    sendPausesMs.shift()
    await call('POST', `/${id}/disconnect`)
    await expect.poll(sends).toMatchObject([{ status: 'failed' }, sent, sent, sent])
    const [last, ...before] = (await sends()).map((each: { doneAt: string }) => each.doneAt)
    expect(before.filter((doneAt: string) => doneAt >= last)).toEqual([])
  },
)

test('a link that is throttled is quiet for a second, then goes on, the refused message too', async () => {
  const smsc = await openSmsc()
  const id = await add(smsc)
  await shows(id, { status: 'connected' })
  smsc.scripted = ['throttled']
  await call('POST', `/${id}/send`, { from: '1', to: '447700900100', text: 'x' })
  await expect.poll(() => smsc.submits.length).toBe(1)
  for (const to of ['447700900101', '447700900102'])
    await call('POST', `/${id}/send`, { from: '1', to, text: 'x' })
  const sends = async () => (await call('GET', `/${id}/sends`)).body
  const sent = { status: 'sent', errorCode: null }
  await expect.poll(sends).toMatchObject([sent, sent, sent])
  const [refusedAtMs = 0, ...laterMs] = smsc.submittedAtMs
  expect(laterMs).toHaveLength(3)
  expect(Math.min(...laterMs) - refusedAtMs).toBeGreaterThan(950)
  expect(new Set(smsc.submits.map((pdu) => pdu['destination_addr'])).size).toBe(3)
})

test('of a message in parts only the one that was not taken goes again', async () => {
  const smsc = await openSmsc()
  const id = await add(smsc)
  await shows(id, { status: 'connected' })
  smsc.scripted = ['well', 'throttled']
  await call('POST', `/${id}/send`, { from: '1', to: '447700900123', text: 'x'.repeat(200) })
  const last = async () => (await call('GET', `/${id}/sends`)).body[0]
  await expect.poll(last).toMatchObject({ status: 'sent' })
  const places = smsc.submits.map((pdu) => (pdu['short_message'] as { udh: Buffer[] }).udh[0]?.at(-1))
  expect(places).toEqual([1, 2, 2])
})

test('a link that is taken down does not wait for a message that waits, and says what became of it', async () => {
  const smsc = await openSmsc()
  const id = await add(smsc)
  await shows(id, { status: 'connected' })
  sendPausesMs.unshift(60_000)
  smsc.answering = 'throttled'
  await call('POST', `/${id}/send`, { from: '1', to: '447700900123', text: 'wait' })
  await expect.poll(() => smsc.submits.length).toBe(1)
  sendPausesMs.shift()
  await call('POST', `/${id}/disconnect`)
  await shows(id, { status: 'disconnected' })
  expect((await call('GET', `/${id}/sends`)).body[0]).toMatchObject({
    status: 'failed',
    error: expect.stringContaining('given up before it could go again'),
  })
})

test('nothing is sent over a link that is not connected', async () => {
  const smsc = await openSmsc()
  smsc.behaviour = 'wrong-password'
  const id = await add(smsc)
  await shows(id, { status: 'error' })
  const answer = await call('POST', `/${id}/send`, { from: '1', to: '447700900123', text: 'x' })
  expect([answer.status, answer.body.message]).toEqual([
    409,
    'Cannot send SMS - No active SMPP connections available. Authentication must be resolved first.',
  ])
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

test('an address inside the network is never called, though it may be entered', async () => {
  const smsc = await openSmsc()
  const id = await add(smsc, { host: '127.0.0.2' })
  await shows(id, { status: 'error', lastError: expect.stringContaining('may not be called') })
  expect((await call('POST', `/${id}/test`)).body).toMatchObject({ success: false })
  expect(smsc.binds).toHaveLength(0)
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

test('a name is given once, whatever its case, and defaults are those of the specification', async () => {
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

test('what is wanted outlives the node: another takes over, a dead owner included, and one owner holds at a time', async () => {
  const smsc = await openSmsc()
  const id = await add(smsc)
  const unwanted = await add(await openSmsc())
  await call('POST', `/${unwanted}/disconnect`)
  await shows(id, { status: 'connected', node: 'first' })
  const second = newNode('second')
  await second.start()
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  expect(smsc.sessions.size).toBe(1)

  // As if another node had taken the lease over: the first is a stale owner from now on.
  await sql`update leases set token = token + 1, owner = 'dead', expires_at = clock_timestamp() + interval '1 second'
    where name = ${`connection:${id}`}`.execute(db)
  await expect.poll(() => smsc.unbindCount).toBe(1)
  await shows(id, { status: 'connected', node: expect.stringMatching(/first|second/) }, 20_000)
  await expect.poll(() => smsc.sessions.size).toBe(1)

  await first.stop()
  await shows(id, { status: 'connected', node: 'second' })
  await second.stop()
  await shows(id, { status: 'connecting', isWanted: true, node: '' })
  const restarted = newNode('restarted')
  await restarted.start()
  await shows(id, { status: 'connected', node: 'restarted' })
  expect(await read(unwanted)).toMatchObject({ status: 'disconnected', isWanted: false })
})
