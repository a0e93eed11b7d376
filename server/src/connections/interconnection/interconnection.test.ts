import { sql } from 'kysely'
import { sentence } from '@tollgate/contract/sentences.ts'
import { afterAll, expect, test } from 'vitest'
import { openTestApi } from '../../../test/http/api.ts'
import { openTestGateway } from '../../../test/traffic/gateway.ts'
import { silentLog } from '../../../test/environment/database.ts'
import { openSmsc } from '../../../test/stand-ins/smsc.ts'
import { createTestAudit } from '../../../test/people/audit.ts'
import { createEndpoints, defineDeliverySwitch } from '../../endpoints/index.ts'
import { systemClock } from '../../platform/clock.ts'
import { createEgress } from '../../platform/security/egress.ts'
import { createSecrets } from '../../platform/security/secrets.ts'
import { createConnections, createInterconnection, defineLinkSettings } from '../index.ts'

const environment = await openTestGateway()
const { db, node, users } = environment
const audit = createTestAudit({ db, clock: systemClock })
const secrets = createSecrets('key material for links')
const egress = createEgress(['127.0.0.1/32'])
const linkSettings = defineLinkSettings(users.settings)
const isDelivering = defineDeliverySwitch(users.settings)
const connections = createConnections({
  db,
  log: silentLog,
  audit,
  secrets,
  egress,
  messages: node.ingest,
  holds: node.holds,
  node: 'first',
  holdsLinks: true,
  publish: () => undefined,
  linkSettings,
})
const endpoints = createEndpoints({ db, audit, secrets, egress, log: silentLog, isDelivering })
const interconnection = createInterconnection({
  db,
  settings: users.settings,
  linkSettings,
  isDelivering,
  restartAll: (by) => connections.restartAll(by),
})
await connections.start()
await endpoints.start({ delivers: true })
afterAll(async () => {
  await connections.stop()
  await endpoints.stop()
  await egress.close()
})
const api = await openTestApi([...connections.routes, ...endpoints.routes, ...interconnection.routes])
const { userId } = await environment.account()
const cookie = api.signIn({ userId, username: 'root', role: 'admin', authenticatedAt: new Date() })
const supportCookie = api.signIn({ userId, username: 'sue', role: 'support', authenticatedAt: new Date() })

const get = async (path: string) => (await api.call('GET', `/api/interconnection${path}`, { cookie })).body
/** All pages of a list. */
const paged = async (path: string) => {
  const found: unknown[] = []
  for (let next: string | undefined = `/api/interconnection${path}`; next !== undefined;) {
    const page = await api.call('GET', next, { cookie })
    found.push(...page.body)
    next = page.next
  }
  return found
}
const connect = async (name: string, port: number) =>
  (
    await api.call('POST', '/api/smpp-connections', {
      cookie,
      body: { name, host: '127.0.0.1', port, systemId: 'us', password: 'p' },
    })
  ).body
const statusOf = async (id: string) =>
  (await api.call('GET', '/api/smpp-connections', { cookie })).body.find(
    (each: { id: string }) => each.id === id,
  ).status

test('the activity log shows events of links and actions of people, newest first, page by page', async () => {
  const smsc = await openSmsc()
  const { id } = await connect('east', smsc.port)
  await expect.poll(() => statusOf(id), {}).toBe('connected')
  smsc.behaviour = 'wrong-password'
  await api.call('POST', `/api/smpp-connections/${id}/test`, { cookie })
  await api.call('POST', `/api/smpp-connections/${id}/restart`, { cookie })
  await expect.poll(() => statusOf(id), {}).toBe('error')
  const endpoint = await api.call('POST', '/api/endpoints', {
    cookie,
    body: { name: 'CRM', endpoint: 'https://crm.example.com/hook' },
  })
  await api.call('DELETE', `/api/smpp-connections/${id}`, { cookie })
  const all = await get('/activity')
  const shown = all.map((each: { name: string; title: string; detail: string; by: string }) => [
    each.name,
    each.title,
    each.detail,
    each.by,
  ])
  expect(shown).toContainEqual(['east', 'Connected', '(first)', ''])
  expect(shown).toContainEqual(['east', 'Connection failed', 'Error Code 14: Invalid Password (first)', ''])
  expect(shown).toContainEqual(['east', 'Test Failed', '', 'root'])
  expect(shown).toContainEqual(['east', 'Restart ordered', '', 'root'])
  expect(shown).toContainEqual(['east', 'Connection deleted', '', 'root'])
  expect(shown).toContainEqual(['CRM', 'Endpoint added', '', 'root'])
  const times = all.map(({ at }: { at: string }) => at)
  expect(times).toEqual(times.toSorted().toReversed())
  expect(await paged('/activity?limit=2')).toEqual(all)
  expect((await get('/activity?order=asc')).toReversed()).toEqual(all)
  expect((await paged('/activity?limit=2&order=asc')).toReversed()).toEqual(all)
  const csv = await api.call('GET', '/api/interconnection/activity/export?kind=connection', { cookie })
  const lines = csv.text.trimEnd().split('\r\n')
  expect(lines[0]).toBe('Date & Time,Kind,Name,Event,Detail,By')
  expect(lines[1]).toMatch(/,connection,east,Connection deleted,,root$/)
  expect(lines).toHaveLength(1 + all.filter(({ kind }: { kind: string }) => kind === 'connection').length)
  const ofEndpoints = await get('/activity?kind=endpoint')
  expect(ofEndpoints).toEqual(all.filter(({ kind }: { kind: string }) => kind === 'endpoint'))
  await api.call('DELETE', `/api/endpoints/${endpoint.body.id}`, { cookie })
})

test('a failing link shows the time of its next attempt', async () => {
  const smsc = await openSmsc()
  smsc.behaviour = 'wrong-password'
  const { id } = await connect('stubborn', smsc.port)
  await expect
    .poll(async () => {
      const { body } = await api.call('GET', '/api/smpp-connections', { cookie })
      const link = body.find((each: { id: string }) => each.id === id)
      return link.nextAttempt !== null && Date.parse(link.nextAttempt) > Date.parse(link.lastAttempt)
    })
    .toBe(true)
  await api.call('DELETE', `/api/smpp-connections/${id}`, { cookie })
})

test('common settings are read by support and changed by an admin; each change is audited and used by the next bind', async () => {
  expect(await get('/config')).toEqual({
    enquireLinkSeconds: 30,
    answerSeconds: 30,
    sendWindow: 10,
    retryPauseSeconds: 60,
    isDelivering: true,
  })
  const put = (body: object, as = cookie) =>
    api.call('PUT', '/api/interconnection/config', { cookie: as, body })
  expect((await put({ sendWindow: 20 }, supportCookie)).status).toBe(403)
  expect(await put({ sendWindow: 0 })).toMatchObject({
    status: 400,
    body: { fields: { sendWindow: 'From 1 to 100' } },
  })
  expect(await put({ sendWindow: 20, isDelivering: false, answerSeconds: 30 })).toMatchObject({
    status: 200,
    body: { sendWindow: 20, isDelivering: false },
  })
  const { rows: changes } = await sql<{ object_id: string }>`
    select object_id from audit_entries where action = 'setting.change' order by object_id`.execute(db)
  expect(changes.map(({ object_id: key }) => key)).toEqual(['endpoint_deliveries', 'smpp_send_window'])
  expect(await put({ sendWindow: 30, seen: { sendWindow: 10, answerSeconds: 30 } })).toMatchObject({
    status: 409,
    body: { code: 'stale', fields: { sendWindow: 'Changed in the meantime. It is 20 now.' } },
  })
  expect(await put({ sendWindow: 10, isDelivering: true, seen: { sendWindow: 20 } })).toMatchObject({
    status: 200,
    body: { sendWindow: 10, isDelivering: true },
  })
})

test('Restart All reconnects every wanted link and no other', async () => {
  const [one, two, away] = [await openSmsc(), await openSmsc(), await openSmsc()]
  const ids = await Promise.all([connect('r1', one.port), connect('r2', two.port), connect('r3', away.port)])
  for (const { id } of ids) await expect.poll(() => statusOf(id), {}).toBe('connected')
  await api.call('POST', `/api/smpp-connections/${ids[2].id}/disconnect`, { cookie })
  expect((await api.call('POST', '/api/interconnection/restart', { cookie })).body).toEqual({ count: 2 })
  await expect.poll(() => [one.binds.length, two.binds.length, away.binds.length]).toEqual([2, 2, 1])
  for (const { id } of ids) await api.call('DELETE', `/api/smpp-connections/${id}`, { cookie })
})

test('the health check shows what works, what fails and why, and calls nothing outside', async () => {
  const [good, bad] = [await openSmsc(), await openSmsc()]
  bad.behaviour = 'wrong-password'
  const links = [await connect('well', good.port), await connect('ill', bad.port)]
  await expect.poll(() => statusOf(links[1].id), {}).toBe('error')
  await expect.poll(() => statusOf(links[0].id), {}).toBe('connected')
  const { body: hook } = await api.call('POST', '/api/endpoints', {
    cookie,
    body: { name: 'Off', endpoint: 'https://crm.example.com/hook', status: 'maintenance' },
  })
  await expect
    .poll(async () => (await get('/health')).checks)
    .toEqual(
      expect.arrayContaining([
        {
          kind: 'gateway',
          name: 'Database',
          state: 'ok',
          detail: expect.stringMatching(/^Answered in \d/),
          detailWords: [sentence('Answered in {count} ms.', { count: expect.any(Number) as number })],
        },
        {
          kind: 'gateway',
          name: 'SMPP server',
          state: 'ok',
          detail: 'Listening, 0 peers bound.',
          detailWords: [sentence('Listening, {count} peers bound.', { count: 0 })],
        },
        {
          kind: 'gateway',
          name: 'Deliveries',
          state: 'ok',
          detail: '0 are waiting.',
          detailWords: [sentence('{count} are waiting.', { count: 0 })],
        },
        {
          kind: 'connection',
          name: 'well',
          state: 'ok',
          detail: expect.stringMatching(/^Connected, heard/),
          detailWords: [
            sentence('Connected, heard {seconds} s ago.', { seconds: expect.any(Number) as number }),
          ],
        },
        {
          kind: 'connection',
          name: 'ill',
          state: 'bad',
          detail: 'Error Code 14: Invalid Password',
          detailWords: [
            sentence('Error Code {code}: {text}', { code: '14', text: { text: 'Invalid Password' } }),
          ],
        },
        {
          kind: 'endpoint',
          name: 'Off',
          state: 'warn',
          detail: 'In maintenance; 0 are waiting.',
          detailWords: [sentence('In maintenance; {count} are waiting.', { count: 0 })],
        },
      ]),
    )
  expect((await get('/health')).state).toBe('bad')
  await api.call('DELETE', `/api/endpoints/${hook.id}`, { cookie })
  for (const { id } of links) await api.call('DELETE', `/api/smpp-connections/${id}`, { cookie })
})

test("a program's key with messages:send sends over a connection and does nothing else", async () => {
  const smsc = await openSmsc()
  const { id } = await connect('programs', smsc.port)
  await expect.poll(() => statusOf(id), {}).toBe('connected')
  const program = api.signIn({ userId, username: 'root', role: 'admin', scopes: ['messages:send'] })
  const body = { from: 'Tollgate', to: '447700900318', text: 'from a program' }
  expect((await api.call('POST', `/api/smpp-connections/${id}/send`, { cookie: program, body })).status).toBe(
    202,
  )
  await expect.poll(() => smsc.submits.length, {}).toBe(1)
  expect((await api.call('POST', `/api/smpp-connections/${id}/restart`, { cookie: program })).status).toBe(
    403,
  )
  const reader = api.signIn({ userId, username: 'root', role: 'admin', scopes: ['records:read'] })
  expect((await api.call('POST', `/api/smpp-connections/${id}/send`, { cookie: reader, body })).status).toBe(
    403,
  )
  await api.call('DELETE', `/api/smpp-connections/${id}`, { cookie })
})

test("a connection's test tells each step of its way, and where it ended", async () => {
  const smsc = await openSmsc()
  const { id } = await connect('stepwise', smsc.port)
  const run = async () => (await api.call('POST', `/api/smpp-connections/${id}/test`, { cookie })).body
  const stepsOf = (steps: { step: string; isOk: boolean }[]) => steps.map(({ step, isOk }) => [step, isOk])
  const good = await run()
  expect(good).toMatchObject({ success: true, peerSystemId: 'standin' })
  expect(stepsOf(good.steps)).toEqual([
    ['Address', true],
    ['TCP', true],
    ['SMPP bind', true],
    ['SMPP unbind', true],
  ])
  smsc.behaviour = 'wrong-password'
  const refused = await run()
  expect(refused).toMatchObject({ success: false, errorCode: 14, error: 'Error Code 14: Invalid Password' })
  expect(stepsOf(refused.steps)).toEqual([
    ['Address', true],
    ['TCP', true],
    ['SMPP bind', false],
  ])
  const { body: nowhere } = await api.call('POST', '/api/smpp-connections', {
    cookie,
    body: { name: 'nowhere', host: '10.1.2.3', systemId: 'us' },
  })
  const { body: blocked } = await api.call('POST', `/api/smpp-connections/${nowhere.id}/test`, { cookie })
  expect(stepsOf(blocked.steps)).toEqual([['Address', false]])
  for (const each of [id, nowhere.id]) await api.call('DELETE', `/api/smpp-connections/${each}`, { cookie })
})
