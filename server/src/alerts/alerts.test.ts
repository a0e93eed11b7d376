import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { sentence } from '@tollgate/contract/sentences.ts'
import {
  alertTexts,
  type AlertRuleInput,
  type FoundAlert,
  type UnlistedAlerts,
} from '@tollgate/contract/alerts/alerts.ts'
import { openTestApi } from '../../test/http/api.ts'
import { createTestAudit } from '../../test/people/audit.ts'
import { fixedClock, openTestDatabase, silentLog } from '../../test/environment/database.ts'
import { createEndpoints } from '../endpoints/index.ts'
import { createMail } from '../mail/index.ts'
import { row, rows, type Db } from '../platform/db.ts'
import { createSecrets } from '../platform/security/secrets.ts'
import { createAlerts } from './index.ts'

const secrets = createSecrets('key material for tests')
const smtp = {
  host: '127.0.0.1',
  port: 1,
  isTls: false,
  auth: undefined,
  from: { name: '', address: 'gate@example.org' },
}

const refused: FoundAlert = {
  key: 'refused_number:unknown:447700900123',
  kind: 'refused_number',
  severity: 'warning',
  ...alertTexts({
    name: '447700900123',
    what: [sentence('It is not one of our numbers.'), sentence('It came {count} times.', { count: 1_200 })],
    advice: sentence('Add it.'),
  }),
  since: '2026-03-04T11:00:00.000Z',
  last: '2026-03-04T12:00:00.000Z',
  count: 10,
  hours: [],
  about: { number: '447700900123' },
}
const polls: FoundAlert = { ...refused, key: 'provider:failing:1', kind: 'provider', severity: 'critical' }

/** Two nodes that see the same alerts, an admin, a person of support, and an endpoint of the staff. */
async function openAlerts() {
  const { db } = await openTestDatabase()
  const clock = fixedClock()
  const audit = createTestAudit({ db, clock })
  const seen: { found: FoundAlert[]; unlisted: UnlistedAlerts[]; isAway: boolean } = {
    found: [],
    unlisted: [],
    isAway: false,
  }
  let notificationCount = 0
  const endpoints = createEndpoints({
    db,
    audit,
    secrets,
    log: silentLog,
    egress: { call: () => Promise.reject(new Error('not called')) },
  })
  const setup = {
    hasChainNode: false,
    smppHost: async () => '127.0.0.1',
    hasSmppTls: false,
    backupCommand: 'tollgate backup',
    lastBackupAt: async () => new Date('2026-11-20T08:00:00Z'),
  }
  const make = (announceTo: typeof endpoints.announceTo = (...event) => endpoints.announceTo(...event)) =>
    createAlerts({
      db,
      clock,
      audit,
      log: silentLog,
      mail: createMail({ db, clock, log: silentLog, secrets, smtp }),
      setup,
      sources: [
        {
          name: sentence('refused messages'),
          kinds: ['refused_number'],
          find: async () => {
            if (seen.isAway) throw new Error('away')
            return { alerts: seen.found, unlisted: seen.unlisted }
          },
        },
      ],
      announceTo,
      consoleUrl: 'https://console.example',
      onNotification: () => (notificationCount += 1),
    })
  const node = make()
  const api = await openTestApi(node.routes, undefined, clock)
  const person = async (role: 'admin' | 'support') => {
    const made = await row<{ id: number }>(
      db,
      sql`insert into users (username, email, first_name, last_name, password_hash, role, status, created_at)
          values (${role}, '', 'A', 'B', '', ${role}, 'active', '2026-01-01') returning id`,
    )
    return api.signIn({ userId: made!.id, username: role, role })
  }
  const [admin, support] = [await person('admin'), await person('support')]
  const endpoint = await row<{ id: number }>(
    db,
    sql`insert into endpoints (name, url, method, encrypted_secret, rate_limit, status, events)
        values ('pager', 'https://pager.example', 'POST', '', 100, 'active', '{alert}') returning id`,
  )
  const addRule = async (over: Partial<AlertRuleInput> = {}) => {
    const body = { ...rule, endpointId: String(endpoint!.id), ...over }
    const made = await api.call('POST', '/api/alert-rules', { cookie: admin, body })
    expect(made.status, made.text).toBe(201)
    return made.body
  }
  const notifications = async (cookie = support) =>
    (await api.call('GET', '/api/notifications', { cookie })).body.map(
      ({ event, name }: { event: string; name: string }) => [event, name],
    )
  return {
    db,
    clock,
    seen,
    node,
    make,
    api,
    admin,
    support,
    addRule,
    notifications,
    rung: () => notificationCount,
  }
}

const rule: Omit<AlertRuleInput, 'endpointId'> = {
  name: 'Refused',
  kinds: ['refused_number'],
  minSeverity: 'warning',
  threshold: 10,
  forMinutes: 0,
  repeatMinutes: 0,
  inConsole: true,
  mailTo: ['ops@example.org'],
  quietFrom: '',
  quietTo: '',
  timeZone: 'UTC',
  isOn: true,
}

const mailed = async (db: Db) =>
  (await rows<{ subject: string }>(db, sql`select subject from mails order by id`)).map(
    ({ subject }) => subject,
  )
const delivered = async (db: Db) =>
  (await rows<{ type: string }>(db, sql`select type from endpoint_deliveries order by id`)).map(
    ({ type }) => type,
  )

test('a rule tells console, mail and webhook from its threshold on, once, and once that it is over', async () => {
  const { db, clock, seen, node, addRule, notifications, rung } = await openAlerts()
  await addRule()
  seen.found = [{ ...refused, count: 9 }]
  await node.sendAlerts()
  expect(await mailed(db)).toEqual([])
  seen.found = [refused]
  await node.sendAlerts()
  await node.sendAlerts()
  expect(await mailed(db)).toEqual(['447700900123: refused number'])
  expect(await delivered(db)).toEqual(['alert.opened'])
  expect(await notifications()).toEqual([['opened', '447700900123']])
  // Gone and back within a minute is the same one; what cannot be read is not over.
  seen.found = []
  await node.sendAlerts()
  clock.advance(30_000)
  seen.found = [refused]
  await node.sendAlerts()
  seen.isAway = true
  clock.advance(600_000)
  await node.sendAlerts()
  expect(await notifications()).toHaveLength(1)
  seen.isAway = false
  seen.found = []
  await node.sendAlerts()
  clock.advance(61_000)
  await node.sendAlerts()
  await node.sendAlerts()
  expect(await notifications()).toEqual([
    ['recovered', '447700900123'],
    ['opened', '447700900123'],
  ])
  expect(await mailed(db)).toEqual(['447700900123: refused number', 'Over: 447700900123: refused number'])
  expect(await delivered(db)).toEqual(['alert.opened', 'alert.recovered'])
  expect(rung()).toBe(2)
})

test('an endpoint that a client was given after the rule was made is told nothing', async () => {
  const { db, seen, node, addRule } = await openAlerts()
  await addRule()
  // As earlier releases let staff do.
  await sql`update endpoints set user_id = (select min(id) from users)`.execute(db)
  seen.found = [refused]
  await node.sendAlerts()
  expect(await mailed(db)).toHaveLength(1)
  expect(await delivered(db)).toEqual([])
})

test('an alert that a full list has left out is not over', async () => {
  const { clock, seen, node, addRule, notifications } = await openAlerts()
  await addRule()
  seen.found = [refused]
  await node.sendAlerts()
  const look = async (unlisted: UnlistedAlerts[]) => {
    seen.found = []
    seen.unlisted = unlisted
    for (let turn = 0; turn < 2; turn += 1) {
      await node.sendAlerts()
      clock.advance(61_000)
    }
    return (await notifications()).length
  }
  expect(await look([{ kind: 'refused_number', severity: 'warning', count: 1 }])).toBe(1)
  expect(await look([{ kind: 'refused_number', severity: 'critical', count: 1 }])).toBe(1)
  // All warnings are listed here.
  expect(await look([{ kind: 'refused_number', severity: 'notice', count: 1 }])).toBe(2)
})

test('a rule waits until the alert has lasted; one that ends before is never told', async () => {
  const { clock, seen, node, addRule, notifications } = await openAlerts()
  await addRule({ forMinutes: 5 })
  seen.found = [refused]
  await node.sendAlerts()
  clock.advance(299_000)
  await node.sendAlerts()
  seen.found = []
  await node.sendAlerts()
  seen.found = [refused]
  await node.sendAlerts()
  clock.advance(299_000)
  await node.sendAlerts()
  expect(await notifications()).toEqual([])
  clock.advance(1_000)
  await node.sendAlerts()
  expect(await notifications()).toEqual([['opened', '447700900123']])
})

test('a rule as typed is told how many alerts it fits since they are stored, and which it is limited to', async () => {
  const { db, clock, seen, node, api, admin, addRule } = await openAlerts()
  const fitting = async (query: string) =>
    (await api.call('GET', `/api/alert-rules/fitting?${query}`, { cookie: admin })).body
  const typed = 'kinds=refused_number&minSeverity=warning&threshold=10'
  expect(await fitting(typed)).toEqual({ count: null, since: null })
  await sql`insert into ranges (range_number, start_number, end_number)
    values ('RNG-1', '447700900000', '447700900999')`.execute(db)
  const range = await row<{ id: number }>(db, sql`select id from ranges where range_number = 'RNG-1'`)
  await addRule()
  const since = clock.now().toISOString()
  seen.found = [refused, { ...refused, key: 'refused_number:unknown:1', name: '1', about: { number: '1' } }]
  await node.sendAlerts()
  seen.found = [{ ...refused, count: 40 }]
  for (let minute = 0; minute < 3; minute += 1) {
    clock.advance(60_000)
    await node.sendAlerts()
  }
  expect(await fitting(typed)).toEqual({ count: 2, since })
  expect(await fitting(`${typed}&forMinutes=2`)).toEqual({ count: 1, since })
  expect(await fitting(`${typed}0`)).toEqual({ count: 0, since })
  expect(await fitting(`${typed.replace('10', '30')}`)).toEqual({ count: 1, since })
  expect(await fitting(`${typed}&scopeKind=range&scopeId=${range!.id}`)).toEqual({ count: 1, since })
  // No rule stores these.
  expect(await fitting('kinds=burst&minSeverity=warning&threshold=10')).toEqual({ count: null, since: null })
  expect(await fitting('kinds=refused_number&minSeverity=warning')).toEqual({ count: null, since: null })
  clock.advance(8 * 86_400_000)
  expect((await fitting(typed)).since).toBe(new Date(clock.now().getTime() - 7 * 86_400_000).toISOString())

  const limited = await addRule({ scope: { kind: 'range', id: String(range!.id) } })
  expect(limited).toMatchObject({ scope: { kind: 'range', id: String(range!.id) }, scopeName: 'RNG-1' })
})

test('in quiet hours only the console tells; what still lasts at their end is mailed then, and an end too', async () => {
  const { db, clock, seen, node, addRule, notifications } = await openAlerts()
  await addRule({ quietFrom: '11:00', quietTo: '13:00' })
  const other = { ...refused, key: 'refused_number:unknown:1', name: '1' }
  seen.found = [refused, other]
  await node.sendAlerts()
  seen.found = [refused]
  await node.sendAlerts()
  clock.advance(120_000)
  await node.sendAlerts()
  expect(await notifications()).toHaveLength(3)
  expect(await mailed(db)).toEqual([])
  clock.set('2026-03-04T13:00:00Z')
  await node.sendAlerts()
  expect(await mailed(db)).toEqual(['447700900123: refused number'])
  clock.set('2026-03-05T11:30:00Z')
  seen.found = []
  await node.sendAlerts()
  clock.advance(61_000)
  await node.sendAlerts()
  expect(await mailed(db)).toHaveLength(1)
  clock.set('2026-03-05T13:00:00Z')
  await node.sendAlerts()
  await node.sendAlerts()
  expect(await mailed(db)).toEqual(['447700900123: refused number', 'Over: 447700900123: refused number'])
})

test('it is repeated until somebody acknowledges it, and told again when it is worse', async () => {
  const { clock, seen, node, api, support, addRule, notifications } = await openAlerts()
  await addRule({ repeatMinutes: 60 })
  seen.found = [refused]
  await node.sendAlerts()
  clock.advance(3_600_000)
  await node.sendAlerts()
  expect((await notifications()).map(([event]: string[]) => event)).toEqual(['repeated', 'opened'])
  const path = '/api/alerts/acknowledgement'
  const acknowledged = await api.call('PUT', path, { cookie: support, body: { key: refused.key } })
  expect(acknowledged).toMatchObject({ status: 200, body: { by: 'support', until: null } })
  const { body } = await api.call('GET', '/api/alerts', { cookie: support })
  expect(body.alerts).toMatchObject([{ key: refused.key, acknowledged: { by: 'support' } }])
  clock.advance(7_200_000)
  await node.sendAlerts()
  expect(await notifications()).toHaveLength(2)
  seen.found = [{ ...refused, severity: 'critical' }]
  await node.sendAlerts()
  expect((await notifications())[0]).toEqual(['repeated', '447700900123'])
  expect((await api.call('DELETE', `${path}?key=${refused.key}`, { cookie: support })).status).toBe(404)
  const past = { key: refused.key, until: '2026-01-01T00:00:00Z' }
  expect((await api.call('PUT', path, { cookie: support, body: past })).body.fields).toHaveProperty('until')
  expect((await api.call('PUT', path, { cookie: support, body: { key: 'burst:gone' } })).status).toBe(404)
})

test('what the role may not see can neither be acknowledged nor withdrawn', async () => {
  const { seen, api, admin, support } = await openAlerts()
  seen.found = [polls]
  const path = '/api/alerts/acknowledgement'
  const body = { key: polls.key }
  expect((await api.call('PUT', path, { cookie: support, body })).status).toBe(404)
  expect((await api.call('PUT', path, { cookie: admin, body })).status).toBe(200)
  const withdraw = (cookie: string) => api.call('DELETE', `${path}?key=${polls.key}`, { cookie })
  expect((await withdraw(support)).status).toBe(404)
  const { alerts } = (await api.call('GET', '/api/alerts', { cookie: admin })).body
  expect(alerts).toMatchObject([{ acknowledged: { by: 'admin' } }])
  expect((await withdraw(admin)).status).toBe(204)
})

test('an acknowledgement until a time ends then', async () => {
  const { clock, seen, node, api, support, addRule, notifications } = await openAlerts()
  await addRule({ repeatMinutes: 10 })
  seen.found = [refused]
  await node.sendAlerts()
  const until = '2026-03-04T13:00:00.000Z'
  await api.call('PUT', '/api/alerts/acknowledgement', {
    cookie: support,
    body: { key: refused.key, until },
  })
  clock.set('2026-03-04T12:59:00Z')
  await node.sendAlerts()
  expect(await notifications()).toHaveLength(1)
  clock.set('2026-03-04T13:00:00Z')
  await node.sendAlerts()
  expect(await notifications()).toHaveLength(2)
})

test('a crash between the words of one alert leaves nothing told, and the next run tells all of it once', async () => {
  const { db, seen, node, make, addRule, notifications } = await openAlerts()
  await addRule()
  seen.found = [refused]
  const dying = make(async () => {
    throw new Error('killed')
  })
  await expect(dying.sendAlerts()).rejects.toThrow('killed')
  expect([await mailed(db), await delivered(db), await notifications()]).toEqual([[], [], []])
  await node.sendAlerts()
  expect([(await mailed(db)).length, (await delivered(db)).length, (await notifications()).length]).toEqual([
    1, 1, 1,
  ])
})

test('of many nodes that look at once, each alert is told once', async () => {
  const { db, seen, make, addRule, notifications } = await openAlerts()
  await addRule()
  seen.found = Array.from({ length: 5 }, (_, at) => ({ ...refused, key: `refused_number:unknown:${at}` }))
  await Promise.all(Array.from({ length: 6 }, () => make().sendAlerts()))
  expect(await notifications()).toHaveLength(5)
  expect(await mailed(db)).toHaveLength(5)
})

test('page and notifications have what the words are made of, and a notification of before has its text alone', async () => {
  const { db, seen, node, api, support, addRule } = await openAlerts()
  await addRule()
  seen.found = [refused]
  await sql`insert into notifications (at, event, kind, severity, name, what, key)
    values ('2026-03-04', 'opened', 'refused_number', 'warning', 'old', 'It was refused.', 'k')`.execute(db)
  await node.sendAlerts()
  const { alerts } = (await api.call('GET', '/api/alerts', { cookie: support })).body
  const english = 'It is not one of our numbers. It came 1,200 times.'
  expect(alerts).toMatchObject([{ name: '447700900123', what: english, words: refused.words }])
  const notifications = (await api.call('GET', '/api/notifications', { cookie: support })).body
  expect(notifications).toMatchObject([
    { what: english, words: { what: refused.words.what } },
    { what: 'It was refused.', words: null },
  ])
})

test('each person has own notifications, without what the role may not see', async () => {
  const { seen, node, api, admin, support, addRule, notifications } = await openAlerts()
  await addRule({ kinds: [] })
  seen.found = [refused, polls]
  await node.sendAlerts()
  const unread = async (cookie: string) =>
    (await api.call('GET', '/api/notifications/unread', { cookie })).body.count
  expect([await unread(admin), await unread(support)]).toEqual([2, 1])
  expect(await notifications(support)).toHaveLength(1)
  const [newest] = (await api.call('GET', '/api/notifications?limit=1', { cookie: admin })).body
  await api.call('PUT', '/api/notifications/read', { cookie: admin, body: { upTo: newest.id } })
  await api.call('PUT', '/api/notifications/read', { cookie: admin, body: { upTo: '1' } })
  expect([await unread(admin), await unread(support)]).toEqual([0, 1])
  const { body } = await api.call('GET', '/api/alerts', { cookie: support })
  expect(body.alerts.map(({ kind }: FoundAlert) => kind)).toEqual(['refused_number'])
  seen.isAway = true
})

test('a source that fails is named, and the others still show', async () => {
  const { seen, api, support } = await openAlerts()
  seen.isAway = true
  const { body } = await api.call('GET', '/api/alerts', { cookie: support })
  expect(body).toEqual({ alerts: [], unlisted: [], missing: ['refused messages'] })
})

test('what the lists leave out is told to those who may see its kind', async () => {
  const { seen, api, admin, support } = await openAlerts()
  seen.unlisted = [
    { kind: 'refused_number', severity: 'warning', count: 20 },
    { kind: 'provider', severity: 'critical', count: 2 },
    // Of another source, in the same line.
    { kind: 'refused_number', severity: 'warning', count: 10 },
  ]
  const unlisted = async (cookie: string) =>
    (await api.call('GET', '/api/alerts', { cookie })).body.unlisted.map(({ count }: UnlistedAlerts) => count)
  expect([await unlisted(admin), await unlisted(support)]).toEqual([[30, 2], [30]])
})

test('what production needs is read from the start of this gateway and from its tables', async () => {
  const { api, admin, db, support, addRule } = await openAlerts()
  const setup = async (cookie = admin) => api.call('GET', '/api/setup', { cookie })
  await addRule({ isOn: false })
  expect((await setup()).body).toEqual({
    adminCount: 1,
    hasChainNode: false,
    hasMail: true,
    lastBackupAt: '2026-11-20T08:00:00.000Z',
    smppHost: '127.0.0.1',
    isSmppPublic: false,
    hasSmppTls: false,
    backupCommand: 'tollgate backup',
    ruleCount: 0,
    newcomerDays: 0,
  })
  await addRule()
  await sql`insert into settings (key, value) values ('newcomer_payable_after_days', '30')`.execute(db)
  expect((await setup()).body).toMatchObject({ ruleCount: 1, newcomerDays: 30 })
  expect((await setup(support)).status).toBe(403)
})

test('rules are checked, saved, changed against a version and deleted, each with an audit entry', async () => {
  const { db, seen, node, api, admin, addRule, notifications } = await openAlerts()
  const base = '/api/alert-rules'
  const refusedFields = async (over: Partial<AlertRuleInput>) =>
    Object.keys(
      (await api.call('POST', base, { cookie: admin, body: { ...rule, endpointId: null, ...over } })).body
        .fields ?? {},
    )
  expect(await refusedFields({ quietFrom: '22:00' })).toEqual(['quietTo'])
  expect(await refusedFields({ timeZone: 'Mars/Olympus' })).toEqual(['timeZone'])
  expect(await refusedFields({ inConsole: false, mailTo: [] })).toEqual(['inConsole'])
  expect(await refusedFields({ endpointId: '99' })).toEqual(['endpointId'])
  const made = await addRule({ quietFrom: '22:00', quietTo: '07:00', timeZone: 'Asia/Jerusalem' })
  expect(made).toMatchObject({ quietFrom: '22:00', quietTo: '07:00', endpointName: 'pager', version: 1 })
  seen.found = [refused]
  await node.sendAlerts()
  const body = { ...rule, endpointId: null, isOn: false, version: 1 }
  expect((await api.call('PUT', `${base}/${made.id}`, { cookie: admin, body })).body).toMatchObject({
    isOn: false,
    version: 2,
  })
  expect((await api.call('PUT', `${base}/${made.id}`, { cookie: admin, body })).status).toBe(409)
  // A rule that is off has nothing to tell, not even an end.
  await node.sendAlerts()
  seen.found = []
  await node.sendAlerts()
  expect(await notifications()).toHaveLength(1)
  expect((await api.call('DELETE', `${base}/${made.id}`, { cookie: admin })).status).toBe(204)
  expect((await api.call('GET', base, { cookie: admin })).body).toEqual({ rules: [], hasMail: true })
  const actions = await rows<{ action: string }>(db, sql`select action from audit_entries order by id`)
  expect(actions.map(({ action }) => action)).toEqual([
    'alert_rule.create',
    'alert_rule.update',
    'alert_rule.delete',
  ])
})
