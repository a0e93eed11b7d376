import { userRateSorts, type UserRate } from '@tollgate/contract/rates/rates.ts'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { row } from '../platform/db.ts'
import { openTestNumbers } from '../../test/traffic/numbers.ts'
import { readSorted } from '../../test/http/pages.ts'
import { loadPricing } from './index.ts'
import { startDueRates } from './schedule.ts'

/** An admin and a user, and the calls of the admin. */
async function openEnvironment() {
  const environment = await openTestNumbers()
  const admin = await environment.person('admin')
  const user = await environment.person('user')
  return {
    ...environment,
    admin,
    user,
    ownRate: (id: number, customSmsRate: unknown) =>
      admin.put(`/api/admin/users/${id}/sms-rate`, { customSmsRate }),
    setting: (key: string, settingValue: unknown) =>
      admin.put(`/api/admin/settings/${key}`, { settingValue }),
  }
}

test('the global rate is 0.05 until it is changed, and keeps its history', async () => {
  const { admin, setting } = await openEnvironment()
  const before = await admin.get('/api/admin/settings')
  expect(before.body[0]).toMatchObject({ settingKey: 'global_sms_rate', settingValue: '0.05', updatedAt: '' })
  expect((await setting('global_sms_rate', '0.071234')).body.settingValue).toBe('0.071234')
  expect((await setting('global_sms_rate', 0.08)).body.settingValue).toBe('0.08')
  const { body } = await admin.get('/api/admin/settings/global_sms_rate/history')
  expect(body.map(({ rate, setBy }: { rate: string; setBy: string }) => [rate, setBy])).toEqual([
    ['0.08', admin.username],
    ['0.071234', admin.username],
    ['0.05', ''],
  ])
})

test('a rate is above 0, at most 100 and has at most six decimals', async () => {
  const { ownRate, setting, user } = await openEnvironment()
  for (const value of ['', '0', '0.0000001', '-1', '100.01', 'abc', '1e2', ' ', '0x1', 'NaN']) {
    const global = await setting('global_sms_rate', value)
    expect([value, global.status, global.body.fields]).toMatchObject([
      value,
      400,
      { settingValue: expect.any(String) },
    ])
    if (value.trim() !== '') expect([value, (await ownRate(user.id, value)).status]).toEqual([value, 400])
  }
  expect((await setting('global_sms_rate', '100')).status).toBe(200)
})

test("a user's own rate goes before the global one from the moment it is set, until it is removed", async () => {
  const { admin, db, ownRate, setting, user } = await openEnvironment()
  await setting('global_sms_rate', '0.05')
  const pricing = await loadPricing(db)
  await admin.post('/api/premium-numbers', { number: '449098790142' })
  await pricing.refresh(db)
  const entry = pricing.find('449098790142')
  if (entry === undefined) throw new Error('not found')
  const beforeMs = Date.now() - 1
  const set = await ownRate(user.id, '0.03')
  expect(set.body).toMatchObject({ customSmsRate: '0.03', currentRate: '0.03', fullName: 'First Last' })
  await pricing.refresh(db)
  const change = await row<{ at: Date }>(db, sql`select changed_at as at from catalog`)
  const setMs = change?.at.getTime() ?? 0
  expect(pricing.rateFor(entry, user.id, beforeMs)).toMatchObject({ rateMicro: 50_000, from: 'global' })
  expect(pricing.rateFor(entry, user.id, setMs - 1)).toMatchObject({ from: 'global' })
  expect(pricing.rateFor(entry, user.id, setMs)).toMatchObject({ rateMicro: 30_000, from: 'user' })
  expect(pricing.rateFor(entry, admin.id, setMs)).toMatchObject({ from: 'global' })
  expect((await ownRate(user.id, '')).body).toMatchObject({ customSmsRate: '', currentRate: '0.05' })
  await pricing.refresh(db)
  expect(pricing.rateFor(entry, user.id, Date.now() + 1_000)).toMatchObject({ from: 'global' })
  expect(pricing.rateFor(entry, user.id, setMs)).toMatchObject({ rateMicro: 30_000 })
  const { body } = await admin.get(`/api/admin/users/${user.id}/sms-rate/history`)
  expect(body.map(({ rate }: { rate: string }) => rate)).toEqual(['', '0.03'])
  expect((await ownRate(999_999, '0.03')).status).toBe(404)
  expect((await admin.get('/api/admin/users/999999/sms-rate/history')).status).toBe(404)
})

test('a rate that somebody else set meanwhile is not overwritten', async () => {
  const { admin, ownRate, setting, user } = await openEnvironment()
  await setting('global_sms_rate', '0.05')
  await ownRate(user.id, '')
  const global = (settingValue: string, seenValue: string) =>
    admin.put('/api/admin/settings/global_sms_rate', { settingValue, seenValue })
  const own = (customSmsRate: string, seenRate: string) =>
    admin.put(`/api/admin/users/${user.id}/sms-rate`, { customSmsRate, seenRate })
  expect((await global('0.06', '0.05')).status).toBe(200)
  expect(await global('0.07', '0.05')).toMatchObject({
    status: 409,
    body: { code: 'stale', fields: { settingValue: 'Changed in the meantime. It is 0.06 now.' } },
  })
  expect((await own('0.03', '')).status).toBe(200)
  expect(await own('0.04', '')).toMatchObject({ status: 409, body: { code: 'stale' } })
  expect(await own('', '0.02')).toMatchObject({ status: 409, body: { code: 'stale' } })
  const [listed] = (await admin.get(`/api/admin/users?search=${user.username}`)).body
  expect(listed).toMatchObject({ customSmsRate: '0.03' })
  expect((await own('', '0.03')).status).toBe(200)
  const both = await Promise.all([own('0.01', ''), own('0.02', '')])
  expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409])
  await setting('global_sms_rate', '0.05')
  await ownRate(user.id, '')
})

test('accounts are listed with their rates, page by page', async () => {
  const { admin, person, user } = await openEnvironment()
  for (let turn = 0; turn < 4; turn += 1) await person('user')
  const names: string[] = []
  let path: string | undefined = '/api/admin/users?limit=2'
  while (path !== undefined) {
    const page = await admin.get(path)
    names.push(...page.body.map(({ username }: { username: string }) => username))
    path = page.next
  }
  expect(names).toHaveLength(6)
  expect(names).toEqual(names.toSorted())
  expect((await admin.get(`/api/admin/users?search=${user.username}`)).body).toMatchObject([{ id: user.id }])
})

test('user rates page through every sort, both ways; the rate in force counts', async () => {
  const { admin, ownRate, person, setting } = await openEnvironment()
  await setting('global_sms_rate', '0.05')
  const people: number[] = []
  for (const [place, own] of ['0.02', '', '0.07', '', '0.02'].entries()) {
    const { id } = await person(place < 3 ? 'user' : 'test', place === 1 ? 'suspended' : 'active')
    if (own !== '') await ownRate(id, own)
    people.push(id)
  }
  for (const sort of userRateSorts) {
    const listed = await readSorted<UserRate>(admin, '/api/admin/users', sort, (shown) =>
      sort === 'rate' ? Number(shown.currentRate) : shown[sort],
    )
    const seen = listed.map(({ id }) => id).filter((id) => people.includes(id))
    expect([sort, seen.toSorted((one, other) => one - other)]).toEqual([sort, people])
  }
  expect((await admin.get('/api/admin/users?sort=email')).status).toBe(400)
})

test('settings are checked and kept; unknown ones are refused', async () => {
  const { db, rates, setting } = await openEnvironment()
  expect((await setting('integrity_mode', 'dry_run')).body.settingValue).toBe('dry_run')
  expect(await rates.integrityMode.get(db)).toBe('dry_run')
  expect((await setting('integrity_mode', 'enforce')).body).toMatchObject({
    settingValue: 'enforce',
    pending: null,
  })
  expect((await setting('integrity_mode', 'dry_run')).body).toMatchObject({
    settingValue: 'enforce',
    pending: { settingValue: 'dry_run' },
  })
  expect((await setting('registration', 'closed')).body.settingValue).toBe('closed')
  const address = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'
  expect((await setting('treasury_addresses', `${address}, ${address}`)).body.settingValue).toBe(address)
  expect(await rates.treasuryAddresses.get(db)).toEqual([address])
  expect((await setting('treasury_addresses', '')).body).toMatchObject({
    settingValue: address,
    pending: { settingValue: '', approvedBy: '' },
  })
  for (const [key, value] of [
    ['integrity_mode', 'sometimes'],
    ['registration', ''],
    ['treasury_addresses', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6T'],
    ['treasury_addresses', '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2'],
  ] as const)
    expect([key, (await setting(key, value)).body.fields]).toEqual([
      key,
      { settingValue: expect.any(String) },
    ])
  expect((await setting('nobody_knows', 'x')).status).toBe(404)
})

test('a client reads what each own number earns, and since when, as its messages are priced', async () => {
  const { admin, ownRate, person, user } = await openEnvironment()
  const stranger = await person('user')
  await admin.post('/api/number-inventory', { number: '449098790142', pricePerSms: '0.07' })
  await admin.post('/api/premium-numbers', { number: '449098790143' })
  const stock: { id: string; number: string }[] = (await admin.get('/api/number-inventory')).body
  for (const { id } of stock) await admin.put(`/api/number-inventory/${id}/assign`, { userId: user.id })
  const earned = async (reader: typeof user) =>
    (await reader.get('/api/numbers?sort=phoneNumber&order=asc')).body.map(
      ({ usdPerSms }: { usdPerSms: string }) => usdPerSms,
    )
  expect(await earned(user)).toEqual(['0.07', '0.05'])
  await ownRate(user.id, '0.03')
  expect(await earned(user)).toEqual(['0.07', '0.03'])
  expect(await earned(stranger)).toEqual([])

  const id = stock.find(({ number }) => number === '449098790143')?.id ?? ''
  const { body } = await user.get(`/api/numbers/${id}/prices`)
  expect(body).toMatchObject([
    { usdPerSms: '0.03', from: 'client', validTo: null },
    { usdPerSms: '0.05', from: 'global', validTo: body[0].validFrom },
  ])
  expect((await stranger.get(`/api/numbers/${id}/prices`)).status).toBe(404)
  await admin.put(`/api/number-inventory/${id}/unassign`, {})
  expect((await user.get(`/api/numbers/${id}/prices`)).status).toBe(404)
  expect((await admin.get(`/api/numbers/${id}/prices`)).body).toEqual([])
})

const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString()

test('a rate waits for its chosen time, can be replaced and cancelled, and shows meanwhile', async () => {
  const { admin, user } = await openEnvironment()
  const path = `/api/admin/users/${user.id}/sms-rate`
  const startsAt = inMinutes(60)
  for (const customSmsRate of ['0.02', '0.03']) {
    const { body } = await admin.put(path, { customSmsRate, startsAt })
    expect(body).toMatchObject({
      customSmsRate: '',
      currentRate: '0.05',
      scheduled: { rate: customSmsRate, startsAt, setBy: admin.username },
    })
  }
  const ofList = async () =>
    (await admin.get(`/api/admin/users?search=${user.username}`)).body.find(
      ({ id }: UserRate) => id === user.id,
    )
  expect((await ofList()).scheduled.rate).toBe('0.03')
  expect((await admin.delete(`${path}/scheduled`)).status).toBe(204)
  expect((await ofList()).scheduled).toBeNull()
  expect((await admin.delete(`${path}/scheduled`)).status).toBe(404)
  const global = { settingValue: '0.07', startsAt }
  expect((await admin.put('/api/admin/settings/global_sms_rate', global)).body).toMatchObject({
    settingValue: '0.05',
    scheduled: { rate: '0.07' },
  })
  expect((await admin.delete('/api/admin/settings/global_sms_rate/scheduled')).status).toBe(204)
})

test('a rate starts from one minute to one year ahead, and other settings at no chosen time', async () => {
  const { admin, user } = await openEnvironment()
  for (const minutes of [-5, 0.5, 366 * 1440 + 1])
    expect(
      (
        await admin.put(`/api/admin/users/${user.id}/sms-rate`, {
          customSmsRate: '0.02',
          startsAt: inMinutes(minutes),
        })
      ).body.fields,
    ).toEqual({ startsAt: expect.stringContaining('one year') })
  const other = { settingValue: '3', startsAt: inMinutes(5) }
  expect((await admin.put('/api/admin/settings/bill_wait_days', other)).status).toBe(400)
})

test('a due rate prices by the time of each message; one that is late starts now', async () => {
  const { admin, db, user } = await openEnvironment()
  await admin.post('/api/premium-numbers', { number: '449098790142' })
  const pricing = await loadPricing(db)
  const entry = pricing.find('449098790142')!
  const schedule = async (rate: string, secondsAhead: number) => {
    await admin.put(`/api/admin/users/${user.id}/sms-rate`, {
      customSmsRate: rate,
      startsAt: inMinutes(60),
    })
    const moved = await row<{ starts_at: Date }>(
      db,
      sql`update scheduled_rates set starts_at = date_trunc('milliseconds', clock_timestamp())
          + make_interval(secs => ${secondsAhead}) returning starts_at`,
    )
    await startDueRates(db)
    await pricing.refresh(db)
    return moved!.starts_at.getTime()
  }
  const microAt = (atMs: number) => pricing.rateFor(entry, user.id, atMs).rateMicro
  const late = await schedule('0.01', -30)
  expect(microAt(late + 1)).toBe(50_000)
  expect(microAt(late + 60_000)).toBe(10_000)
  await schedule('0.015', 3600)
  expect(await row(db, sql`select 1 from scheduled_rates`)).toBeDefined()
  const startMs = await schedule('0.02', 4)
  expect([startMs - 1, startMs].map(microAt)).toEqual([10_000, 20_000])
  const now = await admin.put(`/api/admin/users/${user.id}/sms-rate`, { customSmsRate: '0.03' })
  expect([now.status, now.body.message]).toEqual([409, expect.stringContaining('starts in a few seconds')])
  expect(await row(db, sql`select 1 from scheduled_rates`)).toBeUndefined()
})

test('nobody sets the rate of his own account', async () => {
  const { admin, ownRate } = await openEnvironment()
  const answer = await ownRate(admin.id, '0.9')
  expect([answer.status, answer.body.message]).toEqual([403, expect.stringContaining('your own account')])
})
