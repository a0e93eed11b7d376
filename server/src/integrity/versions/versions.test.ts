// Versions of the thresholds: never edited, stricter by one admin, looser by two and a wait.
import { expect, test } from 'vitest'
import { openTestBilling } from '../../../test/money/billing.ts'
import { row } from '../../platform/db.ts'
import { sql } from 'kysely'
import { standardThresholds as standard } from '../rules/thresholds.ts'
import { findVersion } from './versions.ts'

const [support, admin, second] = [4, 6, 7]

async function open() {
  const { db, call, clock, settings } = await openTestBilling()
  await sql`insert into users (username, email, first_name, last_name, password_hash, role)
    values ('u7', 'u7@example.org', 'U', 'U', 'x', 'admin')`.execute(db)
  const add = async (thresholds: object, note = 'A trial') => {
    const answer = await call(admin, 'POST', '/api/integrity/versions', { body: { thresholds, note } })
    return { status: answer.status, id: Number((answer.body as { id?: number }).id) }
  }
  const backTest = (id: number, doneAt: Date | null) =>
    sql`insert into back_tests (version_id, from_day, until_day, made_by, made_at, done_at)
      values (${id}, '2026-03-01', '2026-03-01', 6, now(), ${doneAt})`.execute(db)
  return {
    db,
    call,
    clock,
    settings,
    add,
    backTest,
    /** A version that was tried. */
    addTried: async (thresholds: object) => {
      const { id } = await add(thresholds)
      await backTest(id, clock.now())
      return id
    },
    putLive: (id: number, by = admin) => call(by, 'PUT', `/api/integrity/versions/${id}/live`),
    live: async () => (await settings.list(db)).find(({ key }) => key === 'integrity_version')?.value,
  }
}

test('the first version is the one of the rules', async () => {
  const { db } = await open()
  expect((await findVersion(db, 1)).thresholds).toEqual(standard)
})

test('a stricter version is live at once, a looser one by two admins after its time', async () => {
  const { db, call, clock, settings, addTried, putLive, live } = await open()
  const stricter = await addTried({ ...standard, across: { clients: 4, messages: 6 } })
  const looser = await addTried({ ...standard, across: { clients: 9, messages: 6 } })
  expect((await putLive(stricter)).status).toBe(200)
  expect(await live()).toBe(String(stricter))
  await putLive(looser)
  expect(await live()).toBe(String(stricter))
  expect((await putLive(looser)).status).toBe(409)
  expect((await call(support, 'GET', '/api/integrity/versions')).body).toMatchObject([
    {
      id: looser,
      pending: { requestedBy: 'u6', approvedBy: '', isAlone: false },
      isLive: false,
      isAsStrict: false,
      liveFrom: null,
    },
    { id: stricter, isLive: true, madeBy: 'u6', approvedBy: '', pending: null },
    { id: 1, isLive: false, madeBy: '' },
  ])
  await putLive(looser, second)
  clock.advance(24 * 3_600_000)
  await settings.beginDue(db)
  expect(await live()).toBe(String(looser))
  expect(
    await row(
      db,
      sql`select approved_by, live_from from integrity_version_starts where version_id = ${looser}`,
    ),
  ).toEqual({ approved_by: second, live_from: clock.now() })
})

test('a figure that moves both sides of a comparison counts as looser', async () => {
  const { addTried, putLive, live } = await open()
  const id = await addTried({
    ...standard,
    paced: { ...standard.paced, slots: 4 },
    across: { clients: 2, messages: 1 },
  })
  await putLive(id)
  expect(await live()).not.toBe(String(id))
})

test('a version without a back-test that is done is not live, however strict, by either call', async () => {
  const { db, call, add, backTest, putLive, live } = await open()
  const { id } = await add({ ...standard, across: { clients: 2, messages: 1 } })
  const before = await live()
  const isTried = async () =>
    (await call(support, 'GET', '/api/integrity/versions')).body.find(
      (each: { id: number }) => each.id === id,
    ).isTried
  const setIt = () =>
    call(admin, 'PUT', '/api/admin/settings/integrity_version', { body: { settingValue: String(id) } })
  for (const state of ['none', 'under way']) {
    if (state === 'under way') await backTest(id, null)
    const refused = await putLive(id)
    expect([state, refused.status, refused.body.code]).toEqual([state, 409, 'wrong_state'])
    expect(refused.body.message).toContain('needs a back-test first')
    expect((await setIt()).status).toBe(409)
    expect(await isTried()).toBe(false)
  }
  expect(await live()).toBe(before)
  await sql`update back_tests set done_at = now() where version_id = ${id}`.execute(db)
  expect(await isTried()).toBe(true)
  expect((await putLive(id)).status).toBe(200)
})

test('back to what was live before, or to the installed version, needs no back-test', async () => {
  const { db, addTried, putLive } = await open()
  const id = await addTried({ ...standard, across: { clients: 2, messages: 1 }, list: { messages: 1 } })
  await putLive(id)
  await sql`delete from back_tests`.execute(db)
  for (const known of [id, 1]) expect([known, (await putLive(known)).status]).toEqual([known, 200])
})

test('a threshold of 0, an unknown one, and a version that is not there are refused', async () => {
  const { call, add, putLive } = await open()
  for (const thresholds of [
    { ...standard, list: { messages: 0 } },
    { ...standard, block: { ...standard.block, timesUsual: 0 } },
    { ...standard, list: {} },
    { ...standard, extra: {} },
  ])
    expect((await add(thresholds)).status).toBe(400)
  expect((await putLive(999)).status).toBe(404)
  expect((await call(support, 'POST', '/api/integrity/versions', { body: {} })).status).toBe(403)
})

test('the text of a version cannot be changed', async () => {
  const { db } = await open()
  await expect(sql`update integrity_versions set parameters = '{}' where id = 1`.execute(db)).rejects.toThrow(
    'append-only',
  )
  await expect(sql`delete from integrity_versions where id = 1`.execute(db)).rejects.toThrow('append-only')
})
