// Each alert that a slice reports appears with its cause, and goes with it.
import { sql, type RawBuilder } from 'kysely'
import { expect, test } from 'vitest'
import { ownAuthority } from '@tollgate/smpp/testing/own-authority.ts'
import type { FoundAlert } from '@tollgate/contract/alerts/alerts.ts'
import { addCounts } from '../../test/traffic/counters.ts'
import { openTestBilling } from '../../test/money/billing.ts'
import { openTestDatabase } from '../../test/environment/database.ts'
import { endpointAlerts } from '../endpoints/index.ts'
import { connectionAlerts } from '../connections/index.ts'
import { refusedBindAlerts } from '../gateway/index.ts'
import { requestAlerts } from '../numbers/index.ts'
import { providerAlerts } from '../providers/index.ts'
import {
  backupAlerts,
  certificateAlerts,
  clientTrafficAlerts,
  numberTrafficAlerts,
  diskAlerts,
  refusedAlerts,
  replicaAlerts,
  trafficAlerts,
} from '../alerts/index.ts'
import { accountAlerts } from '../users/index.ts'

const { db } = await openTestDatabase()
const now = new Date('2026-11-20T12:30:00Z')
const run = (statement: RawBuilder<unknown>) => statement.execute(db)
const keys = (found: readonly FoundAlert[]) => found.map(({ key }) => key).toSorted()

const addUser = (name: string, more = sql``) =>
  run(sql`insert into users (username, email, first_name, last_name, password_hash, role, status, awaits_approval)
    values (${name}, '', 'A', 'B', '', 'user', 'inactive', true) ${more}`)

test('a refused number is told by the hour with its suppliers until it takes messages; others by supplier for an hour', async () => {
  await run(sql`insert into gateways (source, name) values (0, 'acme'), (0, 'beta')`)
  await run(sql`insert into refusal_hours (hour, reason, number, gateway_id, refused_count, last_at)
    select hour::timestamptz, reason, number, g.id, refused, last_at::timestamptz from (values
    ('2026-11-20 12:00Z', 'unknown', '447700900777', 'acme', 5, '2026-11-20 12:20Z'),
    ('2026-11-20 10:00Z', 'unknown', '447700900777', 'beta', 2, '2026-11-20 10:20Z'),
    ('2026-11-18 10:00Z', 'unknown', '447700900778', 'beta', 2, '2026-11-18 10:20Z'),
    ('2026-11-20 12:00Z', 'throttled', '', 'acme', 9, '2026-11-20 12:10Z'),
    ('2026-11-20 10:00Z', 'bad_sender', '', 'beta', 9, '2026-11-20 10:59Z')) r (hour, reason, number, gateway, refused, last_at)
    join gateways g on g.name = r.gateway`)
  const { alerts: found } = await refusedAlerts(db, now)
  expect(keys(found)).toEqual(['refused_number:unknown:447700900777', 'refused_traffic:throttled:acme'])
  const number = found.find(({ kind }) => kind === 'refused_number')!
  expect(number).toMatchObject({
    count: 7,
    since: '2026-11-20T10:00:00.000Z',
    last: '2026-11-20T12:20:00.000Z',
    about: { number: '447700900777', reason: 'unknown' },
  })
  expect(number.what).toContain('From acme, beta.')
  expect(number.hours.slice(-3)).toEqual([2, 0, 5])
  await run(sql`insert into numbers (number, catalog_version) values ('447700900777', 1)`)
  expect(keys((await refusedAlerts(db, now)).alerts)).toEqual(['refused_traffic:throttled:acme'])
  expect((await refusedAlerts(db, new Date('2026-11-20T13:11:00Z'))).alerts).toEqual([])
})

test('faulty PDUs of an account are told with the statuses that they were answered', async () => {
  await run(sql`insert into gateways (source, name) values (0, 'faulty')`)
  await run(sql`insert into refusal_hours (gateway_id, hour, reason, command_status, number, refused_count, last_at)
    select id, '2026-11-20 12:00Z', 'malformed', status, '', refused, '2026-11-20 12:20Z'
    from gateways, (values (80, 3), (98, 1)) s (status, refused) where name = 'faulty'`)
  const alert = (await refusedAlerts(db, now)).alerts.find(({ name }) => name === 'faulty')
  expect(alert?.what).toContain(
    'Answered 3 times: Invalid destination address TON (0x50). Answered once: Invalid message validity period (0x62).',
  )
  await run(sql`delete from refusal_hours where reason = 'malformed'`)
})

test('a refused bind is told with what to do, a stranger quietly, until the peer has bound', async () => {
  await addUser('acme')
  await run(sql`insert into smpp_credentials (user_id, system_id, encrypted_password)
    select id, 'acme', '' from users where username = 'acme'`)
  await run(sql`insert into refused_binds (hour, reason, system_id, address, refused_count, last_at) values
    ('2026-11-20 12:00Z', 'wrong_credentials', 'acme', '192.0.2.7', 3, '2026-11-20 12:20Z'),
    ('2026-11-20 12:00Z', 'wrong_credentials', 'guess', '192.0.2.8', 800, '2026-11-20 12:20Z'),
    ('2026-11-20 12:00Z', 'gone', 'acme', '192.0.2.7', 3, '2026-11-20 12:20Z'),
    ('2026-11-19 10:00Z', 'no_access', 'acme', '192.0.2.7', 3, '2026-11-19 10:20Z')`)
  const { alerts: found } = await refusedBindAlerts(db, now)
  expect(found.map(({ name, severity, count }) => [name, severity, count])).toEqual([
    ['acme from 192.0.2.7', 'warning', 3],
    ['guess from 192.0.2.8', 'notice', 800],
  ])
  expect(found[0]!.about).toMatchObject({ systemId: 'acme', address: '192.0.2.7', username: 'acme' })
  await run(sql`insert into nodes (id, roles) values ('n', '{smpp}')`)
  await run(sql`insert into binds (id, node_id, user_id, system_id, bind_type, interface_version, remote_address, bound_at)
    select 'b', 'n', id, 'acme', 'transceiver', '3.4', '192.0.2.7', '2026-11-20 12:25Z' from users where username = 'acme'`)
  expect((await refusedBindAlerts(db, now)).alerts.map(({ name }) => name)).toEqual(['guess from 192.0.2.8'])
})

test('a disk that fills up is told at 15 and at 8 percent, with its folder and its room', () => {
  const disk = { folder: '/data/postgres', room: { freeBytes: 30e6, sizeBytes: 420e6 }, isRefusing: false }
  const at = (...levels: string[]) =>
    diskAlerts({ ...disk, since: (level) => (levels.includes(level) ? now : undefined) }, now)
  expect([at(), diskAlerts(undefined, now)]).toEqual([[], []])
  expect(at('warning')).toMatchObject([
    { key: 'disk:database', severity: 'warning', since: now.toISOString() },
  ])
  expect(at('warning', 'critical')).toMatchObject([
    { severity: 'critical', what: '28 MB of 400 MB are free on the disk of /data/postgres.' },
  ])
})

test('backups that are missing are told where BACKUP_DIR promises them', () => {
  const late = { folder: '/backups', failingSince: now, copyLateSince: now }
  expect(backupAlerts(undefined, now)).toEqual([])
  expect(backupAlerts({ ...late, folder: undefined }, now)).toEqual([])
  expect(backupAlerts({ ...late, failingSince: undefined, copyLateSince: undefined }, now)).toEqual([])
  expect(backupAlerts(late, now)).toMatchObject([
    { key: 'backup:archive', severity: 'critical', what: expect.stringContaining('does not reach /backups') },
    { key: 'backup:copy', severity: 'warning' },
  ])
})

test.each([
  [15, undefined],
  [13, 'warning'],
  [1, 'critical'],
  [-1, 'critical'],
])('a certificate that ends in %i days is told as %s', (days, severity) => {
  const endsAt = new Date(now.getTime() + days * 86_400_000)
  expect(certificateAlerts(endsAt, now).map((alert) => alert.severity)).toEqual(
    severity === undefined ? [] : [severity],
  )
  expect(certificateAlerts(undefined, now)).toEqual([])
})

test('a read replica is told as behind with its age, and as lost with the reason', () => {
  const fault = { since: now, reason: 'connect ECONNREFUSED 192.0.2.7:5432', ageSeconds: undefined }
  expect(replicaAlerts(undefined, now)).toEqual([])
  expect(replicaAlerts({ ...fault, ageSeconds: 75 }, now)).toMatchObject([
    { key: 'replica:database', severity: 'warning', what: expect.stringContaining('It is 75 s behind') },
  ])
  expect(replicaAlerts(fault, now)).toMatchObject([
    { what: expect.stringContaining('ECONNREFUSED'), advice: expect.stringContaining('DATABASE_READ_URL') },
  ])
})

test('silence and bursts are told with the figure and the usual one', async () => {
  await run(sql`insert into gateways (source, name) values (0, 'quiet'), (0, 'loud'), (0, 'steady')`)
  const hours = (name: string, counts: string) =>
    run(sql`insert into traffic_hours (hour, kind, item_id, record_count)
      select h, 'gateway', g.id, ${sql.raw(counts)} from gateways g,
        generate_series('2026-11-12 00:00Z'::timestamptz, '2026-11-20 12:00Z', '1 hour') h where g.name = ${name}`)
  const isPast = `h < '2026-11-20 11:00Z'`
  await hours('steady', '1000')
  await hours('quiet', `case when ${isPast} then 1000 else 0 end`)
  await hours('loud', `case when h < '2026-11-20 12:00Z' then 1000 else 9000 end`)
  const found = await trafficAlerts(db, now)
  expect(found.map(({ kind, name }) => [kind, name])).toEqual(
    expect.arrayContaining([
      ['silence', 'quiet'],
      ['burst', 'loud'],
    ]),
  )
  expect(found).toHaveLength(2)
  expect(found.find(({ kind }) => kind === 'silence')!.what).toBe(
    '0 SMS came between 11:00 UTC and 12:00 UTC; usually 1,000 do (the middle of 7 days, 1,000 to 1,000).',
  )
  // Back at its usual pace in the present hour.
  await run(sql`update traffic_hours t set record_count = 480 from gateways g
    where g.id = t.item_id and g.name = 'quiet' and t.hour = '2026-11-20 12:00Z'`)
  expect((await trafficAlerts(db, now)).map(({ name }) => name)).toEqual(['loud'])
})

test('silence and bursts of clients are told by the time of the messages, the largest first, and not all of many', async () => {
  await run(sql`insert into users (username, email, first_name, last_name, password_hash, role)
    select name, '', 'A', 'B', '', 'user' from unnest('{hushed,flooded,even}'::text[]) name`)
  const hours = (name: string, counts: string) =>
    run(sql`insert into record_hour_counters (hour, client_id, range_id, gateway_id, status, record_count, bill_micro, amount_micro)
      select h, u.id, -1, -1, 2, ${sql.raw(counts)}, 0, 0 from users u,
        generate_series('2026-11-12 00:00Z'::timestamptz, '2026-11-20 12:00Z', '1 hour') h where u.username = ${name}`)
  await hours('even', '900')
  await hours('hushed', `case when h < '2026-11-20 11:00Z' then 200 else 0 end`)
  await hours('flooded', `case when h < '2026-11-20 12:00Z' then 500 else 9000 end`)
  const { alerts, unlisted } = await clientTrafficAlerts(db, now)
  expect(alerts.map(({ kind, name, severity }) => [kind, name, severity])).toEqual([
    ['silence', 'Client hushed', 'warning'],
    ['burst', 'Client flooded', 'warning'],
  ])
  expect(alerts[0]!.about).toEqual({ client: 'hushed' })
  expect(unlisted).toEqual([])
  // The late file of an outage has the messages' own times: there was no silence.
  await run(sql`update record_hour_counters k set record_count = 200 from users u
    where u.id = k.client_id and u.username = 'hushed' and k.hour = '2026-11-20 11:00Z'`)
  expect((await clientTrafficAlerts(db, now)).alerts.map(({ name }) => name)).toEqual(['Client flooded'])
  // Many at once are not a list of many.
  await run(sql`insert into users (username, email, first_name, last_name, password_hash, role)
    select 'many' || i, '', 'A', 'B', '', 'user' from generate_series(1, 30) i`)
  for (let i = 1; i <= 30; i += 1)
    await hours(`many${i}`, `case when h < '2026-11-20 11:00Z' then ${100 + i} else 0 end`)
  const many = await clientTrafficAlerts(db, now)
  expect(many.alerts.filter(({ kind }) => kind === 'silence').map(({ name }) => name)[0]).toBe(
    'Client many30',
  )
  expect(many.alerts).toHaveLength(21)
  expect(many.unlisted).toEqual([{ kind: 'silence', severity: 'warning', count: 10 }])
})

test('silence and bursts of numbers are told by whole days, those that earn the most first, in few lines', async () => {
  const { db: own } = await openTestDatabase()
  const on = (statement: RawBuilder<unknown>) => statement.execute(own)
  await on(sql`insert into users (username, email, first_name, last_name, password_hash, role)
    values ('club', '', 'A', 'B', '', 'user'), ('other', '', 'A', 'B', '', 'user')`)
  let number = 447700900000
  /** Numbers with `counts` on the days of `d`; 0 is today. */
  const add = (numbers: number, counts: string, { heldFrom = '2026-01-01', priceMicro = 50_000 } = {}) => {
    const from = number
    number += numbers
    return on(sql`with n as (
        insert into numbers (number) select (${from}::bigint + i)::text from generate_series(1, ${numbers}::int) i returning id
      ), h as (
        insert into number_holders (number_id, user_id, held_from) select id, 1, ${heldFrom}::timestamptz from n
      ), d as (
        insert into record_number_days
        select '2026-11-20'::date - d, 1, n.id, 0, 1, count, 0, count * ${priceMicro}::int
        from n, generate_series(0, 12) d, lateral (select (${sql.raw(counts)})::int as count) c where count > 0 returning *
      )
      insert into record_number_weeks select date_trunc('week', day)::date, client_id, number_id, range_id,
        sum(record_count), 0, sum(amount_micro) from d group by 1, 2, 3, 4`)
  }
  const told = async (at = now) => {
    const { alerts, unlisted } = await numberTrafficAlerts(own, at)
    return {
      alerts,
      unlisted,
      short: alerts.map(({ kind, severity, name }) => `${kind} ${severity} ${name}`),
    }
  }
  await add(1, '200')
  await add(1, 'case when d > 1 then 200 else 0 end')
  await add(1, 'case when d = 0 then 5000 else 300 end')
  // What rests on each Thursday, is odd by chance, or came to this client of late is as usual.
  await add(1, 'case when d in (1, 8) then 0 else 200 end')
  await add(1, 'case when d > 1 then 9 else 0 end')
  await add(1, 'case when d > 1 then 200 else 0 end', { heldFrom: '2026-11-13' })
  const first = await told()
  expect(first.short).toEqual(['silence notice Number 447700900002', 'burst warning Number 447700900003'])
  expect(first.alerts[0]).toMatchObject({
    count: 0,
    what: '0 SMS came on 2026-11-19; usually 200 do (the middle of 7 days, 200 to 200).',
    about: { number: '447700900002', client: 'club' },
    hours: [],
  })
  expect(first.unlisted).toEqual([])
  // The late file has the messages' own times; and traffic that is back ends the silence.
  const isOver = async (day: string, count: number) => {
    await on(sql`insert into record_number_days select ${day}::date, 1, id, 0, 2, ${count}::int, 0, 0 from numbers
      where number = '447700900002'`)
    const { short } = await told()
    await on(sql`delete from record_number_days where gateway_id = 2`)
    return short.length === 1
  }
  expect([
    await isOver('2026-11-19', 150),
    await isOver('2026-11-20', 60),
    await isOver('2026-11-20', 5),
  ]).toEqual([true, true, false])
  // A few hundred at once are ten and a line, the dearest first.
  await add(300, 'case when d > 1 then 100 else 0 end', { priceMicro: 1_000 })
  await add(1, 'case when d > 1 then 100 else 0 end', { priceMicro: 900_000 })
  const many = await told()
  expect(many.short.filter((text) => text.startsWith('silence'))).toHaveLength(10)
  expect(many.alerts[0]!.name).toBe(`Number ${number}`)
  expect(many.alerts[1]!.name).toBe('Number 447700900002')
  expect(many.unlisted).toEqual([{ kind: 'silence', severity: 'notice', count: 292 }])
  // Whoever is taken out of use is silent for a reason.
  await on(sql`update numbers set status = 'inactive' where number = ${String(number)}`)
  expect((await told()).alerts[0]!.name).toBe('Number 447700900002')
})

test('a status change of records moves no hour, and new records count in the present one', async () => {
  const at = '2020-01-01T10:00Z'
  const add = (...counts: readonly (readonly [status: number, count: number])[]) =>
    addCounts(
      db,
      counts.map(([status, count]) => ({ at, gateway: 4711, client: 1, status, count })),
    )
  const counted = async () =>
    (
      await sql<{ count: number }>`select coalesce(sum(record_count), 0)::int as count from traffic_hours
        where kind = 'gateway' and item_id = 4711 and hour = date_trunc('hour', clock_timestamp(), 'UTC')`.execute(
        db,
      )
    ).rows[0]!.count
  await add([0, 10])
  await add([0, 5])
  expect(await counted()).toBe(15)
  await add([0, -5], [1, 5])
  expect(await counted()).toBe(15)
})

test('an own CA of a connection is told two weeks before it ends', async () => {
  await run(sql`insert into smpp_connections (name, host, port, use_tls, bind_type, system_id, encrypted_password, system_type,
      interface_version, source_ton, source_npi, dest_ton, dest_npi, throughput, answer_id_form, receipt_id_form, tls_ca)
    values ('secure', 'h', 1, true, 'transceiver', 's', '', '', '3.4', 0, 0, 0, 0, 0, 'text', 'text', ${ownAuthority})`)
  const told = async (at: string) =>
    (await connectionAlerts(db, new Date(at))).filter(({ kind }) => kind === 'certificate')
  expect(await told('2125-12-01')).toEqual([])
  expect(await told('2125-12-20')).toMatchObject([
    {
      name: 'secure',
      severity: 'warning',
      what: 'Its own CA O=Example Telecom, CN=Example Telecom SMS CA ends on 2126-01-01.',
    },
  ])
  expect(await told('2126-01-02')).toMatchObject([{ what: expect.stringContaining('ended on 2126-01-01') }])
  await run(sql`delete from smpp_connections`)
})

test('connections, endpoints and providers that fail are told until they work', async () => {
  await run(sql`insert into smpp_connections (name, host, port, use_tls, bind_type, system_id, encrypted_password, system_type,
      interface_version, source_ton, source_npi, dest_ton, dest_npi, throughput, answer_id_form, receipt_id_form)
    values ('up', 'h', 1, false, 'transceiver', 's', '', '', '3.4', 0, 0, 0, 0, 0, 'text', 'text')`)
  await run(sql`insert into connection_states (connection_id, status, node, lease_token, attempts, last_error_code, last_error, messages_per_second)
    select id, 'error', 'n', 1, 3, 14, 'Invalid Password', 0 from smpp_connections`)
  expect(await connectionAlerts(db, now)).toMatchObject([
    {
      name: 'up',
      severity: 'critical',
      what: 'Not connected after 3 attempts. Error Code 14: Invalid Password',
    },
  ])
  await run(sql`update smpp_connections set is_wanted = false`)
  expect(await connectionAlerts(db, now)).toEqual([])

  await run(sql`insert into endpoints (name, url, method, encrypted_secret, rate_limit, status, failing_since)
    values ('hook', 'https://h.example', 'POST', '', 1, 'active', '2026-11-20 11:00Z')`)
  await run(sql`insert into endpoint_deliveries (endpoint_id, type, subject, data, status, next_attempt_at, error)
    select id, 'endpoint.test', 'x', '{}', 'pending', now(), 'HTTP 500' from endpoints`)
  const [hook] = await endpointAlerts(db)
  expect(hook).toMatchObject({ name: 'hook', count: 1, since: '2026-11-20T11:00:00.000Z' })
  expect(hook!.what).toContain('HTTP 500')
  expect(hook!.about['deliveryId']).toMatch(/^\d+$/)
  await run(sql`update endpoints set failing_since = null`)
  expect(await endpointAlerts(db)).toEqual([])

  await run(sql`insert into providers (name, api_url, auth_type, poll_interval_ms, lookback_ms, gap_alarm_ms, mapping, is_enabled)
    values ('http', 'https://p.example', 'bearer', 1000, 0, 0, '{}', true)`)
  await run(sql`insert into provider_dead_letters (provider_id, key, reason, explanation, external_id, number, row_timestamp)
    select id, gen_random_uuid(), 'unknown_number', 'no such number', '1', '44', '' from providers`)
  expect(keys(await providerAlerts(db, now))).toEqual([expect.stringMatching(/^provider:dead_letters:\d+$/)])
  await run(sql`update provider_dead_letters set dismissed_at = now()`)
  expect(await providerAlerts(db, now)).toEqual([])
})

test('sign-ups, number requests and changes of settings that wait are told with how many', async () => {
  await addUser('waits')
  const [signUps] = (await accountAlerts(db)).filter(({ kind }) => kind === 'sign_up')
  expect(signUps!.count).toBeGreaterThanOrEqual(1)
  await run(sql`update users set awaits_approval = false`)
  expect(await accountAlerts(db)).toEqual([])
  await run(sql`insert into number_requests (user_id, business_purpose, expected_volume)
    select id, 'p', 'v' from users where username = 'waits'`)
  expect(await requestAlerts(db)).toMatchObject([
    { count: 1, what: '1 request waits for an answer or a number.' },
  ])
  await run(sql`update number_requests set status = 'approved'`)
  expect(await requestAlerts(db)).toHaveLength(1)
  await run(sql`update number_requests set status = 'rejected'`)
  expect(await requestAlerts(db)).toEqual([])
})

test('parked accounts, closes that wait, late payments and approvals are told until they are settled', async () => {
  const { db: own, clock, billing, traffic, closeCycle } = await openTestBilling()
  const on = (statement: RawBuilder<unknown>) => statement.execute(own)
  expect((await billing.alerts()).alerts).toEqual([])
  await on(sql`insert into parked_accounts (user_id, reason, parked_at) values (1, '1 USDT differs.', now())`)
  await on(sql`insert into close_waits (cause, explanation, cycle_count, since, seen_at)
    values ('behind', 'Three cycles are due.', 3, now(), now())`)
  await on(sql`insert into adjustments (user_id, amount_micro, reason, status, requested_by, created_at)
    values (1, 5, 'r', 'pending', 4, now())`)
  expect(keys((await billing.alerts()).alerts)).toEqual([
    'approval:adjustments',
    'cycle:close',
    'parked_account:1',
  ])
  for (const table of ['parked_accounts', 'close_waits', 'adjustments'])
    await on(sql`delete from ${sql.raw(table)}`)
  await traffic({ client: 1, number: 1, count: 3, amountMicro: 50_000 })
  await closeCycle()
  await on(sql`update billing_periods set usdt_address = 'T'`)
  clock.advance(6.9 * 86_400_000)
  expect((await billing.alerts()).alerts).toEqual([])
  clock.advance(0.2 * 86_400_000)
  expect((await billing.alerts()).alerts).toMatchObject([{ key: 'late_payment:1', count: 1 }])
  await on(sql`update billing_periods set usdt_address = null`)
  expect((await billing.alerts()).alerts).toEqual([])
})

test('what a list leaves out is counted', async () => {
  const on = await openTestDatabase()
  const put = (statement: RawBuilder<unknown>) => statement.execute(on.db)
  await put(sql`insert into refusal_hours (hour, reason, number, gateway_id, refused_count, last_at)
    select '2026-11-20 12:00Z', 'unknown', (447700900000 + n)::text, 1, 1, '2026-11-20 12:20Z'
    from generate_series(1, 130) n`)
  await put(sql`insert into refused_binds (hour, reason, system_id, address, refused_count, last_at)
    select '2026-11-20 12:00Z', 'wrong_credentials', 'guess' || n, '192.0.2.8', 1, '2026-11-20 12:20Z'
    from generate_series(1, 61) n`)
  const [numbers, binds] = [await refusedAlerts(on.db, now), await refusedBindAlerts(on.db, now)]
  expect(numbers.alerts).toHaveLength(100)
  expect(numbers.unlisted).toEqual([{ kind: 'refused_number', severity: 'warning', count: 30 }])
  expect(binds.alerts).toHaveLength(50)
  expect(binds.unlisted).toEqual([{ kind: 'refused_bind', severity: 'notice', count: 11 }])

  const { db: own, billing } = await openTestBilling()
  await sql`insert into users (username, email, first_name, last_name, password_hash, role, status)
    select 'parked' || n, '', 'A', 'B', '', 'user', 'active' from generate_series(1, 512) n`.execute(own)
  await sql`insert into parked_accounts (user_id, reason, parked_at)
    select id, 'It differs.', now() from users where username like 'parked%'`.execute(own)
  const money = await billing.alerts()
  expect(money.alerts).toHaveLength(500)
  expect(money.unlisted).toEqual([{ kind: 'parked_account', severity: 'critical', count: 12 }])
})
