// Versions of the thresholds: never edited, stricter by one admin, looser by two and a wait.
import { expect, test } from 'vitest'
import { openTestBilling } from '../../../test/money/billing.ts'
import { row } from '../../platform/db.ts'
import { sql } from 'kysely'
import { standardThresholds as standard } from '../rules/thresholds.ts'
import { findVersion } from './versions.ts'

const { db, call, clock, settings } = await openTestBilling()
const [support, admin, second] = [4, 6, 7]
await sql`insert into users (username, email, first_name, last_name, password_hash, role)
  values ('u7', 'u7@example.org', 'U', 'U', 'x', 'admin')`.execute(db)

const add = async (thresholds: object, note = 'A trial') => {
  const answer = await call(admin, 'POST', '/api/integrity/versions', { body: { thresholds, note } })
  return { status: answer.status, id: Number((answer.body as { id?: number }).id) }
}
const putLive = (id: number, by = admin) => call(by, 'PUT', `/api/integrity/versions/${id}/live`)
const live = async () => (await settings.list(db)).find(({ key }) => key === 'integrity_version')?.value

test('the first version is the one of the rules', async () => {
  expect((await findVersion(db, 1)).thresholds).toEqual(standard)
})

test('a stricter version is live at once, a looser one by two admins after its time', async () => {
  const { id: stricter } = await add({ ...standard, across: { clients: 4, messages: 6 } })
  const { id: looser } = await add({ ...standard, across: { clients: 9, messages: 6 } })
  expect((await putLive(stricter)).status).toBe(200)
  expect(await live()).toBe(String(stricter))
  await putLive(looser)
  expect(await live()).toBe(String(stricter))
  expect((await putLive(looser)).status).toBe(409)
  expect((await call(support, 'GET', '/api/integrity/versions')).body).toMatchObject([
    { id: looser, isWaiting: true, isLive: false, isAsStrict: false, liveFrom: null },
    { id: stricter, isLive: true, madeBy: 'u6', approvedBy: '' },
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
  const { id } = await add({
    ...standard,
    paced: { ...standard.paced, slots: 4 },
    across: { clients: 2, messages: 1 },
  })
  await putLive(id)
  expect(await live()).not.toBe(String(id))
})

test('a threshold of 0, an unknown one, and a version that is not there are refused', async () => {
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
  await expect(sql`update integrity_versions set parameters = '{}' where id = 1`.execute(db)).rejects.toThrow(
    'append-only',
  )
  await expect(sql`delete from integrity_versions where id = 1`.execute(db)).rejects.toThrow('append-only')
})
